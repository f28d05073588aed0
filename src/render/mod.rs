//! Positions as figures, drawn as in the rules.
//!
//! A [`Figure`] is text in pieces, each with a role, so a terminal can colour them. Formatted with
//! `{}`, it is plain text. [`html()`] draws a position as a table, and [`spoken`] says it in words.

mod arrows;
mod boxed;
mod comment;
mod compact;
mod figure;
mod html;
pub mod news;
mod plan;
mod plot;
mod sheared;
pub mod spoken;
pub mod words;

use crate::log::Game;
pub use outflank_rules::Color;
use outflank_rules::{Cell, Cells, Lattice, Move, Position};
pub use plan::plan_tree;
pub use plot::plot;

pub use arrows::arrow_figures;
pub use comment::comment;
pub use figure::{Figure, Role, Span};
pub use html::{Choice, HtmlBoard, Style, html};

/// The part of the last move that a figure shows.
#[derive(Debug, Clone)]
pub struct LastMove<'a> {
    /// The cell of the placed disc.
    pub placed: Cell,
    /// The player who placed it.
    pub by: Color,
    /// The flipped discs.
    pub flipped: &'a Cells,
}

impl<'a> LastMove<'a> {
    /// Returns the last placement of a game, even if passes followed; `None` if no disc was placed.
    pub fn of(game: &'a Game) -> Option<Self> {
        game.plies().iter().rev().find_map(|ply| match ply.mv {
            Move::Place(placed) => Some(Self { placed, by: ply.by, flipped: &ply.flipped }),
            Move::Pass => None,
        })
    }
}

/// How much room a figure gives a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// That of the rules' figures: three columns and lines around it, two on the hex lattice.
    Full,
    /// Two columns.
    Compact,
    /// One column.
    Tiny,
}

impl Scale {
    /// All scales, the largest first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Compact, Self::Tiny];
}

/// How a figure draws one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Empty,
    /// An empty cell in which a disc can be placed.
    Legal,
    Disc(Color),
    /// The last placed disc.
    Placed(Color),
    /// A disc that the last move flipped.
    Flipped(Color),
    Arrow(char),
}

impl Mark {
    const fn role(self) -> Role {
        match self {
            Self::Empty => Role::Grid,
            Self::Legal => Role::Legal,
            Self::Disc(color) => Role::Disc(color),
            Self::Placed(color) => Role::Placed(color),
            Self::Flipped(color) => Role::Flipped(color),
            Self::Arrow(_) => Role::Arrow,
        }
    }
}

/// Draws a position and marks the last move: on rectangles, the placed disc as `[B]` and the
/// flipped discs as `(B)`; on the hex lattice, the placed disc in upper case and the flipped discs
/// as `o'`.
pub fn figure(position: &Position, last: Option<&LastMove>) -> Figure {
    draw(position, Scale::Full, |cell| mark(position, last, cell))
}

/// Draws a position at a scale, as [`figure`] does; the cells of these moves have a role of their
/// own. Smaller figures show the discs that the last move placed or flipped in upper case.
pub fn figure_at(
    scale: Scale,
    position: &Position,
    last: Option<&LastMove>,
    legal: &[Move],
) -> Figure {
    draw(position, scale, |cell| match mark(position, last, cell) {
        Mark::Empty if legal.contains(&Move::Place(cell)) => Mark::Legal,
        mark => mark,
    })
}

/// Returns the mark of a cell. `last` is the move that led to the position.
fn mark(position: &Position, last: Option<&LastMove>, cell: Cell) -> Mark {
    match (position.disc(cell), last) {
        (None, _) => Mark::Empty,
        (Some(color), Some(last)) if cell == last.placed => Mark::Placed(color),
        (Some(color), Some(last)) if last.flipped.contains(cell) => Mark::Flipped(color),
        (Some(color), _) => Mark::Disc(color),
    }
}

fn draw(position: &Position, scale: Scale, mark: impl Fn(Cell) -> Mark) -> Figure {
    match (scale, position.rules().lattice) {
        (Scale::Full, Lattice::Rectangle(_)) => boxed::draw(position, mark),
        (Scale::Full, Lattice::Hex) => sheared::draw(position, mark),
        (Scale::Compact, _) => compact::draw(position, 2, mark),
        (Scale::Tiny, _) => compact::draw(position, 1, mark),
    }
}
