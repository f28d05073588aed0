use std::ops::RangeInclusive;

use crate::words;

/// The most players of a Swiss tournament.
pub const MAX_SWISS_PLAYERS: usize = 64;
/// The most rounds of a Swiss tournament.
pub const MAX_SWISS_ROUNDS: usize = 11;

words! {
    /// Who meets whom.
    Format {
        /// Everybody meets everybody.
        RoundRobin = "round-robin",
        /// In each round, players with about the same points meet.
        Swiss = "swiss",
        /// A round robin in each division, season after season.
        League = "league",
    }
}

impl Format {
    /// Returns its name in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::RoundRobin => "round robin",
            Self::Swiss => "Swiss tournament",
            Self::League => "league",
        }
    }

    /// Returns the most players.
    pub const fn max_players(self) -> usize {
        match self {
            Self::RoundRobin => 16,
            Self::Swiss => MAX_SWISS_PLAYERS,
            Self::League => 240,
        }
    }
}

/// The divisions of a league.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Divisions {
    /// The players of a division.
    pub size: usize,
    /// How many players of a division move up, and down, at the end of a season.
    pub moved: usize,
}

impl Default for Divisions {
    fn default() -> Self {
        Self { size: 8, moved: 2 }
    }
}

impl Divisions {
    /// Returns the sizes that a division may have.
    pub const SIZES: RangeInclusive<usize> = 6..=12;
}
