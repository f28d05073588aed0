use rusqlite::Row;

use crate::store::{Result, get, moment, parsed, parsed_or_none};
use outflank_model::mail::MailContent;

/// Returns the content of a row of the outbox. The games of digests and reminders, and the
/// attachments, are rows of other tables.
pub(super) fn content(row: &Row) -> Result<MailContent> {
    let game: Option<_> = get(row, "game")?;
    let game = game.map(|game| moment(row, game)).transpose()?;
    let suggested: Option<String> = row.get("suggested")?;
    Ok(MailContent {
        kind: parsed(row, "kind")?,
        game,
        games: Vec::new(),
        challenge: get(row, "challenge")?,
        text: row.get("text")?,
        occasion: parsed_or_none(row, "occasion")?,
        held: get(row, "held")?,
        suggested: suggested.unwrap_or_default().lines().map(str::to_owned).collect(),
        attachments: Vec::new(),
    })
}

/// Returns the commands that a mail suggests, as its row has them.
pub(super) fn suggested_lines(content: &MailContent) -> Option<String> {
    Some(content.suggested.join("\n")).filter(|lines| !lines.is_empty())
}
