//! A second implementation of the clocks, written from `docs/time.md` alone: slow and plain. It counts
//! every quarter of an hour, so that everything must happen at full quarters.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use chrono::{DateTime, Datelike, NaiveTime, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Tz;
use outflank_model::StoredGame;
use outflank_model::log::{Action, Offer};
use outflank_model::time_control::{Terms, TimeControl};
use outflank_rules::Color;

/// The first moment of the calendars, and their length in quarters.
const FIRST: i64 = 1_827_619_200;
const QUARTERS: i64 = 96 * 600;
const QUARTER: i64 = 900;

/// A player's settings, as `set` takes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    pub timezone: String,
    pub weekend: String,
    pub quiet: String,
    pub grace: String,
}

impl Default for Settings {
    fn default() -> Self {
        let [timezone, weekend, quiet, grace] = ["UTC", "sat,sun", "off", "off"].map(str::to_owned);
        Self { timezone, weekend, quiet, grace }
    }
}

impl Settings {
    /// Applies a setting as `set` does, if it affects clocks.
    pub fn set(&mut self, words: &str) {
        let (name, value) = words.split_once(' ').unwrap();
        let setting = match name {
            "timezone" => &mut self.timezone,
            "weekend" => &mut self.weekend,
            "quiet" => &mut self.quiet,
            "grace" => &mut self.grace,
            _ => return,
        };
        value.clone_into(setting);
    }

    fn grace(&self) -> i64 {
        match self.grace.split_at(self.grace.len() - 1) {
            (minutes, "m") => minutes.parse::<i64>().unwrap() / 15,
            (hours, "h") => hours.parse::<i64>().unwrap() * 4,
            _ => 0,
        }
    }
}

/// The free and the quiet quarters of a player.
struct Calendar {
    free: Vec<bool>,
    quiet: Vec<bool>,
}

static CALENDARS: LazyLock<Mutex<HashMap<Settings, Arc<Calendar>>>> = LazyLock::new(Mutex::default);

impl Calendar {
    fn of(settings: &Settings) -> Arc<Self> {
        let settings = Settings { grace: String::new(), ..settings.clone() };
        let mut calendars = CALENDARS.lock().unwrap();
        Arc::clone(
            calendars.entry(settings.clone()).or_insert_with(|| Arc::new(Self::new(&settings))),
        )
    }

    fn new(settings: &Settings) -> Self {
        let zone: Tz = settings.timezone.parse().unwrap();
        let weekend: Vec<Weekday> = match settings.weekend.as_str() {
            "none" => Vec::new(),
            days => days.split(',').map(|day| day.parse().unwrap()).collect(),
        };
        let time = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").unwrap();
        let quiet = settings.quiet.split_once('-').map(|(from, until)| (time(from), time(until)));
        let local = (0..QUARTERS).map(|at| zone.from_utc_datetime(&moment(at).naive_utc()));
        let quarter = local.map(|local| {
            let is_quiet = quiet.is_some_and(|(from, until)| match from < until {
                true => (from..until).contains(&local.time()),
                false => local.time() >= from || local.time() < until,
            });
            (weekend.contains(&local.weekday()), is_quiet)
        });
        let (free, quiet) = quarter.unzip();
        Self { free, quiet }
    }

    /// The first quarter from this one on that is not quiet.
    fn after_quiet(&self, mut at: i64) -> i64 {
        while self.quiet[at as usize] {
            at += 1;
        }
        at
    }
}

fn moment(quarter: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(FIRST + quarter * QUARTER, 0).unwrap()
}

fn quarter(at: DateTime<Utc>) -> i64 {
    let seconds = at.timestamp() - FIRST;
    assert_eq!(seconds % QUARTER, 0, "{at} is no full quarter");
    seconds / QUARTER
}

const fn quarters(span: TimeDelta) -> i64 {
    span.num_seconds() / QUARTER
}

struct Side {
    /// The quarters of the player's own time that are left.
    own: i64,
    /// The settings that apply: those of the player's last turn.
    calendar: Arc<Calendar>,
    absences: Vec<(i64, i64)>,
}

/// A move, with the quarters of own time that were left before it and that it added.
struct Made {
    by: Color,
    is_auto: bool,
    own: i64,
    added: i64,
    /// The deadline, with and without a least time, that a player without own time has met.
    met: Option<(i64, i64)>,
}

