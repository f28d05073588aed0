use std::time::Duration;

use crate::game::Level;

/// What each level above 0 may spend on a move, in nodes of the search.
const NODES: [u64; 10] =
    [100, 7_000, 16_000, 45_000, 130_000, 450_000, 1_500_000, 5_000_000, 16_000_000, 64_000_000];

impl Level {
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
