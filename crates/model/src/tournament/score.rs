use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use super::Format;
use crate::log::{Outcome, Reason};
use outflank_rules::{Color, Goal, Lattice, Rules};

/// Points in a tournament: 1 for a win, ½ for a draw.
///
/// ```
/// # use outflank_model::tournament::Points;
/// let points: Points = [Points::WIN, Points::DRAW, Points::LOSS].into_iter().sum();
/// assert_eq!((points.halves(), &*points.to_string()), (3, "1½"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Points(u32);

impl Points {
    /// The points for a win.
    pub const WIN: Self = Self(2);
    /// The points for a draw.
    pub const DRAW: Self = Self(1);
    /// The points for a loss.
    pub const LOSS: Self = Self(0);

    /// Returns the points of black and white in a game with this winner; `None` is a draw.
    pub fn of(winner: Option<Color>) -> [Self; 2] {
        match winner {
            Some(Color::Black) => [Self::WIN, Self::LOSS],
            Some(Color::White) => [Self::LOSS, Self::WIN],
            None => [Self::DRAW; 2],
        }
    }

    /// Returns them as a number of half points.
    pub const fn halves(self) -> u32 {
        self.0
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        Self(points.map(Self::halves).sum())
    }
}

/// Writes `0`, `½`, `1`, `1½` and so on.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match (self.0 / 2, self.0 % 2) {
            (0, 1) => "½".to_owned(),
            (whole, 0) => whole.to_string(),
            (whole, _) => format!("{whole}½"),
        })
    }
}

/// A number of discs, exact to 1/128 disc: half the squares of an odd board and the steps of the Brightwell
/// quotient are whole numbers of this unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Discs(u64);

impl Discs {
    /// The units of a disc.
    pub const UNITS: u64 = 128;

    /// Returns this whole number of discs.
    pub fn whole(discs: u32) -> Self {
        Self(u64::from(discs) * Self::UNITS)
    }

    /// Returns the number of units of 1/128 disc.
    pub const fn units(self) -> u64 {
        self.0
    }

    /// Returns the product with a whole number.
    fn times(self, count: u32) -> Self {
        Self(self.0 * u64::from(count))
    }

    /// Returns this number of discs less the other; zero if the other is larger.
    const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Discs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sum for Discs {
    fn sum<I: Iterator<Item = Self>>(discs: I) -> Self {
        Self(discs.map(Self::units).sum())
    }
}

/// Writes a decimal number: all digits, or as many as the format has: `{:.2}`.
impl fmt::Display for Discs {
    #[expect(clippy::cast_precision_loss, reason = "no tournament has 2⁵³ units")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&(self.0 as f64 / Self::UNITS as f64), f)
    }
}

/// How the games of a tournament are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    squares: u32,
    goal: Goal,
    format: Format,
}

/// The discs of both players on the hex lattice, in place of squares.
const HEX_SQUARES: u32 = 64;

/// The least discs over half of the squares for a win that the count of discs did not decide.
const LEAST_LEAD: u32 = 2;

impl Scoring {
    /// Returns the scoring of games with these rules in a tournament of this format.
    pub fn of(rules: &Rules, format: Format) -> Self {
        let squares = match rules.lattice {
            Lattice::Rectangle(size) => u32::from(size.rows()) * u32::from(size.columns()),
            Lattice::Hex => HEX_SQUARES,
        };
        Self { squares, goal: rules.goal, format }
    }

    /// Returns whether the results of a player who has withdrawn early leave the table, as they do where
    /// everybody was to meet everybody.
    pub(super) fn removes_results(&self) -> bool {
        match self.format {
            Format::RoundRobin | Format::League => true,
            Format::Swiss => false,
        }
    }

    /// Returns the squares of the board, which the discs of both players add up to. The hex lattice has no
    /// last square; there it is the number of both players' discs, 64.
    pub const fn squares(&self) -> u32 {
        self.squares
    }

    /// Returns the discs of black and white in a game with an outcome that counts.
    ///
    /// Empty squares count for the winner, as in tournaments over the board; in a draw, each player has half
    /// of the squares. In misère, a player's discs are those of the opponent. A win that the
    /// count of discs did not decide is worth at least two discs more than half of the squares.
    ///
    /// On the hex lattice, the discs that were not placed are counted like empty squares.
    pub fn discs(&self, outcome: &Outcome) -> [Discs; 2] {
        let Some(winner) = outcome.winner else {
            return [self.half(); 2];
        };
        let lost_with = match self.goal {
            Goal::More => !winner,
            Goal::Fewer => winner,
        };
        let loser = Discs::whole(lost_with.pick([outcome.black, outcome.white]));
        let counted = Discs::whole(self.squares).less(loser);
        match outcome.reason {
            Reason::Discs => self.split(winner, counted),
            _ => self.split(winner, counted.max(self.least_win())),
        }
    }

    /// Returns the discs of black and white where this player won without a game: two more than half of the
    /// squares for the winner.
    pub fn walkover(&self, winner: Color) -> [Discs; 2] {
        self.split(winner, self.least_win())
    }

    /// Returns half of the squares.
    pub(super) fn half(&self) -> Discs {
        Discs(u64::from(self.squares) * (Discs::UNITS / 2))
    }

    /// Returns what these points weigh in the Brightwell quotient: 6 discs a point on 64 squares, and
    /// in proportion on other boards.
    pub(super) fn weight(&self, points: Points) -> Discs {
        // A half point weighs 6/2 discs for every 64 squares: 6/128 a square.
        Discs(6 * u64::from(self.squares)).times(points.halves())
    }

