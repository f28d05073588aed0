//! What mails show of games at their first try is how the games stand then, and a reminder has the games that it is
//! about: docs/mail.md, docs/time.md.

use super::clocks;
use super::mail_texts::{flat, plain};
use super::remarks::span;
use super::rows::{Game, Mail, has_blocked, name_of, of_new_mails};
use super::shown::in_words;
use super::{Change, violated};
use crate::simulator::mailer;
use crate::simulator::replay::Replayed;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{self, Tables, number};
use crate::simulator::{DAY, Violation};

/// The least time between the two reminders of a game without a clock.
const BETWEEN_REMINDERS: i64 = 7 * DAY;

/// A mail that is tried for the first time shows its games as they stand, a reminder has those that wait, the most
/// urgent first, and nobody is told of what a blocked player says.
pub fn first_tries_show_what_stands(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    one_mail_reminds(change)?;
    for (mail, row) in of_new_mails(change) {
        let was_tried = Mail::of(change.before, row.id).is_some_and(|it| it.first_try_at.is_some());
        if was_tried || row.first_try_at != Some(change.now.timestamp()) {
            continue;
        }
        let found = |what: String| format!("{} {row:?}: {what}", mail.id);
        shows_the_last_event(change, &row)
            .or_else(|what| violated("mails_show_games_as_they_stand", found(what)))?;
        says_how_it_ended(change, &row)
            .or_else(|what| violated("mails_say_how_games_ended", found(what)))?;
        reminds_of_what_waits(change, mail, &row)
            .or_else(|what| violated("reminders_have_what_waits", found(what)))?;
        is_not_about_a_blocked_player(change, &row)
            .or_else(|what| violated("blocked_players_are_not_heard", found(what)))?;
    }
    Ok(())
}

/// Returns the games of a mail, each with how many events it had.
fn games_of(tables: &Tables, row: &Mail) -> Vec<(i64, usize)> {
    if let Some(game) = row.game {
        return vec![(game, row.events)];
    }
    let rows = tables.columns_of("digest_game", row.id, ["number", "game", "events"]);
    let rows = rows.filter_map(|row| {
        let [at, game, events] = row.map(number);
        Some((at?, game?, usize::try_from(events?).ok()?))
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, game, events)| (game, events)).collect()
}

/// Returns a game that the step has left as it was.
fn stable(change: &Change, id: i64) -> Option<Game> {
    let was = Game::of(change.before, id)?;
    Game::of(change.after, id).filter(|it| it.events == was.events)
}

/// The first try fixes what the mail shows: the game at that moment.
fn shows_the_last_event(change: &Change, row: &Mail) -> Result<(), String> {
    let is_of_offer = row.occasion.starts_with("offer ");
    let is_meant = match &*row.kind {
        "turn" | "watched" | "digest" | "reminder" => true,
        "notice" => is_of_offer,
        "started" => {
            let game = row.game.unwrap_or_default();
            let position = change.after.columns_of("game", game, ["position_event", "turn"]).next();
            let [position, turn] = position.unwrap_or_default();
            turn.is_some() && number(position) <= i64::try_from(row.events).ok()
        }
        _ => false,
    };
    for (id, events) in games_of(change.after, row).into_iter().filter(|_| is_meant) {
        let Some(game) = stable(change, id) else { continue };
        // It must not show a move before the mail about that does.
        let is_held = is_of_offer && has_held_turn(change, row, id);
        let queued = Mail::of(change.before, row.id).map(|it| it.events);
        if is_held && queued.is_some_and(|it| it != events) {
            return Err(format!("shows game {id} after {events} events, within a grace"));
        }
        if !is_held && game.events != events {
            return Err(format!("shows game {id} after {events} events of {}", game.events));
        }
    }
    Ok(())
}

/// A mail about the end says how the game has ended: the host can annul it before the first try.
fn says_how_it_ended(change: &Change, row: &Mail) -> Result<(), String> {
    let is_meant = matches!(&*row.kind, "over" | "watched-over");
    let Some(id) = row.game.filter(|id| is_meant && stable(change, *id).is_some()) else {
        return Ok(());
    };
    let result = |events| Replayed::of(change.after, id, events).ok().map(|it| it.result());
    let (shown, now) = (result(row.events), result(usize::MAX));
    if shown == now { Ok(()) } else { Err(format!("shows {shown:?}, and now it is {now:?}")) }
}

/// Returns whether a turn mail to the same reader waits for the grace of the opponent.
fn has_held_turn(change: &Change, row: &Mail, game: i64) -> bool {
    let columns = ["player", "game", "kind", "state", "not_before"];
    change.before.columns("outbox", columns).any(|[player, of, kind, state, not_before]| {
        number(player) == row.player
            && number(of) == Some(game)
            && [kind, state] == [Some("turn"), Some("queued")]
            && number(not_before) > Some(change.now.timestamp())
    })
}

