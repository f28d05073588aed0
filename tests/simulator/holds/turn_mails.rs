//! What holds of turn mails, and of when mails go: docs/mail.md, docs/settings.md.

mod digests;
mod holding;
mod watching;
mod wishes;

use chrono::{Days, NaiveTime};

use super::clocks::{Calendar, Event, Settings, event_rows};
use super::rows::of_player;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// Kinds of mail that no setting holds back: replies to the player's own mails, receipts and confirmations.
const PROMPT: [&str; 6] = ["answer", "receipt", "confirm", "address", "own-page", "probe"];

/// Kinds of mail that tell the player to move of the turn.
const TELLING: [&str; 4] = ["turn", "started", "notice", "receipt"];

/// A row of the table `outbox` about a player's mail.
#[derive(Debug, Clone)]
struct Row {
    id: i64,
    kind: String,
    player: i64,
    game: Option<i64>,
    events: i64,
    state: String,
    tries: i64,
    created_at: i64,
    not_before: Option<i64>,
    first_try_at: Option<i64>,
    is_prompt: bool,
    sent_to: Option<String>,
    has_bounced: bool,
}

/// A game with a person to move.
#[derive(Debug)]
struct Waiting {
    id: i64,
    player: i64,
    /// The event that began the turn.
    event: i64,
    deadline: i64,
    has_absences: bool,
    is_local: bool,
}

/// A player's settings for mail.
struct Reader {
    clock: Settings,
    mode: String,
    is_paused: bool,
}

impl Row {
    const COLUMNS: [&'static str; 15] = [
        "id",
        "kind",
        "player",
        "game",
        "events",
        "state",
        "tries",
        "created_at",
        "not_before",
        "first_try_at",
        "is_prompt",
        "is_reply",
        "sent_to",
        "message_id",
        "bounced_at",
    ];

    fn of(row: [Option<&str>; 15]) -> Option<Self> {
        let [id, kind, player, game, events, state, tries, created_at, not_before, ..] = row;
        let [.., first_try_at, is_prompt, is_reply, sent_to, _, bounced_at] = row;
        Some(Self {
            id: number(id)?,
            kind: kind?.to_owned(),
            player: number(player)?,
            game: number(game),
            events: number(events).unwrap_or_default(),
            state: state?.to_owned(),
            tries: number(tries)?,
            created_at: number(created_at)?,
            not_before: number(not_before),
            first_try_at: number(first_try_at),
            is_prompt: is_prompt == Some("1") || is_reply == Some("1"),
            sent_to: sent_to.map(str::to_owned),
            has_bounced: bounced_at.is_some(),
        })
    }

    fn all(tables: &Tables) -> Vec<Self> {
        tables.columns("outbox", Self::COLUMNS).filter_map(Self::of).collect()
    }

    fn with_id(tables: &Tables, id: i64) -> Option<Self> {
        tables.columns_of("outbox", id, Self::COLUMNS).next().and_then(Self::of)
    }

    /// Returns from when on it could go, by the grace of the opponent alone.
    fn ready_at(&self) -> i64 {
        self.not_before.map_or(self.created_at, |at| at.max(self.created_at))
    }

    /// Returns whether it tells a turn that has begun with this event: alone or in a digest.
    fn tells(&self, tables: &Tables, game: i64, event: i64) -> bool {
        if self.kind == "digest" {
            let mut games = tables.columns_of("digest_game", self.id, ["game", "events"]);
            return games
                .any(|[it, events]| number(it) == Some(game) && number(events) >= Some(event));
        }
        self.game == Some(game) && self.events >= event && TELLING.contains(&self.kind.as_str())
    }
}

impl Waiting {
    fn of(tables: &Tables, id: i64) -> Option<Self> {
        let columns = ["to_move", "position_event", "deadline", "absences", "local"];
        let [player, event, deadline, absences, local] =
            tables.columns_of("game", id, columns).next()?;
        Some(Self {
            id,
            player: number(player)?,
            event: number(event)?,
            deadline: number(deadline)?,
            has_absences: absences == Some("1"),
            is_local: local == Some("1"),
        })
    }
}

impl Reader {
    fn of(tables: &Tables, player: i64) -> Option<Self> {
        let columns = ["mail_mode", "paused_at", "left_at"];
        let [mode, paused_at, left_at] = tables.columns_of("player", player, columns).next()?;
        let clock = Settings::of(tables, player).filter(|_| left_at.is_none())?;
        Some(Self { clock, mode: mode?.to_owned(), is_paused: paused_at.is_some() })
    }
}

