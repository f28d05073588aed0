use std::fmt;
use std::time::Duration;

/// What each level above 0 may spend on a move, in nodes of the search.
const NODES: [u64; 10] =
    [100, 7_000, 16_000, 45_000, 130_000, 450_000, 1_500_000, 5_000_000, 16_000_000, 64_000_000];

/// How strong the program plays: 0 (random legal moves) to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// The strongest level.
    pub const STRONGEST: Self = Self(10);

    /// Returns the level with this number; `None` above 10.
    pub fn new(number: u8) -> Option<Self> {
        (number <= Self::STRONGEST.0).then_some(Self(number))
    }

    /// Iterates over the levels from the weakest.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=Self::STRONGEST.0).map(Self)
    }

    /// Returns the number of the level.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the most nodes that the level searches for a move; 0 if it plays at random. On boards
    /// of more than 128 cells, a node counts as several, because it takes as long as they do on small
    /// ones: 2 up to 256 cells, 220 on the largest. The first ply is always searched.
    pub fn nodes(self) -> u64 {
        match usize::from(self.number()) {
            0 => 0,
            number => NODES[number - 1],
        }
    }

    /// Returns the longest time that the level thinks about a move, if it has a limit besides its
    /// nodes.
    pub fn time_limit(self) -> Option<Duration> {
        (self == Self::STRONGEST).then_some(Duration::from_secs(10))
    }

    /// Returns whether the level needs less than a second for a move on common machines.
    pub fn is_quick(self) -> bool {
        self.nodes() <= 1_500_000
    }
}

/// Writes the number.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
