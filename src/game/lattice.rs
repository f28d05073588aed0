use std::fmt;
use std::str::FromStr;

use super::{Cell, Move};

/// A step from a cell to a neighbour: columns to the right, rows down.
pub type Direction = (i32, i32);

const RECTANGLE: [Direction; 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];
const HEX: [Direction; 6] = [(-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)];

/// The size of a rectangular board: 3–99 rows and 3–26 columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    rows: u8,
    columns: u8,
}

/// No such board size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSize {
    /// Not `ROWSxCOLUMNS`.
    #[error("`{0}` is no board size: write ROWSxCOLUMNS, like 10x8")]
    Malformed(String),
    /// Rows or columns outside the range.
    #[error("{rows}x{columns} is out of range: a board has 3 to 99 rows and 3 to 26 columns")]
    OutOfRange {
        /// The rows asked for.
        rows: usize,
        /// The columns asked for.
        columns: usize,
    },
}

impl Size {
    /// The classic board.
    pub const EIGHT: Self = Self { rows: 8, columns: 8 };
    /// The default of the n×m rules.
    pub const FOUR: Self = Self { rows: 4, columns: 4 };

    /// A board of so many rows and columns.
    ///
    /// # Errors
    /// [`BadSize::OutOfRange`] outside 3–99 rows and 3–26 columns.
    pub fn new(rows: usize, columns: usize) -> Result<Self, BadSize> {
        match (u8::try_from(rows), u8::try_from(columns)) {
            (Ok(r @ 3..=99), Ok(c @ 3..=26)) => Ok(Self { rows: r, columns: c }),
            _ => Err(BadSize::OutOfRange { rows, columns }),
        }
    }

    /// The number of rows.
    #[must_use]
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub const fn columns(self) -> u8 {
        self.columns
    }
}

/// Writes `ROWSxCOLUMNS`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

/// Reads `ROWSxCOLUMNS`, like `10x8`.
impl FromStr for Size {
    type Err = BadSize;

    fn from_str(text: &str) -> Result<Self, BadSize> {
        let number = |digits: &str| {
            let plain =
                (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
            if plain { digits.parse().ok() } else { None }
        };
        let parsed = text
            .split_once(['x', 'X'])
            .and_then(|(rows, columns)| Some((number(rows)?, number(columns)?)));
        match parsed {
            Some((rows, columns)) => Self::new(rows, columns),
            None => Err(BadSize::Malformed(text.to_owned())),
        }
    }
}

/// Where discs may lie, and which cells are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lattice {
    /// A board with edges and eight directions.
    Rectangle(Size),
    /// An unbounded hexagonal lattice with six directions.
    Hex,
}

impl Lattice {
    /// The steps to a cell's neighbours.
    #[must_use]
    pub const fn directions(self) -> &'static [Direction] {
        match self {
            Self::Rectangle(_) => &RECTANGLE,
            Self::Hex => &HEX,
        }
    }

    /// Whether the lattice has this cell.
    #[must_use]
    pub fn contains(self, cell: Cell) -> bool {
        match self {
            Self::Rectangle(size) => {
                (0..i32::from(size.columns)).contains(&cell.column)
                    && (1..=i32::from(size.rows)).contains(&cell.row)
            }
            Self::Hex => true,
        }
    }

    /// The label of a cell as it is written: lower case on rectangles, capitals on hex.
    #[must_use]
    pub fn label(self, cell: Cell) -> String {
        self.in_case(cell.label())
    }

    /// The label of a cell's column alone, in the same case as [`Lattice::label`].
    #[must_use]
    pub fn column_label(self, cell: Cell) -> String {
        self.in_case(cell.column_label())
    }

    /// A move as it is written: the label of its cell, or `pass`.
    #[must_use]
    pub fn move_label(self, played: Move) -> String {
        match played {
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
    fn sizes_are_read_within_their_range() {
        assert_eq!("99x26".parse::<Size>().map(|s| s.to_string()), Ok("99x26".to_owned()));
        assert_eq!("3X3".parse::<Size>().map(|s| s.to_string()), Ok("3x3".to_owned()));
        for text in ["2x8", "8x2", "100x8", "8x27", "0x0", "300x300"] {
            assert!(matches!(text.parse::<Size>(), Err(BadSize::OutOfRange { .. })), "{text}");
        }
        for text in ["", "8", "8x", "x8", "8x8x8", "+8x8", "8 x8", "-8x8", "ax8", "99999999999x8"] {
            assert!(matches!(text.parse::<Size>(), Err(BadSize::Malformed(_))), "{text}");
        }
    }
}
