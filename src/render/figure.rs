use std::fmt;

use crate::game::Color;

/// The arrows of the rules' figures.
pub(super) const RIGHT: char = '⇨';
pub(super) const DOWN: char = '⇩';
pub(super) const UP: char = '⇧';
pub(super) const LEFT: char = '⇦';

/// What a piece of a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Grid lines, empty cells and gaps.
    Grid,
    /// The label of a row or a column.
    Label,
    /// A disc.
    Disc(Color),
    /// The disc placed last.
    Placed(Color),
    /// A disc that the last move flipped.
    Flipped(Color),
    /// An arrow that points to a disc.
    Arrow,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub role: Role,
    /// Its text: every character is one column wide.
    pub text: String,
}

/// A drawing in lines of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figure {
    /// The lines from the top, each from its left edge, none with a gap at its end.
    pub lines: Vec<Vec<Span>>,
}

impl Figure {
    /// The width of its longest line in columns.
    #[must_use]
    pub fn width(&self) -> usize {
        let width = |line: &Vec<Span>| line.iter().map(|span| span.text.chars().count()).sum();
        self.lines.iter().map(width).max().unwrap_or(0)
    }

    /// The figure with arrows of ASCII: `>`, `v`, `^` and `<`. Everything else is ASCII anyway.
    #[must_use]
    pub fn into_ascii(mut self) -> Self {
        for span in self.lines.iter_mut().flatten().filter(|span| span.role == Role::Arrow) {
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

/// Writes the lines as plain text, each ended by a line feed.
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

/// A sheet on which text is put anywhere; nothing may be put on top of another thing.
#[derive(Debug, Default)]
pub(super) struct Sheet(Vec<(i32, i32, Span)>);

impl Sheet {
    /// Puts text with its first character in this column of this line. Either may be negative.
    pub(super) fn put(&mut self, line: i32, column: i32, role: Role, text: impl Into<String>) {
        self.0.push((line, column, Span { role, text: text.into() }));
    }

    /// The figure that has everything on the sheet, cut to what is used at the top, and at the
    /// left where that lies before column 0.
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
