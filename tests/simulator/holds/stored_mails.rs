//! What is stored of mails: migrations/schema.sql, docs/mail.md.

use std::collections::{BTreeMap, HashSet};

use super::commands::Given;
use super::replies::author;
use super::rows::{Game, of_new_mails, of_player};
use super::{Change, each_holds};
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// The states of a mail.
const STATES: [&str; 5] = ["queued", "paused", "sent", "failed", "superseded"];

/// The words of the occasions that name nothing.
const OCCASIONS: [&str; 5] = ["answer", "comment", "claim", "deleted plan", "challenge"];

/// A row of the outbox.
#[derive(Debug, Clone)]
struct Row {
    id: i64,
    kind: String,
    state: String,
    player: Option<i64>,
    game: Option<i64>,
    ply: Option<i64>,
    events: Option<usize>,
    challenge: Option<i64>,
    message_id: String,
    occasion: String,
    caused_by: Option<i64>,
    is_reply: bool,
    in_reply_to: Option<String>,
    for_digest: bool,
    is_prompt: bool,
    created_at: i64,
    due_at: i64,
    not_before: Option<i64>,
    first_try_at: Option<i64>,
    tries: i64,
    sent_to: Option<String>,
    bounces: i64,
    bounced_try: i64,
    bounced_at: Option<i64>,
}

impl Row {
    fn of(tables: &Tables, id: i64) -> Option<Self> {
        let columns = ["kind", "state", "player", "game", "ply", "events", "challenge"];
        let [kind, state, player, game, ply, events, challenge] =
            tables.columns_of("outbox", id, columns).next()?;
        let columns = ["message_id", "occasion", "caused_by", "is_reply", "in_reply_to"];
        let [message_id, occasion, caused_by, is_reply, in_reply_to] =
            tables.columns_of("outbox", id, columns).next()?;
        let columns = ["for_digest", "is_prompt", "sent_to"];
        let [for_digest, is_prompt, sent_to] = tables.columns_of("outbox", id, columns).next()?;
        let columns = ["created_at", "due_at", "not_before", "first_try_at", "tries"];
        let [created_at, due_at, not_before, first_try_at, tries] =
            tables.columns_of("outbox", id, columns).next()?.map(number);
        let columns = ["bounces", "bounced_try", "bounced_at"];
        let [bounces, bounced_try, bounced_at] =
            tables.columns_of("outbox", id, columns).next()?.map(number);
        Some(Self {
            id,
            kind: kind?.to_owned(),
            state: state?.to_owned(),
            player: number(player),
            game: number(game),
            ply: number(ply),
            events: events.and_then(|it| it.parse().ok()),
            challenge: number(challenge),
            message_id: message_id?.to_owned(),
            occasion: occasion.unwrap_or_default().to_owned(),
            caused_by: number(caused_by),
            is_reply: is_reply == Some("1"),
            in_reply_to: in_reply_to.map(str::to_owned),
            for_digest: for_digest == Some("1"),
            is_prompt: is_prompt == Some("1"),
            created_at: created_at?,
            due_at: due_at?,
            not_before,
            first_try_at,
            tries: tries?,
            sent_to: sent_to.map(str::to_owned),
            bounces: bounces?,
            bounced_try: bounced_try?,
            bounced_at,
        })
    }
}

/// A check of a row that was like this before; `None` if it is new.
type RowCheck = fn(&Change, Option<&Row>, &Row) -> Option<&'static str>;

const OF_ROWS: [RowCheck; 9] = [
    wrong_when_new,
    wrong_reply,
    wrong_cause,
    wrong_hold,
    wrong_state,
    wrong_tries,
    wrong_bounces,
    wrong_moment,
    wrong_subject,
];

/// The rows of mails, of their games and of reminders are what they should be.
pub fn mails_are_stored(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    each_holds(
        change,
        &[
            ("rows_of_mails_are_right", rows_of_mails_are_right),
            ("accepted_mails_are_noted", accepted_mails_are_noted),
            ("digests_have_their_games", digests_have_their_games),
            ("reminders_note_when_they_were_delivered", reminders_note_their_delivery),
            ("pauses_are_noted", pauses_are_noted),
            ("mails_that_came_are_dated", mails_that_came_are_dated),
        ],
    )
}

