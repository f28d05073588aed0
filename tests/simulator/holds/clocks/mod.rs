//! What holds of clocks, deadlines and flags: docs/time.md.

mod calendar;
mod log;
mod model;
mod reminders;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use self::log::{Control, Game};
use self::model::Model;
use super::{Change, violated};
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

pub use calendar::Calendar;
pub use log::{Event, events as event_rows};
pub use reminders::send_does_all_that_is_due;

/// The longest time between two checks of `send` that is not an outage.
pub const MAX_BETWEEN_CHECKS: i64 = 2 * 3_600;

/// A game without a clock can be claimed after so long without a move, at the earliest.
const IDLE_FOR: i64 = 60 * DAY;

/// How long the server tries to deliver a mail.
const MAIL_TRIED_FOR: i64 = 5 * DAY;

/// A clock that is further ahead of all that is known is doubted.
const MAX_AHEAD: i64 = 14 * DAY;

/// Events that change the deadline which is shown, besides moves and the end of the game. A settled offer is a
/// takeback or a pause.
const MOVING: [&str; 7] = ["takeback", "accept", "unpause", "away", "back", "extend", "outage"];

/// A game that a step has changed, with its clocks.
struct Changed<'a> {
    change: &'a Change<'a>,
    before: Option<Game>,
    game: Game,
    events: Vec<Event>,
    /// How many events are old.
    old: usize,
    model: Model,
}

/// The clocks of all games that have changed are as docs/time.md says.
pub fn clocks_are_those_of_the_model(change: &Change) -> Result<(), Violation> {
    for game in log::changed_games(change.after, change.before) {
        let changed = Changed::of(change, game)?;
        if changed.game.turn.is_none() {
            continue;
        }
        changed.shown_is_that_of_the_model()?;
        changed.shown_deadline_moves_only_by_events()?;
        changed.turn_begins_with_time()?;
        changed.clock_starts_when_the_player_can_know()?;
        changed.settings_count_from_the_next_turn()?;
        changed.reminders_are_not_early()?;
        changed.alarm_is_in_time()?;
    }
    Ok(())
}

/// The logs of running games have the absences of their players that are not over.
pub fn absences_are_in_the_logs(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() || change.after.is_same(change.before, "absence") {
        return Ok(());
    }
    let tables = change.after;
    let to_come = |mut spans: Vec<(i64, i64)>, now: i64| {
        spans.retain(|(_, until)| *until > now);
        spans.iter_mut().for_each(|(from, _)| *from = (*from).max(now));
        spans.sort_unstable();
        spans.dedup_by(|later, earlier| {
            let meets = later.0 <= earlier.1;
            if meets {
                earlier.1 = earlier.1.max(later.1);
            }
            meets
        });
        spans
    };
    let ids = tables.columns("game", ["id", "turn"]).filter(|[_, turn]| turn.is_some());
    let games = ids.filter_map(|[id, _]| log::game(tables, number(id)?));
    for game in games.filter(|game| game.has_absences && !game.is_local) {
        let model = replayed(tables, &game);
        for (color, player) in game.players.iter().enumerate() {
            let Some(player) = *player else { continue };
            let rows = tables.columns_of("absence", player, ["from_at", "until_at"]);
            let rows = rows.filter_map(|[from, until]| Some((number(from)?, number(until)?)));
            // The clock of the server may have been set back.
            let now = model.now.max(change.now.timestamp());
            let listed = to_come(rows.collect(), now);
            let logged = to_come(model.absences(color), now);
            if listed != logged {
                let found = format!(
                    "game {}: player {player} is away {listed:?}, in its log {logged:?}, now {now}",
                    game.id
                );
                return violated("absences_are_in_the_logs", found);
            }
        }
    }
    Ok(())
}

/// Returns a time as JSON has it.
fn moment(at: i64) -> Option<String> {
    DateTime::from_timestamp(at, 0).map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true))
}

const fn color_word(color: usize) -> &'static str {
    if color == log::BLACK { "black" } else { "white" }
}

