//! Mails to those who watch a game. docs/club.md, Watching.

use super::super::clocks::Settings;
use super::super::rows::{Game, watchers};
use super::{Change, Row, away_until, violated};
use crate::simulator::Violation;
use crate::simulator::replay::Replayed;
use crate::simulator::shown::is_move;
use crate::simulator::tables::{Tables, number};

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
        if comes_in_absence(change, &row) {
            return violated(
                OF,
                format!("{row:?} comes in an absence, now {}", change.now.timestamp()),
            );
        }
        let ready = ready_at(change, &row).filter(|_| old.is_none() && row.kind == "watched");
        if let Some(ready) = ready.filter(|ready| row.ready_at() < *ready) {
            return violated(OF, format!("{row:?} can go before the grace is over at {ready}"));
        }
    }
    Ok(())
}

/// A move that is taken back is not announced: no mail about a move that was queued before waits any more.
pub(super) fn moves_taken_back_are_not_announced(change: &Change) -> Result<(), Violation> {
    if change.after.is_same(change.before, "event") {
        return Ok(());
    }
    let waits = |it: &Row| it.kind == "watched" && it.state == "queued" && it.tries == 0;
    for row in Row::all(change.after).into_iter().filter(waits) {
        let was_waiting = Row::with_id(change.before, row.id).is_some_and(|it| waits(&it));
        // One to somebody who no longer watches is dropped when it is due.
        let is_for_watcher = |game| {
            let mut all = change.after.columns_of("watcher", game, ["player"]).flatten().flatten();
            all.any(|it| it == row.player.to_string())
        };
        let is_wrong = |game| is_for_watcher(game) && is_taken_back(change, game);
        if was_waiting && row.game.is_some_and(is_wrong) {
            let found = format!("{row:?} is about a move that is taken back");
            return violated("moves_taken_back_are_not_announced", found);
        }
    }
    Ok(())
}

/// Returns whether moves of a game were taken back in this step.
fn is_taken_back(change: &Change, game: i64) -> bool {
    if game_events(change.before, game) == game_events(change.after, game) {
        return false;
    }
    let taken = |tables| Replayed::of(tables, game, usize::MAX).map_or(0, |it| it.taken.len());
    taken(change.after) > taken(change.before)
}

/// Returns whether a mail about a move is tried first while its reader is away. Such mails wait in each game, also in
/// one with `--no-away`.
fn comes_in_absence(change: &Change, row: &Row) -> bool {
    let now = change.now.timestamp();
    let is_away = |tables| away_until(tables, row.player, now).is_some();
    let is_first = row.kind == "watched" && row.tries == 1 && row.first_try_at == Some(now);
    is_first && !row.is_prompt && is_away(change.before) && is_away(change.after)
}

/// A digest that is tried first shows no move of a watched game within the grace of the one who has made it.
pub(super) fn digests_wait_for_the_grace(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    for id in change.after.new_rows("outbox", change.before) {
        let row = Row::with_id(change.after, id);
        let Some(row) = row.filter(|it| it.kind == "digest" && it.first_try_at == Some(now)) else {
            continue;
        };
        let was_tried = Row::with_id(change.before, id).is_some_and(|it| it.first_try_at.is_some());
        for game in games_of(change.after, id).into_iter().filter(|_| !was_tried) {
            // A mail of this step can have become part of the digest at once.
            let known = [change.before, change.after].map(Row::all).concat();
            let is_held = |it: &Row| {
                let is_new = Row::with_id(change.before, it.id).is_none();
                (it.player, it.game, &*it.kind) == (row.player, Some(game), "watched")
                    && (is_new || it.state == "queued")
                    && it.not_before.is_some_and(|at| at > now)
                    && usize::try_from(it.events) == Ok(game_events(change.after, game))
                    && row.tells(change.after, game, it.events)
            };
            if let Some(held) = known.into_iter().find(|it| is_held(it)) {
                let found = format!("{row:?} shows the move that {held:?} waits for, now {now}");
                return violated("digests_wait_for_the_grace", found);
            }
        }
    }
    Ok(())
}

/// A digest has the games that its reader watches behind the others: those with moves which it tells instead of other
/// mails, and no other. At its first try its reader may still watch them.
pub(super) fn digests_have_what_was_watched(change: &Change) -> Result<(), Violation> {
    for id in change.after.new_rows("outbox", change.before) {
        let old = Row::with_id(change.before, id);
        let Some(row) = Row::with_id(change.after, id).filter(|it| it.kind == "digest") else {
            continue;
        };
        let is_tried = old.as_ref().is_some_and(|it| it.first_try_at.is_some());
        let is_first = row.first_try_at == Some(change.now.timestamp()) && !is_tried;
        let listed = games_of(change.after, id);
        let is_watched = |game: &i64| {
            let game = Game::of(change.after, *game);
            game.is_some_and(|game| !game.people.contains(&Some(row.player)))
        };
        let tables = [change.before, change.after];
        let may = |game: &&i64| tables.iter().any(|it| may_see(it, **game, row.player));
        let refused = listed.iter().find(|it| is_watched(it) && !may(it)).filter(|_| is_first);
        if let Some(refused) = refused {
            let found = format!("{row:?} has game {refused}, which its reader may not watch");
            return violated("digests_have_what_was_watched", found);
        }
        if old.is_some() {
            continue;
        }
        let first = listed.iter().position(is_watched).unwrap_or(listed.len());
        let watched = &listed[first..];
        // What was made in this very step can be in it already.
        let new = Row::all(change.after).into_iter();
        let new = new.filter(|it| it.player == row.player && it.kind == "watched");
        let mut known: Vec<_> = new.filter_map(|it| it.game).collect();
        let mut expected = Vec::new();
        for old in Row::all(change.before).into_iter().filter(|it| it.player == row.player) {
            let now = Row::with_id(change.after, old.id);
            let is_replaced =
                old.state == "queued" && now.is_some_and(|it| it.state == "superseded");
            if old.kind == "digest" {
                known.extend(games_of(change.before, old.id));
            }
            let Some(game) = old.game.filter(|_| old.kind == "watched") else { continue };
            known.push(game);
            // A move in the same step has a mail of its own.
            let is_still = game_events(change.before, game) == game_events(change.after, game);
            let may = [change.before, change.after].into_iter().all(|it| may_watch(it, &old));
            let is_active = Game::of(change.after, game).is_some_and(|it| it.to_move.is_some());
            if is_replaced && is_still && may && is_active {
                expected.push(game);
            }
        }
        let is_right = watched.iter().all(|it| is_watched(it) && known.contains(it))
            && expected.iter().all(|it| watched.contains(it));
        if !is_right {
            let found = format!("{row:?} has {listed:?}, of {known:?}, and not {expected:?}");
            return violated("digests_have_what_was_watched", found);
        }
    }
    Ok(())
}

/// Returns the games that a digest lists, in their order.
fn games_of(tables: &Tables, digest: i64) -> Vec<i64> {
    let rows = tables.columns_of("digest_game", digest, ["number", "game"]);
    let mut rows: Vec<_> =
        rows.filter_map(|[at, game]| Some((number(at)?, number(game)?))).collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, game)| game).collect()
}

fn game_events(tables: &Tables, game: i64) -> usize {
    tables.columns_of("event", game, ["number"]).count()
}

fn may_watch(tables: &Tables, row: &Row) -> bool {
    row.game.is_some_and(|game| may_see(tables, game, row.player))
}

fn may_see(tables: &Tables, game: i64, player: i64) -> bool {
    Game::of(tables, game).is_some_and(|game| watchers(tables, &game).contains(&player))
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
