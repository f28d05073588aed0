/// A position of the 8×8 board with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sample {
    /// The discs of the player to move, bit `8 · column + row` from 0.
    pub(super) own: u64,
    /// The discs of the other player.
    pub(super) other: u64,
    /// By how many discs the player to move wins.
    pub(super) value: i8,
}

impl Sample {
    pub(super) fn discs(&self) -> u32 {
        (self.own | self.other).count_ones()
    }
}
