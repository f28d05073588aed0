use outflank_rules::Move;

/// A move as a search has evaluated it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// The principal variation: this move, then the best replies as far as they are known.
    pub line: Vec<Move>,
    /// By how many discs the player to move wins if both play well; negative for a loss. In misère,
    /// by how many fewer discs. Where a player without a move loses at once, that counts as 64.
    pub value: i32,
    /// How many plies deep the search looked.
    pub depth: u32,
    /// Whether the value is proved by a search to the end of the game.
    pub exact: bool,
}

impl Evaluated {
    /// Returns the move.
    pub fn mv(&self) -> Move {
        self.line.first().copied().unwrap_or(Move::Pass)
    }
}
