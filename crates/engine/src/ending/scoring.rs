use outflank_rules::{Goal, Lattice, Placement, Rules, Stuck};

/// Less than any value on the 8×8 board.
pub(crate) const NO_VALUE: i32 = -65;

/// The value of the end of a game for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scoring {
    /// The discs more than the other player has.
    Discs,
    /// The same, and the empty squares count for the winner, as in tournaments.
    WinnerTakesEmpties,
    /// The discs fewer than the other player has.
    FewerDiscs,
}

impl Scoring {
    /// Returns the scoring of these rules; `None` if they are not those of Othello or its misère on a
    /// rectangle up to 8×8, with either kind of pass.
    pub(crate) fn of(rules: &Rules) -> Option<Self> {
        let Rules { lattice: Lattice::Rectangle(size), placement, stuck, goal, supply } = *rules
        else {
            return None;
        };
        let is_known = size.rows() <= 8
            && size.columns() <= 8
            && placement == Placement::Outflanking
            && stuck != Stuck::Loses
            && supply.is_none();
        is_known.then_some(match goal {
            Goal::More => Self::Discs,
            Goal::Fewer => Self::FewerDiscs,
        })
    }
}

/// The squares that a game is played on, as bits of the 8×8 board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Squares {
    pub(crate) all: u64,
    pub(crate) corners: u64,
}

impl Squares {
    /// The whole board.
    pub(crate) const EIGHT: Self = Self { all: !0, corners: 0x8100_0000_0000_0081 };
}
