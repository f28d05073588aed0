use rusqlite::Row;

use crate::store::{parsed, parsed_or_none};
use outflank_model::log::GameId;
use outflank_model::mail::MailContent;
use outflank_model::{HeldId, Moment};

/// Returns the content of a row of the outbox. The games of digests and reminders are rows of another table.
pub(super) fn content(row: &Row) -> rusqlite::Result<MailContent> {
    let game = match row.get::<_, Option<i64>>("game")?.map(GameId) {
        Some(game) => Some(Moment { game, ply: row.get("ply")?, events: row.get("events")? }),
        None => None,
    };
    let suggested: Option<String> = row.get("suggested")?;
    Ok(MailContent {
        kind: parsed(row, "kind")?,
        game,
        games: Vec::new(),
        challenge: row.get::<_, Option<i64>>("challenge")?.map(GameId),
        text: row.get("text")?,
        occasion: parsed_or_none(row, "occasion")?,
        held: row.get::<_, Option<i64>>("held")?.map(HeldId),
        suggested: suggested.unwrap_or_default().lines().map(str::to_owned).collect(),
    })
}