fn rows_of_mails_are_right(change: &Change) -> Result<(), String> {
    for id in change.after.changed(change.before, "outbox") {
        let Some(is) = Row::of(change.after, id) else { continue };
        let was = Row::of(change.before, id);
        if let Some(wrong) = OF_ROWS.iter().find_map(|check| check(change, was.as_ref(), &is)) {
            return Err(format!("{wrong}: was {was:?}, is {is:?} at {}", change.now.timestamp()));
        }
    }
    Ok(())
}

/// A mail is queued now, and due now or later.
fn wrong_when_new(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    let now = change.now.timestamp();
    let is_wrong = was.is_none() && (is.created_at != now || is.due_at < now);
    is_wrong.then_some("was not queued now")
}

/// A mail that replies has the Message-ID of the mail that came in, or that of a reply whose place it takes.
fn wrong_reply(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    if !is.is_reply && is.in_reply_to.is_some() {
        return Some("names a mail, but is no reply");
    }
    let has_changed = was.is_none_or(|was| was.in_reply_to != is.in_reply_to);
    // The host can have mails read again, and an address is cut out of what is kept.
    let is_alone = match change.incoming {
        Some(_) => change.words[0] == "receive",
        None => change.words[0] == "page" || Given::of(change).is_some_and(|it| it.actor.is_some()),
    };
    let to =
        is.in_reply_to.as_deref().filter(|it| has_changed && is_alone && !it.contains("..."))?;
    let is_known = change.incoming.is_some_and(|mail| mail.id.trim_matches(['<', '>']) == to)
        || change.before.columns("outbox", ["in_reply_to"]).any(|[it]| it == Some(to));
    (!is_known).then_some("replies to no mail")
}

/// A mail counts to the one who gave the command, or who wrote the mail, never to its recipient, and a mail that
/// gathers others to the one whom it names. Somebody who is challenged by a stranger counts it.
fn wrong_cause(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    if was.is_some() {
        return None;
    }
    let gathers = is.occasion.strip_prefix("gathered ").map(|by| number(Some(by)));
    if gathers.is_some_and(|by| by != is.caused_by) {
        return Some("gathers what another one has caused");
    }
    if is.caused_by.is_some() && is.caused_by == is.player {
        return Some("is caused by its recipient");
    }
    let given = Given::of(change);
    let own = match change.incoming {
        Some(mail) if change.words[0] == "receive" => number(author(mail, change)),
        Some(_) => None,
        None => given.and_then(|given| number(Some(given.actor?.id))),
    }?;
    if is.caused_by.is_some_and(|by| by != own) {
        return Some("counts to somebody else");
    }
    let plays = |tables: &Tables| {
        let pairs = tables.columns("game", ["turn", "black", "white"]);
        let mut pairs = pairs.filter(|[turn, ..]| turn.is_some());
        pairs.any(|[_, black, white]| {
            let pair = [number(black), number(white)];
            pair.contains(&Some(own)) && pair.contains(&is.player)
        })
    };
    let is_new = |id| Given::of(change).is_some() && !has_challenge(change.before, id);
    let is_asked = given.is_some_and(|given| given.word == "challenge")
        && is.kind == "challenge"
        && is.challenge.is_some_and(is_new);
    let counts = is_asked && is.player != Some(own) && !plays(change.after);
    (counts && !plays(change.before) && is.caused_by.is_none()).then_some("counts to nobody")
}

fn has_challenge(tables: &Tables, id: i64) -> bool {
    tables.columns_of("challenge", id, ["id"]).next().is_some()
}

/// Returns whether a clock that was ahead has set times of mails or events.
fn was_ahead(change: &Change) -> bool {
    let now = change.now.timestamp();
    let is_later = |at: Option<&str>| number(at).is_some_and(|at| at > now);
    let mut mails = change.before.columns("outbox", ["created_at", "first_try_at"]);
    let mut events = change.before.columns("event", ["at"]);
    mails.any(|row| row.into_iter().any(is_later)) || events.any(|[at]| is_later(at))
}