/// `show GAME --json` says the deadline and the time left that the model says. Only clocks are judged that run and
/// whose deadline has not passed.
pub fn show_says_what_the_model_says(
    tables: &Tables,
    now: DateTime<Utc>,
    json: &str,
) -> Result<(), Violation> {
    let shown: Value = serde_json::from_str(json).unwrap_or_default();
    let Some(game) = shown["game"].as_i64().and_then(|id| log::game(tables, id)) else {
        return Ok(());
    };
    let model = replayed(tables, &game);
    let now = now.timestamp();
    let is_judged = model.deadline.is_some_and(|deadline| deadline > now);
    if game.control == Control::None || game.turn.is_none() || !is_judged {
        return Ok(());
    }
    let expected = json!({
        "deadline": model.deadline.and_then(moment),
        "seconds_left": model.deadline.map(|deadline| deadline - now),
        "black_seconds": model.left(log::BLACK, now),
        "white_seconds": model.left(log::WHITE, now),
        "running": color_word(model.turn),
        "flagged": null,
        "paused": false,
    });
    let clock = &shown["clock"];
    let found = json!({
        "deadline": shown["deadline"],
        "seconds_left": shown["seconds_left"],
        "black_seconds": clock["black_seconds"],
        "white_seconds": clock["white_seconds"],
        "running": clock["running"],
        "flagged": clock["flagged"],
        "paused": shown["paused"],
    });
    if found != expected {
        let found = format!("{json} and not {expected}, {game:?} {model:?}");
        return violated("show_says_what_the_model_says", found);
    }
    Ok(())
}

/// Returns what `show` says in JSON of the clock of a game: its terms, the time left in a pause, in which it does not
/// change, and whose flag has fallen. In a game without a clock there is nothing, and no clock runs when it is over.
pub fn shown_clock(tables: &Tables, now: DateTime<Utc>, id: i64) -> Option<Value> {
    let game = log::game(tables, id)?;
    if game.control == Control::None {
        return Some(json!({ "clock": null, "paused": false, "seconds_left": null }));
    }
    let [control] = tables.columns_of("game", id, ["clock"]).next()?;
    let mut clock = json!({
        "control": control, "free_weekends": game.has_free_weekends, "absences": game.has_absences,
        "flag": if game.is_hard { "hard" } else { "claim" },
    });
    if game.turn.is_none() {
        (clock["running"], clock["flagged"]) = (Value::Null, Value::Null);
        return Some(json!({
            "clock": clock, "paused": false, "deadline": null, "seconds_left": null
        }));
    }
    let model = replayed(tables, &game);
    if let (false, Some((color, at))) = (model.is_paused, model.flagged) {
        (clock["running"], clock["flagged"]) = (Value::Null, color_word(color).into());
        clock[format!("{}_seconds", color_word(color))] = 0.into();
        return Some(json!({
            "clock": clock, "paused": false, "deadline": moment(at), "seconds_left": 0
        }));
    }
    if model.is_paused && model.flagged.is_none() {
        let now = now.timestamp().max(model.now);
        clock["black_seconds"] = model.left(log::BLACK, now).into();
        clock["white_seconds"] = model.left(log::WHITE, now).into();
        (clock["running"], clock["flagged"]) = (Value::Null, Value::Null);
        return Some(json!({
            "clock": clock, "paused": true, "deadline": null, "seconds_left": null
        }));
    }
    Some(json!({ "clock": clock, "paused": model.is_paused }))
}

/// The time in an active game: what each player has left, black first, and when that of the player to move ends.
pub struct Time {
    pub left: [Option<i64>; 2],
    pub deadline: Option<i64>,
    /// When the clock of the player to move starts.
    pub start: i64,
}

/// Returns the time in an active game with a clock; `None` if it is over, or a flag has fallen or may have.
pub fn time_left(tables: &Tables, id: i64, now: i64) -> Option<Time> {
    let game = log::game(tables, id).filter(|game| game.turn.is_some())?;
    let model = replayed(tables, &game);
    let is_late = !model.is_paused && model.deadline.is_some_and(|deadline| deadline <= now);
    if game.control == Control::None || model.flagged.is_some() || is_late || now < model.now {
        return None;
    }
    let left = [log::BLACK, log::WHITE].map(|player| model.left(player, now));
    let deadline = model.deadline.filter(|_| !model.is_paused);
    Some(Time { left, deadline, start: model.start })
}

