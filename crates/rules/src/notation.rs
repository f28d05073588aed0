use std::str::FromStr;

use super::{Cell, quoted};

/// What a player does on a turn.
///
/// ```
/// # use outflank_rules::{BadMove, Cell, Move};
/// assert_eq!("D3".parse(), Ok(Move::Place(Cell::new(3, 3))));
/// assert_eq!("pass".parse(), Ok(Move::Pass));
/// assert_eq!("33".parse::<Move>(), Err(BadMove("33".to_owned())));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// Places a disc on a cell.
    Place(Cell),
    /// Passes.
    Pass,
}

/// A text is not a move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a valid move; use a column and a row, such as d3", quoted(.0))]
pub struct BadMove(pub String);

/// Parses a number without a sign.
///
/// ```
/// # use outflank_rules::parse_digits;
/// assert_eq!(parse_digits("12"), Some(12));
/// assert_eq!(parse_digits::<u8>("+12"), None);
/// ```
pub fn parse_digits<T: FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

const PASS: &str = "pass";

/// Parses a cell label or `pass`, in either case.
impl FromStr for Move {
    type Err = BadMove;

    fn from_str(text: &str) -> Result<Self, BadMove> {
        if text.eq_ignore_ascii_case(PASS) {
            return Ok(Self::Pass);
        }
        text.parse().map(Self::Place).map_err(|_| BadMove(text.to_owned()))
    }
}

/// A list of moves: `f5d6c3` or `f5 d6 c3`, in either case.
///
/// ```
/// # use outflank_rules::Transcript;
/// assert_eq!("f5d6C3".parse::<Transcript>(), "f5 d6 c3".parse());
/// assert_eq!("f5 d6 c3".parse::<Transcript>()?.0.len(), 3);
/// # Ok::<(), outflank_rules::BadMove>(())
/// ```
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

/// Returns the length of the first move in a text without spaces: `pass`, or letters, an optional
/// minus and digits. Returns the whole length if the text starts with neither.
fn first_move(text: &str) -> usize {
    // No cell label starts like this: four letters of a column label are all the same.
    if text.get(..PASS.len()).is_some_and(|start| start.eq_ignore_ascii_case(PASS)) {
        return PASS.len();
    }
    let letters = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let minus = usize::from(text[letters..].starts_with('-'));
    let number = letters + minus;
    let digits = text[number..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - number);
    if letters == 0 || digits == 0 { text.len() } else { number + digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(label: &str) -> Move {
        Move::Place(label.parse().unwrap())
    }

    #[test]
    fn a_transcript_parses_with_and_without_spaces() {
        let expected = Transcript(vec![cell("f5"), cell("d6"), Move::Pass, cell("c3")]);
        for text in ["f5 d6 pass c3", "F5D6PASSC3", " f5d6 Pass\tc3\n"] {
            assert_eq!(text.parse(), Ok(expected.clone()), "{text}");
        }
        assert_eq!("".parse(), Ok(Transcript::default()));
        assert_eq!("ZZ3B-1a0".parse(), Ok(Transcript(vec![cell("zz3"), cell("b-1"), cell("a0")])));
    }

    #[test]
    fn the_error_names_the_invalid_move() {
        for (text, invalid) in [
            ("f5 33 c4", "33"),
            ("f5d", "d"),
            ("f5é6", "é6"),
            ("f5-", "-"),
            ("d03", "d03"),
            // It is not known where such a move ends.
            ("33c4", "33c4"),
            ("f5d-c4", "d-c4"),
        ] {
            assert_eq!(text.parse::<Transcript>(), Err(BadMove(invalid.to_owned())), "{text}");
        }
    }
}
