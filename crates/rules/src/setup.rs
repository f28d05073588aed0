use std::fmt;
use std::str::FromStr;

use super::{BadSize, Cell, Color, Lattice, Placement, Position, Rules, Size, quoted};

/// The words of a position string, not validated yet.
///
/// ```
/// # use outflank_rules::{Cell, Overrides, Setup, Variant};
/// let rules = Variant::named("othello")?.rules(&Overrides::default())?;
/// let setup: Setup = "(w -b-- -bb- -bw- ----)".parse()?;
/// let position = setup.position(&rules, Cell::new(0, 1)).expect("a valid setup");
/// assert_eq!(position.to_string(), setup.to_string());
///
/// let setup: Setup = "(black b? -)".parse()?;
/// let faults = setup.position(&rules, Cell::new(0, 1)).unwrap_err();
/// assert_eq!(faults.0.len(), 4, "the player, the letter, the length of row 2, and the size");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    turn: String,
    rows: Vec<String>,
}

/// A text is not a position string.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a position; use (T row row ...), such as (b ---- -wb- -bw- ----), or 64 cells and X or O",
    quoted(.0)
)]
pub struct BadSetup(pub String);

/// One reason why a setup is not a valid position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The player to move is neither `b` nor `w`.
    #[error("the player to move is {}, not b or w", quoted(.0))]
    Turn(String),
    /// A row, counted from 1, has this invalid character.
    #[error("row {0} has the character {letter}, not b, w or -", letter = quoted(&.1.to_string()))]
    Letter(usize, char),
    /// A row, counted from 1, does not have as many cells as most rows.
    #[error("row {0} has {1} cells, but most rows have {2}")]
    Length(usize, usize, usize),
    /// The board size is not valid.
    #[error(transparent)]
    Size(#[from] BadSize),
    /// The board is empty, so no disc could ever be placed.
    #[error("there is no disc on the board")]
    NoDiscs,
    /// The board has more discs than the players own.
    #[error("there are {0} discs on the board, but the players have only {1}")]
    TooManyDiscs(usize, u32),
    /// On the hex lattice, a disc is too far from A1.
    #[error("the disc on {} is too far from A1; the limit is {REACH} columns and rows", .0.label())]
    TooFar(Cell),
}

/// Every reason why a setup is not a valid position, in reading order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Faults(pub Vec<Fault>);

/// How far from A1 the discs of a setup may be on the hex lattice.
const REACH: i32 = 999;

/// Parses `(T row row …)`, or a board of another program, without validating it. Edax and OBF write 64 cells
/// and the player to move; GGF and NBoard write the side of a square board, its cells and the player to move.
impl FromStr for Setup {
    type Err = BadSetup;

    fn from_str(text: &str) -> Result<Self, BadSetup> {
        let bad = || BadSetup(text.to_owned());
        let Some(rest) = text.trim().strip_prefix('(') else {
            return board_of_programs(text).ok_or_else(bad);
        };
        let mut words =
            rest.strip_suffix(')').ok_or_else(bad)?.split_whitespace().map(str::to_owned);
        let turn = words.next().ok_or_else(bad)?;
        let rows: Vec<_> = words.collect();
        if rows.is_empty() { Err(bad()) } else { Ok(Self { turn, rows }) }
    }
}

/// Reads the cells of a board row by row and the player to move, behind the side of the board if it is not
/// 8. In OBF, moves with their values follow after a semicolon.
fn board_of_programs(text: &str) -> Option<Setup> {
    let board = text.split(';').next()?;
    let mut words = board.split_whitespace().peekable();
    let side = words.peek()?.parse::<usize>().ok();
    let cells = words.skip(usize::from(side.is_some())).flat_map(str::chars);
    let letters: Vec<char> = cells.map(letter_of_programs).collect::<Option<_>>()?;
    let (side, (turn, cells)) = (side.unwrap_or(8), letters.split_last()?);
    let is_board = *turn != '-' && side > 0 && Some(cells.len()) == side.checked_mul(side);
    let rows = || cells.chunks(side).map(|row| row.iter().collect()).collect();
    is_board.then(|| Setup { turn: turn.to_string(), rows: rows() })
}

