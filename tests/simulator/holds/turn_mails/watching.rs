//! Mails to those who watch a game. docs/club.md, Watching.

use super::super::clocks::Settings;
use super::super::rows::{Game, watchers};
use super::{Change, Row, violated};
use crate::simulator::Violation;
use crate::simulator::shown::is_move;
use crate::simulator::tables::Tables;

/// Kinds of mail to those who watch a game.
const WATCHED: [&str; 3] = ["watched", "watched-over", "watched-analysis"];

/// Whoever watches gets a mail only while the players allow it, at each try, and a move not before its grace is over.
pub(super) fn watchers_get_what_they_may(change: &Change) -> Result<(), Violation> {
    const OF: &str = "watchers_get_what_they_may";
    for id in change.after.new_rows("outbox", change.before) {
        let row = Row::with_id(change.after, id).filter(|it| WATCHED.contains(&&*it.kind));
        let Some(row) = row else { continue };
        let old = Row::with_id(change.before, id);
        let is_sent = row.state == "sent" && old.as_ref().is_none_or(|it| it.state == "queued");
        let is_allowed = [change.before, change.after].into_iter().any(|it| may_watch(it, &row));
        if is_sent && !is_allowed {
            return violated(OF, format!("{row:?} goes to one who may not watch"));
        }
        let ready = ready_at(change, &row).filter(|_| old.is_none() && row.kind == "watched");
        if let Some(ready) = ready.filter(|ready| row.ready_at() < *ready) {
            return violated(OF, format!("{row:?} can go before the grace is over at {ready}"));
        }
    }
    Ok(())
}

fn may_watch(tables: &Tables, row: &Row) -> bool {
    let game = row.game.and_then(|game| Game::of(tables, game));
    game.is_some_and(|game| watchers(tables, &game).contains(&row.player))
}

/// Returns when the grace of the last move is over, if a person has made it in this step.
fn ready_at(change: &Change, row: &Row) -> Option<i64> {
    let (now, id) = (change.now.timestamp(), row.game?);
    let log: Vec<_> = change.after.columns_of("event", id, ["author", "action"]).collect();
    let old = change.before.columns_of("event", id, ["action"]).count();
    let is_chosen = |[_, action]: &&[Option<&str>; 2]| *action != Some("auto-pass");
    let [author, action] = *log.get(old..)?.iter().rfind(is_chosen)?;
    let game = Game::of(change.after, id)?;
    let mover = game.person(author?).filter(|_| action.is_some_and(is_move))?;
    let grace = |tables: &Tables| Settings::of(tables, mover).map(|it| it.grace);
    let grace = grace(change.before).filter(|it| Some(*it) == grace(change.after))?;
    (grace > 0).then_some(now + grace)
}
