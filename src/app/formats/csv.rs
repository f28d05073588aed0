//! A table of games, as in RFC 4180.

use super::format::{Exported, Format, Peculiarity, Writer};
use crate::app::views::game::status;
use crate::app::views::json::json_time;
use outflank_model::render::words;
use outflank_rules::Color;

pub(super) const FORMAT: Format = Format {
    word: "csv",
    about: "a table, a game a row",
    media_type: "text/csv; charset=utf-8",
    holds: Peculiarity::ALL,
    writer: Some(Writer {
        head: |_, _| record(&COLUMNS.map(|(title, _)| title.to_owned())),
        write: |game: &Exported| record(&COLUMNS.map(|(_, value)| value(game))),
    }),
    reader: None,
};

/// A column: its title and its value for a game.
type Column = (&'static str, fn(&Exported) -> String);

const COLUMNS: [Column; 14] = [
    ("game", |it| it.stored.id.to_string()),
    ("variant", |it| it.stored.agreement.variant.clone()),
    ("rules", |it| {
        words::rules(&it.stored.agreement.variant, it.stored.game.start().rules(), false).join("; ")
    }),
    ("black", |it| it.stored.name(Color::Black).to_owned()),
    ("white", |it| it.stored.name(Color::White).to_owned()),
    ("status", |it| status(it.stored.game.turn()).to_owned()),
    ("winner", |it| {
        let winner = it.stored.game.outcome().and_then(|outcome| outcome.winner);
        winner.map_or(String::new(), |winner| winner.to_string())
    }),
    ("reason", |it| {
        it.stored.game.outcome().map_or(String::new(), |outcome| outcome.reason.word().to_owned())
    }),
    ("black discs", |it| it.stored.game.position().count(Color::Black).to_string()),
    ("white discs", |it| it.stored.game.position().count(Color::White).to_string()),
    ("began", |it| json_time(it.stored.started)),
    ("since", |it| json_time(it.stored.since())),
    ("start", |it| match it.stored.agreement.custom_start {
        true => it.stored.game.start().to_string(),
        false => String::new(),
    }),
    ("moves", |it| words::transcript(&it.stored.game)),
];

/// Returns a row. A value that a spreadsheet would take for a formula begins with an apostrophe.
fn record(values: &[String]) -> String {
    let values = values.iter().map(|value| match value.starts_with(['=', '+', '-', '@']) {
        true => format!("'{value}"),
        false => value.clone(),
    });
    let mut writer = csv::Writer::from_writer(Vec::new());
    // A vector takes everything.
    let _ = writer.write_record(values);
    let row = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&row).into_owned()
}
