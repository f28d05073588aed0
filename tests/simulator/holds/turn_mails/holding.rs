//! What holds a new mail back besides its reader's settings: the grace of the player who has moved. docs/settings.md,
//! docs/mail.md.

use super::super::clocks::Settings;
use super::super::replies::{author, is_chosen};
use super::super::rows::{Game, Mail};
use super::{Change, PROMPT, Reader, Row, Waiting, away_until, violated};
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// Kinds of mail that wait for nothing but what their reader has set.
const AT_ONCE: [&str; 12] = [
    "over",
    "watched-over",
    "watched-analysis",
    "flagged",
    "receipt",
    "reminder",
    "answer",
    "confirm",
    "tournament",
    "farewell",
    "paused",
    "mismatch",
];

/// A new mail about a move waits for the grace of its author, exactly; one about the end of a game and most others wait
/// for nothing. No setting of its reader holds back what answers the reader, and only that.
pub(super) fn mails_are_held_back_as_they_should(change: &Change) -> Result<(), Violation> {
    for id in change.after.new_rows("outbox", change.before) {
        let Some(row) = Row::with_id(change.after, id) else { continue };
        let old = Row::with_id(change.before, id);
        let found = |what: String| {
            let found = format!("{row:?} {what}, {:?}", change.words);
            violated("mails_are_held_back_as_they_should", found)
        };
        if is_released(change, &row, old.as_ref()) {
            return found("is held back by no setting".to_owned());
        }
        if old.is_some() {
            continue;
        }
        if AT_ONCE.contains(&&*row.kind) && row.not_before.is_some() {
            return found("waits".to_owned());
        }
        if row.not_before.is_some() && row.kind == "notice" && !may_wait(change, &row) {
            return found("waits for another day".to_owned());
        }
        let Some(grace) = grace_of(change, &row) else { continue };
        let expected = Some(row.created_at + grace).filter(|_| grace > 0);
        if row.not_before != expected {
            return found(format!("does not wait until {expected:?}"));
        }
    }
    Ok(())
}

/// A mail that was tried is tried again when it is due, also in quiet hours: its reader's clock runs.
pub(super) fn tried_mails_are_tried_again(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    let is_up = change.mail_down_since == [None; 2] && !change.has_mail_faults;
    if change.words != ["send"] || change.status != 0 || !is_up {
        return Ok(());
    }
    let columns = ["id", "state", "due_at", "lease_until"];
    for [id, state, due_at, claimed] in change.before.columns("outbox", columns) {
        let is_due = number(due_at) <= Some(now) && number(claimed) <= Some(now);
        let Some(id) = number(id).filter(|_| state == Some("queued") && is_due) else { continue };
        let [was, is] = [change.before, change.after].map(|it| Row::with_id(it, id));
        let (Some(was), Some(is)) = (was, is) else { continue };
        let may_wait = match &*is.kind {
            // A digest, an absence or an outage can hold it back.
            "turn" => {
                let game = is.game.and_then(|game| Waiting::of(change.after, game));
                let mode = Reader::of(change.after, is.player).map(|it| it.mode);
                let is_away = away_until(change.after, is.player, now).is_some();
                mode.as_deref() != Some("each")
                    || is_away
                    || game.is_none_or(|it| it.deadline <= now)
            }
            kind => matches!(kind, "watched" | "digest" | "letter"),
        };
        let waits = is.state == "queued" && is.tries == was.tries;
        if was.tries > 0 && was.first_try_at.is_some() && waits && !may_wait {
            return violated("tried_mails_are_tried_again", format!("{is:?} was due, now {now}"));
        }
    }
    Ok(())
}

/// Returns whether a new notice may wait for the next day: there were five in a day about offers in its game, or three
/// about the absences of its player.
fn may_wait(change: &Change, row: &Row) -> bool {
    let occasion_of = |id| Mail::of(change.after, id).map(|it| it.occasion).unwrap_or_default();
    let occasion = occasion_of(row.id);
    let about = |occasion: &str| match occasion.split_once(' ') {
        _ if occasion == "answer" => "offer".to_owned(),
        Some(("offer", _)) => "offer".to_owned(),
        Some(("away" | "absence" | "absences", player)) => player.to_owned(),
        _ => String::new(),
    };
    let of = about(&occasion);
    let most = if of == "offer" { 5 } else { 3 };
    let since = change.now.timestamp() - DAY;
    let all = Row::all(change.after).into_iter();
    let earlier = all.filter(|it| {
        it.kind == "notice"
            && (it.player, it.game) == (row.player, row.game)
            && it.first_try_at.is_some_and(|at| at > since)
            && about(&occasion_of(it.id)) == of
    });
    occasion.starts_with("gathered ") || !of.is_empty() && earlier.count() >= most
}

/// Returns whether a mail has become one that no setting holds back, though it answers nothing that its reader has
/// done and the host does not try it again.
fn is_released(change: &Change, row: &Row, old: Option<&Row>) -> bool {
    let is_prompt = |id: i64, tables: &Tables| {
        tables.columns_of("outbox", id, ["is_prompt"]).next() == Some([Some("1")])
    };
    let was_prompt = old.is_some_and(|it| is_prompt(it.id, change.before));
    if !is_prompt(row.id, change.after) || was_prompt || change.words[0] == "mail" {
        return false;
    }
    let actor = match change.incoming {
        Some(mail) => author(mail, change).and_then(|it| number(Some(it))),
        None => {
            let mut players = change.before.columns("player", ["id", "name"]);
            let is_it = |name: &str| name.eq_ignore_ascii_case(change.actor);
            players.find(|[_, name]| name.is_some_and(is_it)).and_then(|[id, _]| number(id))
        }
    };
    // What is sent anew in its place is no less urgent.
    let replaces = Row::all(change.before)
        .iter()
        .any(|it| it.player == row.player && it.kind == row.kind && it.is_prompt);
    let is_own = actor == Some(row.player);
    !PROMPT.contains(&&*row.kind) && row.kind != "farewell" && !is_own && !replaces
}

/// Returns the grace that holds back a new mail about a move that was made in the step: that of its author, unless the
/// mail is to the author; `None` if it is about none.
fn grace_of(change: &Change, row: &Row) -> Option<i64> {
    if row.kind != "turn" && row.kind != "watched" {
        return None;
    }
    let game = Game::of(change.after, row.game?)?;
    let known = Game::of(change.before, game.id)?.events;
    let log = shown::log(change.after, &game.id.to_string());
    let new = log.get(known..usize::try_from(row.events).ok()?)?;
    let is_back = |it: &&shown::Event| matches!(it.action, "takeback" | "accept");
    if new.iter().any(|it| is_back(&it)) {
        return None;
    }
    let made = new.iter().rfind(|it| is_chosen(it.action))?;
    let Some(mover) = game.person(made.author) else { return Some(0) };
    if row.kind == "turn" && mover == row.player {
        return Some(0);
    }
    let grace = |tables| Settings::of(tables, mover).map(|it| it.grace);
    grace(change.after).filter(|it| grace(change.before) == Some(*it))
}