struct Model {
    terms: Terms,
    sides: [Side; 2],
    turn: Color,
    now: i64,
    start: i64,
    /// The quarters that the player who moved last has thought on, before the start.
    thought_on: i64,
    /// The quarters after the own time until the deadline, which are not the player's own.
    more: i64,
    /// When the time of the player to move was used up, with these quarters.
    used_up: Option<i64>,
    /// The least quarters until the deadline, on every day without an absence.
    least: Option<i64>,
    is_paused: bool,
    flagged: Option<i64>,
    made: Vec<Made>,
    deadline: Option<i64>,
}

/// Returns the expected deadline of a game. `settings` returns a player's settings at a time.
///
/// # Panics
/// When a flag of the game has not fallen at its deadline.
pub fn deadline(
    stored: &StoredGame,
    settings: &dyn Fn(Color, DateTime<Utc>) -> Settings,
) -> Option<DateTime<Utc>> {
    if stored.agreement.terms.control == TimeControl::None || stored.game.outcome().is_some() {
        return None;
    }
    let model = replay(stored, stored.times.len(), settings);
    model.flagged.or(model.deadline).map(moment)
}

/// Checks that each flag of a game has fallen at its deadline.
pub fn check_flags(stored: &StoredGame, settings: &dyn Fn(Color, DateTime<Utc>) -> Settings) {
    if stored.agreement.terms.control == TimeControl::None {
        return;
    }
    // Events after the end change no clock.
    let mut events = stored.times.len();
    while events > 0 && stored.game.after(events - 1).is_some_and(|it| it.outcome().is_some()) {
        events -= 1;
    }
    replay(stored, events, settings);
}

fn replay(
    stored: &StoredGame,
    events: usize,
    settings: &dyn Fn(Color, DateTime<Utc>) -> Settings,
) -> Model {
    let (game, started) = (&stored.game, stored.started);
    let first = game.start().turn();
    let calendar = |player, at| Calendar::of(&settings(player, at));
    let side = |player| Side {
        own: quarters(first_time(stored.agreement.terms.control)),
        calendar: calendar(player, started),
        absences: Vec::new(),
    };
    let now = quarter(started);
    let mut model = Model {
        terms: stored.agreement.terms,
        sides: Color::BOTH.map(side),
        turn: first,
        now,
        start: calendar(first, started).after_quiet(now),
        thought_on: 0,
        more: 0,
        used_up: None,
        least: None,
        is_paused: false,
        flagged: None,
        made: Vec::new(),
        deadline: None,
    };
    model.show();
    let mut offer = None;
    // The players who have moved at this moment: these moves are from one command.
    let mut movers = Vec::new();
    for (number, event) in game.events().iter().enumerate().take(events) {
        let at = stored.times[number];
        if quarter(at) > model.now {
            movers.clear();
        }
        model.run_until(quarter(at));
        // In an outage, no flag falls.
        let is_flag =
            matches!(event.action, Action::Flag(_) | Action::TimeOut(_) | Action::Outage { .. });
        let is_over = model.deadline.is_some_and(|deadline| deadline <= model.now);
        let id = stored.id;
        let (events, times) = (&game.events()[..=number], &stored.times[..=number]);
        // If a turn begins without time, its flag falls after the other events of the same command.
        let is_with_move = matches!(event.action, Action::Settings(_))
            && number.checked_sub(1).is_some_and(|before| stored.times[before] == at);
        assert!(
            is_flag == is_over || is_with_move,
            "{id}: {:?} {events:?} {times:?}",
            model.deadline.map(moment)
        );
        let turn = game.after(number + 1).unwrap().position().turn();
        match (&event.action, event.by) {
            (Action::Move(_) | Action::AutoPass, Some(by)) => {
                let is_auto = event.action == Action::AutoPass;
                if !is_auto {
                    movers.push(by);
                }
                model.make(by, is_auto);
                let to_move = calendar(turn, at);
                let start = match movers.contains(&!turn) {
                    true => to_move.after_quiet(model.now + settings(!turn, at).grace()),
                    false => model.now,
                };
                model.begin(turn, to_move, start);
            }
            (Action::TakeBack, _) => {
                let met = model.take_back(turn);
                model.begin(turn, calendar(turn, at), model.now);
                model.restore(met);
            }
            (Action::Accept, _) if offer == Some(Offer::TakeBack) => {
                let met = model.take_back(turn);
                let to_move = calendar(turn, at);
                let start = to_move.after_quiet(model.now);
                model.begin(turn, to_move, start);
                model.restore(met);
            }
            (Action::Accept, _) if offer == Some(Offer::Pause) => model.pause(),
            (Action::Unpause, _) => {
                model.is_paused = false;
                model.show();
            }
            (Action::Offer(made), _) => offer = Some(*made),
            (Action::Flag(player), _) => {
                model.side_mut(*player).own = 0;
                model.more = 0;
                model.flagged = model.deadline.take();
            }
            (Action::TimeOut(_), _) => model.deadline = None,
            (&Action::Outage { of_mail, .. }, _) => {
                let ordinary = if of_mail { model.ordinary() } else { 96 };
                model.least = model.least.max(Some(ordinary.min(96)));
                model.show();
            }
            (Action::Extend { player, span, .. }, _) => {
                model.extend(*player, quarters(TimeDelta::seconds(*span)));
            }
            (Action::Away { from, until }, Some(by)) if stored.agreement.terms.absences => {
                let absence = [*from, *until].map(|it| DateTime::from_timestamp(it, 0).unwrap());
                let [from, until] = absence.map(quarter);
                model.side_mut(by).absences.push((from, until));
                model.show();
            }
            (Action::Back, Some(by)) => {
                let now = model.now;
                let absences = &mut model.side_mut(by).absences;
                absences.retain(|absence| absence.0 < now);
                absences.iter_mut().for_each(|absence| absence.1 = absence.1.min(now));
                model.show();
            }
            _ => {}
        }
    }
    model
}

