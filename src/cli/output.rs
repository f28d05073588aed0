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
        drawn.set_header(columns.iter().map(|&column| table.columns[column].title()));
        for row in &table.rows {
            drawn.add_row(columns.iter().map(|&column| shown(&row[column])));
        }
        for (drawn, &column) in drawn.column_iter_mut().zip(&columns) {
            drawn.set_padding((0, GAP));
            if let Column::Number(_) = table.columns[column] {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
        }
        if let Some(width) = self.width {
            drawn.set_content_arrangement(ContentArrangement::Dynamic);
            drawn.set_width(u16::try_from(width).unwrap_or(u16::MAX));
            let least: Vec<_> = columns.iter().map(|&column| Least::of(table, column)).collect();
            if let Some(longest) = longest_word_that_fits(&least, width) {
                for (drawn, least) in drawn.column_iter_mut().zip(&least) {
                    let least = u16::try_from(least.within(longest)).unwrap_or(u16::MAX) + GAP;
                    drawn.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
                }
            }
        }
        drawn.trim_fmt()
    }
}

/// Between two columns.
const GAP: u16 = 2;

fn shown(entry: &Entry) -> String {
    match entry {
        Entry::Text(text) => text.clone(),
        Entry::Time(time) => time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string(),
    }
}

/// How narrow a column can be.
enum Least {
    /// Not narrower than this.
    Fixed(usize),
    /// As wide as its longest word, which may be broken.
    Word(usize),
}

impl Least {
    fn of(table: &Table, column: usize) -> Self {
        let texts = table.rows.iter().map(|row| shown(&row[column]));
        let texts = texts.chain([table.columns[column].title().to_owned()]);
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
        let word = |text: String| {
            text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0)
        };
        match table.columns[column] {
            Column::Prose(_) => Self::Word(widest(&mut texts.map(word))),
            Column::Text(_) | Column::Number(_) => {
                Self::Fixed(widest(&mut texts.map(|text| text.chars().count())))
            }
        }
    }

    fn within(&self, longest: usize) -> usize {
        match self {
            Self::Fixed(width) => *width,
            Self::Word(width) => (*width).min(longest),
        }
    }
}

/// The longest word, of at least six letters, that need not be broken for a table to fit. `None`
/// when even shorter ones must be: then everything is broken as it comes.
fn longest_word_that_fits(least: &[Least], width: usize) -> Option<usize> {
    (6..=width).rev().find(|&longest| {
        let columns = least.iter().map(|least| least.within(longest) + usize::from(GAP));
        columns.sum::<usize>() <= width
    })
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