/// Returns whether a game without a clock can be claimed: nobody has moved for 60 days, and the player to move was
/// reminded twice, at least seven days apart; `None` if an outage or a pause may matter.
pub fn can_be_claimed(tables: &Tables, id: i64, now: i64) -> Option<bool> {
    let game = log::game(tables, id).filter(|game| game.control == Control::None)?;
    let model = replayed(tables, &game);
    let end = model.deadline?;
    let checked = tables.columns("installation", ["deadlines_checked_at"]).next();
    let is_checked = checked
        .and_then(|[at]| number(at))
        .is_some_and(|at| (0..=MAX_BETWEEN_CHECKS).contains(&(now - at)));
    if !is_checked || game.is_local {
        return None;
    }
    let reminders = tables.columns_of("reminder", id, ["event", "delivered_at"]);
    let own = reminders.filter(|[event, _]| number(*event) == Some(model.time_event));
    let mut delivered: Vec<_> = own.filter_map(|[_, at]| number(at)).collect();
    delivered.sort_unstable();
    let are_apart = matches!(delivered[..], [first, second] if second - first >= 7 * DAY);
    Some(end <= now && are_apart)
}

/// Returns the event from which the time of a game without a clock counts, and from when on it can be claimed if its
/// player was reminded; `None` in other games.
pub fn idle_end(tables: &Tables, id: i64) -> Option<(i64, i64)> {
    let game = log::game(tables, id).filter(|game| game.control == Control::None)?;
    let model = replayed(tables, &game);
    Some((model.time_event, model.deadline?))
}

/// Returns whether a player, 0 for black, has time left when the clock starts after a takeback of the player's own last
/// move: at once, or after quiet hours if the opponent `agrees`.
pub fn takeback_leaves_time(
    tables: &Tables,
    id: i64,
    by: usize,
    agrees: bool,
    now: i64,
) -> Option<bool> {
    let game = log::game(tables, id)?;
    let Some(player) = game.players[by].filter(|_| game.control != Control::None) else {
        return Some(true);
    };
    let settings = Settings::of(tables, player)?;
    let mut model = replayed(tables, &game);
    if now < model.now {
        return None;
    }
    let start = settings.calendar.after_quiet(now);
    let starts_at = Some(start).filter(|_| agrees && settings.has_address);
    let number = log::events(tables, id).last().map_or(1, |event| event.number + 1);
    let action = "takeback".to_owned();
    model.apply(&Event { number, at: now, by: Some(by), action, starts_at });
    Some(model.left(model.turn, model.start)? > 0)
}

/// `send` notes that a game without a clock can be claimed, and mails the opponent, within a day, and not before.
pub fn claims_are_noted(change: &Change) -> Result<(), Violation> {
    const OF: &str = "claims_are_noted";
    let is_doubted = change.after.columns("clock_doubt", ["id"]).next().is_some();
    if change.words != ["send"] || change.status != 0 || is_doubted {
        return Ok(());
    }
    let now = change.now.timestamp();
    let columns = ["id", "clock", "turn", "to_wait", "since", "claim_event", "local"];
    for [id, clock, turn, to_wait, since, noted, local] in change.after.columns("game", columns) {
        let is_meant = clock == Some("none") && turn.is_some() && to_wait.is_some();
        let is_old = number(since).is_some_and(|since| now - since >= IDLE_FOR);
        let Some(id) = number(id).filter(|_| is_meant && is_old && local == Some("0")) else {
            continue;
        };
        let Some(game) = log::game(change.after, id) else { continue };
        let is_noted = number(noted) == Some(replayed(change.after, &game).time_event);
        let was_noted = change.before.columns_of("game", id, ["claim_event"]).next();
        let is_new = was_noted.is_some_and(|[it]| it != noted);
        let can = can_be_claimed(change.after, id, now);
        // After a reminder, `send` looks at it again the next day.
        let mut reminders = change.after.columns_of("reminder", id, ["delivered_at"]);
        let is_fresh = reminders.any(|[at]| number(at).is_some_and(|at| now - at <= DAY));
        if can == Some(true) && !is_noted && !is_fresh || can == Some(false) && is_noted && is_new {
            let found = format!("game {id} can be claimed: {can:?}, noted {noted:?} at {now}");
            return violated(OF, found);
        }
        let is_told = change.after.new_rows("outbox", change.before).into_iter().any(|mail| {
            let row = change.after.columns_of("outbox", mail, ["game", "player"]).next();
            row.is_some_and(|[of, player]| number(of) == Some(id) && player == to_wait)
        });
        let address = number(to_wait)
            .and_then(|player| change.after.columns_of("player", player, ["address"]).next()?[0]);
        if is_new && is_noted && !is_told && address.is_some() {
            return violated(
                OF,
                format!("player {to_wait:?} can claim game {id}, and is not told"),
            );
        }
    }
    Ok(())
}

