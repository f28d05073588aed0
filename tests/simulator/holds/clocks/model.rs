//! An independent implementation of the clocks, written from `docs/time.md` alone, slow and plain. Moments and
//! spans are seconds.

use super::calendar::Calendar;
use super::log::{Control, Event, Game};
use crate::simulator::DAY;

/// How long nobody must have moved in a game without a clock before it can be claimed.
const IDLE: i64 = 60 * DAY;

#[derive(Debug, Clone)]
struct Side {
    /// The player's own time that is left.
    own: i64,
    calendar: Calendar,
    absences: Vec<(i64, i64)>,
    is_person: bool,
}

/// A move, with the own time that was left before it and that it added.
#[derive(Debug, Clone)]
struct Made {
    by: usize,
    is_auto: bool,
    own: i64,
    added: i64,
    /// The deadline, without and with a least time, that a player without own time has met.
    met: Option<(i64, i64)>,
}

/// When time passes for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Not on free days and in absences.
    Clock,
    /// Not in absences.
    Present,
}

/// The clocks of a game after some of its events.
#[derive(Debug, Clone)]
pub struct Model {
    control: Control,
    has_free_weekends: bool,
    has_absences: bool,
    started: i64,
    sides: [Side; 2],
    pub turn: usize,
    pub is_over: bool,
    pub now: i64,
    /// When the turn began, when its clock starts, and the event with which it began.
    pub began: i64,
    pub start: i64,
    pub turn_event: i64,
    /// The time that the player who moved last has thought on, before the start.
    thought_on: i64,
    /// The time after the own time until the deadline, which is not the player's own.
    more: i64,
    /// When the time of the player to move was used up.
    used_up: Option<i64>,
    /// The least time until the deadline, which passes on free days, too.
    least: Option<i64>,
    /// When that time was over.
    least_over: Option<i64>,
    pub is_paused: bool,
    pub flagged: Option<(usize, i64)>,
    offer: Option<(usize, String)>,
    made: Vec<Made>,
    /// The deadline that is shown.
    pub deadline: Option<i64>,
    /// The time of the turn, with extensions, and the event that changed it last. `None` if the page does not say
    /// what it is.
    pub time_of_turn: Option<i64>,
    pub time_event: i64,
}

impl Model {
    /// Returns the clocks at the start of a game.
    pub fn new(game: &Game, starts_at: Option<i64>) -> Self {
        let own = match game.control {
            Control::None => IDLE,
            Control::PerMove(span) | Control::Total(span) | Control::Bank { bank: span, .. } => {
                span
            }
        };
        let side = |color: usize| Side {
            own,
            calendar: Calendar::parse("UTC sat,sun none").expect("the first settings are valid"),
            absences: Vec::new(),
            is_person: game.players[color].is_some(),
        };
        let mut model = Self {
            control: game.control,
            has_free_weekends: game.has_free_weekends,
            has_absences: game.has_absences,
            started: game.created_at,
            sides: [side(0), side(1)],
            turn: game.first,
            is_over: false,
            now: game.created_at,
            began: game.created_at,
            start: starts_at.unwrap_or(game.created_at),
            turn_event: 0,
            thought_on: 0,
            more: 0,
            used_up: None,
            least: None,
            least_over: None,
            is_paused: false,
            flagged: None,
            offer: None,
            made: Vec::new(),
            deadline: None,
            time_of_turn: Some(own),
            time_event: 0,
        };
        model.show();
        model
    }

    /// Returns the calendar that counts for a player.
    pub const fn calendar(&self, player: usize) -> &Calendar {
        &self.sides[player].calendar
    }

    /// Returns whether a clock runs.
    fn is_running(&self) -> bool {
        !self.is_over
            && !self.is_paused
            && self.flagged.is_none()
            && self.sides[self.turn].is_person
    }

    /// Returns the end of the absence that a player is in.
    pub fn away_until(&self, player: usize, at: i64) -> Option<i64> {
        let absences = self.sides[player].absences.iter();
        absences.filter(|(from, until)| (*from..*until).contains(&at)).map(|it| it.1).max()
    }

