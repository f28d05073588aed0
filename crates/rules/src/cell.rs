use std::str::FromStr;

use super::quoted;

/// A cell of a lattice. Ordered by column, then by row.
///
/// ```
/// # use outflank_rules::Cell;
/// assert_eq!("ZZ-1".parse(), Ok(Cell::new(-1, -1)));
/// assert_eq!(Cell::new(26, 0).label(), "AB0");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The column from the left; `a` is 0. The hex lattice also has negative columns.
    pub column: i32,
    /// The row number from the top; a rectangle begins with 1.
    pub row: i32,
}

/// A text is not the label of a cell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a valid cell; use a column and a row, such as d3", quoted(.0))]
pub struct BadCell(pub String);

const ALPHABET: i64 = 26;
/// The most letters accepted in a column label from A to the right.
const MAX_LETTERS_RIGHT: usize = 3;
/// The most letters accepted in a column label left of A.
const MAX_LETTERS_LEFT: usize = 48;
/// The most digits accepted in a row number.
const MAX_DIGITS: usize = 4;

impl Cell {
    /// Returns the cell in this column and row.
    pub const fn new(column: i32, row: i32) -> Self {
        Self { column, row }
    }

    /// Returns the label of the column in upper case. Left of A come ZZ, YY, … AA, ZZZ, …; right
    /// of Z come AB, AC, … ZY, AAB, …: words with at least two different letters.
    pub fn column_label(self) -> String {
        let column = i64::from(self.column);
        if column < 0 {
            let steps = -column - 1;
            let length = usize::try_from(steps / ALPHABET).unwrap_or(0) + 2;
            return letter(-1 - steps).to_string().repeat(length);
        }
        let (mut index, mut length) = (column, 1);
        while index >= mixed_words(length) {
            index -= mixed_words(length);
            length += 1;
        }
        let mut word =
            if length == 1 { index } else { index + index / (repeat_step(length) - 1) + 1 };
        let mut letters = vec![' '; length as usize];
        for slot in letters.iter_mut().rev() {
            *slot = letter(word);
            word /= ALPHABET;
        }
        letters.into_iter().collect()
    }

    /// Returns the column label in upper case and the row number.
    pub fn label(self) -> String {
        format!("{}{}", self.column_label(), self.row)
    }
}

/// Parses a label in either case: the inverse of [`Cell::label`]. Every cell has one label.
impl FromStr for Cell {
    type Err = BadCell;

    fn from_str(label: &str) -> Result<Self, BadCell> {
        let bad = || BadCell(label.to_owned());
        let digits = label.find(|c: char| !c.is_ascii_alphabetic()).ok_or_else(bad)?;
        let (letters, number) = label.split_at(digits);
        Ok(Self { column: column(letters).ok_or_else(bad)?, row: row(number).ok_or_else(bad)? })
    }
}

/// Returns the letter with this number, where Z is followed by A.
fn letter(index: i64) -> char {
    char::from(b'A' + u8::try_from(index.rem_euclid(ALPHABET)).unwrap_or(0))
}

/// Returns how many columns from A to the right have labels of this length.
fn mixed_words(length: u32) -> i64 {
    if length == 1 { ALPHABET } else { ALPHABET.pow(length) - ALPHABET }
}

/// Returns the distance between AA and BB among all words of this length in alphabetical order.
fn repeat_step(length: u32) -> i64 {
    (ALPHABET.pow(length) - 1) / (ALPHABET - 1)
}

fn column(letters: &str) -> Option<i32> {
    let values: Vec<i64> =
        letters.bytes().map(|b| i64::from(b.to_ascii_uppercase() - b'A')).collect();
    let first = *values.first()?;
    let length = values.len();
    let column = if length > 1 && values.iter().all(|&v| v == first) {
        if length > MAX_LETTERS_LEFT {
            return None;
        }
        -(ALPHABET * (i64::try_from(length).ok()? - 2) + ALPHABET - first)
    } else {
        if length > MAX_LETTERS_RIGHT {
            return None;
        }
        let word = values.iter().fold(0, |word, v| word * ALPHABET + v);
        let length = u32::try_from(length).ok()?;
        let index = if length == 1 { word } else { word - 1 - (word - 1) / repeat_step(length) };
        (1..length).map(mixed_words).sum::<i64>() + index
    };
    i32::try_from(column).ok()
}

fn row(number: &str) -> Option<i32> {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let plain = !digits.is_empty()
        && digits.len() <= MAX_DIGITS
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (!digits.starts_with('0') || number == "0");
    if plain { number.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_rules_in_both_directions() {
        let label = |column| Cell::new(column, 1).column_label();
        assert_eq!([0, 25, 26, 50, 51, 52].map(label), ["A", "Z", "AB", "AZ", "BA", "BC"]);
        assert_eq!(
            [-1, -2, -26, -27, -52, -53].map(label),
            ["ZZ", "YY", "AA", "ZZZ", "AAA", "ZZZZ"]
        );
        assert_eq!([26 + 650 - 1, 26 + 650].map(label), ["ZY", "AAB"]);
    }

    #[test]
    fn a_label_parses_to_its_cell() {
        for column in -600..3000 {
            for row in [-120, -1, 0, 1, 99] {
                let cell = Cell::new(column, row);
                assert_eq!(cell.label().parse(), Ok(cell));
                assert_eq!(cell.label().to_lowercase().parse(), Ok(cell));
            }
        }
    }

    #[test]
    fn labels_have_a_maximum_length() {
        let is_label = |letters: String| format!("{letters}1").parse::<Cell>().is_ok();
        for (longest, first) in [(MAX_LETTERS_LEFT, "Z"), (MAX_LETTERS_RIGHT, "A")] {
            let label = |length: usize| format!("{first}{}", "Z".repeat(length - 1));
            assert!(is_label(label(longest)), "{first}: {longest}");
            assert!(!is_label(label(longest + 1)), "{first}: {longest}");
        }
        assert!("A9999".parse::<Cell>().is_ok() && "A-9999".parse::<Cell>().is_ok());
        assert!("A10000".parse::<Cell>().is_err());
    }

    #[test]
    fn no_cell_has_a_second_label() {
        for label in ["", "d", "3", "d03", "d-0", "d+3", "d--3", "d3x", "d 3", "-3d", "d3.", "é3"]
        {
            assert_eq!(label.parse::<Cell>(), Err(BadCell(label.to_owned())), "{label}");
        }
    }
}
