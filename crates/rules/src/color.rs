use std::fmt;
use std::ops::Not;

/// The colour of a disc, and of the player who places it. Black moves first.
///
/// ```
/// # use outflank_rules::Color;
/// assert_eq!(!Color::Black, Color::White);
/// assert_eq!(Color::from_letter('w'), Some(Color::White));
/// assert_eq!(Color::White.to_string(), "white");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl Color {
    /// Both colours, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// Returns the value of this colour from those of Black and White.
    pub fn pick<T>(self, [black, white]: [T; 2]) -> T {
        match self {
            Self::Black => black,
            Self::White => white,
        }
    }

    /// Returns the colour's letter in position strings: `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }

    /// Returns the colour with this [`Color::letter`].
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'b' => Some(Self::Black),
            'w' => Some(Self::White),
            _ => None,
        }
    }
}

impl Not for Color {
    type Output = Self;

    /// Returns the opponent's colour.
    fn not(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// Writes `black` or `white`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "black",
            Self::White => "white",
        })
    }
}
