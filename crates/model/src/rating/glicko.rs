use std::fmt;

use chrono::{DateTime, Months, Utc};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};

use crate::words;

/// The greatest deviation, which is that of a player without rated games.
const MAX_DEVIATION: f64 = 350.0;
/// The greatest deviation of an established rating.
const MAX_ESTABLISHED_DEVIATION: f64 = 110.0;
/// How many rating periods a day without a game counts as. At the volatility 0.06, a deviation of 60
/// grows to 110 in a year.
const PERIODS_PER_DAY: f64 = 0.21436;
/// A volatility of 1 in the units of deviations, as in Glickman's paper.
const SCALE: f64 = 173.7178;
/// How much volatilities change, and how exactly they are calculated.
const CONFIG: Glicko2Config = Glicko2Config { tau: 0.5, convergence_tolerance: 0.000_001 };
/// How long a player without a rated game is active in a list.
const ACTIVE_MONTHS: Months = Months::new(6);

/// A player's rating in a list after a rated game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The rating. It begins at 1500.
    pub rating: f64,
    /// The deviation right after the game: the true strength is within twice as much in 19 of 20 cases.
    pub deviation: f64,
    /// The volatility: how much the strength changes.
    pub volatility: f64,
    /// How many rated games of the list the player has finished.
    pub games: u32,
    /// When the last of them ended.
    pub ended_at: DateTime<Utc>,
}

words! {
    /// How a game ended for a player.
    Score {
        /// The player won.
        Won = "won",
        /// Nobody won.
        Drawn = "drawn",
        /// The opponent won.
        Lost = "lost",
    }
}

words! {
    /// How certain and how recent a rating is.
    #[derive(PartialOrd, Ord)]
    Standing {
        /// The deviation is at most 110.
        Established = "established",
        /// The deviation is greater than that.
        Provisional = "provisional",
        /// The player has finished no rated game for half a year.
        Inactive = "inactive",
    }
}

impl Score {
    /// Returns the score of a player who has won, has lost, or neither.
    pub const fn of(has_won: Option<bool>) -> Self {
        match has_won {
            Some(true) => Self::Won,
            Some(false) => Self::Lost,
            None => Self::Drawn,
        }
    }

    /// Returns the score of the opponent.
    #[must_use]
    pub const fn of_opponent(self) -> Self {
        match self {
            Self::Won => Self::Lost,
            Self::Drawn => Self::Drawn,
            Self::Lost => Self::Won,
        }
    }
}

impl Rating {
    /// Returns the deviation at a later time: it grows with the days without a rated game.
    pub fn deviation_at(&self, time: DateTime<Utc>) -> f64 {
        let days = (time - self.ended_at).as_seconds_f64().max(0.0) / 86_400.0;
        let growth = days * PERIODS_PER_DAY * (self.volatility * SCALE).powi(2);
        (self.deviation.powi(2) + growth).sqrt().min(MAX_DEVIATION)
    }

    /// Returns how certain and how recent it is at a later time.
    pub fn standing_at(&self, time: DateTime<Utc>) -> Standing {
        if self.ended_at + ACTIVE_MONTHS <= time {
            Standing::Inactive
        } else if self.deviation_at(time) <= MAX_ESTABLISHED_DEVIATION {
            Standing::Established
        } else {
            Standing::Provisional
        }
    }

    /// Returns it with the deviation at a later time in a few words: `1512 ± 80, 14 games`.
    pub fn words_at(&self, time: DateTime<Utc>) -> String {
        let games = if self.games == 1 { "game" } else { "games" };
        format!("{}, {} {games}", self.number_at(time), self.games)
    }

    /// Returns it with the deviation at a later time: `1512 ± 80`.
    pub fn number_at(&self, time: DateTime<Utc>) -> String {
        format!("{self} \u{b1} {:.0}", self.deviation_at(time))
    }

    /// Returns the rating rounded, as it is shown.
    pub fn rounded(&self) -> i32 {
        self.rating.round() as i32
    }

    /// The rating of a player without a rated game, rounded.
    pub const FIRST: i32 = 1500;
}

/// Writes the rating without a deviation, rounded.
impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rounded())
    }
}

