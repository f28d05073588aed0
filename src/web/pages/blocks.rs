//! The reply of a command as HTML.

use serde::Serialize;

use crate::app::{Block, Column, Entry, Reply, Table, Zone};
use crate::web::pages::command::Answer;
use outflank_model::log::GameId;
use outflank_model::render::Figure;

/// A part of a reply, as the templates know it.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Part {
    /// Lines of text, in which commands stand between backticks.
    Text {
        text: String,
    },
    /// Lines that are not wrapped.
    Figure {
        text: String,
    },
    Table(Rows),
}

/// A table.
#[derive(Debug, Serialize)]
pub(super) struct Rows {
    pub label: &'static str,
    pub columns: Vec<Title>,
    pub rows: Vec<Row>,
}

/// The title of a column.
#[derive(Debug, Serialize)]
pub(super) struct Title {
    pub title: &'static str,
    pub is_number: bool,
}

/// A row of a table.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// The game or challenge that it is about.
    #[serde(skip)]
    pub game: Option<GameId>,
    pub cells: Vec<Cell>,
    /// The commands that the buttons of the row give, and what stands behind them.
    pub acts: Vec<Answer>,
    pub text: String,
    /// The history that the forms of the row send back.
    pub history: String,
}

/// An entry of a row.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub text: String,
    pub is_number: bool,
    pub is_urgent: bool,
    /// Where its link leads; empty without one.
    pub href: String,
}

/// Where entries lead.
pub(super) type Links<'a> = dyn Fn(&Entry) -> Option<String> + 'a;

/// Returns the parts of a reply. `label` is read out with its tables, and `link` returns where an entry leads.
pub(super) fn parts(reply: &Reply, label: &'static str, link: &Links) -> Vec<Part> {
    let part = |block: &Block| match block {
        Block::Text(text) | Block::Prose(text) => Part::Text { text: text.clone() },
        Block::Board { figures, .. } => {
            Part::Figure { text: figures.first().map(Figure::to_string).unwrap_or_default() }
        }
        Block::Plot { lines, .. } => Part::Figure { text: lines.clone() },
        Block::Table(table) => Part::Table(rows(table, label, link)),
    };
    reply.shown().map(part).collect()
}

/// Returns a table without its empty columns.
fn rows(table: &Table, label: &'static str, link: &Links) -> Rows {
    let is_filled = |at: &usize| table.rows.iter().any(|row| row.get(*at) != Some(&Entry::NONE));
    let filled: Vec<_> = (0..table.columns.len()).filter(is_filled).collect();
    let columns = filled.iter().filter_map(|&at| table.columns.get(at));
    let columns: Vec<_> = columns
        .map(|column| Title {
            title: column.title(),
            is_number: matches!(column, Column::Number(_)),
        })
        .collect();
    let row = |row: &Vec<Entry>| {
        let entries = filled.iter().filter_map(|&at| row.get(at));
        let cells =
            columns.iter().zip(entries).map(|(column, entry)| Cell::of(column, entry, link));
        Row {
            game: row.iter().find_map(|entry| match entry {
                Entry::Game(id) => Some(*id),
                _ => None,
            }),
            cells: cells.collect(),
            acts: Vec::new(),
            text: String::new(),
            history: String::new(),
        }
    };
    let rows = table.rows.iter().map(row).collect();
    Rows { label, columns, rows }
}

impl Cell {
    fn of(column: &Title, entry: &Entry, link: &Links) -> Self {
        Self {
            text: entry.text(Zone::Utc),
            is_number: column.is_number,
            is_urgent: matches!(entry, Entry::Urgent(_)),
            href: link(entry).unwrap_or_default(),
        }
    }
}