    fn passes(&self, player: usize, at: i64, pace: Pace) -> bool {
        let has_free_days = self.has_free_weekends && pace == Pace::Clock;
        let is_free = has_free_days && self.sides[player].calendar.is_free(at);
        self.away_until(player, at).is_none() && !is_free
    }

    /// Returns until when time goes on passing, or not passing, for a player.
    fn stretch_end(&self, player: usize, at: i64, pace: Pace) -> i64 {
        let Side { calendar, absences, .. } = &self.sides[player];
        let ends = absences.iter().flat_map(|&(from, until)| [from, until]);
        let has_free_days = self.has_free_weekends && pace == Pace::Clock;
        let free = calendar.next_change(at).filter(|_| has_free_days);
        ends.chain(free).filter(|&end| end > at).min().unwrap_or(i64::MAX)
    }

    /// Returns how much time passes for a player between two moments.
    fn passed(&self, player: usize, from: i64, until: i64, pace: Pace) -> i64 {
        let (mut at, mut passed) = (from, 0);
        while at < until {
            let end = self.stretch_end(player, at, pace).min(until);
            passed += if self.passes(player, at, pace) { end - at } else { 0 };
            at = end;
        }
        passed
    }

    /// Returns when this much time will have passed for a player.
    fn reach(&self, player: usize, from: i64, mut span: i64, pace: Pace) -> i64 {
        let mut at = from;
        while span > 0 {
            let end = self.stretch_end(player, at, pace);
            if !self.passes(player, at, pace) {
                at = end;
                continue;
            }
            let passed = span.min(end - at);
            at += passed;
            span -= passed;
        }
        at
    }

    fn run_until(&mut self, until: i64) {
        if self.is_running() {
            let turn = self.turn;
            self.least_over = self.least_end().filter(|&end| end <= until);
            let passed = self.passed(turn, self.now, until, Pace::Present);
            self.least = self.least.map(|least| (least - passed).max(0));
            let from = self.start.clamp(self.now, until.max(self.now));
            self.thought_on += self.passed(1 - turn, self.now, from, Pace::Clock);
            let left = self.sides[turn].own + self.more;
            let passed = self.passed(turn, from, until, Pace::Clock);
            if left > 0 && passed >= left {
                self.used_up = Some(self.reach(turn, from, left, Pace::Clock));
            } else if left == 0 {
                // After a pause, only a least time may be left.
                self.used_up.get_or_insert(from);
            }
            let passed_own = passed.min(self.sides[turn].own);
            self.sides[turn].own -= passed_own;
            self.more -= self.more.min(passed - passed_own);
        }
        // The clock of the server may have been set back.
        self.now = self.now.max(until);
    }

    /// Shows the deadline anew.
    fn show(&mut self) {
        self.deadline = self.end();
    }

    fn end(&self) -> Option<i64> {
        if !self.is_running() {
            return None;
        }
        let own = self.own_end();
        Some(self.least_end().map_or(own, |end| own.max(self.after_quiet(end))))
    }

    /// Returns when the least time until the deadline ends.
    fn least_end(&self) -> Option<i64> {
        let end = self.least.map(|least| self.reach(self.turn, self.now, least, Pace::Present));
        self.least_over.or(end)
    }

    /// Returns when the time of the player to move ends, without a least time.
    fn own_end(&self) -> i64 {
        let left = self.sides[self.turn].own + self.more;
        let end = || self.reach(self.turn, self.now.max(self.start), left, Pace::Clock);
        self.after_quiet(self.used_up.unwrap_or_else(end))
    }

    /// Returns this moment, or in quiet hours the next moment when the clock runs.
    fn after_quiet(&self, mut at: i64) -> i64 {
        loop {
            let after = self.sides[self.turn].calendar.after_quiet(at);
            if after == at {
                return at;
            }
            at = after;
            while !self.passes(self.turn, at, Pace::Clock) {
                at = self.stretch_end(self.turn, at, Pace::Clock);
            }
        }
    }

    fn begin(&mut self, turn: usize, event: &Event) {
        self.turn = turn;
        (self.began, self.turn_event) = (event.at, event.number);
        self.start = event.starts_at.unwrap_or(self.now);
        (self.thought_on, self.more) = (0, 0);
        (self.used_up, self.least, self.least_over) = (None, None, None);
        (self.time_of_turn, self.time_event) = (Some(self.sides[turn].own), event.number);
    }