fn is_muted(tables: &Tables, game: i64, player: i64) -> bool {
    let mut rows = tables.columns_of("unsubscribed", game, ["player"]);
    rows.any(|[it]| number(it) == Some(player))
}

/// Returns the end of the absence that a player is in.
pub(super) fn away_until(tables: &Tables, player: i64, at: i64) -> Option<i64> {
    let absences = tables.columns_of("absence", player, ["from_at", "until_at"]);
    let absences = absences.filter_map(|[from, until]| Some((number(from)?, number(until)?)));
    absences.filter(|(from, until)| (*from..*until).contains(&at)).map(|it| it.1).max()
}

/// What is to be held of mails is checked when the command has ended, not after a cut.
pub fn turn_mails_come_when_they_should(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    accepted_mails_may_go(change)?;
    new_turns_are_told(change)?;
    no_turn_is_forgotten(change)?;
    no_reminder_is_forgotten(change)?;
    games_that_waited_for_a_return_come_together(change)?;
    holding::mails_are_held_back_as_they_should(change)?;
    holding::tried_mails_are_tried_again(change)?;
    wishes::mails_come_as_their_readers_wish(change)?;
    wishes::digests_have_something_new(change)?;
    digests::digests_have_what_waits(change)?;
    wishes::unmuted_turns_are_told(change)?;
    one_turn_mail_waits(change)?;
    watching::watchers_get_what_they_may(change)?;
    watching::digests_have_what_was_watched(change)?;
    watching::digests_wait_for_the_grace(change)?;
    watching::moves_taken_back_are_not_announced(change)?;
    waiting_mails_are_due_in_time(change)?;
    due_mails_are_not_put_off(change)?;
    due_mails_are_tried(change)
}

/// Mails that a step has sent do not come in quiet hours or absences, and turn mails, reminders and digests
/// are about a turn that lasts and was not told before.
fn accepted_mails_may_go(change: &Change) -> Result<(), Violation> {
    let tables = change.after;
    let new = change.accepted.get(change.accepted_before..).unwrap_or_default();
    if new.is_empty() {
        return Ok(());
    }
    let rows = tables.columns("outbox", Row::COLUMNS);
    let rows: Vec<_> = rows.map(|row| (row[13].unwrap_or_default(), row)).collect();
    for mail in new {
        let row = rows.iter().find(|(id, _)| id.trim_matches(['<', '>']) == mail.id);
        let Some(row) = row.and_then(|(_, row)| Row::of(*row)) else { continue };
        let Some(reader) = Reader::of(tables, row.player) else { continue };
        let found =
            |what: &str| format!("{} {what}, at {}: {row:?}", mail.id, change.now.timestamp());
        not_in_quiet_hours(change, &row, &reader)
            .map_err(|what| Violation { of: "no_mail_comes_in_quiet_hours", found: found(what) })?;
        about_a_turn_that_lasts(change, &row).map_err(|what| Violation {
            of: "turn_mails_are_about_a_turn_that_lasts",
            found: found(what),
        })?;
        not_told_before(change, &row)
            .map_err(|what| Violation { of: "a_turn_is_told_once", found: found(&what) })?;
    }
    Ok(())
}

/// Returns whether one of the last events that a mail knew is a flag in the present turn.
pub(super) fn has_fallen(tables: &Tables, game: i64, events: i64) -> bool {
    let log: Vec<_> = tables.columns_of("event", game, ["action"]).collect();
    let log = &log[..log.len().min(usize::try_from(events).unwrap_or(usize::MAX))];
    let log: Vec<_> = log.iter().filter_map(|[action]| *action).collect();
    // These leave the turn as it is, and so does a pause.
    let is_aside = |at: usize| match log[at] {
        "accept" => log[..at].iter().rfind(|it| it.starts_with("offer ")) == Some(&"offer pause"),
        word => ["back", "decline", "hint", "unpause"].contains(&word),
    };
    let words = (0..log.len()).rev().filter(|at| !is_aside(*at)).map(|at| log[at]);
    let mut words = words.filter(|it| it.starts_with("flag ") || !it.contains(' '));
    words.next().is_some_and(|it| it.contains(' '))
}

