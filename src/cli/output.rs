//! Answers on a terminal or in a pipe.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use chrono::Local;
use comfy_table::{Cell, CellAlignment, ContentArrangement};

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
        match self.width {
            Some(width) => {
                textwrap::fill(text, textwrap::Options::new(width).subsequent_indent("  "))
            }
            None => text.to_owned(),
        }
    }

    /// A table without lines: columns two apart, numbers flush right.
    fn drawn(&self, table: &Table) -> String {
        let mut drawn = comfy_table::Table::new();
        drawn.load_style(comfy_table::presets::NOTHING);
        match self.width {
            Some(width) => {
                drawn.set_content_arrangement(ContentArrangement::Dynamic);
                drawn.set_width(u16::try_from(width).unwrap_or(u16::MAX));
            }
            None => {
                drawn.set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        drawn.set_header(table.columns.iter().map(|column| match column {
            Column::Text(title) | Column::Number(title) => Cell::new(title),
        }));
        for row in &table.rows {
            drawn.add_row(row.iter().map(|entry| match entry {
                Entry::Text(text) => text.clone(),
                Entry::Time(time) => {
                    time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string()
                }
            }));
        }
        for (column, head) in drawn.column_iter_mut().zip(&table.columns) {
            column.set_padding((0, 2));
            if let Column::Number(_) = head {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        drawn.trim_fmt()
    }
}

fn draw(out: &mut impl Write, figure: &Figure) -> io::Result<()> {
    for line in &figure.lines {
        for span in line {
            let style = style(span.role);
            write!(out, "{style}{}{style:#}", span.text)?;
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