    /// The time of each move; `None` with a bank.
    const fn period(&self) -> Option<i64> {
        match self.control {
            Control::None => Some(IDLE),
            Control::PerMove(period) => Some(period),
            Control::Bank { .. } | Control::Total(_) => None,
        }
    }

    /// The ordinary time of a late move.
    fn ordinary(&self) -> i64 {
        match self.control {
            Control::None => IDLE,
            Control::PerMove(period) => period,
            Control::Bank { increment, most, .. } => {
                increment.max(DAY).min(most.unwrap_or(i64::MAX))
            }
            Control::Total(_) => DAY,
        }
    }

    /// Applies an event at its time.
    pub fn apply(&mut self, event: &Event) {
        self.run_until(event.at);
        match (event.word(), event.by) {
            (_, Some(by)) if event.is_move() => {
                self.make(by, event.is_auto());
                self.begin(1 - by, event);
            }
            ("takeback", Some(by)) => self.take_back(by, event),
            ("accept", Some(_)) => match self.offer.take() {
                Some((of, offer)) if offer == "takeback" => self.take_back(of, event),
                Some((_, offer)) if offer == "pause" => self.pause(),
                Some((_, offer)) => self.is_over |= offer == "draw",
                None => {}
            },
            ("offer", Some(by)) => {
                self.offer = event.action.split(' ').nth(1).map(|offer| (by, offer.to_owned()));
            }
            ("unpause", _) => self.is_paused = false,
            ("flag", _) => {
                let player = event.about();
                self.flagged = Some((player, event.at));
                (self.sides[player].own, self.more) = (0, 0);
            }
            ("outage", _) => {
                let least = match event.action.ends_with(" mail") {
                    true => self.ordinary().min(DAY),
                    false => DAY,
                };
                self.least = self.least.max(Some(least));
                self.least_over = None;
                (self.time_of_turn, self.time_event) = (None, event.number);
            }
            ("extend", _) => {
                self.extend(event.about(), event.number_at(2).unwrap_or_default(), event.number);
            }
            ("away", Some(by)) if self.has_absences => {
                let absence = event.number_at(1).zip(event.number_at(2));
                self.sides[by].absences.extend(absence);
            }
            ("back", Some(by)) => {
                let now = self.now;
                let absences = &mut self.sides[by].absences;
                absences.retain(|absence| absence.0 < now);
                absences.iter_mut().for_each(|absence| absence.1 = absence.1.min(now));
            }
            ("settings", Some(by)) => {
                if let Some(calendar) =
                    event.action.split_once(' ').and_then(|(_, it)| Calendar::parse(it))
                {
                    self.sides[by].calendar = calendar;
                    self.used_up = None;
                }
            }
            ("resign" | "claim" | "annul" | "forfeit" | "time-out", _) => self.is_over = true,
            ("decline", Some(_)) => self.is_over |= self.offer.take().is_none(),
            _ => {}
        }
        self.show();
    }

    fn make(&mut self, by: usize, is_auto: bool) {
        // A move of the opponent ends it, but not an automatic pass.
        if !is_auto && self.offer.as_ref().is_some_and(|(of, _)| *of != by) {
            self.offer = None;
        }
        let mut own = self.sides[by].own;
        let (mut added, mut met) = (0, None);
        if !is_auto && own == 0 {
            met = self.deadline.filter(|&it| it > self.now).map(|it| (self.own_end(), it));
            own = self.ordinary();
        } else if let (false, Control::Bank { increment, most, .. }) = (is_auto, self.control)
            // Moves that a game starts with add nothing.
            && self.now > self.started
        {
            added = most.map_or(increment, |most| increment.min(most - own).max(0));
        }
        self.flagged = None;
        self.made.push(Made { by, is_auto, own, added, met });
        self.sides[by].own = self.period().unwrap_or(own + added);
    }

    fn pause(&mut self) {
        let own_end = self.own_end();
        if self.used_up.take().is_some() {
            self.more = self.passed(self.turn, self.now, own_end, Pace::Clock);
            if self.more == 0 && own_end > self.now {
                let left = self.passed(self.turn, self.now, own_end, Pace::Present);
                self.least = self.least.max(Some(left));
            } else if self.more == 0 && self.flagged.is_none() {
                // The deadline fell into an outage that lasts.
                self.least = self.least.filter(|least| *least > 0).or(Some(DAY));
                self.time_of_turn = None;
            }
        }
        self.least_over = None;
        self.is_paused = true;
    }

