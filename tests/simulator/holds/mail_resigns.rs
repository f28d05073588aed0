//! Resignations in replies: docs/receiving.md, Which mails an answer is for.

use super::mail_answers::own_reply;
use super::rows::Game;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};

/// Kinds of mail about one game to its players.
const OF_GAMES: [&str; 6] = ["turn", "started", "receipt", "notice", "flagged", "reminder"];

/// A resignation in a reply to a mail about a game is done at once, unless the position of the mail was taken
/// back: then a question comes first.
pub fn resignations_in_replies_are_done(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = own_reply(change) else { return Ok(()) };
    let record = change.after.columns("received", ["understood", "disposition", "why"]).last();
    // It can name another game.
    let has_number = mail.written.split_whitespace().any(|it| it.parse::<i64>().is_ok());
    if has_number || record.is_none_or(|[understood, ..]| understood != Some("resign")) {
        return Ok(());
    }
    let about = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    let Some(about) = about.filter(|it| OF_GAMES.contains(&&*it.kind)) else { return Ok(()) };
    let [then] = &about.games[..] else { return Ok(()) };
    let Some(id) = number(Some(&then.game)) else { return Ok(()) };
    let begun = change.before.columns_of("game", id, ["created_at"]).next();
    // After a restore, another game can have the number.
    let is_same = begun.is_some_and(|[at]| number(at) <= Some(about.at));
    let Some(game) = Game::of(change.before, id).filter(|it| is_same && it.reason.is_none()) else {
        return Ok(());
    };
    let log = shown::log(change.before, &then.game);
    if game.color_of(player).is_none() || shown::history(&log, then.events) != Some(then.history) {
        return Ok(());
    }
    // What the opponent has said can be in the reply as it was read.
    if change.before.columns_of("event", id, ["action"]).flatten().flatten().any(says_resign) {
        return Ok(());
    }
    let stands = shown::moves(&log).starts_with(&shown::moves(&log[..then.events]));
    let reason = Game::of(change.after, id).and_then(|it| it.reason);
    let is_right = match stands {
        true => reason.is_some(),
        false => reason.as_deref() != Some("resigned"),
    };
    let questions = |tables: &Tables| tables.columns("held", ["id"]).count();
    let is_asked = questions(change.after) > questions(change.before);
    if is_right {
        return Ok(());
    }
    let found = format!(
        "game {id}, its position stands: {stands}, is over: {reason:?}, asked: {is_asked}, {record:?}"
    );
    violated("resignations_in_replies_are_done", found)
}

/// Returns whether these are words about the end.
fn says_resign(action: &str) -> bool {
    action.starts_with("say ") && action.contains("resign")
}