/// Returns the ratings of two players after a game. It is a rating period of its own, and both new
/// ratings follow from those before the game.
///
/// * `before`: their ratings after the last game of each; `None` for a first game
/// * `score`: that of the first player
/// * `ended_at`: when the game ended
pub fn rate(before: [Option<Rating>; 2], score: Score, ended_at: DateTime<Utc>) -> [Rating; 2] {
    let [first, second] = before.map(|rating| match rating {
        Some(rating) => Glicko2Rating {
            rating: rating.rating,
            deviation: rating.deviation_at(ended_at),
            volatility: rating.volatility,
        },
        None => Glicko2Rating::new(),
    });
    let outcome = match score {
        Score::Won => Outcomes::WIN,
        Score::Drawn => Outcomes::DRAW,
        Score::Lost => Outcomes::LOSS,
    };
    let (first, second) = glicko2(&first, &second, &outcome, &CONFIG);
    let [first_before, second_before] = before;
    [(first, first_before), (second, second_before)].map(|(after, before)| Rating {
        rating: after.rating,
        deviation: after.deviation,
        volatility: after.volatility,
        games: before.map_or(0, |rating| rating.games) + 1,
        ended_at,
    })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn rating(rating: f64, deviation: f64) -> Rating {
        let ended_at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        Rating { rating, deviation, volatility: 0.06, games: 20, ended_at }
    }

    /// The example of Glickman's paper with one of its games: 1500 ± 200 beats 1400 ± 30.
    #[test]
    fn a_game_changes_both_ratings_from_those_before_it() {
        let (first, second) = (rating(1500.0, 200.0), rating(1400.0, 30.0));
        let after = rate([Some(first), Some(second)], Score::Won, first.ended_at);
        let shown = after.map(|rating| rating.words_at(rating.ended_at));
        assert_eq!(shown, ["1564 \u{b1} 175, 21 games", "1398 \u{b1} 32, 21 games"]);
        // The order of the players does not matter, to the last bit.
        let [second_after, first_after] =
            rate([Some(second), Some(first)], Score::Lost, first.ended_at);
        assert_eq!([first_after, second_after], after);
        let new = rate([None, None], Score::Drawn, first.ended_at);
        assert_eq!(new[0].words_at(first.ended_at), "1500 \u{b1} 290, 1 game");
    }

    #[test]
    fn after_decades_a_rating_is_as_uncertain_as_a_new_one() {
        let past = rating(1500.0, 60.0);
        let end = past.ended_at + TimeDelta::days(36_500);
        let [returning, _] = rate([Some(past), None], Score::Won, end);
        let [new, _] = rate([None, None], Score::Won, end);
        assert!((returning.deviation - new.deviation).abs() < 1e-9, "{}", returning.deviation);
        assert!((returning.rating - new.rating).abs() < 1e-9, "{}", returning.rating);
        assert_eq!(new.deviation_at(end + TimeDelta::days(36_500)), 350.0);
    }

    #[test]
    fn a_deviation_grows_with_every_second_without_a_game() {
        let established = rating(1500.0, 60.0);
        let after = |days: f64| established.ended_at + TimeDelta::seconds((days * 86_400.0) as i64);
        for (days, deviation) in [(0.0, 60.0), (0.5, 60.1), (182.5, 88.6), (365.0, 110.0)] {
            let grown = established.deviation_at(after(days));
            assert!((grown - deviation).abs() < 0.05, "{days} days: {grown}");
        }
        assert_eq!(established.deviation_at(after(36_500.0)), MAX_DEVIATION);
        // A clock that was ahead shrinks nothing.
        assert_eq!(established.deviation_at(after(-3.0)), 60.0);
        // Before a game, too: the opponent's rating changes less if this one is less certain.
        let opponent = |days| {
            let fresh = Rating { ended_at: after(days), ..established };
            rate([Some(established), Some(fresh)], Score::Lost, after(days))[1].rating
        };
        assert!(opponent(0.0) > opponent(0.5) && opponent(0.5) > opponent(100.0));
    }

    #[test]
    fn a_rating_is_established_until_it_is_uncertain_or_old() {
        for (deviation, days, expected) in [
            (60.0, 0, Standing::Established),
            (110.0, 0, Standing::Established),
            (110.0, 1, Standing::Provisional),
            (60.0, 180, Standing::Established),
            (60.0, 184, Standing::Inactive),
            (200.0, 184, Standing::Inactive),
        ] {
            let rating = rating(1500.0, deviation);
            let standing = rating.standing_at(rating.ended_at + TimeDelta::days(days));
            assert_eq!(standing, expected, "{deviation} after {days} days");
        }
    }
}