    fn extend(&mut self, player: usize, span: i64, event: i64) {
        let has_own = self.sides[player].own > 0 || player != self.turn;
        // From the deadline on, also if it has passed in an outage.
        let end = self.own_end();
        if has_own {
            self.sides[player].own += span;
        }
        if player != self.turn {
            return;
        }
        self.time_event = event;
        let was_flagged = self.flagged.take().is_some();
        self.time_of_turn = match was_flagged {
            true => Some(span),
            false => self.time_of_turn.map(|time| time + span),
        };
        if was_flagged || self.is_paused {
            self.more += if has_own { 0 } else { span };
            self.used_up = None;
        } else {
            let end = self.reach(player, end, span, Pace::Clock);
            self.used_up = Some(end).filter(|&end| end <= self.now);
            let left = self.passed(player, self.now.max(self.start), end, Pace::Clock);
            self.more = left - self.sides[player].own;
        }
    }

    /// Takes back the last move of a player and all later ones.
    fn take_back(&mut self, by: usize, event: &Event) {
        let thought_on = match self.turn != by && self.now < self.start {
            true => self.thought_on,
            false => 0,
        };
        let late = Some(self.turn).filter(|&turn| self.sides[turn].own == 0);
        if let Some(late) = late {
            self.sides[late].own = self.ordinary();
        }
        self.flagged = None;
        if let Some(period) = self.period() {
            let opponent = &mut self.sides[1 - by];
            opponent.own = opponent.own.max(period);
        }
        let mut met = None;
        while let Some(made) = self.made.pop() {
            let (period, ordinary) = (self.period(), self.ordinary());
            let side = &mut self.sides[made.by];
            match period {
                Some(_) if made.by == by => side.own = side.own.min(made.own),
                Some(_) => {}
                None if late == Some(made.by) => side.own = side.own.min(made.own),
                None => {
                    let least = side.own.min(made.own).min(ordinary);
                    side.own = (side.own - made.added).max(least);
                }
            }
            if made.by == by && !made.is_auto {
                met = made.met;
                break;
            }
        }
        let side = &mut self.sides[by];
        side.own = (side.own - thought_on).max(0);
        self.begin(by, event);
        // The deadline that the move taken back had met without own time holds again.
        if let Some((own_end, deadline)) = met {
            self.sides[by].own = 0;
            self.used_up = Some(own_end);
            self.least = Some(self.passed(by, self.now, deadline, Pace::Present));
            self.time_of_turn = None;
        }
    }

    /// Returns the absences of a player in the log, each from its first second until the one after its last.
    pub fn absences(&self, player: usize) -> Vec<(i64, i64)> {
        self.sides[player].absences.clone()
    }

    /// Returns the time that a player has left at a moment after the last event; `None` for a computer player.
    pub fn left(&self, player: usize, at: i64) -> Option<i64> {
        let mut model = self.clone();
        model.run_until(at);
        let Side { own, is_person, .. } = model.sides[player];
        let left = match player == model.turn {
            true => (own + model.more).max(model.least.unwrap_or_default()),
            false => own,
        };
        is_person.then_some(left)
    }

    /// Returns when the player to move is to be reminded for the first and the second time, in the quiet hours
    /// `quiet`; `None` if it is not known.
    pub fn reminders(&self, quiet: &Calendar) -> Option<[i64; 2]> {
        let end = self.deadline?;
        let rest = match self.control {
            Control::None => [30 * DAY, 7 * DAY],
            _ => {
                let time = self.time_of_turn?;
                [time / 5, (time / 20).min(DAY)]
            }
        };
        let left = self.sides[self.turn].own + self.more;
        let [first, second] = rest.map(|rest| {
            let span = (left - rest).max(0);
            let at = self.reach(self.turn, self.now.max(self.start), span, Pace::Clock);
            quiet.before_quiet(at).max(self.start).min(end)
        });
        Some([first.min(second), second])
    }
}