fn first_time(control: TimeControl) -> TimeDelta {
    match control {
        TimeControl::PerMove(span) | TimeControl::Total(span) => span,
        TimeControl::Bank { bank, .. } => bank,
        TimeControl::None => panic!("the game has no clock"),
    }
}

impl Model {
    fn side(&self, player: Color) -> &Side {
        &self.sides[usize::from(player == Color::White)]
    }

    fn side_mut(&mut self, player: Color) -> &mut Side {
        &mut self.sides[usize::from(player == Color::White)]
    }

    fn is_away(&self, player: Color, at: i64) -> bool {
        self.side(player).absences.iter().any(|(from, until)| (*from..*until).contains(&at))
    }

    fn runs(&self, player: Color, at: i64) -> bool {
        let is_free = self.terms.free_weekends && self.side(player).calendar.free[at as usize];
        !(self.is_away(player, at) || is_free)
    }

    fn run_until(&mut self, until: i64) {
        for at in self.now..until {
            if self.is_paused || self.flagged.is_some() {
                break;
            }
            let turn = self.turn;
            let is_away = self.is_away(turn, at);
            self.least = self.least.map(|left| (left - i64::from(!is_away)).max(0));
            if at < self.start {
                self.thought_on += i64::from(self.runs(!turn, at));
                continue;
            }
            if self.side(turn).own + self.more > 0 && self.runs(turn, at) {
                match self.side(turn).own {
                    0 => self.more -= 1,
                    _ => self.side_mut(turn).own -= 1,
                }
                if self.side(turn).own + self.more == 0 {
                    self.used_up = Some(at + 1);
                }
            }
        }
        self.now = until;
    }

    /// Shows the deadline anew.
    fn show(&mut self) {
        self.deadline = None;
        if self.is_paused || self.flagged.is_some() {
            return;
        }
        let own = self.own_end();
        self.deadline = Some(self.least.map_or(own, |mut left| {
            let mut at = self.now;
            while left > 0 {
                left -= i64::from(!self.is_away(self.turn, at));
                at += 1;
            }
            own.max(self.after_quiet(at))
        }));
    }

    /// Returns when the time of the player to move ends, without a least time.
    fn own_end(&self) -> i64 {
        let mut at = self.now.max(self.start);
        match self.used_up {
            Some(used_up) => at = used_up,
            None => {
                let mut left = self.side(self.turn).own + self.more;
                while left > 0 {
                    left -= i64::from(self.runs(self.turn, at));
                    at += 1;
                }
            }
        }
        self.after_quiet(at)
    }

    /// Returns the moment itself, or in quiet hours the next moment when the clock runs.
    fn after_quiet(&self, mut at: i64) -> i64 {
        loop {
            let after = self.side(self.turn).calendar.after_quiet(at);
            if after == at {
                return at;
            }
            at = after;
            while !self.runs(self.turn, at) {
                at += 1;
            }
        }
    }

    /// Returns how many quarters pass for the player to move, or only those without an absence.
    fn count(&self, until: i64, on_free_days: bool) -> i64 {
        let passes = |&at: &i64| match on_free_days {
            true => !self.is_away(self.turn, at),
            false => self.runs(self.turn, at),
        };
        (self.now..until).filter(passes).count() as i64
    }