/// A mail is held back for a day at most: docs/settings.md. Only the command `mail retry` lifts a hold later.
fn wrong_hold(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    let now = change.now.timestamp();
    if is.for_digest && !["turn", "watched"].contains(&&*is.kind) {
        return Some("waits for a digest");
    }
    let Some(was) = was else {
        let is_wrong = is.not_before.is_some_and(|at| at > now + DAY) && !was_ahead(change);
        return is_wrong.then_some("is held back for more than a day");
    };
    // A clock that was ahead has set such times.
    let is_ahead = was.not_before.is_some_and(|at| at > now + DAY) || was.created_at > now;
    if was.not_before != is.not_before && !is_ahead {
        return Some("is held back until another time");
    }
    let is_retried = change.words[0] == "mail";
    (was.is_prompt != is.is_prompt && !is_retried).then_some("is prompt, or not any more")
}

/// A mail waits as paused while its recipient is paused, and what is over stays so.
fn wrong_state(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    if !STATES.contains(&&*is.state) {
        return Some("has no such state");
    }
    let is_paused =
        |tables: &Tables| is.player.is_some_and(|it| of_player(tables, it, "paused_at").is_some());
    let pauses = [change.before, change.after].map(is_paused);
    if is.state == "paused" && !pauses[1] {
        return Some("is paused, but nobody else");
    }
    let Some(was) = was else {
        let is_wrong = pauses == [true; 2] && is.state == "queued";
        return is_wrong.then_some("is queued for somebody who is paused");
    };
    if was.state == is.state {
        return None;
    }
    let has_bounced = was.bounced_at.is_some() || is.bounced_at.is_some();
    match (&*was.state, &*is.state) {
        // The present turn's mail can come back, if the mail about the end of the time is superseded.
        ("superseded", "queued" | "paused" | "sent") if is.kind == "turn" => None,
        ("superseded", "sent" | "failed") if is.tries > 0 => None,
        ("superseded", _) => Some("was superseded"),
        ("sent", _) if !has_bounced => Some("was sent"),
        _ => None,
    }
}

/// The first try is in this step, if it is new, and there is one if the mail was tried.
fn wrong_tries(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    let now = change.now.timestamp();
    let fits = |row: &Row| (row.tries == 0) == row.first_try_at.is_none();
    let is_served = !change.has_mail_faults && change.mail_down_since == [None; 2];
    if is_served && was.is_none_or(fits) && !fits(is) {
        return Some("has a first try without a try, or the other way round");
    }
    let first = was.and_then(|was| was.first_try_at);
    let is_kept = is.first_try_at == first
        || is.first_try_at == Some(now)
        || is.first_try_at.is_none() && is.tries == 0
        // A clock that was ahead has set it.
        || first.is_some_and(|at| at > now);
    if !is_kept {
        return Some("has its first try at another time");
    }
    let is_less = was.is_some_and(|was| is.tries < was.tries);
    is_less.then_some("was tried less often than before")
}

/// A bounce is noted once, for the last try, and the first one keeps its time. A new address forgets bounces.
fn wrong_bounces(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    let now = change.now.timestamp();
    if (is.bounces > 0) != is.bounced_at.is_some() || is.bounced_try > is.tries {
        return Some("has a bounce that does not fit");
    }
    let (bounces, bounced_try, bounced_at) =
        was.map_or((0, 0, None), |was| (was.bounces, was.bounced_try, was.bounced_at));
    let is_right = if is.bounced_try == bounced_try {
        (is.bounces, is.bounced_at) == (bounces, bounced_at) || is.bounces == 0
    } else {
        let is_counted = is.bounces == bounces + 1 && is.bounced_at == bounced_at.or(Some(now));
        let is_first = is.bounces == 1 && is.bounced_at == Some(now);
        is.bounced_try > bounced_try && (is_counted || is_first || is.bounces == 0)
    };
    (!is_right).then_some("has not noted its bounce")
}