    fn least_win(&self) -> Discs {
        self.half() + Discs::whole(LEAST_LEAD)
    }

    /// Returns the discs of black and white: these for the winner, the rest of the squares for the loser.
    fn split(&self, winner: Color, discs: Discs) -> [Discs; 2] {
        let rest = Discs::whole(self.squares).less(discs);
        winner.pick([[discs, rest], [rest, discs]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_rules::{Overrides, Variant};

    fn scoring(variant: &str, size: Option<&str>, misere: bool) -> Scoring {
        let size = size.map(|size| size.parse().unwrap());
        let overrides = Overrides { size, misere, ..Overrides::default() };
        let rules = Variant::named(variant).unwrap().rules(&overrides).unwrap();
        Scoring::of(&rules, Format::RoundRobin)
    }

    /// Returns the discs of a game as text: `40-24`.
    fn shown(
        scoring: Scoring,
        winner: Option<Color>,
        reason: Reason,
        [black, white]: [u32; 2],
    ) -> String {
        let [black, white] = scoring.discs(&Outcome { winner, reason, black, white });
        assert_eq!(black + white, Discs::whole(scoring.squares()));
        format!("{black}-{white}")
    }

    #[test]
    fn empty_squares_count_for_the_winner() {
        let othello = scoring("othello", None, false);
        let [black, white, draw] = [Some(Color::Black), Some(Color::White), None];
        for (winner, reason, counted, expected) in [
            (black, Reason::Discs, [40, 24], "40-24"),
            (black, Reason::Discs, [33, 31], "33-31"),
            (black, Reason::Discs, [30, 20], "44-20"),
            (white, Reason::Discs, [0, 13], "0-64"),
            (draw, Reason::Discs, [32, 32], "32-32"),
            (draw, Reason::Discs, [20, 20], "32-32"),
            (draw, Reason::Agreed, [30, 9], "32-32"),
            (white, Reason::Resigned, [10, 30], "10-54"),
            (white, Reason::Resigned, [29, 10], "29-35"),
            (white, Reason::Resigned, [30, 10], "30-34"),
            (white, Reason::Resigned, [31, 10], "30-34"),
            (white, Reason::Time, [50, 5], "30-34"),
            (black, Reason::Claimed, [2, 2], "62-2"),
            (black, Reason::Forfeited, [5, 50], "34-30"),
        ] {
            assert_eq!(shown(othello, winner, reason, counted), expected, "{reason} {counted:?}");
        }
    }

    #[test]
    fn in_misere_a_player_has_the_discs_of_the_opponent() {
        let misere = scoring("othello", Some("6x6"), true);
        let [black, white] = Color::BOTH.map(Some);
        for (winner, reason, counted, expected) in [
            (black, Reason::Discs, [10, 26], "26-10"),
            (black, Reason::Discs, [10, 20], "26-10"),
            (white, Reason::Discs, [15, 0], "0-36"),
            (white, Reason::Resigned, [9, 20], "16-20"),
            (white, Reason::Resigned, [20, 9], "9-27"),
            (None, Reason::Discs, [14, 14], "18-18"),
        ] {
            assert_eq!(shown(misere, winner, reason, counted), expected, "{reason} {counted:?}");
        }
    }

    #[test]
    fn half_of_an_odd_board_is_exact() {
        let odd = scoring("othello", Some("5x5"), false);
        let black = Some(Color::Black);
        assert_eq!(shown(odd, None, Reason::Discs, [12, 12]), "12.5-12.5");
        assert_eq!(shown(odd, black, Reason::Time, [3, 11]), "14.5-10.5");
        assert_eq!(shown(odd, black, Reason::Discs, [13, 12]), "13-12");
        assert_eq!(odd.walkover(Color::White).map(|it| it.to_string()), ["10.5", "14.5"]);
    }

    #[test]
    fn on_the_hex_lattice_discs_that_were_not_placed_count_for_the_winner() {
        let hex = scoring("oddthello", None, false);
        let [black, white] = Color::BOTH.map(Some);
        assert_eq!(hex.squares(), 64);
        assert_eq!(shown(hex, white, Reason::Discs, [30, 34]), "30-34");
        assert_eq!(shown(hex, black, Reason::Stuck, [11, 8]), "56-8");
        assert_eq!(shown(hex, black, Reason::Stuck, [3, 31]), "34-30");
    }

    #[test]
    fn six_discs_a_point_are_in_proportion_to_the_board() {
        for (size, weight) in
            [("8x8", "6"), ("6x6", "3.375"), ("5x5", "2.34375"), ("3x3", "0.84375")]
        {
            let scoring = scoring("othello", Some(size), false);
            assert_eq!(scoring.weight(Points::WIN).to_string(), weight);
            assert_eq!(scoring.weight(Points::DRAW).units() * 2, scoring.weight(Points(2)).units());
        }
    }

    #[test]
    fn points_and_discs_are_written_as_numbers() {
        let points = [0, 1, 2, 3, 8, 21].map(|halves| Points(halves).to_string());
        assert_eq!(points, ["0", "½", "1", "1½", "4", "10½"]);
        assert_eq!(format!("[{:>3}] [{:<3}]", Points(1), Points(3)), "[  ½] [1½ ]");
        let discs = [Discs(0), Discs(1), Discs(64), Discs::whole(40)].map(|it| it.to_string());
        assert_eq!(discs, ["0", "0.0078125", "0.5", "40"]);
        assert_eq!(format!("[{:7.2}]", Discs(3 * 128 + 48)), "[   3.38]");
    }
}
