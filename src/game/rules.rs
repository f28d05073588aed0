use super::{Color, Lattice};

/// Where a disc may be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// On an empty cell from which it flips at least one disc.
    Outflanking,
    /// On any empty cell; outflanked discs still flip.
    Anywhere,
}

/// What happens to a player who has the turn and cannot place a disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// Passes by itself.
    PassesByItself,
    /// Must make the pass as a move.
    MustPass,
    /// Loses at once.
    Loses,
}

impl Stuck {
    /// The word for it in commands, JSON and the database; `None` where nobody ever passes.
    #[must_use]
    pub const fn pass_word(self) -> Option<&'static str> {
        match self {
            Self::PassesByItself => Some("auto"),
            Self::MustPass => Some("explicit"),
            Self::Loses => None,
        }
    }
}

/// Whose discs win when the game has run its course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// More discs win.
    More,
    /// Fewer discs win: misère.
    Fewer,
}

/// The parameters of the one engine. Every combination on a rectangle is playable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Where discs may lie.
    pub lattice: Lattice,
    /// Where a disc may be placed.
    pub placement: Placement,
    /// What happens to a player who cannot place one.
    pub stuck: Stuck,
    /// Whose discs win.
    pub goal: Goal,
    /// How many discs each player has, those of the start included; `None` is no limit but
    /// the board's.
    pub supply: Option<u32>,
}

impl Rules {
    /// How a game ends when it has run its course with these discs on the board.
    #[must_use]
    pub fn outcome_by_discs(&self, black: u32, white: u32) -> Outcome {
        let leader = match black.cmp(&white) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Color::Black),
            std::cmp::Ordering::Less => Some(Color::White),
        };
        let winner = match self.goal {
            Goal::More => leader,
            Goal::Fewer => leader.map(|color| !color),
        };
        Outcome { winner, reason: Reason::Discs, black, white }
    }
}

/// Why a game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It has run its course; the discs were counted.
    Discs,
    /// A player who may not pass could not place a disc.
    Stuck,
    /// A player gave up.
    Resigned,
}

impl Reason {
    /// The word for it in JSON and in the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Discs => "discs",
            Self::Stuck => "stuck",
            Self::Resigned => "resigned",
        }
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Who won; `None` is a draw.
    pub winner: Option<Color>,
    /// Why it is over.
    pub reason: Reason,
    /// Black discs on the board.
    pub black: u32,
    /// White discs on the board.
    pub white: u32,
}
