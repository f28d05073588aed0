/// How many units of the evaluation make a disc.
pub(super) const DISC: i32 = 8;
/// The discs that a player without a move loses if the rules allow no pass, as in `Rules::margin`.
pub(super) const STUCK: i32 = 64;

/// A position on a board of bits.
#[derive(Clone, Copy)]
pub(super) struct Node<B> {
    /// The discs of the player to move.
    pub(super) own: B,
    /// The discs of the opponent.
    pub(super) other: B,
    /// The legal placements.
    pub(super) moves: B,
}