/// Returns a letter of another program's board as a position string has it.
const fn letter_of_programs(letter: char) -> Option<char> {
    match letter {
        '*' | 'x' | 'X' | 'b' | 'B' => Some('b'),
        'O' | 'o' | '0' | 'w' | 'W' => Some('w'),
        '-' | '.' | '_' => Some('-'),
        _ => None,
    }
}

/// Writes the position string with single spaces.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} {})", self.turn, self.rows.join(" "))
    }
}

impl Setup {
    /// Validates the setup and returns the position under these rules. The setup determines the
    /// size of a rectangle; on the hex lattice, its first cell is `first`.
    ///
    /// # Errors
    /// [`Faults`] with every reason for refusal.
    pub fn position(&self, rules: &Rules, first: Cell) -> Result<Position, Faults> {
        let mut faults = Vec::new();
        let turn = if self.turn == "w" { Color::White } else { Color::Black };
        if !["b", "w"].contains(&self.turn.as_str()) {
            faults.push(Fault::Turn(self.turn.clone()));
        }
        let is_invalid = |letter: &char| *letter != '-' && Color::from_letter(*letter).is_none();
        let lengths: Vec<_> = self.rows.iter().map(|row| row.chars().count()).collect();
        let columns = most_frequent(&lengths);
        for ((number, row), &found) in (1..).zip(&self.rows).zip(&lengths) {
            if let Some(letter) = row.chars().find(is_invalid) {
                faults.push(Fault::Letter(number, letter));
            }
            if found != columns {
                faults.push(Fault::Length(number, found, columns));
            }
        }
        // A fault that may only be the consequence of another is not reported.
        let is_row_missing = self.turn.len() > 1 && !self.turn.chars().any(|c| is_invalid(&c));
        let is_disc_unclear = faults.iter().any(|fault| matches!(fault, Fault::Letter(..)));
        let rows = self.rows.len() + usize::from(is_row_missing);
        let may_have_size = lengths.iter().any(|&columns| Size::new(rows, columns).is_ok());
        let mut rules = *rules;
        let mut corner = Cell::new(0, 1);
        match rules.lattice {
            Lattice::Rectangle(_) => match Size::new(self.rows.len(), columns) {
                Ok(size) => rules.lattice = Lattice::Rectangle(size),
                Err(_) if may_have_size => {}
                Err(error) => faults.push(error.into()),
            },
            Lattice::Hex => corner = first,
        }
        let discs = self.discs(corner);
        let is_empty = discs.is_empty() && !is_row_missing && !is_disc_unclear;
        if is_empty && rules.placement == Placement::Outflanking {
            faults.push(Fault::NoDiscs);
        }
        if let Some(supply) = rules.supply.map(|each| 2 * each)
            && discs.len() > supply as usize
        {
            faults.push(Fault::TooManyDiscs(discs.len(), supply));
        }
        let distance = |cell: Cell| cell.column.abs().max(cell.row.abs());
        let far = discs.iter().find(|&&(cell, _)| distance(cell) > REACH);
        if let (Lattice::Hex, Some(&(cell, _))) = (rules.lattice, far) {
            faults.push(Fault::TooFar(cell));
        }
        if faults.is_empty() {
            Ok(Position::from_discs(rules, turn, discs))
        } else {
            Err(Faults(faults))
        }
    }

    fn discs(&self, corner: Cell) -> Vec<(Cell, Color)> {
        let mut discs = Vec::new();
        for (row, letters) in (corner.row..).zip(&self.rows) {
            for (column, letter) in (corner.column..).zip(letters.chars()) {
                if let Some(color) = Color::from_letter(letter) {
                    discs.push((Cell::new(column, row), color));
                }
            }
        }
        discs
    }
}

