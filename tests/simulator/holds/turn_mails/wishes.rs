//! Mails come as their readers have set it: in digests at a time of day, with reminders or without, and again for
//! games that are not muted any more. docs/settings.md.

use super::super::commands::{Given, Member};
use super::{Change, Reader, Row, Waiting, is_muted, next_digest, violated};
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// How long the record of a mail that was sent is kept for sure.
const KEPT_FOR: i64 = 9 * DAY;

/// Who reads digests gets no mails about single moves, and no digest before its time of day. Who wants no reminders
/// gets none, and who wants no turn mails none about the moves of watched games either.
pub(super) fn mails_come_as_their_readers_wish(change: &Change) -> Result<(), Violation> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    for id in after.new_rows("outbox", before) {
        let Some(row) = Row::with_id(after, id) else { continue };
        let was_tried = Row::with_id(before, id).is_some_and(|it| it.tries > 0);
        let is_first = row.tries == 1 && row.first_try_at == Some(now) && !was_tried;
        let wrong = match row.kind.as_str() {
            "reminder" if is_first && [before, after].iter().all(|it| !is_reminded(it, &row)) => {
                Some("comes to a player who wants no reminders")
            }
            "watched" if is_first && [before, after].iter().all(|it| wants_none(it, &row)) => {
                Some("comes to a player who wants none")
            }
            "turn" | "watched"
                if is_first
                    && !row.is_prompt
                    && !row.has_bounced
                    && reads_digests(change, &row) =>
            {
                Some("comes alone to a player who reads digests")
            }
            "digest" if Row::with_id(before, id).is_none() && is_early(change, &row) => {
                Some("comes before its time of day")
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            let found = format!("{row:?} {wrong}, now {now}");
            return violated("mails_come_as_their_readers_wish", found);
        }
    }
    Ok(())
}

fn is_reminded(tables: &Tables, row: &Row) -> bool {
    let mut rows = tables.columns_of("player", row.player, ["reminders"]);
    rows.next().is_none_or(|[it]| it == Some("on"))
}

fn wants_none(tables: &Tables, row: &Row) -> bool {
    Reader::of(tables, row.player).is_some_and(|it| it.mode == "none")
}

/// Returns whether the reader of a mail has set digests, before and after the step, at the same address.
fn reads_digests(change: &Change, row: &Row) -> bool {
    let is_set =
        |tables| Reader::of(tables, row.player).is_some_and(|it| it.mode.starts_with("digest "));
    let address = |tables| Tables::columns_of(tables, "player", row.player, ["address"]).next();
    is_set(change.before) && is_set(change.after) && address(change.before) == address(change.after)
}

/// Returns whether none of the mails that a new digest replaces was due by its time of day, or is a digest itself.
fn is_early(change: &Change, row: &Row) -> bool {
    let now = change.now.timestamp();
    let readers = [change.before, change.after].map(|it| Reader::of(it, row.player));
    let [Some(was), Some(reader)] = readers else { return false };
    let Some(time) = reader
        .mode
        .strip_prefix("digest ")
        .filter(|_| was.mode == reader.mode && was.clock.calendar == reader.clock.calendar)
    else {
        return false;
    };
    let rows = [change.before, change.after].map(Row::all).concat();
    let replaced: Vec<_> = rows
        .into_iter()
        .filter(|it| {
            let waits = it.state == "queued" || it.state == "superseded";
            let is_replaced = matches!(it.kind.as_str(), "turn" | "watched" | "digest");
            it.player == row.player && it.id != row.id && waits && is_replaced
        })
        .collect();
    // The clock of the server may have been set back.
    let is_right = |it: &Row| {
        it.created_at > now
            || it.kind == "digest"
            || next_digest(&reader.clock.calendar, time, it.ready_at()).is_none_or(|at| at <= now)
    };
    !replaced.is_empty() && !replaced.iter().any(is_right)
}

/// A new digest takes the place of mails about moves that have waited for it, or of a digest that could not be sent: if
/// there is nothing new since the last one, none comes.
pub(super) fn digests_have_something_new(change: &Change) -> Result<(), Violation> {
    let (before, after) = (change.before, change.after);
    for id in after.added("outbox", before) {
        let Some(row) = Row::with_id(after, id).filter(|it| it.kind == "digest") else { continue };
        let is_replaced = |it: &Row| {
            it.player == row.player
                && matches!(it.kind.as_str(), "turn" | "watched" | "digest")
                && it.state == "superseded"
                && Row::with_id(before, it.id).is_none_or(|it| it.state != "superseded")
        };
        // The record of a mail that was due long ago is deleted as soon as another takes its place.
        let is_deleted = |it: &Row| {
            let is_of_turn = matches!(it.kind.as_str(), "turn" | "watched" | "digest");
            let is_gone = Row::with_id(after, it.id).is_none();
            it.player == row.player && is_of_turn && it.state == "queued" && is_gone
        };
        let is_in_place =
            Row::all(after).iter().any(is_replaced) || Row::all(before).iter().any(is_deleted);
        if !is_in_place {
            let found = format!("{row:?} takes the place of no mail");
            return violated("digests_have_something_new", found);
        }
    }
    Ok(())
}

/// Who unmutes a game in which it is the player's turn is told of the turn, unless a mail has told it. Then no other
/// mail does.
pub(super) fn unmuted_turns_are_told(change: &Change) -> Result<(), Violation> {
    let given = Given::of(change)
        .filter(|it| change.status == 0 && matches!(it.word, "unmute" | "subscribe"));
    let Some((id, Some(actor))) = given.and_then(|it| Some((it.id()?, it.actor))) else {
        return Ok(());
    };
    let Some(game) = Waiting::of(change.before, id) else { return Ok(()) };
    let Some(reader) = Reader::of(change.before, game.player) else { return Ok(()) };
    let since = change.before.columns_of("game", id, ["since"]).next();
    let since = since.and_then(|[since]| number(since)).unwrap_or_default();
    let is_exempt = actor.id != game.player.to_string()
        || !is_muted(change.before, id, game.player)
        || game.is_local
        || !reader.clock.has_address
        || reader.mode == "none"
        || game.deadline <= change.now.timestamp()
        || change.now.timestamp() - since > KEPT_FOR;
    let tells = |row: &Row| {
        row.player == game.player
            && row.state != "superseded"
            && row.tells(change.after, id, game.event)
    };
    // After a pause of the mail, all turns that wait are told again.
    let is_told = |row: &Row| row.state == "sent" && !row.has_bounced && tells(row);
    let was_told = !reader.is_paused && Row::all(change.before).iter().any(is_told);
    let is_again = |row: &Row| {
        was_told
            && row.kind == "turn"
            && tells(row)
            && Row::with_id(change.before, row.id).is_none()
    };
    if let Some(row) = Row::all(change.after).iter().find(|row| is_again(row)) {
        return violated("unmuted_turns_are_told", format!("{row:?} tells of {game:?} again"));
    }
    // A receipt or a notice can show the position, too.
    let shows = |row: &Row| {
        let is_of_game = row.game == Some(id) && row.events >= game.event;
        tells(row) || row.player == game.player && row.state == "sent" && is_of_game
    };
    if is_exempt || Row::all(change.after).iter().any(shows) {
        return Ok(());
    }
    let Member { name, .. } = actor;
    violated("unmuted_turns_are_told", format!("nothing tells {name} of {game:?}"))
}
