//! How the screen looks on a terminal.

/// The colours that a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    /// None: letters instead of discs.
    None,
    /// The 16 colours that every colour terminal has.
    Sixteen,
    /// 256 colours or more.
    Many,
}

/// How the screen looks on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The colours.
    pub colors: Colors,
    /// Whether the board is drawn with ASCII characters only.
    pub ascii: bool,
}
