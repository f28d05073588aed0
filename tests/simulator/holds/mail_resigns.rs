//! Resignations in replies: docs/receiving.md, Which mails an answer is for.

use super::mail_answers::clear_reply;
use super::rows::Game;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};

/// Kinds of mail about one game to its players.
const OF_GAMES: [&str; 6] = ["turn", "started", "receipt", "notice", "flagged", "reminder"];

/// A resignation alone in a reply to a mail about a game is done at once, unless the position of the mail was taken
/// back: then a question comes first.
pub fn resignations_in_replies_are_done(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear_reply(change) else { return Ok(()) };
    let about = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    let Some(about) = about.filter(|it| OF_GAMES.contains(&&*it.kind)) else { return Ok(()) };
    let ("resign", [then]) = (mail.written.trim(), &about.games[..]) else { return Ok(()) };
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
    let stands = shown::moves(&log).starts_with(&shown::moves(&log[..then.events]));
    let is_over = Game::of(change.after, id).is_some_and(|it| it.reason.is_some());
    let questions = |tables: &Tables| tables.columns("held", ["id"]).count();
    let is_asked = questions(change.after) > questions(change.before);
    if is_over == stands {
        return Ok(());
    }
    let record = change.after.columns("received", ["understood", "disposition", "why"]).last();
    let found = format!(
        "game {id}, its position stands: {stands}, is over: {is_over}, asked: {is_asked}, {record:?}"
    );
    violated("resignations_in_replies_are_done", found)
}