/// A reminder has games in which it is its reader's turn, the most urgent first, and says when one without a clock can
/// be claimed: not before a week after the first reminder.
fn reminds_of_what_waits(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let Some(player) = row.player.filter(|_| row.kind == "reminder") else { return Ok(()) };
    let games = games_of(change.after, row);
    let mut ends = Vec::new();
    for (id, _) in &games {
        let Some(game) = stable(change, *id) else { continue };
        if game.to_move != Some(player) {
            return Err(format!("it is not the reader's turn in game {id}"));
        }
        let deadline = |tables: &Tables| {
            let row = tables.columns_of("game", *id, ["deadline"]).next();
            row.and_then(|[it]| tables::deadline(it))
        };
        let end = match deadline(change.after) {
            Some(_) if deadline(change.before) != deadline(change.after) => None,
            Some(end) => Some(end),
            None => claimable_from(change, row, *id),
        };
        let Some(end) = end else { continue };
        ends.push(end);
        if deadline(change.after).is_none() {
            says_when_it_can_be_claimed(change, mail, player, &game, end)?;
        }
    }
    match ends.is_sorted() {
        true => Ok(()),
        false => Err(format!("has {games:?} in this order, which end at {ends:?}")),
    }
}

/// Returns from when on a game without a clock can be claimed, as a mail that is sent now knows it.
fn claimable_from(change: &Change, row: &Mail, game: i64) -> Option<i64> {
    let (event, end) = clocks::idle_end(change.after, game)?;
    let reminders = change.after.columns_of("reminder", game, ["event", "mail", "delivered_at"]);
    let earlier = reminders.filter_map(|it| {
        let [of, mail, at] = it.map(number);
        at.filter(|_| of == Some(event) && mail != Some(row.id))
    });
    Some(end.max(earlier.min().unwrap_or(row.created_at) + BETWEEN_REMINDERS))
}

fn says_when_it_can_be_claimed(
    change: &Change,
    mail: &Accepted,
    player: i64,
    game: &Game,
    end: i64,
) -> Result<(), String> {
    let opponent = game.color_of(player).and_then(|it| game.opponent(it));
    let name = opponent.and_then(|it| name_of(change.after, it));
    let (Some(name), Some(end_in_words)) = (name, in_words(change.after, player, end)) else {
        return Ok(());
    };
    let [text, _] = mailer::parts(mail);
    let (text, left) = (plain(&text), span(end - change.now.timestamp()));
    let claim = format!("{name} can claim the game from {end_in_words}");
    let listed = format!(", {left} left {claim}");
    let is_listed = text.contains(&format!("Game {}: ", game.id));
    match text.contains(if is_listed { &listed } else { &claim }) {
        true => Ok(()),
        false => Err(format!("game {} has not {listed:?}: {}", game.id, flat(&text))),
    }
}

/// One mail reminds a player of all games whose reminders are due.
fn one_mail_reminds(change: &Change) -> Result<(), Violation> {
    let rows = change.after.new_rows("outbox", change.before).into_iter();
    let rows = rows.filter_map(|id| Mail::of(change.after, id)).filter(|it| it.kind == "reminder");
    let (new, old): (Vec<_>, Vec<_>) =
        rows.partition(|it| Mail::of(change.before, it.id).is_none());
    for (at, row) in new.iter().enumerate() {
        let is_same = |it: &&Mail| it.player == row.player;
        // What a mail that was tried before was about comes in another one.
        let is_replaced = old.iter().any(|it| is_same(&it) && it.state == "superseded");
        let stays = |it: &Mail| it.state != "superseded";
        let other = new[at + 1..].iter().find(|it| is_same(it) && stays(it));
        if let Some(other) = other.filter(|_| stays(row) && !is_replaced) {
            return violated("one_mail_reminds", format!("{row:?} and {other:?}"));
        }
    }
    Ok(())
}

/// A comment, and what gathers the words of a player, is not mailed to a reader who has blocked its author.
fn is_not_about_a_blocked_player(change: &Change, row: &Mail) -> Result<(), String> {
    let Some(reader) = row.player.filter(|_| row.kind == "notice") else { return Ok(()) };
    let author = match row.occasion.split_once(' ') {
        None if row.occasion == "comment" => row.game.and_then(|id| {
            let game = Game::of(change.after, id)?;
            game.opponent(game.color_of(reader)?)
        }),
        Some(("gathered", author)) => number(Some(author)),
        _ => None,
    };
    let is_blocked = author.is_some_and(|author| {
        [change.before, change.after].into_iter().all(|it| has_blocked(it, reader, author))
    });
    if is_blocked { Err(format!("its reader has blocked {author:?}")) } else { Ok(()) }
}
