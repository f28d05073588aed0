use std::fmt;
use std::str::FromStr;

use super::{Cell, Move, parse_digits, quoted};

/// A step to a neighbouring cell: columns to the right, rows down.
pub type Direction = (i32, i32);

const RECTANGLE: [Direction; 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];
const HEX: [Direction; 6] = [(-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)];

/// The size of a rectangular board: 3–99 rows and 3–26 columns.
///
/// ```
/// # use outflank_rules::{BadSize, Size};
/// let size: Size = "10x8".parse()?;
/// assert_eq!((size.rows(), size.columns()), (10, 8));
/// assert_eq!(Size::new(2, 8), Err(BadSize::OutOfRange(2, 8)));
/// # Ok::<(), BadSize>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    rows: u8,
    columns: u8,
}

/// A board size is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSize {
    /// The text is not `ROWSxCOLUMNS`.
    #[error("{} is not a board size; use ROWSxCOLUMNS, such as 10x8", quoted(.0))]
    Malformed(String),
    /// The rows or the columns are out of range.
    #[error("\"{0}x{1}\" is out of range; use 3 to 99 rows and 3 to 26 columns")]
    OutOfRange(usize, usize),
}

impl Size {
    /// The standard board.
    pub const EIGHT: Self = Self { rows: 8, columns: 8 };
    /// The default of the n×m rules.
    pub const FOUR: Self = Self { rows: 4, columns: 4 };

    /// Returns the size with these rows and columns, or [`BadSize::OutOfRange`].
    pub fn new(rows: usize, columns: usize) -> Result<Self, BadSize> {
        match (u8::try_from(rows), u8::try_from(columns)) {
            (Ok(r @ 3..=99), Ok(c @ 3..=26)) => Ok(Self { rows: r, columns: c }),
            _ => Err(BadSize::OutOfRange(rows, columns)),
        }
    }

    /// Returns the number of rows.
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// Returns the number of columns.
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Returns the cell in the lower right corner.
    pub(super) fn last_cell(self) -> Cell {
        Cell::new(i32::from(self.columns) - 1, self.rows.into())
    }
}

/// Writes `ROWSxCOLUMNS`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

/// Parses `ROWSxCOLUMNS`, such as `10x8`.
impl FromStr for Size {
    type Err = BadSize;

    fn from_str(text: &str) -> Result<Self, BadSize> {
        let parsed = text
            .split_once(['x', 'X', '\u{d7}'])
            .and_then(|(rows, columns)| Some((parse_digits(rows)?, parse_digits(columns)?)));
        match parsed {
            Some((rows, columns)) => Self::new(rows, columns),
            None => Err(BadSize::Malformed(text.to_owned())),
        }
    }
}

/// The cells of a board, and which of them are neighbours.
///
/// ```
/// # use outflank_rules::{Cell, Lattice, Size};
/// let (rectangle, cell) = (Lattice::Rectangle(Size::EIGHT), Cell::new(3, 3));
/// assert_eq!((rectangle.label(cell), Lattice::Hex.label(cell)), ("d3".into(), "D3".into()));
/// assert_eq!((rectangle.directions().len(), Lattice::Hex.directions().len()), (8, 6));
/// assert!(!rectangle.contains(Cell::new(-1, 3)) && Lattice::Hex.contains(Cell::new(-1, 3)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lattice {
    /// A board with edges and eight directions.
    Rectangle(Size),
    /// An unbounded hexagonal lattice with six directions.
    Hex,
}

impl Lattice {
    /// Returns the steps to a cell's neighbours.
    pub const fn directions(self) -> &'static [Direction] {
        match self {
            Self::Rectangle(_) => &RECTANGLE,
            Self::Hex => &HEX,
        }
    }

    /// Returns whether the lattice has this cell.
    pub fn contains(self, cell: Cell) -> bool {
        match self {
            Self::Rectangle(size) => {
                (0..i32::from(size.columns)).contains(&cell.column)
                    && (1..=i32::from(size.rows)).contains(&cell.row)
            }
            Self::Hex => true,
        }
    }

    /// Returns the label of a cell: lower case on rectangles, upper case on hex.
    pub fn label(self, cell: Cell) -> String {
        self.in_case(cell.label())
    }

    /// Returns the label of a cell's column, in the case of [`Lattice::label`].
    pub fn column_label(self, cell: Cell) -> String {
        self.in_case(cell.column_label())
    }

    /// Returns the label of the move's cell, or `pass`.
    pub fn move_label(self, mv: Move) -> String {
        match mv {
            Move::Place(cell) => self.label(cell),
            Move::Pass => "pass".to_owned(),
        }
    }

    fn in_case(self, label: String) -> String {
        match self {
            Self::Rectangle(_) => label.to_lowercase(),
            Self::Hex => label,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_must_be_in_range() {
        assert_eq!("99x26".parse::<Size>().map(|s| s.to_string()), Ok("99x26".to_owned()));
        for text in ["3X3", "3\u{d7}3"] {
            assert_eq!(text.parse::<Size>().map(|s| s.to_string()), Ok("3x3".to_owned()), "{text}");
        }
        for text in ["2x8", "8x2", "100x8", "8x27", "0x0", "300x300", "99999999999x8"] {
            assert!(matches!(text.parse::<Size>(), Err(BadSize::OutOfRange(..))), "{text}");
        }
        for text in ["", "8", "8x", "x8", "8x8x8", "+8x8", "8 x8", "-8x8", "ax8"] {
            assert!(matches!(text.parse::<Size>(), Err(BadSize::Malformed(_))), "{text}");
        }
    }
}
