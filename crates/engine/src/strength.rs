use crate::Level;

/// The result of a round robin between levels, in games from random openings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The share of the points, in percent; a draw is half a point.
    pub percent: f64,
    /// Half the width of its 95 % confidence interval.
    pub error: f64,
}

/// What each level is, and how it scored against the level below it.
struct Strength {
    about: &'static str,
    score_against_next_lower: Option<Score>,
}

const STRENGTH: [Strength; 11] = [
    Strength { about: "any legal move, at random", score_against_next_lower: None },
    Strength {
        about: "looks a move or two ahead; for a first game",
        score_against_next_lower: Some(Score { percent: 98.3, error: 1.4 }),
    },
    Strength {
        about: "for beginners",
        score_against_next_lower: Some(Score { percent: 74.8, error: 4.4 }),
    },
    Strength {
        about: "for casual players",
        score_against_next_lower: Some(Score { percent: 63.7, error: 5.2 }),
    },
    Strength {
        about: "for practised players",
        score_against_next_lower: Some(Score { percent: 68.8, error: 4.8 }),
    },
    Strength {
        about: "for club players",
        score_against_next_lower: Some(Score { percent: 72.8, error: 4.4 }),
    },
    Strength {
        about: "for strong club players",
        score_against_next_lower: Some(Score { percent: 77.5, error: 4.0 }),
    },
    Strength {
        about: "the strongest that answers at once",
        score_against_next_lower: Some(Score { percent: 73.8, error: 4.2 }),
    },
    Strength {
        about: "thinks for about a second",
        score_against_next_lower: Some(Score { percent: 65.3, error: 3.9 }),
    },
    Strength {
        about: "thinks for some seconds",
        score_against_next_lower: Some(Score { percent: 62.2, error: 3.2 }),
    },
    Strength {
        about: "the strongest; thinks for 10 seconds at most",
        score_against_next_lower: Some(Score { percent: 58.3, error: 3.6 }),
    },
];

impl Level {
    fn strength(self) -> &'static Strength {
        &STRENGTH[usize::from(self.number())]
    }

    /// Returns how the level plays, in words.
    pub fn about(self) -> &'static str {
        self.strength().about
    }

    /// Returns how the level scored against the one below it; `None` if that was not measured.
    pub fn score_against_next_lower(self) -> Option<Score> {
        self.strength().score_against_next_lower
    }
}