/// Returns the clocks of a game after all its events.
fn replayed(tables: &Tables, game: &Game) -> Model {
    let mut model = Model::new(game, log::first_start(tables, game.id));
    log::events(tables, game.id).iter().for_each(|event| model.apply(event));
    model
}

impl<'a> Changed<'a> {
    /// Replays a game, and checks its new flags.
    fn of(change: &'a Change, game: Game) -> Result<Self, Violation> {
        let before = log::game(change.before, game.id);
        let events = log::events(change.after, game.id);
        let old = log::events(change.before, game.id).len();
        let model = Model::new(&game, log::first_start(change.after, game.id));
        let mut changed = Self { change, before, game, events, old, model };
        for at in 0..changed.events.len() {
            if at >= changed.old {
                changed.flag_falls_at_the_deadline(&changed.events[at])?;
            }
            let Self { events, model, .. } = &mut changed;
            model.apply(&events[at]);
        }
        Ok(changed)
    }

    fn new_events(&self) -> &[Event] {
        self.events.get(self.old..).unwrap_or_default()
    }

    /// Returns what is wrong with the game.
    fn violated(&self, of: &'static str, found: &str) -> Result<(), Violation> {
        let Self { game, model, events, old, .. } = self;
        let log = events.iter().map(|it| format!("{} {:?} {}", it.at, it.by, it.action));
        let log = log.collect::<Vec<_>>().join("; ");
        violated(of, format!("game {}: {found}; {old} old of: {log}; {game:?} {model:?}", game.id))
    }

    /// A flag falls at the deadline that is shown, and nothing else happens after it but in an outage.
    fn flag_falls_at_the_deadline(&self, event: &Event) -> Result<(), Violation> {
        let of = "flag_falls_at_the_deadline";
        let now = self.change.now.timestamp();
        let deadline = self.model.deadline.filter(|_| self.game.control != Control::None);
        let outage = |deadline| outage(self.change.before, deadline, now);
        let outage = deadline.filter(|&it| it <= now).map_or(Outage::None, outage);
        if matches!(event.word(), "flag" | "time-out") {
            let is_right = deadline == Some(event.at)
                && event.at <= now
                && event.about() == self.model.turn
                && (event.word() == "time-out") == self.game.is_hard;
            let is_send = self.change.words.first().is_some_and(|it| it == "send");
            let is_doubted = is_send && is_far_ahead(self.change.before, event.at, now);
            let is_in_outage = outage == Outage::OfServer || is_doubted;
            if !is_right || is_in_outage || self.waits_for_mail_server() {
                return self.violated(of, &format!("{event:?}, deadline {deadline:?}, {outage:?}"));
            }
            return Ok(());
        }
        let is_late = deadline.is_some_and(|deadline| deadline <= event.at);
        // The deadline of a finished game does not matter, and settings come with the turn.
        let was_over = self.before.as_ref().is_some_and(|game| game.turn.is_none());
        let is_exempt =
            was_over || self.model.is_over || matches!(event.word(), "outage" | "settings");
        if is_late && outage == Outage::None && !is_exempt {
            return self.violated(of, &format!("{event:?} is after the deadline {deadline:?}"));
        }
        Ok(())
    }

