//! Answers on a terminal or in a pipe.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use chrono::Local;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};

use crate::app::{Block, Column, Entry, Reply, Table};
use crate::render::{Figure, Role};

/// How to show an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub json: bool,
    pub ascii: bool,
    /// The width of the terminal in columns; `None` in a pipe, where nothing is cut or wrapped.
    pub width: Option<usize>,
}

impl Look {
    /// Writes an answer, ended by a line feed.
    pub(super) fn write(&self, out: &mut impl Write, reply: &Reply) -> io::Result<()> {
        if self.json {
            return writeln!(out, "{}", reply.json);
        }
        for (number, block) in reply.blocks.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            match block {
                Block::Text(text) => writeln!(out, "{}", self.wrapped(text))?,
                Block::Figure(figure) if self.ascii => draw(out, &figure.clone().into_ascii())?,
                Block::Figure(figure) => draw(out, figure)?,
                Block::Table(table) => writeln!(out, "{}", self.drawn(table))?,
            }
        }
        out.flush()
    }

    fn wrapped(&self, text: &str) -> String {
        let Some(width) = self.width else { return text.to_owned() };
        let options = textwrap::Options::new(width).subsequent_indent("  ");
        let lines: Vec<_> = text.lines().map(|line| textwrap::fill(line, &options)).collect();
        lines.join("\n")
    }

    /// A table without lines: columns two apart, numbers flush right, no column that is empty.
    fn drawn(&self, table: &Table) -> String {
        let filled = |column: &usize| table.rows.iter().any(|row| row[*column] != Entry::NONE);
        let columns: Vec<_> = (0..table.columns.len()).filter(filled).collect();
        let mut drawn = comfy_table::Table::new();
        drawn.load_style(presets::NOTHING);
        if let Some(width) = self.width {
            drawn.set_content_arrangement(ContentArrangement::Dynamic);
            drawn.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        }
        drawn.set_header(columns.iter().map(|&column| table.columns[column].title()));
        for row in &table.rows {
            drawn.add_row(columns.iter().map(|&column| shown(&row[column])));
        }
        for (drawn, &column) in drawn.column_iter_mut().zip(&columns) {
            drawn.set_padding((0, GAP));
            if let Column::Number(_) = table.columns[column] {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
            drawn.set_constraint(match table.columns[column] {
                Column::Text(_) | Column::Number(_) => ColumnConstraint::ContentWidth,
                Column::Prose(title) => {
                    let texts = table.rows.iter().map(|row| shown(&row[column]));
                    let longest =
                        texts.flat_map(|text| longest_word(&text)).chain([title.len()]).max();
                    let least = longest.map_or(0, |longest| longest.min(LEAST)) + usize::from(GAP);
                    ColumnConstraint::LowerBoundary(Width::Fixed(u16::try_from(least).unwrap_or(0)))
                }
            });
        }
        drawn.trim_fmt()
    }
}

/// Between two columns.
const GAP: u16 = 2;
/// Prose has room for words of this length, and wider tables than the terminal are the lesser
/// evil.
const LEAST: usize = 20;

fn shown(entry: &Entry) -> String {
    match entry {
        Entry::Text(text) => text.clone(),
        Entry::Time(time) => time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string(),
    }
}

fn longest_word(text: &str) -> Option<usize> {
    text.split_whitespace().map(|word| word.chars().count()).max()
}

fn draw(out: &mut impl Write, figure: &Figure) -> io::Result<()> {
    for line in &figure.lines {
        for alike in line.chunk_by(|a, b| style(a.role) == style(b.role)) {
            let style = style(alike[0].role);
            write!(out, "{style}")?;
            alike.iter().try_for_each(|span| out.write_all(span.text.as_bytes()))?;
            write!(out, "{style:#}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Colour that reads on dark and on light; what it tells is told by the letters, too.
fn style(role: Role) -> Style {
    match role {
        Role::Grid | Role::Label => Style::new().dimmed(),
        Role::Disc(_) => Style::new(),
        Role::Placed(_) => AnsiColor::Green.on_default().bold(),
        Role::Flipped(_) => AnsiColor::Cyan.on_default(),
        Role::Arrow => AnsiColor::Yellow.on_default(),
    }
}
