use std::fmt;

use super::mark::Mark;
use super::words;

/// The arrows of the rules' figures.
pub(super) const RIGHT: char = '⇨';
pub(super) const DOWN: char = '⇩';
pub(super) const UP: char = '⇧';
pub(super) const LEFT: char = '⇦';

/// The role of a piece of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Grid lines, and spaces beside the board.
    Grid,
    /// A cell.
    Cell(Mark),
    /// The label of a row or a column.
    Label,
    /// An arrow beside the board that points to a disc.
    OuterArrow,
}

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

/// The colours of a board in a terminal with 256 colours, by number: dark enough for white discs and light
/// enough for black ones.
pub mod palette {
    /// A square.
    pub const FELT: u8 = 28;
    /// The square of the last placed disc.
    pub const LAST_SQUARE: u8 = 100;
    /// A black disc.
    pub const BLACK: u8 = 16;
    /// A white disc.
    pub const WHITE: u8 = 231;
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its role.
    pub role: Role,
    /// Its text. Every character is one column wide.
    pub text: String,
}

/// A drawing in lines of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figure {
    /// The lines from the top, without spaces at their ends.
    pub lines: Vec<Vec<Span>>,
}

impl Figure {
    /// Returns the width of the longest line in columns.
    pub fn width(&self) -> usize {
        let width = |line: &Vec<Span>| line.iter().map(|span| span.text.chars().count()).sum();
        self.lines.iter().map(width).max().unwrap_or(0)
    }

    /// Draws discs in place of letters.
    pub fn with_discs(mut self) -> Self {
        for span in self.lines.iter_mut().flatten() {
            if let Role::Cell(Mark::Disc(color) | Mark::Placed(color) | Mark::Flipped(color)) =
                span.role
            {
                let disc = words::disc(color).to_string();
                span.text = span.text.replace(|c: char| c.is_ascii_alphabetic(), &disc);
            }
        }
        self
    }

    /// Replaces the arrows by `>`, `v`, `^` and `<`. Everything else is already ASCII.
    pub fn into_ascii(mut self) -> Self {
        let is_arrow =
            |span: &&mut Span| matches!(span.role, Role::Cell(Mark::Arrow(_)) | Role::OuterArrow);
        for span in self.lines.iter_mut().flatten().filter(is_arrow) {
            let ascii = |arrow| match arrow {
                RIGHT => '>',
                DOWN => 'v',
                UP => '^',
                LEFT => '<',
                other => other,
            };
            span.text = span.text.chars().map(ascii).collect();
        }
        self
    }
}

/// Writes the lines as plain text, each with a line feed.
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            for span in line {
                f.write_str(&span.text)?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

/// Returns the columns of a text in ASCII.
pub(super) fn width(text: &str) -> i32 {
    i32::try_from(text.len()).unwrap_or(0)
}

/// A sheet for text in any place. Texts must not overlap.
#[derive(Debug, Default)]
pub(super) struct Sheet(Vec<(i32, i32, Span)>);

impl Sheet {
    /// Puts text on a line, starting in a column. Both may be negative.
    pub(super) fn put(&mut self, line: i32, column: i32, role: Role, text: impl Into<String>) {
        self.0.push((line, column, Span { role, text: text.into() }));
    }

    /// Returns the figure. It starts at the first used line, and at column 0 or the first used
    /// column left of it.
    pub(super) fn into_figure(mut self) -> Figure {
        self.0.sort_by_key(|&(line, column, _)| (line, column));
        let top = self.0.iter().map(|&(line, ..)| line).min().unwrap_or(0);
        let left = self.0.iter().map(|&(_, column, _)| column).min().unwrap_or(0).min(0);
        let mut figure = Figure::default();
        let mut reached = left;
        for (line, column, span) in self.0 {
            while figure.lines.len() <= usize::try_from(line - top).unwrap_or(0) {
                figure.lines.push(Vec::new());
                reached = left;
            }
            let gap = usize::try_from(column - reached).unwrap_or(0);
            reached = column + i32::try_from(span.text.chars().count()).unwrap_or(0);
            if let Some(spans) = figure.lines.last_mut() {
                if gap > 0 {
                    spans.push(Span { role: Role::Grid, text: " ".repeat(gap) });
                }
                spans.push(span);
            }
        }
        figure
    }
}