/// A mail about a game shows it as it was after so many events, and after as many moves as it had then.
fn wrong_moment(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    let game = is.game?;
    if was.is_some_and(|was| (was.game, was.ply, was.events) == (is.game, is.ply, is.events)) {
        return None;
    }
    let Some(events) = is.events else { return Some("has a game without its events") };
    wrong_moves(change, game, events, is.ply)
}

fn wrong_moves(
    change: &Change,
    game: i64,
    events: usize,
    ply: Option<i64>,
) -> Option<&'static str> {
    if change.after.columns_of("event", game, ["number"]).count() < events {
        return Some("shows events that the game does not have");
    }
    let replayed = Replayed::of(change.after, game, events).ok()?;
    let plies = i64::try_from(replayed.plies.len()).ok();
    (plies != ply).then_some("shows the game after another number of moves")
}

/// A mail is about what its occasion names: an offer of the opponent, a challenge. Its Message-ID says what it is
/// about, with the token of this server.
fn wrong_subject(change: &Change, was: Option<&Row>, is: &Row) -> Option<&'static str> {
    let is_new = was.is_none_or(|was| was.message_id != is.message_id);
    let token = change.after.columns("installation", ["token"]).next().and_then(|[it]| it)?;
    if is_new && !has_message_id(is, token) {
        return Some("has a wrong Message-ID");
    }
    if was.is_some() || is.occasion.is_empty() {
        return None;
    }
    let offer = |event: &str| {
        let (game, place) = (Game::of(change.after, is.game?)?, event.parse::<usize>().ok()?);
        let columns = ["author", "action"];
        let mut log = change.after.columns_of("event", game.id, columns);
        let [by, action] = log.nth(place.checked_sub(1)?)?;
        Some(action?.starts_with("offer ") && game.opponent(by?) == is.player)
    };
    let is_right = match is.occasion.split_once(' ') {
        Some(("offer", event)) => offer(event).unwrap_or_default(),
        Some(("away" | "absence" | "absences" | "gathered", player)) => {
            let absent = player.parse().ok();
            absent != is.player
                && absent.is_some_and(|it| of_player(change.after, it, "id").is_some())
        }
        _ => OCCASIONS.contains(&&*is.occasion),
    };
    let asks = is.occasion == "challenge";
    if !is_right || asks != (is.kind == "challenge" && asks) || asks && is.challenge.is_none() {
        return Some("has a wrong occasion");
    }
    None
}

/// Returns whether the Message-ID of a mail has the form that it gets when it is queued.
fn has_message_id(is: &Row, token: &str) -> bool {
    let Some((about, rest)) = is.message_id.split_once('.') else { return false };
    let number = about.parse().ok();
    let has_kind = match number.is_some() && (number == is.game || number == is.challenge) {
        true => rest.split('.').nth(1) == Some(&*is.kind),
        // It need not have the game that it is about.
        false => about == is.kind,
    };
    has_kind && rest.contains(&format!(".{token}@"))
}

/// A mail that the mail server has accepted is sent: now, to the address that it went to, with one try more.
fn accepted_mails_are_noted(change: &Change) -> Result<(), String> {
    if change.has_mail_faults || change.mail_down_since != [None; 2] {
        return Ok(());
    }
    let mut tried: BTreeMap<i64, i64> = BTreeMap::new();
    let now = change.now.timestamp();
    for (mail, row) in of_new_mails(change) {
        let Some(is) = Row::of(change.after, row.id).filter(|it| it.kind != "probe") else {
            continue;
        };
        *tried.entry(is.id).or_default() += 1;
        let went = is.sent_to.as_ref().is_none_or(|it| it.eq_ignore_ascii_case(&mail.to));
        if is.state != "sent" || is.due_at != now || !went || is.first_try_at.is_none() {
            return Err(format!("{is:?} was sent to {} at {now}", mail.to));
        }
    }
    for (id, count) in tried {
        let tries = |tables| Row::of(tables, id).map_or(0, |it| it.tries);
        let (was, is) = (tries(change.before), tries(change.after));
        // A claim can be given up before the mail goes, and made again.
        if is < was + count {
            return Err(format!(
                "mail {id} was tried {was} times, then {is}, and accepted {count}"
            ));
        }
    }
    Ok(())
}