fn not_in_quiet_hours(change: &Change, row: &Row, reader: &Reader) -> Result<(), &'static str> {
    let now = change.now.timestamp();
    // Its reader's clock runs since the first try, and the host can try a mail again at any time.
    let is_retry = row.tries > 1 || change.words.starts_with(&["mail".to_owned()]);
    let was_quiet =
        || Settings::of(change.before, row.player).is_none_or(|it| it.calendar.is_quiet(now));
    let is_prompt = row.is_prompt || PROMPT.contains(&row.kind.as_str());
    match reader.clock.calendar.is_quiet(now) && was_quiet() && !is_prompt && !is_retry {
        true => Err("comes in quiet hours"),
        false => Ok(()),
    }
}

fn about_a_turn_that_lasts(change: &Change, row: &Row) -> Result<(), &'static str> {
    let (tables, now) = (change.after, change.now.timestamp());
    let address = |tables: &Tables| {
        let mut rows = tables.columns_of("player", row.player, ["address"]);
        rows.next().and_then(|[address]| address.map(str::to_owned))
    };
    match row.kind.as_str() {
        // The games that wait are mailed to a new address at once.
        "turn" if address(change.before) != address(tables) => {}
        "turn" => {
            let waiting = row.game.and_then(|game| Waiting::of(tables, game));
            let Some(game) = waiting.filter(|game| game.player == row.player) else {
                return Err("is about a turn that is over");
            };
            // Who has not lost by a flag can still move, and is told at a new address or after a bounce.
            let known = if row.has_bounced { i64::MAX } else { row.events };
            if game.deadline <= now && !has_fallen(tables, game.id, known) {
                return Err("is about a turn whose time is over");
            }
            if is_muted(tables, game.id, row.player) {
                return Err("is about a muted game");
            }
            if Reader::of(tables, row.player).is_some_and(|reader| reader.mode == "none") {
                return Err("comes to a player who wants none");
            }
            let is_away = game.has_absences && away_until(tables, row.player, now).is_some();
            if is_away && !row.is_prompt {
                return Err("comes in an absence");
            }
            if row.not_before.is_some_and(|at| at > now) {
                return Err("comes within the grace");
            }
        }
        "reminder" => {
            let games = tables.columns("reminder", ["game", "mail"]);
            let games = games.filter(|[_, mail]| number(*mail) == Some(row.id));
            // Its record goes with an outage that the mail ends.
            let games = games.filter_map(|[game, _]| number(game)).chain(row.game);
            let waiting = games.filter_map(|game| Waiting::of(tables, game));
            let mut lasting = waiting.filter(|it| it.player == row.player && it.deadline > now);
            let ends_outage = change.before.columns("mail_outage", ["since"]).next().is_some();
            if lasting.next().is_none() && !(ends_outage && row.game.is_none()) {
                return Err("reminds of turns that are over");
            }
        }
        "flagged" if row.tries == 1 => {
            let game = row.game.unwrap_or_default();
            let turn = tables.columns_of("game", game, ["turn"]).next().and_then(|[turn]| turn);
            if turn.is_some() && !has_fallen(tables, game, i64::MAX) {
                return Err("is about a flag that does not count any more");
            }
        }
        "digest" => {
            let games = tables.columns_of("digest_game", row.id, ["game"]);
            for [game] in games {
                let Some(game) = number(game).and_then(|game| Waiting::of(tables, game)) else {
                    continue;
                };
                if game.player == row.player && is_muted(tables, game.id, row.player) {
                    return Err("has a muted game");
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// A turn mail is the only one that tells its turn. A digest of the same moment lists all games that wait.
fn not_told_before(change: &Change, row: &Row) -> Result<(), String> {
    let tables = change.after;
    let waiting = row.game.and_then(|game| Waiting::of(tables, game));
    let Some(game) = waiting.filter(|_| row.kind == "turn") else { return Ok(()) };
    let is_paused = |tables| of_player(tables, row.player, "paused_at").is_some();
    let was_queued = change.before.columns_of("outbox", row.id, ["id"]).next().is_some();
    // After a pause of the mail, the player gets a fresh mail about each game that waits.
    // One that was tried can be replaced by another one.
    let replaces = Row::all(change.before).into_iter().any(|it| {
        let is_same = (it.player, it.game, &it.kind) == (row.player, row.game, &row.kind);
        is_same && it.state == "queued" && it.tries > 0
    });
    let is_fresh = was_queued || replaces || is_paused(change.before) && !is_paused(tables);
    let told = Row::all(tables).into_iter().find(|other| {
        other.id != row.id
            && other.player == row.player
            && !(is_fresh && other.first_try_at.is_some_and(|at| at <= row.created_at))
            && other.state == "sent"
            && matches!(other.kind.as_str(), "turn" | "started" | "digest")
            && (other.kind != "digest" || other.created_at < row.first_try_at.unwrap_or_default())
            // The games that wait are mailed to a new address.
            && other.sent_to == row.sent_to
            && other.tells(tables, game.id, game.event)
    });
    told.map_or(Ok(()), |told| Err(format!("tells what {told:?} told")))
}

/// A turn that has begun with a move of the opponent has a mail, unless its player wants none.
fn new_turns_are_told(change: &Change) -> Result<(), Violation> {
    for id in change.after.new_rows("game", change.before) {
        let Some(game) = Waiting::of(change.after, id) else { continue };
        let Some(reader) = Reader::of(change.after, game.player) else { continue };
        let events = event_rows(change.after, id);
        let old = event_rows(change.before, id).len();
        let new = events.get(old..).unwrap_or_default();
        let turn = change.after.columns_of("game", id, ["turn"]).next().and_then(|[turn]| turn);
        let opponent = usize::from(turn != Some("white"));
        let is_move =
            |event: &Event| event.by == Some(opponent) && event.is_move() && !event.is_auto();
        let wants_none = reader.mode == "none" || is_muted(change.after, id, game.player);
        let is_exempt = game.is_local || !reader.clock.has_address || wants_none;
        if is_exempt
            || !new.iter().any(is_move)
            || change.before.columns_of("game", id, ["id"]).next().is_none()
        {
            continue;
        }
        let tells =
            |row: &Row| row.player == game.player && row.tells(change.after, id, game.event);
        if !Row::all(change.after).iter().any(tells) {
            let found = format!("nothing tells {game:?}, {new:?}");
            return violated("new_turns_are_told", found);
        }
    }
    Ok(())
}

/// A turn mail that waits is not given up as long as the turn lasts, unless another mail tells the turn.
fn no_turn_is_forgotten(change: &Change) -> Result<(), Violation> {
    let tables = change.after;
    for id in tables.new_rows("outbox", change.before) {
        let Some(row) = Row::with_id(tables, id).filter(|row| row.state == "superseded") else {
            continue;
        };
        let was_waiting = Row::with_id(change.before, id)
            .is_some_and(|row| matches!(row.state.as_str(), "queued" | "paused"));
        let waiting = row.game.and_then(|game| Waiting::of(tables, game));
        let Some(game) = waiting.filter(|it| row.kind == "turn" && it.player == row.player) else {
            continue;
        };
        let Some(reader) = Reader::of(tables, row.player) else { continue };
        let is_over = game.deadline <= change.now.timestamp() || row.events < game.event;
        let wants_none = reader.mode == "none" || is_muted(tables, game.id, row.player);
        if !was_waiting || is_over || wants_none {
            continue;
        }
        let is_told = Row::all(tables).iter().any(|other| {
            other.id != row.id
                && other.player == row.player
                && other.state != "superseded"
                && other.tells(tables, game.id, game.event)
        });
        if !is_told {
            return violated("no_turn_is_forgotten", format!("{row:?} {game:?}"));
        }
    }
    Ok(())
}

/// A reminder of several games that is given up because one of them needs none leaves the others to another one.
fn no_reminder_is_forgotten(change: &Change) -> Result<(), Violation> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    for id in after.new_rows("outbox", before) {
        let given_up = Row::with_id(after, id)
            .filter(|row| row.kind == "reminder" && row.state == "superseded");
        let Some(row) = given_up else { continue };
        if !wants_reminders(after, row.player) {
            continue;
        }
        let columns = ["mail", "game", "event", "stage"];
        let games = before.columns("reminder", columns).filter(|it| number(it[0]) == Some(id));
        for [_, game, event, stage] in games {
            let waiting = number(game).and_then(|game| Waiting::of(after, game));
            let Some(game) = waiting.filter(|it| it.player == row.player) else { continue };
            let rows = after.columns_of("reminder", game.id, ["event", "stage", "mail"]);
            let its = |[it, of, _]: &[Option<&str>; 3]| *it == event && *of == stage;
            let mail = rows.filter(its).find_map(|[.., mail]| number(mail));
            let is_given_up = mail.and_then(|mail| Row::with_id(after, mail));
            let is_given_up = is_given_up.is_some_and(|mail| mail.state == "superseded");
            let is_same = number(event) >= Some(game.event) && game.deadline > now;
            let was_it =
                Waiting::of(before, game.id).is_some_and(|was| was.deadline == game.deadline);
            if is_same && was_it && is_given_up {
                let found = format!("{row:?} was about {game:?}, too");
                return violated("no_reminder_is_forgotten", found);
            }
        }
    }
    Ok(())
}

/// A turn mail that waits is replaced by the next one of its game to the same player.
fn one_turn_mail_waits(change: &Change) -> Result<(), Violation> {
    let tables = change.after;
    let new = tables.new_rows("outbox", change.before);
    let waits = |it: &Row| it.kind == "turn" && it.state == "queued";
    let new = new.into_iter().filter_map(|id| Row::with_id(tables, id));
    for row in new.filter(waits) {
        let is_other = |it: &Row| waits(it) && it.player == row.player && it.game == row.game;
        let all = Row::all(tables);
        if let Some(other) = all.iter().find(|it| it.id != row.id && is_other(it)) {
            return violated("one_turn_mail_waits", format!("{row:?} and {other:?}"));
        }
    }
    Ok(())
}

/// Returns whether a player gets reminders at all.
fn wants_reminders(tables: &Tables, player: i64) -> bool {
    let settings = tables.columns_of("player", player, ["reminders", "mail_mode"]).next();
    settings.is_some_and(|[reminders, mode]| reminders == Some("on") && mode != Some("none"))
}

/// The turn mails of several games that waited for the end of an absence come as one digest.
fn games_that_waited_for_a_return_come_together(change: &Change) -> Result<(), Violation> {
    let new = change.accepted.get(change.accepted_before..).unwrap_or_default();
    if new.len() < 2 || change.mail_down_since[0].is_some() || change.has_mail_faults {
        return Ok(());
    }
    let (tables, now) = (change.after, change.now.timestamp());
    let rows = tables.columns("outbox", Row::COLUMNS);
    let sent = rows.filter(|row| new.iter().any(|mail| row[13] == Some(&*mail.id)));
    let waited = sent.filter_map(Row::of).filter(|row| {
        let game = row.game.and_then(|game| Waiting::of(tables, game));
        let is_first = row.tries == 1 && !row.is_prompt && row.kind == "turn";
        let back = away_until(change.before, row.player, row.ready_at());
        let back = back.filter(|back| *back <= now);
        is_first && back.is_some() && game.is_some_and(|game| game.has_absences)
    });
    let waited: Vec<_> = waited.collect();
    for (at, one) in waited.iter().enumerate() {
        if let Some(other) = waited[at + 1..].iter().find(|other| other.player == one.player) {
            let found = format!("{one:?} and {other:?} came one by one");
            return violated("games_that_waited_for_a_return_come_together", found);
        }
    }
    Ok(())
}

/// Returns when a mail that was not tried yet is due, by the settings that its reader has now; `None` if it does not
/// matter.
fn due(tables: &Tables, row: &Row, now: i64, is_set: bool) -> Option<i64> {
    // One that was tried before waits a while, also if it shows something else by now. One that was only found to be
    // held back was not tried, and goes by the settings again when its reader sets one.
    let is_held = is_set && row.sent_to.is_some() && row.first_try_at.is_none();
    let is_tried = row.tries > 0 || row.sent_to.is_some() && !is_held;
    // A letter is for a Monday.
    if row.state != "queued" || is_tried || row.kind == "letter" {
        return None;
    }
    let reader = Reader::of(tables, row.player).filter(|it| !it.is_paused)?;
    let from = row.ready_at();
    if row.is_prompt || PROMPT.contains(&&*row.kind) {
        return Some(from);
    }
    let has_absences = match &*row.kind {
        "turn" => {
            let waiting = row.game.and_then(|game| Waiting::of(tables, game));
            waiting.filter(|game| game.player == row.player && game.deadline > now)?.has_absences
        }
        "watched" => true,
        _ => return Some(reader.clock.calendar.after_quiet(from.max(now))),
    };
    if reader.mode == "none" || row.game.is_some_and(|game| is_muted(tables, game, row.player)) {
        return None;
    }
    let back = |at| away_until(tables, row.player, at).filter(|_| has_absences);
    let ready = back(now).or_else(|| back(from)).unwrap_or(from);
    let due = match reader.mode.strip_prefix("digest ") {
        Some(time) => next_digest(&reader.clock.calendar, time, ready)?,
        None => ready,
    };
    let due = if is_held { due.max(now) } else { due };
    Some(reader.clock.calendar.after_quiet(due))
}

/// No mail waits longer than its reader's settings say.
fn waiting_mails_are_due_in_time(change: &Change) -> Result<(), Violation> {
    let (tables, now) = (change.after, change.now.timestamp());
    let rows = tables.columns("outbox", ["id", "due_at", "state"]);
    let is_set = change.status == 0
        && matches!(change.words, [set, what, _, ..] if set == "set" && matches!(&**what, "quiet" | "timezone"));
    for [id, due_at, _] in rows.filter(|[.., state]| *state == Some("queued")) {
        let Some(row) = number(id).and_then(|id| Row::with_id(tables, id)) else { continue };
        // What is set to what it was decides nothing anew.
        let is_other =
            of_player(tables, row.player, "clock") != of_player(change.before, row.player, "clock");
        let is_own =
            is_set && is_other && of_player(tables, row.player, "name") == Some(change.actor);
        let Some(due) = due(tables, &row, now, is_own) else { continue };
        // A mail about a turn whose time ended in an outage is looked at again after ten minutes.
        let grace = if is_own { 600 } else { 0 };
        if number(due_at) > Some(due.max(now) + grace) {
            let found = format!("{row:?} waits until {due_at:?}, not {due}, now {now}");
            return violated("waiting_mails_are_due_in_time", found);
        }
    }
    Ok(())
}

/// A mail that is due, by the settings before `send` and after it, is sent or not needed any more.
fn due_mails_are_not_put_off(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    let is_sending = change.words[0] == "send" && change.status == 0;
    if !is_sending || change.mail_down_since != [None; 2] || change.has_mail_faults {
        return Ok(());
    }
    for row in Row::all(change.before) {
        let waits = |it: &Row| it.state == "queued" && it.tries == 0 && it.first_try_at.is_none();
        let still = Row::with_id(change.after, row.id).is_some_and(|it| waits(&it));
        let reader = Reader::of(change.after, row.player);
        let is_quiet = reader.is_some_and(|reader| reader.clock.calendar.is_quiet(now));
        let is_due = |tables| due(tables, &row, now, false).is_some_and(|at| at <= now);
        if still && !is_quiet && is_due(change.before) && is_due(change.after) {
            return violated("due_mails_are_not_put_off", format!("{row:?} was due by {now}"));
        }
    }
    Ok(())
}

/// After `send`, no mail is due that was not tried.
fn due_mails_are_tried(change: &Change) -> Result<(), Violation> {
    let (tables, now) = (change.after, change.now.timestamp());
    // Another configuration than the club's delivers nothing.
    let is_refused = change.status != 0;
    if change.words[0] != "send" || is_refused || change.mail_down_since[1].is_some() {
        return Ok(());
    }
    for row in Row::all(tables) {
        let is_prompt = row.is_prompt || PROMPT.contains(&&*row.kind);
        let is_quiet = !is_prompt
            && Reader::of(tables, row.player)
                .is_some_and(|reader| reader.clock.calendar.is_quiet(now));
        let due = due(tables, &row, now, false);
        if let Some(due) = due.filter(|due| *due <= now && !is_quiet) {
            let found = format!("{row:?} was due at {due}, now {now}");
            return violated("due_mails_are_tried", found);
        }
    }
    Ok(())
}

/// Returns when a daily digest with this time of day is next made.
fn next_digest(calendar: &Calendar, time: &str, from: i64) -> Option<i64> {
    let time = NaiveTime::parse_from_str(time, "%H:%M").ok()?;
    let today = calendar.local(from).date();
    let days = (0..3).map(|days| calendar.first((today + Days::new(days)).and_time(time)));
    days.into_iter().find(|&at| at >= from)
}