    /// Returns whether the mail about the turn was due before the deadline and could not be sent, because the
    /// mail server was down by then.
    fn waits_for_mail_server(&self) -> bool {
        let Change { before, now, mail_down_since, .. } = *self.change;
        let ([Some(since), _], Some(deadline)) = (mail_down_since, self.model.deadline) else {
            return false;
        };
        let player = self.game.players[self.model.turn];
        let columns = [
            "game",
            "kind",
            "player",
            "state",
            "due_at",
            "created_at",
            "tries",
            "events",
            "bounced_at",
        ];
        let is_its_mail = |row: &[Option<&str>; 9]| {
            let [game, kind, reader, state, due_at, created_at, tries, events, bounced_at] = row;
            bounced_at.is_none()
                && number(*game) == Some(self.game.id)
                && (*kind == Some("turn")
                    || *kind == Some("started") && number(*events) >= Some(self.model.turn_event))
                && number(*reader) == player
                && *state == Some("queued")
                && (number(*tries) > Some(0) || number(*due_at) < Some(deadline))
                && number(*created_at).is_some_and(|it| now.timestamp() - it < MAIL_TRIED_FOR)
        };
        // All outages of a turn last five days at most.
        let of_turn = self.events.iter().filter(|event| event.number > self.model.turn_event);
        let outages =
            of_turn.filter(|event| event.word() == "outage" && event.action.ends_with(" mail"));
        let first = outages.filter_map(|event| event.number_at(1)).min();
        let is_given_up =
            |first: i64| now.timestamp() - first.max(self.model.start) >= MAIL_TRIED_FOR;
        !first.is_some_and(is_given_up)
            && since < deadline
            && before.columns("outbox", columns).any(|row| is_its_mail(&row))
    }

    /// The tables show the deadline of the model, whose turn it is and since when.
    fn shown_is_that_of_the_model(&self) -> Result<(), Violation> {
        let Self { game, model, .. } = self;
        let flagged = model.flagged.map(|(_, at)| at);
        let deadline = model.deadline.or(flagged).filter(|_| game.control != Control::None);
        let shown = (game.deadline, game.turn, game.since, game.is_paused);
        let expected = (deadline, Some(model.turn), model.began, model.is_paused);
        if shown != expected || model.is_over {
            let found = format!("shown is {shown:?} and not {expected:?}");
            return self.violated("shown_is_that_of_the_model", &found);
        }
        Ok(())
    }

    /// A deadline that was shown moves only by the events that docs/time.md names.
    fn shown_deadline_moves_only_by_events(&self) -> Result<(), Violation> {
        let is_moving = |event: &Event| event.is_move() || MOVING.contains(&event.word());
        let before = self.before.as_ref().map(|game| game.deadline);
        if self.new_events().iter().any(is_moving)
            || before.is_none_or(|it| it == self.game.deadline)
        {
            return Ok(());
        }
        self.violated("shown_deadline_moves_only_by_events", &format!("it was {before:?}"))
    }

    /// Returns whether the turn has begun in this step.
    fn is_new_turn(&self) -> bool {
        let last_old = self.events[..self.old].last().map_or(0, |event| event.number);
        self.before.is_none() || self.model.turn_event > last_old
    }

    /// No turn begins after its deadline.
    fn turn_begins_with_time(&self) -> Result<(), Violation> {
        let is_dead = self.game.deadline.is_some_and(|deadline| deadline <= self.model.start);
        if self.is_new_turn() && self.model.flagged.is_none() && is_dead {
            return self.violated("turn_begins_with_time", "it begins without time");
        }
        Ok(())
    }

    /// The clock of a turn starts after the grace of the player who moved and the quiet hours of the player to
    /// move, or at once if the player to move has acted.
    fn clock_starts_when_the_player_can_know(&self) -> Result<(), Violation> {
        let Self { game, model, .. } = self;
        let turn = model.turn;
        let Some(player) = game.players[turn].filter(|_| self.is_new_turn()) else { return Ok(()) };
        let began = self.events.iter().find(|event| event.number == model.turn_event);
        let opponent_moved = self
            .new_events()
            .iter()
            .any(|event| event.by == Some(1 - turn) && event.is_move() && !event.is_auto());
        // Settings can change in the same step.
        let possible = [self.change.before, self.change.after].map(|tables| {
            let quiet = Settings::of(tables, player)?;
            let opponent = game.players[1 - turn].and_then(|it| Settings::of(tables, it));
            let grace = opponent.map_or(0, |opponent| opponent.grace);
            let grace = match began.filter(|_| self.before.is_some()) {
                None => Some(0),
                Some(event) if event.word() == "accept" => Some(0),
                Some(event) if event.word() == "takeback" => None,
                Some(_) => opponent_moved.then_some(grace),
            };
            let grace = grace.filter(|_| quiet.has_address);
            Some(grace.map_or(model.began, |grace| quiet.calendar.after_quiet(model.began + grace)))
        });
        // Time does not go back for a clock.
        let times = self.events.iter().map(|event| event.at);
        let now = times.fold(game.created_at, i64::max);
        if possible.iter().flatten().any(|&start| start.max(now) == model.start.max(now)) {
            return Ok(());
        }
        let found = format!("the clock starts at {} and not at {possible:?}", model.start);
        self.violated("clock_starts_when_the_player_can_know", &found)
    }

