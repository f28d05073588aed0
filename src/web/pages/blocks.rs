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
    /// Lines of text, with commands between backticks.
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
    /// Whether rows have pictures.
    pub has_pictures: bool,
    /// Whether it stays a table on a phone, and its rows are no links.
    pub is_narrow: bool,
    /// Whether it fits on a phone.
    #[serde(skip)]
    pub fits: bool,
}

/// The title of a column.
#[derive(Debug, Serialize)]
pub(super) struct Title {
    pub title: &'static str,
    pub is_number: bool,
}

/// A row of a table.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    /// The game or challenge that it is about.
    #[serde(skip)]
    pub game: Option<GameId>,
    pub cells: Vec<Cell>,
    /// A picture as SVG; empty without one.
    pub picture: String,
    /// The buttons of the row, and the argument of their commands.
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
    /// The target of its link; empty without one.
    pub href: String,
}

/// Returns the target of an entry's link, if it has one.
pub(super) type Links<'a> = dyn Fn(&Entry) -> Option<String> + 'a;

/// Returns the parts of a reply, with times in this zone. Screen readers read `label` with its tables.
pub(super) fn parts(reply: &Reply, label: &'static str, zone: Zone, link: &Links) -> Vec<Part> {
    let part = |block: &Block| match block {
        Block::Text(text) | Block::Prose(text) => Part::Text { text: text.clone() },
        Block::Board { figures, .. } => {
            Part::Figure { text: figures.first().map(Figure::to_string).unwrap_or_default() }
        }
        Block::Plot { lines, .. } => Part::Figure { text: lines.clone() },
        Block::Table(table) => Part::Table(rows(table, label, zone, link)),
    };
    reply.shown().map(part).collect()
}

/// The most characters in a row that fit on a phone.
const MAX_NARROW: usize = 36;

/// Returns a table without its empty columns.
fn rows(table: &Table, label: &'static str, zone: Zone, link: &Links) -> Rows {
    let filled: Vec<_> = table.filled().collect();
    let is_number = |at: usize| matches!(table.columns[at], Column::Number(_));
    let cell = |entry: &Entry, is_number| Cell {
        text: entry.text(zone),
        is_number,
        is_urgent: matches!(entry, Entry::Urgent(_)),
        href: link(entry).unwrap_or_default(),
    };
    let row = |row: &Vec<Entry>| Row {
        game: row.iter().find_map(Entry::game),
        cells: filled.iter().map(|&at| cell(&row[at], is_number(at))).collect(),
        ..Row::default()
    };
    let title = |&at: &usize| Title { title: table.columns[at].title(), is_number: is_number(at) };
    Rows {
        label,
        columns: filled.iter().map(title).collect(),
        rows: table.rows.iter().map(row).collect(),
        has_pictures: false,
        is_narrow: false,
        fits: table.least_width(zone) <= MAX_NARROW,
    }
}
