use chrono::{DateTime, Utc};
use serde::Serialize;

use super::table::{Table, Zone};
use crate::mail::LINE;
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

impl Reply {
    /// An answer with this JSON and nothing else yet.
    pub(super) fn new(json: &impl Serialize) -> Self {
        // The values are plain structures with string keys: they always serialize.
        Self { json: serde_json::to_string(json).unwrap_or_default(), ..Self::default() }
    }

    /// An answer that is only said: the text, in JSON under `help`.
    #[must_use]
    pub(super) fn saying(text: &str) -> Self {
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

impl Reply {
    /// The answer as lines of a mail.
    pub(super) fn to_text(&self) -> String {
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Text(text) => wrapped(text, LINE),
            Block::Figure(figure) => figure.to_string().trim_end().to_owned(),
            Block::Table(table) => table.drawn(Some(LINE), Zone::Utc),
        });
        blocks.collect::<Vec<_>>().join("\n\n")
    }
}

/// Text whose lines are wrapped at a width, each with what follows from it indented: by two, or in
/// an indented list to where its second column begins.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> String {
    let wrapped = text.lines().map(|line| {
        let column = line
            .starts_with("  ")
            .then(|| line.trim_start().find("  "))
            .flatten()
            .map(|gap| line.len() - line.trim_start()[gap..].trim_start().len());
        let indent = " ".repeat(column.filter(|&column| column < width / 2).unwrap_or(2));
        textwrap::fill(line, textwrap::Options::new(width).subsequent_indent(&indent))
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

/// A time in JSON: RFC 3339 in UTC, to the second.
pub(super) fn json_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn a_list_is_wrapped_in_its_column() {
        let text = "Text that is too long\n\n  d3   word word word";
        assert_eq!(wrapped(text, 16), "Text that is too\n  long\n\n  d3   word word\n       word");
    }
}