    /// The settings that count for a turn are those that the player had when it began.
    fn settings_count_from_the_next_turn(&self) -> Result<(), Violation> {
        let of = "settings_count_from_the_next_turn";
        let Self { game, model, .. } = self;
        let is_early = |event: &&Event| event.word() == "settings" && event.at != model.began;
        if let Some(early) = self.new_events().iter().find(is_early) {
            return self.violated(of, &format!("{early:?} is within a turn"));
        }
        let Some(player) = game.players[model.turn] else { return Ok(()) };
        if game.control == Control::None || !self.is_new_turn() {
            return Ok(());
        }
        let settings = [self.change.before, self.change.after].map(|it| Settings::of(it, player));
        let mut settings = settings.into_iter().flatten();
        if !settings.any(|it| it.calendar == *model.calendar(model.turn)) {
            return self.violated(of, "the settings in the log are others");
        }
        Ok(())
    }
}

/// The settings of a player that count for mails and clocks.
#[derive(Debug, Clone)]
pub struct Settings {
    pub calendar: Calendar,
    /// Seconds.
    pub grace: i64,
    pub has_address: bool,
}

impl Settings {
    pub fn of(tables: &Tables, player: i64) -> Option<Self> {
        let columns = ["clock", "grace", "address"];
        let [clock, grace, address] = tables.columns_of("player", player, columns).next()?;
        let grace = match grace?.split_at(grace?.len() - 1) {
            (minutes, "m") => minutes.parse::<i64>().ok()? * 60,
            (hours, "h") => hours.parse::<i64>().ok()? * 3_600,
            _ => 0,
        };
        let calendar = Calendar::parse(clock?)?;
        Some(Self { calendar, grace, has_address: address.is_some() })
    }
}

/// Returns whether a flag has fallen that nobody has recorded yet, by these tables; `None` if it is not known.
pub fn has_flag_fallen(tables: &Tables, deadline: i64, now: i64) -> Option<bool> {
    match outage(tables, deadline, now) {
        Outage::None => Some(deadline <= now),
        Outage::OfServer => Some(false),
        Outage::Possible => None,
    }
}

/// Whether a deadline fell into an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outage {
    None,
    OfServer,
    /// The mail server is down, or the clock may be wrong.
    Possible,
}

/// Returns whether a deadline that has passed fell into an outage which lasts, by these tables.
fn outage(tables: &Tables, deadline: i64, now: i64) -> Outage {
    let mut checks = tables.columns("installation", ["deadlines_checked_at"]);
    let checked_at = checks.next().and_then(|[at]| number(at));
    let mut mail_outages = tables.columns("mail_outage", ["since"]);
    let doubt = tables.columns("clock_doubt", ["known"]).next().is_some();
    match checked_at {
        Some(at) if now - at > MAX_BETWEEN_CHECKS && at < deadline => Outage::OfServer,
        _ if doubt || mail_outages.any(|[since]| number(since) < Some(deadline)) => {
            Outage::Possible
        }
        Some(_) => Outage::None,
        // `send` doubts the clock, but only `send` does if it never ran.
        None if is_far_ahead(tables, deadline, now) => Outage::Possible,
        None => Outage::None,
    }
}

/// Returns whether `send` never ran, and the clock seems to be far ahead since a time before a deadline.
fn is_far_ahead(tables: &Tables, deadline: i64, now: i64) -> bool {
    let checks = tables.columns("installation", ["deadlines_checked_at"]);
    let has_checked = checks.flatten().any(|at| at.is_some());
    let newest = tables.columns("event", ["at"]).filter_map(|[at]| number(at)).max();
    !has_checked && newest.is_some_and(|at| now - at > MAX_AHEAD && at < deadline)
}