/// The games of a digest are numbered, each as it was after so many events.
fn digests_have_their_games(change: &Change) -> Result<(), String> {
    let columns = ["number", "game", "ply", "events"];
    for mail in change.after.changed(change.before, "digest_game") {
        for (place, row) in (1..).zip(change.after.columns_of("digest_game", mail, columns)) {
            let [at, game, ply, _] = row.map(number);
            let events = row[3].and_then(|it| it.parse().ok());
            let (Some(game), Some(events)) = (game, events) else { continue };
            let wrong = wrong_moves(change, game, events, ply);
            if let Some(wrong) = wrong.or((at != Some(place)).then_some("has a wrong number")) {
                return Err(format!("game {game} in digest {mail}: {wrong}: {row:?}"));
            }
        }
    }
    Ok(())
}

/// A reminder is delivered now or not yet.
fn reminders_note_their_delivery(change: &Change) -> Result<(), String> {
    let now = change.now.timestamp();
    let columns = ["event", "stage", "delivered_at"];
    for game in change.after.changed(change.before, "reminder") {
        let before: Vec<_> = change.before.columns_of("reminder", game, columns).collect();
        let mut new = change.after.columns_of("reminder", game, columns);
        let is_wrong = |row: &[Option<&str>; 3]| {
            !before.contains(row) && number(row[2]).is_some_and(|at| at != now)
        };
        if let Some(row) = new.find(is_wrong) {
            return Err(format!("{row:?} of game {game} at {now}"));
        }
    }
    Ok(())
}

/// When the mail to a player goes again, it is noted since when it had failed, until an answer reports it. The
/// failures of each player are counted.
fn pauses_are_noted(change: &Change) -> Result<(), String> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    let columns = ["failed_from", "failed_until", "paused_at", "left_at", "failures"];
    for id in after.changed(before, "player") {
        let row = |tables: &Tables| {
            let row = tables.columns_of("player", id, columns).next()?;
            Some(row.map(number))
        };
        let Some([from, until, paused_at, left_at, failures]) = row(after) else { continue };
        let failed = |tables: &Tables| -> Vec<_> {
            let rows = tables.columns_of("failure", id, ["failed_at"]);
            rows.filter_map(|[at]| number(at)).collect()
        };
        if failures != i64::try_from(failed(after).len()).ok() {
            return Err(format!("player {id} has {failures:?} failures"));
        }
        let Some([was_from, was_until, was_paused, ..]) = row(before) else { continue };
        let begun = failed(before).into_iter().min().or(was_paused);
        let is_right = match (from, until) {
            (None, None) => true,
            _ if (from, until) == (was_from, was_until) => true,
            _ => {
                let ends = was_paused.is_some() && paused_at.is_none() && left_at.is_none();
                ends && (from, until) == (begun, Some(now))
            }
        };
        if !is_right {
            return Err(format!("player {id} had no mail from {from:?} until {until:?}"));
        }
    }
    Ok(())
}

/// What is counted and limited of the mails that come in has the time of now.
fn mails_that_came_are_dated(change: &Change) -> Result<(), String> {
    let now = change.now.timestamp();
    for (table, key, value, time) in [
        ("intake", "disposition", "mails", "last_at"),
        ("idle", "mailbox", "mails", "last_at"),
        ("reply", "mailbox", "is_verified", "replied_at"),
        ("received", "id", "disposition", "received_at"),
    ] {
        if change.before.is_same(change.after, table) {
            continue;
        }
        let columns = [key, value, time];
        let old: HashSet<_> = change.before.columns(table, columns).collect();
        let is_wrong = |row: &[Option<&str>; 3]| !old.contains(row) && number(row[2]) != Some(now);
        if let Some(row) = change.after.columns(table, columns).find(is_wrong) {
            return Err(format!("{row:?} of {table} is new at {now}"));
        }
    }
    Ok(())
}
