//! What the players are told of an outage that has moved deadlines: docs/time.md.

use super::clocks::MAX_BETWEEN_CHECKS;
use super::replies::{self, New};
use super::rows::{Game, of_player};
use super::shown::in_words;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{self, Tables, number};

/// Whose deadline an outage has moved, and the opponent, get one mail each for all games. It says whose time ends
/// when, in the reader's time zone.
pub fn outages_are_told(change: &Change) -> Result<(), Violation> {
    const OF: &str = "outages_are_told";
    if change.words.is_empty() {
        return Ok(());
    }
    for New { game, event, .. } in replies::new_events(change) {
        let is_outage = event.action.starts_with("outage ");
        let Some(game) = game.parse().ok().and_then(|id| Game::of(change.after, id)) else {
            continue;
        };
        if !is_outage || game.is_local || game.events != event.number {
            continue;
        }
        let head = match event.action.ends_with(" mail") {
            true => "The mail server was down from ",
            false => "The server was down from ",
        };
        for player in game.people.into_iter().flatten() {
            if of_player(change.after, player, "address").is_none() {
                continue;
            }
            let texts = new_texts(change, player, head);
            let about = format!(" time in game {} ", game.id);
            let told: Vec<_> = texts.iter().filter(|text| text.contains(&about)).collect();
            let ([text], true) = (&told[..], texts.len() <= 1 || event.action.ends_with(" mail"))
            else {
                let found = format!("game {}: player {player} is told {texts:?}", game.id);
                return violated(OF, found);
            };
            let is_own = text.contains(&format!("Your{about}"));
            let end = shown_deadline(change.after, player, game.id);
            let says_end = end.as_ref().is_none_or(|end| {
                text.split(&about).skip(1).any(|it| it.contains(&format!("now ends on {end}")))
            });
            if is_own != (game.to_move == Some(player)) || !says_end {
                let found = format!("{:?} is told player {player}, and not {end:?}", text);
                return violated(OF, format!("{game:?}: {found}"));
            }
        }
    }
    Ok(())
}

/// Only `send` ends an outage, and moves only deadlines that fell into it: after its last check, and not later than now.
pub fn outages_move_what_fell_into_them(change: &Change) -> Result<(), Violation> {
    const OF: &str = "outages_move_what_fell_into_them";
    if change.words.is_empty() {
        return Ok(());
    }
    let checks = change.before.columns("installation", ["deadlines_checked_at"]).next();
    let checked_at = checks.and_then(|[at]| number(at));
    let is_doubted = change.before.columns("clock_doubt", ["id"]).next().is_some();
    let now = change.now.timestamp();
    let is_server = |action: &str| action.starts_with("outage ") && !action.ends_with(" mail");
    for New { game, event, .. } in replies::new_events(change) {
        let row = change.before.columns_of("game", number(Some(game)).unwrap_or(0), ["deadline"]);
        let deadline = row.last().and_then(|[it]| tables::deadline(it));
        if !is_server(event.action) || is_doubted {
            continue;
        }
        let is_real = checked_at.zip(deadline).is_some_and(|(checked, deadline)| {
            now - checked > MAX_BETWEEN_CHECKS && checked < deadline && deadline <= now
        });
        if !is_real || change.words[0] != "send" {
            let found = format!("{} in game {game}, which ended at {deadline:?}", event.action);
            return violated(OF, format!("{found}; last check {checked_at:?}, now {now}"));
        }
    }
    Ok(())
}

/// Returns the texts of the mails to a player that are new or have another text, and begin so.
fn new_texts<'a>(change: &Change<'a>, player: i64, head: &str) -> Vec<&'a str> {
    let text_of =
        |tables: &'a Tables, id| tables.columns_of("outbox", id, ["player", "text"]).next();
    let ids = change.after.new_rows("outbox", change.before);
    let texts = ids.into_iter().filter_map(|id| {
        let [reader, text] = text_of(change.after, id)?;
        let was = text_of(change.before, id).and_then(|[_, text]| text);
        text.filter(|text| was != Some(*text) && number(reader) == Some(player))
    });
    texts.filter(|text| text.starts_with(head)).collect()
}

/// Returns the deadline of a game to the minute, in a player's time zone; `None` if no clock runs.
fn shown_deadline(tables: &Tables, player: i64, game: i64) -> Option<String> {
    let [deadline] = tables.columns_of("game", game, ["deadline"]).next()?;
    in_words(tables, player, tables::deadline(deadline)?)
}