    fn begin(&mut self, turn: Color, calendar: Arc<Calendar>, start: i64) {
        self.turn = turn;
        self.side_mut(turn).calendar = calendar;
        self.start = start;
        self.thought_on = 0;
        self.more = 0;
        self.used_up = None;
        self.least = None;
        self.show();
    }

    /// The time of each move, in quarters; `None` with a bank.
    fn period(&self) -> Option<i64> {
        match self.terms.control {
            TimeControl::PerMove(period) => Some(quarters(period)),
            _ => None,
        }
    }

    /// The ordinary time of a late move, in quarters.
    fn ordinary(&self) -> i64 {
        match self.terms.control {
            TimeControl::PerMove(period) => quarters(period),
            TimeControl::Bank { increment, most, .. } => {
                let ordinary = quarters(increment).max(96);
                most.map_or(ordinary, |most| ordinary.min(quarters(most)))
            }
            TimeControl::Total(_) => 96,
            TimeControl::None => panic!("the game has no clock"),
        }
    }

    fn make(&mut self, by: Color, is_auto: bool) {
        let mut own = self.side(by).own;
        let (mut added, mut met) = (0, None);
        if !is_auto && own == 0 {
            met = self.deadline.filter(|&it| it > self.now).map(|it| (self.own_end(), it));
            own = self.ordinary();
        } else if let (false, TimeControl::Bank { increment, most, .. }) =
            (is_auto, self.terms.control)
        {
            added = quarters(increment);
            if let Some(most) = most {
                added = added.min(quarters(most) - own).max(0);
            }
        }
        self.flagged = None;
        self.made.push(Made { by, is_auto, own, added, met });
        self.side_mut(by).own = self.period().unwrap_or(own + added);
    }

    fn pause(&mut self) {
        let own_end = self.own_end();
        if self.used_up.take().is_some() {
            self.more = self.count(own_end, false);
            if self.more == 0 && own_end > self.now {
                self.least = self.least.max(Some(self.count(own_end, true)));
            }
        }
        self.is_paused = true;
        self.show();
    }

    fn extend(&mut self, player: Color, span: i64) {
        let has_own = self.side(player).own > 0 || player != self.turn;
        // From the deadline on, also if it has passed in an outage.
        let (mut at, mut left) = (self.own_end(), span);
        if has_own {
            self.side_mut(player).own += span;
        }
        if player != self.turn {
            return;
        }
        if self.flagged.take().is_some() || self.is_paused {
            self.more += if has_own { 0 } else { span };
            self.used_up = None;
        } else {
            while left > 0 {
                left -= i64::from(self.runs(player, at));
                at += 1;
            }
            self.used_up = Some(at).filter(|&at| at <= self.now);
            let from = self.now.max(self.start);
            let left = (from..at).filter(|&at| self.runs(player, at)).count() as i64;
            self.more = left - self.side(player).own;
        }
        self.show();
    }

    /// Takes back the last move of a player and all later ones. Returns the deadline that the move had met
    /// without own time.
    fn take_back(&mut self, by: Color) -> Option<(i64, i64)> {
        let ordinary = self.ordinary();
        let thought_on = match self.turn != by && self.now < self.start {
            true => self.thought_on,
            false => 0,
        };
        let late = Some(self.turn).filter(|&turn| self.side(turn).own == 0);
        if let Some(late) = late {
            self.side_mut(late).own = ordinary;
        }
        self.flagged = None;
        if let Some(period) = self.period() {
            let opponent = self.side_mut(!by);
            opponent.own = opponent.own.max(period);
        }
        let met = loop {
            let made = self.made.pop().unwrap();
            let is_last = made.by == by && !made.is_auto;
            let has_period = self.period().is_some();
            let side = self.side_mut(made.by);
            if has_period {
                if made.by == by {
                    side.own = side.own.min(made.own);
                }
            } else if late == Some(made.by) {
                side.own = side.own.min(made.own);
            } else {
                let least = side.own.min(made.own).min(ordinary);
                side.own = (side.own - made.added).max(least);
            }
            if is_last {
                break made.met;
            }
        };
        let side = self.side_mut(by);
        side.own = (side.own - thought_on).max(0);
        met
    }

    /// Restores the deadline that the move taken back had met.
    fn restore(&mut self, met: Option<(i64, i64)>) {
        let Some((own_end, deadline)) = met else { return };
        self.side_mut(self.turn).own = 0;
        self.used_up = Some(own_end);
        self.least = Some(self.count(deadline, true));
        self.show();
    }
}
