/// How many stages of the game have weights of their own.
pub const STAGES: usize = 12;

/// Returns the stage of a game with this many discs on the board.
pub const fn stage_of(discs: u32) -> usize {
    let stage = (discs.saturating_sub(10) / 4) as usize;
    if stage < STAGES { stage } else { STAGES - 1 }
}
