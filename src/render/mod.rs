//! Positions as figures, drawn as the rules draw them.
//!
//! A [`Figure`] is text in pieces that say what they are, so that a terminal can colour them;
//! printed with `{}` it is plain text. [`html()`] draws the same as a table.

mod arrows;
mod boxed;
mod figure;
mod html;
mod sheared;
pub mod words;

use crate::game::{Cell, Cells, Color, Game, Lattice, Move, Position};

pub use arrows::arrow_figures;
pub use figure::{Figure, Role, Span};
pub use html::{Style, html};

/// What a figure shows of the last move.
#[derive(Debug, Clone)]
pub struct LastMove<'a> {
    /// Where the disc was placed.
    pub placed: Cell,
    /// By whom.
    pub by: Color,
    /// The discs it flipped.
    pub flipped: &'a Cells,
}

impl<'a> LastMove<'a> {
    /// The last disc that was placed in a game; passes behind it do not hide it. `None` when
    /// there was none yet.
    #[must_use]
    pub fn of(game: &'a Game) -> Option<Self> {
        game.plies().iter().rev().find_map(|ply| match ply.mv {
            Move::Place(placed) => Some(Self { placed, by: ply.by, flipped: &ply.flipped }),
            Move::Pass => None,
        })
    }
}

/// How one cell of a figure is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Empty,
    Disc(Color),
    /// The disc placed last.
    Placed(Color),
    /// A disc that it flipped.
    Flipped(Color),
    Arrow(char),
}

impl Mark {
    const fn role(self) -> Role {
        match self {
            Self::Empty => Role::Grid,
            Self::Disc(color) => Role::Disc(color),
            Self::Placed(color) => Role::Placed(color),
            Self::Flipped(color) => Role::Flipped(color),
            Self::Arrow(_) => Role::Arrow,
        }
    }
}

/// The figure of a position. The last move is marked: on rectangles the disc placed as `[B]` and
/// those flipped as `(B)`, on the hex lattice the disc placed as a capital.
#[must_use]
pub fn figure(position: &Position, last: Option<&LastMove>) -> Figure {
    draw(position, |cell| mark(position, last, cell))
}

/// How a cell of a position is drawn that this move led to.
fn mark(position: &Position, last: Option<&LastMove>, cell: Cell) -> Mark {
    match (position.disc(cell), last) {
        (None, _) => Mark::Empty,
        (Some(color), Some(last)) if cell == last.placed => Mark::Placed(color),
        (Some(color), Some(last)) if last.flipped.contains(cell) => Mark::Flipped(color),
        (Some(color), _) => Mark::Disc(color),
    }
}

fn draw(position: &Position, mark: impl Fn(Cell) -> Mark) -> Figure {
    match position.rules().lattice {
        Lattice::Rectangle(_) => boxed::draw(position, mark),
        Lattice::Hex => sheared::draw(position, mark),
    }
}
