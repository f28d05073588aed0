use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::render::Figure;
use crate::store::MailId;

/// What a command answers, for whatever door it came in by.
#[derive(Debug, Default)]
pub struct Reply {
    /// The answer for scripts: one JSON value.
    pub json: String,
    /// The answer for people, from the top.
    pub blocks: Vec<Block>,
    /// The mails that the command put into the outbox.
    pub mails: Vec<MailId>,
}

/// A part of an answer.
#[derive(Debug, Clone)]
pub enum Block {
    /// Lines of text.
    Text(String),
    /// A figure.
    Figure(Figure),
    /// A table.
    Table(Table),
}

/// A list with columns.
#[derive(Debug, Clone)]
pub struct Table {
    /// The columns' titles.
    pub columns: Vec<Column>,
    /// The rows, each with as many entries as there are columns.
    pub rows: Vec<Vec<Entry>>,
}

/// The head of a column.
#[derive(Debug, Clone, Copy)]
pub enum Column {
    /// Words that stay on one line, flush left.
    Text(&'static str),
    /// Text that is wrapped where there is no room for it, flush left.
    Prose(&'static str),
    /// Numbers, flush right.
    Number(&'static str),
}

/// What stands in a row under a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// As it is.
    Text(String),
    /// A time, to be shown in the reader's time zone.
    Time(DateTime<Utc>),
}

impl Column {
    /// Its title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Text(title) | Self::Prose(title) | Self::Number(title) => title,
        }
    }
}

impl Entry {
    /// Nothing.
    pub const NONE: Self = Self::Text(String::new());
}

impl<T: ToString> From<T> for Entry {
    fn from(value: T) -> Self {
        Self::Text(value.to_string())
    }
}

impl Reply {
    /// An answer with this JSON and nothing else yet.
    pub(super) fn new(json: &impl Serialize) -> Self {
        // The values are plain structures with string keys: they always serialize.
        Self { json: serde_json::to_string(json).unwrap_or_default(), ..Self::default() }
    }

    /// An answer that is only said: the text, in JSON under `help`.
    #[must_use]
    pub fn saying(text: &str) -> Self {
        #[derive(Serialize)]
        struct Json<'a> {
            help: &'a str,
        }
        Self::new(&Json { help: text }).text(text)
    }

    /// The answer with these mails added to those that it names.
    #[must_use]
    pub(super) fn with_mails(mut self, mails: Vec<MailId>) -> Self {
        self.mails.extend(mails);
        self
    }

    /// The answer with a text added at its end.
    #[must_use]
    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    /// The answer with a table at its end, or with this text when the table has no row.
    #[must_use]
    pub(super) fn table(mut self, table: Table, when_empty: &str) -> Self {
        self.blocks.push(if table.rows.is_empty() {
            Block::Text(when_empty.to_owned())
        } else {
            Block::Table(table)
        });
        self
    }
}

/// A time in JSON: RFC 3339 in UTC, to the second.
pub(super) fn json_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
