use std::fmt;
use std::str::FromStr;

use super::{Cell, Position};

/// What a player does on a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// Places a disc on a cell.
    Place(Cell),
    /// Passes.
    Pass,
}

/// What was written is not a move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no move: write a column letter and a row number, like d3, or pass")]
pub struct BadMove(pub String);

const PASS: &str = "pass";

/// Reads a cell's label or `pass`, in either case.
impl FromStr for Move {
    type Err = BadMove;

    fn from_str(text: &str) -> Result<Self, BadMove> {
        if text.eq_ignore_ascii_case(PASS) {
            return Ok(Self::Pass);
        }
        text.parse().map(Self::Place).map_err(|_| BadMove(text.to_owned()))
    }
}

/// Moves in a row, as games are written down: `f5d6c3` or `f5 d6 c3`, in either case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript(pub Vec<Move>);

impl FromStr for Transcript {
    type Err = BadMove;

    fn from_str(text: &str) -> Result<Self, BadMove> {
        let mut moves = Vec::new();
        for word in text.split_whitespace() {
            let mut rest = word;
            while !rest.is_empty() {
                let (first, after) = rest.split_at(first_move(rest));
                moves.push(first.parse()?);
                rest = after;
            }
        }
        Ok(Self(moves))
    }
}

/// The length of the move at the beginning of moves written without a gap: `pass`, or letters,
/// perhaps a minus, and digits. All of it when it begins with neither.
fn first_move(text: &str) -> usize {
    // No label within reach of a game begins with these four letters.
    if text.get(..PASS.len()).is_some_and(|start| start.eq_ignore_ascii_case(PASS)) {
        return PASS.len();
    }
    let letters = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let minus = usize::from(text[letters..].starts_with('-'));
    let number = letters + minus;
    let digits = text[number..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - number);
    if letters == 0 || digits == 0 { text.len() } else { number + digits }
}

/// Writes the position string `(T row row …)`: the player to move, `b` or `w`, and the rows of
/// [`Position::frame`] from the top, each `b`, `w` or `-` from the left.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frame = self.frame();
        write!(f, "({}", self.turn().letter())?;
        for row in frame.row_range() {
            f.write_str(" ")?;
            for column in frame.column_range() {
                let disc = self.disc(Cell::new(column, row));
                write!(f, "{}", disc.map_or('-', super::Color::letter))?;
            }
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(label: &str) -> Move {
        Move::Place(label.parse().unwrap())
    }

    #[test]
    fn transcripts_are_read_with_and_without_gaps() {
        let expected = Transcript(vec![cell("f5"), cell("d6"), Move::Pass, cell("c3")]);
        for text in ["f5 d6 pass c3", "F5D6PASSC3", " f5d6 Pass\tc3\n"] {
            assert_eq!(text.parse(), Ok(expected.clone()), "{text}");
        }
        assert_eq!("".parse(), Ok(Transcript::default()));
        assert_eq!("ZZ3B-1a0".parse(), Ok(Transcript(vec![cell("zz3"), cell("b-1"), cell("a0")])));
    }

    #[test]
    fn what_is_no_move_is_named() {
        for (text, named) in
            [("f5 33 c4", "33"), ("f5d", "d"), ("f5é6", "é6"), ("f5-", "-"), ("d03", "d03")]
        {
            assert_eq!(text.parse::<Transcript>(), Err(BadMove(named.to_owned())), "{text}");
        }
    }
}
