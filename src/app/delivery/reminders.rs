//! The text of reminders.

use crate::app::effects::alarms::MIN_BETWEEN_REMINDERS;
use crate::app::views::game::names;
use crate::app::{Error, find};
use crate::store::{Db, OutboxEntry};
use outflank_rules::Color;

/// Returns the text of a mail with reminders: a paragraph for each game that still waits, the most
/// urgent first.
pub(crate) fn text(db: &Db, entry: &OutboxEntry) -> Result<String, Error> {
    let mut paragraphs = Vec::new();
    for id in db.reminded_games(entry.id)? {
        let stored = find::game(db, id)?;
        let clocks = stored.clocks();
        let own = entry.player.as_ref().and_then(|player| stored.color_of(player.id));
        let (Some(own), names) = (own, names(&stored.black, &stored.white)) else { continue };
        let zone = stored.clock_settings(own).zone;
        let opponent = names.of(!own);
        let end = match (clocks.deadline(), clocks.idle_end()) {
            (Some(deadline), _) => {
                (deadline, format!("Your time ends on {}.", zone.shown(deadline)))
            }
            (_, Some(end)) => {
                // Two reminders must have come.
                let reminders = db.delivered_reminders(id, clocks.turn_event())?;
                let first = reminders.first().copied().unwrap_or(entry.created_at);
                let end = end.max(first + MIN_BETWEEN_REMINDERS);
                (end, format!("{opponent} can claim the game from {} on.", zone.shown(end)))
            }
            _ => continue,
        };
        let color: Color = !own;
        let head = format!("Game {id}: {}, against {opponent} ({color})", stored.title());
        paragraphs.push((end.0, format!("{head}\n{}", end.1)));
    }
    paragraphs.sort_by_key(|(end, _)| *end);
    let paragraphs: Vec<_> = paragraphs.into_iter().map(|(_, text)| text).collect();
    Ok(paragraphs.join("\n\n"))
}
