//! The look of the screen on a terminal: its colours and characters.

pub use outflank_model::render::Colors;
use outflank_model::render::{Mark, Role, palette, words};
use outflank_rules::{Color, Lattice};
use ratatui::style::{Color as Paint, Style};

/// The look of the screen on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The colours.
    pub colors: Colors,
    /// Whether the board is drawn with ASCII characters only.
    pub ascii: bool,
}

/// The background of a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Square {
    /// That of the board.
    Plain,
    /// That of the last placed disc.
    Last,
    /// That of the cursor.
    Cursor,
}

/// A thing drawn on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// Grid lines, and the marks of empty squares.
    Grid,
    /// A disc.
    Disc(Color),
    /// The dot of a legal move.
    Legal,
    /// A bracket or another mark around a disc, or a value.
    Mark,
}

/// The styles of text beside the board.
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dim();

/// The colours of the board in a terminal with 256 of them.
const FELT: Paint = Paint::Indexed(palette::FELT);
const LAST_SQUARE: Paint = Paint::Indexed(palette::LAST_SQUARE);
const CURSOR_SQUARE: Paint = Paint::Indexed(34);
const GRID: Paint = Paint::Indexed(22);
const BLACK: Paint = Paint::Indexed(palette::BLACK);
const WHITE: Paint = Paint::Indexed(palette::WHITE);

impl Look {
    /// Returns whether there are colours.
    pub(super) fn has_colors(self) -> bool {
        self.colors != Colors::None
    }

    /// Returns whether there are discs instead of letters.
    pub(super) fn has_discs(self) -> bool {
        self.has_colors() && !self.ascii
    }

    /// Returns the character of a disc.
    pub(super) fn disc(self, color: Color, lattice: Lattice) -> char {
        if self.has_discs() { words::disc(color) } else { words::letter(color, lattice) }
    }

    /// Returns the dot of a legal move.
    pub(super) const fn dot(self) -> char {
        if self.ascii { '.' } else { '\u{b7}' }
    }

    /// Returns the style of something on a square.
    pub(super) fn on_square(self, ink: Ink, square: Square) -> Style {
        let style = Style::new();
        match self.colors {
            Colors::None => match (square, ink) {
                (Square::Plain, Ink::Grid) => DIM,
                // A grid may be drawn below it.
                (Square::Plain, _) => style.not_dim(),
                (Square::Last, _) => BOLD.not_dim(),
                (Square::Cursor, _) => style.reversed().not_dim(),
            },
            Colors::Sixteen => {
                let style = style.bg(match square {
                    Square::Cursor => Paint::Yellow,
                    Square::Plain | Square::Last => Paint::Green,
                });
                match ink {
                    Ink::Disc(Color::White) => style.fg(Paint::White),
                    Ink::Mark if square != Square::Cursor => style.fg(Paint::LightYellow),
                    _ => style.fg(Paint::Black),
                }
            }
            Colors::Many => {
                let style = style.bg(match square {
                    Square::Plain => FELT,
                    Square::Last => LAST_SQUARE,
                    Square::Cursor => CURSOR_SQUARE,
                });
                match ink {
                    Ink::Grid => style.fg(GRID),
                    Ink::Disc(Color::Black) => style.fg(BLACK),
                    Ink::Disc(Color::White) => style.fg(WHITE),
                    Ink::Legal => style.fg(Paint::LightGreen),
                    Ink::Mark => style.fg(Paint::LightYellow),
                }
            }
        }
    }

    /// Returns the style of a piece of a figure in a reply.
    pub(super) fn of_role(self, role: Role) -> Style {
        let plain = |ink| self.on_square(ink, Square::Plain);
        match role {
            Role::Grid | Role::Label => DIM,
            Role::Cell(Mark::Empty | Mark::Legal) => plain(Ink::Legal),
            Role::Cell(Mark::Disc(color) | Mark::Flipped(color)) => plain(Ink::Disc(color)),
            Role::Cell(Mark::Placed(color)) => self.on_square(Ink::Disc(color), Square::Last),
            Role::Cell(Mark::Arrow(_)) => plain(Ink::Mark),
            Role::OuterArrow => Style::new(),
        }
    }

    /// Returns the style of refusals and of urgent entries.
    pub(super) fn urgent(self) -> Style {
        if self.has_colors() { Style::new().fg(Paint::Red) } else { BOLD }
    }
}
