use outflank_rules::Color;

use crate::words;

words! {
    /// Why a game is over.
    Reason {
        /// No more discs can be placed; the discs were counted.
        Discs = "discs",
        /// A player could not place a disc and was not allowed to pass.
        Stuck = "stuck",
        /// A player resigned.
        Resigned = "resigned",
        /// The players agreed on a draw.
        Agreed = "agreed",
        /// A player ran out of time.
        Time = "time",
        /// The opponent of a player who did not move in time claimed the game.
        Claimed = "claimed",
        /// The host declared the game lost for a player.
        Forfeited = "forfeited",
        /// The host ended the game, which counts for nobody.
        Annulled = "annulled",
        /// A player declined the game before the first own move; it counts for nobody.
        Declined = "declined",
    }
}

impl Reason {
    /// The reasons of results that count in nobody's record.
    pub const UNCOUNTED: [Self; 2] = [Self::Annulled, Self::Declined];

    /// Returns whether the result counts in the players' records.
    pub fn counts(self) -> bool {
        !Self::UNCOUNTED.contains(&self)
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` for a draw and for a game that counts for nobody.
    pub winner: Option<Color>,
    /// Why the game is over.
    pub reason: Reason,
    /// Black discs on the board.
    pub black: u32,
    /// White discs on the board.
    pub white: u32,
}

/// The outcome of a game that its last move ended.
impl From<outflank_rules::Outcome> for Outcome {
    fn from(outcome: outflank_rules::Outcome) -> Self {
        let outflank_rules::Outcome { winner, reason, black, white } = outcome;
        let reason = match reason {
            outflank_rules::Reason::Discs => Reason::Discs,
            outflank_rules::Reason::Stuck => Reason::Stuck,
        };
        Self { winner, reason, black, white }
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn annulled_and_declined_games_count_for_nobody() {
        assert!([Reason::Annulled, Reason::Declined].into_iter().all(|reason| !reason.counts()));
        assert!([Reason::Discs, Reason::Resigned, Reason::Time].into_iter().all(Reason::counts));
    }
}