/// Returns the most frequent of these lengths, of several the first; 0 when there are none.
fn most_frequent(lengths: &[usize]) -> usize {
    let count = |length: &usize| lengths.iter().filter(|other| *other == length).count();
    lengths.iter().rev().max_by_key(|length| count(length)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Overrides, Variant};

    fn position_or_faults(variant: &str, text: &str) -> String {
        let rules = Variant::named(variant).unwrap().rules(&Overrides::default()).unwrap();
        let setup: Setup = text.parse().unwrap();
        match setup.position(&rules, Cell::new(0, 1)) {
            Ok(position) => position.to_string(),
            Err(faults) => faults.to_string(),
        }
    }

    #[test]
    fn a_valid_setup_becomes_its_position() {
        for text in ["(b ---- -wb- -bw- ----)", "(w -b-- -bb- -bw- ----)", "(b bbbw wwww bbbb)"] {
            assert_eq!(position_or_faults("mini", text), text);
        }
        assert_eq!(position_or_faults("oddthello", "(w o)").lines().count(), 1);
        assert_eq!(position_or_faults("oddthello", "(w bw)"), "(w ---- -bw- ----)");
    }

    #[test]
    fn boards_of_other_programs_are_read() {
        // The examples of docs/rules.md, and the line of a file in OBF.
        let expected =
            "(b -------- -------- -------- ---wb--- ---wbb-- ---w---- -------- --------)";
        let (edax, rest) = ("---------------------------OX------OXX-----O", "-".repeat(20));
        let ggf = "---------------------------O*------O**-----O";
        for text in [
            expected.to_owned(),
            format!("{edax}{rest} X"),
            format!("{edax}{rest}X"),
            format!("{edax}{rest} X; F6:+28; E3:-2;"),
            format!("8 {ggf}{rest} *"),
            expected[3..expected.len() - 1].to_owned() + " b",
        ] {
            assert_eq!(position_or_faults("othello", &text), expected, "{text}");
        }
        assert_eq!(
            position_or_faults("mini", "4 ---- -O*- -*O- ---- O"),
            "(w ---- -wb- -bw- ----)"
        );
        for text in ["", "X", "8 X", "0 X", "---OX--- X", "4 ---------------- -", "99999999999 - X"]
        {
            assert_eq!(text.parse::<Setup>(), Err(BadSetup(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn every_fault_is_reported() {
        assert_eq!(
            position_or_faults("othello", "(x b-z --)"),
            "the player to move is \"x\", not b or w; \
             row 1 has the character \"z\", not b, w or -; \
             row 2 has 2 cells, but most rows have 3; \
             \"2x3\" is out of range; use 3 to 99 rows and 3 to 26 columns"
        );
        assert_eq!(
            position_or_faults("othello", "(b --- --- ---)"),
            "there is no disc on the board"
        );
        let crowd = format!("(b {})", "b".repeat(65));
        assert_eq!(
            position_or_faults("oddthello", &crowd),
            "there are 65 discs on the board, but the players have only 64"
        );
    }

    #[test]
    fn a_disc_on_the_hex_lattice_is_at_most_999_columns_from_a1() {
        let disc_in_column = |column: usize| format!("(b {}b)", "-".repeat(column));
        assert_eq!(position_or_faults("oddthello", &disc_in_column(999)), "(b --- -b- ---)");
        let faults = position_or_faults("oddthello", &disc_in_column(1000));
        assert!(faults.starts_with("the disc on"), "{faults}");
        assert!(faults.ends_with("the limit is 999 columns and rows"), "{faults}");
    }

    #[test]
    fn a_consequence_of_a_fault_is_not_reported() {
        for (text, fault) in [
            ("(b --- ---- -wb- -bw- ----)", "row 1 has 3 cells, but most rows have 4"),
            ("(b b- bww b---)", "row 2 has 3 cells, but most rows have 2; row 3 has 4 cells"),
            ("(b xxx xxx xxx)", "row 1 has the character \"x\", not b, w or -; row 2"),
            ("(bw- wb- ---)", "the player to move is \"bw-\", not b or w"),
            ("(bw- --- ---)", "the player to move is \"bw-\", not b or w"),
        ] {
            let faults = position_or_faults("othello", text);
            assert!(faults.starts_with(fault), "{text}: {faults}");
            assert!(!faults.contains("out of range"), "{text}: {faults}");
            assert!(!faults.contains("no disc"), "{text}: {faults}");
        }
        assert!(
            position_or_faults("othello", "(b b- b-b)").ends_with("99 rows and 3 to 26 columns")
        );
    }

    #[test]
    fn a_malformed_position_string_is_refused() {
        for text in ["", "()", "(b)", "b ---- ----", "(b ----", "b ----)"] {
            assert_eq!(text.parse::<Setup>(), Err(BadSetup(text.to_owned())), "{text}");
        }
    }
}
