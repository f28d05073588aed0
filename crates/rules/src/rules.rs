use super::{Color, Lattice};

/// The cells on which a player may place a disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Empty cells on which the disc flips at least one other.
    Outflanking,
    /// Any empty cell; outflanked discs still flip.
    Anywhere,
}

/// What happens to a player to move who cannot place a disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// Passes automatically.
    AutoPass,
    /// Must pass with an explicit move.
    MustPass,
    /// Loses at once.
    Loses,
}

impl Stuck {
    /// Returns how players pass in a word, `auto` or `explicit`; `None` if they never do.
    pub const fn pass_word(self) -> Option<&'static str> {
        match self {
            Self::AutoPass => Some("auto"),
            Self::MustPass => Some("explicit"),
            Self::Loses => None,
        }
    }
}

/// Which number of discs wins when no more discs can be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The player with more discs wins.
    More,
    /// The player with fewer discs wins (misère).
    Fewer,
}

/// The parameters of the engine. Every combination on a rectangle is playable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The cells and their neighbours.
    pub lattice: Lattice,
    /// The cells on which a player may place a disc.
    pub placement: Placement,
    /// What happens to a player who cannot place a disc.
    pub stuck: Stuck,
    /// Which number of discs wins.
    pub goal: Goal,
    /// The number of discs of each player, including those placed at the start; `None` means
    /// that only the board limits them.
    pub supply: Option<u32>,
}

impl Rules {
    /// Returns the outcome of a game that ends with these numbers of discs.
    pub(super) fn outcome_by_discs(&self, black: u32, white: u32) -> Outcome {
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

    /// Returns by how many discs this player has won a game that ended so: by how many fewer in
    /// misère. Having no move where that loses at once counts as 64.
    ///
    /// ```
    /// # use outflank_rules::{Color, Outcome, Reason, Variant};
    /// let rules = Variant::named("othello")?.rules(&Default::default())?;
    /// let winner = Some(Color::Black);
    /// let outcome = Outcome { winner, reason: Reason::Discs, black: 40, white: 24 };
    /// assert_eq!(rules.margin(&outcome, Color::White), -16);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn margin(&self, outcome: &Outcome, player: Color) -> i32 {
        let sign = |is_mine: bool| if is_mine { 1 } else { -1 };
        if outcome.reason == Reason::Stuck {
            return outcome.winner.map_or(0, |winner| sign(winner == player) * STUCK);
        }
        let more = outcome.black.cast_signed() - outcome.white.cast_signed();
        sign(player == Color::Black) * sign(self.goal == Goal::More) * more
    }
}

/// Why no more moves can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// No more discs can be placed; the discs were counted.
    Discs,
    /// A player could not place a disc and was not allowed to pass.
    Stuck,
}

/// What having no move counts, where that loses at once.
const STUCK: i32 = 64;

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game is over.
    pub reason: Reason,
    /// Black discs on the board.
    pub black: u32,
    /// White discs on the board.
    pub white: u32,
}
