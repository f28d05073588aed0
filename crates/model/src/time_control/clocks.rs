use chrono::{DateTime, Days, TimeDelta, Utc};

use super::{ClockSettings, Terms, TimeControl, TurnStarts};
use crate::log::{Action, Event, Game, Offer, TakenBack};
use outflank_rules::Color;

type Time = DateTime<Utc>;

/// The least time that an outage of the server leaves until a deadline that fell into it.
const RESPITE: TimeDelta = TimeDelta::hours(24);

/// Returns the respite after an outage of the mail server: the least time until the deadline of a turn
/// if the turn mail had to wait.
pub fn respite_without_mail(terms: &Terms) -> TimeDelta {
    RESPITE.min(terms.control.ordinary())
}

/// The clocks of a game after the last event of its log.
///
/// In a game without a limit they measure how long the player to move has taken.
#[derive(Debug, Clone)]
pub struct Clocks {
    terms: Terms,
    started: Time,
    /// When the last event happened.
    at: Time,
    black: Side,
    white: Side,
    turn: Color,
    /// When the clock of the turn starts, or started.
    turn_start: Time,
    /// What the clock of the player who moved would have counted since then, until that start.
    unstarted: TimeDelta,
    is_paused: bool,
    is_over: bool,
    /// Whether Black and White have a clock.
    has_clock: [bool; 2],
    /// The player who has run out of time, and when that happened.
    flagged: Option<(Color, Time)>,
    offer: Option<Offer>,
    /// The time of the player to move at the start of the turn, with extensions.
    granted: TimeDelta,
    /// When the player to move had used up the time, if the last event came after that: the deadline can
    /// be later, after quiet hours and free days.
    used_up: Option<Time>,
    /// How much of the time left of the player to move is not the player's own: only the deadline was moved
    /// by it, by an extension or a pause.
    lent: TimeDelta,
    /// The least time until the deadline: after an outage, or where a takeback or a pause keeps a deadline.
    respite: Option<TimeDelta>,
    /// When the respite was over, if the last event came after that.
    respite_over: Option<Time>,
    /// The number of the event that began the turn or changed its time; 0 is the start.
    turn_event: usize,
    plies: Vec<PlyTime>,
}

#[derive(Debug, Clone)]
struct Side {
    /// The time left; out of turn, the time that the next turn begins with.
    left: TimeDelta,
    settings: ClockSettings,
    absences: Vec<(Time, Time)>,
}

/// When time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Thinking time: not on free days and in absences.
    Clock,
    /// The respite: not in absences.
    Respite,
}

/// What a move did to the clock of its player.
#[derive(Debug, Clone, Copy)]
struct PlyTime {
    event: usize,
    /// The time left when the move was made.
    left: TimeDelta,
    /// The time that the move added.
    gained: TimeDelta,
    /// The deadline of a move that was made by it with no time of the player's own.
    held: Option<Held>,
}

/// The deadline of a player who has no own time left.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// The deadline without the respite.
    own: Time,
    /// The deadline that is shown.
    shown: Time,
}

impl Clocks {
    /// Computes the clocks of a game from its start, the times of its events and the starts of its
    /// turns.
    pub fn of(
        terms: &Terms,
        game: &Game,
        started: Time,
        times: &[Time],
        turn_starts: &TurnStarts,
    ) -> Self {
        let left = terms.control.first();
        let side = Side { left, settings: ClockSettings::default(), absences: Vec::new() };
        let mut clocks = Self {
            terms: *terms,
            started,
            at: started,
            black: side.clone(),
            white: side,
            turn: game.start().turn(),
            turn_start: turn_starts.get(&0).copied().unwrap_or(started),
            unstarted: TimeDelta::zero(),
            is_paused: false,
            is_over: false,
            has_clock: [true; 2],
            flagged: None,
            offer: None,
            granted: left,
            used_up: None,
            lent: TimeDelta::zero(),
            respite: None,
            respite_over: None,
            turn_event: 0,
            plies: Vec::new(),
        };
        let mut taken_back = game.taken_back();
        let end = game.end_event();
        for ((number, event), &at) in (1..).zip(game.events()).zip(times) {
            clocks.run_until(at);
            match taken_back {
                [first, rest @ ..] if first.event == number => {
                    clocks.take_back(first);
                    taken_back = rest;
                }
                _ => clocks.apply(number, event, at),
            }
            if let Some(&start) = turn_starts.get(&number) {
                clocks.turn_start = start;
            }
            // Players can still say something, which takes no time.
            clocks.is_over |= end == Some(number);
        }
        clocks.is_over = game.outcome().is_some();
        clocks
    }

    /// Returns the same clocks for people only: `has_clock` says whether Black and White are people. No
    /// clock runs on the turn of a computer player.
    #[must_use]
    pub fn of_people(self, has_clock: [bool; 2]) -> Self {
        Self { has_clock, ..self }
    }

    /// Returns whether this player has a clock.
    pub fn has_clock(&self, player: Color) -> bool {
        player.pick(self.has_clock)
    }

    /// Returns whether it is the turn of a computer player.
    pub fn is_turn_of_bot(&self) -> bool {
        !self.is_over && !self.has_clock(self.turn)
    }

    /// Returns whether the game is in a pause. A flag that fell before it stays.
    pub const fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Returns the player with a running clock; `None` in a pause, after a flag, at the end and on the
    /// turn of a computer player.
    pub fn running(&self) -> Option<Color> {
        let stands = self.is_over || self.is_paused || self.flagged.is_some();
        (!stands && self.has_clock(self.turn)).then_some(self.turn)
    }

    /// Returns when the clock of the player to move starts, or started.
    pub const fn turn_start(&self) -> Time {
        self.turn_start
    }

    /// Returns the player who, by the log, has run out of time and has not moved since.
    pub fn flagged(&self) -> Option<Color> {
        self.flagged.filter(|_| !self.is_over).map(|(player, _)| player)
    }

    /// Returns when the time of that player was over.
    pub fn flagged_at(&self) -> Option<Time> {
        self.flagged.filter(|_| !self.is_over).map(|(_, at)| at)
    }

    /// Returns the settings that apply to the clock of this player.
    pub fn settings(&self, player: Color) -> &ClockSettings {
        &self.side(player).settings
    }

    /// Returns the time that a player has left at this moment, which is not before the last event: to the
    /// deadline, not counting the time while the clock stands still.
    pub fn left(&self, player: Color, now: Time) -> TimeDelta {
        let own = self.own_left(player, now);
        self.respite_left(now)
            .filter(|_| player == self.turn)
            .map_or(own, |respite| own.max(respite))
    }

    /// Returns when the running clock will reach zero; `None` if none runs.
    pub fn deadline(&self) -> Option<Time> {
        self.end().filter(|_| self.terms.control != TimeControl::None)
    }

    /// Returns when a game without a limit can first be claimed, if the player to move was reminded; `None`
    /// in other games, when the game is paused or over, and against a computer player, which claims nothing.
    pub fn idle_end(&self) -> Option<Time> {
        self.end().filter(|_| self.terms.control == TimeControl::None && self.has_clock(!self.turn))
    }

    /// Returns when to remind the player to move: when 80 % of the time of the turn is used, and
    /// shortly before its end. In a game without a limit, a month and a week before it can be claimed,
    /// and never against a computer player. A reminder that would fall into quiet hours comes before
    /// them, but not before the clock starts.
    pub fn reminders(&self) -> Option<[Time; 2]> {
        let player = self.running()?;
        let rest = match self.terms.control {
            TimeControl::None if !self.has_clock(!player) => return None,
            TimeControl::None => [TimeDelta::days(30), TimeDelta::days(7)],
            _ => {
                let part = |of| TimeDelta::seconds(self.granted.num_seconds() / of);
                [part(5), part(20).min(TimeDelta::days(1))]
            }
        };
        let zero = TimeDelta::zero();
        let [first, second] = rest.map(|rest| {
            let left = (self.side(player).left - rest).max(zero);
            let own = self.reach(player, self.runs_from(), left, Pace::Clock);
            let at = self.respite_end(player, rest).map_or(own, |end| own.max(end));
            self.settings(player).before_quiet(at).max(self.turn_start)
        });
        Some([first.min(second), second])
    }

    /// Returns the number of the event that began the turn or changed its time; 0 is the start.
    /// Each such event has its own reminders.
    pub const fn turn_event(&self) -> usize {
        self.turn_event
    }

    /// Returns the end of the absence that the player is in; `None` without one.
    pub fn away_until(&self, player: Color, now: Time) -> Option<Time> {
        let absences = self.side(player).absences.iter();
        absences.filter(|(from, until)| (*from..*until).contains(&now)).map(|it| it.1).max()
    }

    /// Returns the time that the clock of the player counts between two moments, without free days
    /// and absences.
    pub fn counted(&self, player: Color, from: Time, to: Time) -> TimeDelta {
        self.passed(player, from, to, Pace::Clock)
    }

    /// Returns the time that passes for the player between two moments.
    fn passed(&self, player: Color, from: Time, to: Time, pace: Pace) -> TimeDelta {
        let mut counted = TimeDelta::zero();
        let mut at = from;
        while at < to {
            let (runs, end) = self.stretch(player, at, pace);
            let end = end.map_or(to, |end| end.min(to));
            if runs {
                counted += end - at;
            }
            at = end;
        }
        counted
    }

    fn side(&self, player: Color) -> &Side {
        player.pick([&self.black, &self.white])
    }

    fn side_mut(&mut self, player: Color) -> &mut Side {
        player.pick([&mut self.black, &mut self.white])
    }

    /// Returns the moment from which the clock of the turn still has to count.
    fn runs_from(&self) -> Time {
        self.at.max(self.turn_start)
    }

    /// Returns the time that the player has left at a moment without the respite of an outage.
    fn own_left(&self, player: Color, now: Time) -> TimeDelta {
        let left = self.side(player).left;
        if self.running() != Some(player) {
            return left;
        }
        (left - self.counted(player, self.runs_from(), now)).max(TimeDelta::zero())
    }

    /// Returns the rest of the respite at a moment.
    fn respite_left(&self, now: Time) -> Option<TimeDelta> {
        let passed = self.running().map(|player| self.passed(player, self.at, now, Pace::Respite));
        self.respite.map(|respite| (respite - passed.unwrap_or_default()).max(TimeDelta::zero()))
    }

    fn end(&self) -> Option<Time> {
        let (player, own) = (self.running()?, self.own_end()?);
        let respite = self.respite_end(player, TimeDelta::zero());
        Some(respite.map_or(own, |end| own.max(self.after_quiet(player, end))))
    }

    /// Returns when the respite has only `rest` left.
    fn respite_end(&self, player: Color, rest: TimeDelta) -> Option<Time> {
        let span = self.respite.map(|respite| (respite - rest).max(TimeDelta::zero()));
        let reached = span.map(|span| self.reach(player, self.at, span, Pace::Respite));
        self.respite_over.or(reached)
    }

    /// Returns when the running clock will reach zero without the respite of an outage.
    fn own_end(&self) -> Option<Time> {
        let player = self.running()?;
        let left = self.side(player).left;
        let reached = || self.reach(player, self.runs_from(), left, Pace::Clock);
        Some(self.after_quiet(player, self.used_up.unwrap_or_else(reached)))
    }

    /// Returns whether the player to move has no own time left.
    fn is_used_up(&self) -> bool {
        self.side(self.turn).left <= self.lent
    }

    /// Returns the deadline of the player to move if it has not passed and the own time is used up.
    fn held(&self) -> Option<Held> {
        let held = Held { own: self.own_end()?, shown: self.deadline()? };
        Some(held).filter(|held| self.is_used_up() && held.shown > self.at)
    }

    /// Returns the moment; if it is in the player's quiet hours, when they end and the clock runs.
    fn after_quiet(&self, player: Color, mut end: Time) -> Time {
        loop {
            let after = self.side(player).settings.after_quiet(end);
            if after == end {
                return end;
            }
            end = after;
            // The clock may stand still where the quiet hours end.
            while let (false, Some(next)) = self.stretch(player, end, Pace::Clock) {
                end = next;
            }
        }
    }

    /// Returns whether the time of the player would pass at this moment, and when that next changes;
    /// `None` if it never does.
    fn stretch(&self, player: Color, at: Time, pace: Pace) -> (bool, Option<Time>) {
        if let Some(until) = self.away_until(player, at) {
            return (false, Some(until));
        }
        let Side { settings, absences, .. } = self.side(player);
        let mut end = absences.iter().map(|absence| absence.0).filter(|&from| from > at).min();
        let today = settings.zone.local(at).date();
        let has_free_days = self.terms.free_weekends && pace == Pace::Clock;
        let free_day = settings.weekend.next_from(today).filter(|_| has_free_days);
        if let Some(free_day) = free_day {
            // Clocks that are set back at midnight may show a day again that has begun already.
            let start_of = |day| settings.zone.start_of(day).max(at + TimeDelta::seconds(1));
            if free_day == today {
                return (false, Some(start_of(today + Days::new(1))));
            }
            let start = start_of(free_day);
            end = Some(end.map_or(start, |end| end.min(start)));
        }
        (true, end)
    }

    /// Returns when this span will have passed for the player.
    fn reach(&self, player: Color, from: Time, mut span: TimeDelta, pace: Pace) -> Time {
        let mut at = from;
        while !span.is_zero() {
            let (runs, end) = self.stretch(player, at, pace);
            match end {
                Some(end) if !runs => at = end,
                Some(end) if end - at < span => {
                    span -= end - at;
                    at = end;
                }
                _ => return at + span,
            }
        }
        at
    }

    fn run_until(&mut self, at: Time) {
        if let Some(player) = self.running() {
            let end = self.reach(player, self.runs_from(), self.side(player).left, Pace::Clock);
            self.used_up = self.used_up.or(Some(end).filter(|&end| end <= at));
            let end = self.respite_end(player, TimeDelta::zero());
            self.respite_over = end.filter(|&end| end <= at);
            self.respite = self.respite_left(at);
            self.unstarted += self.counted(!player, self.at, at.min(self.turn_start));
            self.side_mut(player).left = self.own_left(player, at);
        }
        // The clock of the server may have been set back.
        self.at = self.at.max(at);
    }

    fn apply(&mut self, number: usize, event: &Event, stored_at: Time) {
        if let Some((_, is_chosen)) = event.action.as_move() {
            self.make_move(number, is_chosen);
            return;
        }
        let at = self.at;
        match (&event.action, event.by) {
            (Action::Offer(offer), _) => self.offer = Some(*offer),
            (Action::Accept, _) if self.offer == Some(Offer::Pause) => self.pause(),
            (Action::Unpause, _) => {
                self.is_paused = false;
                self.used_up = None;
            }
            (Action::Flag(player), _) => {
                // It fell at its deadline, even if somebody has said something since.
                self.flagged = Some((*player, stored_at));
                (self.respite, self.respite_over) = (None, None);
                self.side_mut(*player).left = TimeDelta::zero();
            }
            (Action::Outage { of_mail, .. }, _) => {
                let least = if *of_mail { respite_without_mail(&self.terms) } else { RESPITE };
                let respite = self.respite.map_or(least, |respite| respite.max(least));
                (self.respite, self.respite_over) = (Some(respite), None);
                self.granted = respite;
                self.turn_event = number;
            }
            (Action::Extend { player, span, .. }, _) => {
                self.extend(number, *player, TimeDelta::seconds(*span));
            }
            (Action::Away { from, until }, Some(player)) if self.terms.absences => {
                let moment = |seconds| DateTime::from_timestamp(seconds, 0);
                let absence = moment(*from).zip(moment(*until));
                self.side_mut(player).absences.extend(absence);
            }
            (Action::Back, Some(player)) => {
                let absences = &mut self.side_mut(player).absences;
                absences.retain(|absence| absence.0 < at);
                absences.iter_mut().for_each(|absence| absence.1 = absence.1.min(at));
            }
            (Action::Settings(settings), Some(player)) => {
                if let Ok(settings) = settings.parse() {
                    self.side_mut(player).settings = settings;
                    self.used_up = None;
                }
            }
            _ => {}
        }
    }

    /// Stops the clocks. A player who has used up the time keeps the time until the deadline.
    fn pause(&mut self) {
        if let (Some(_), Some(end)) = (self.used_up, self.own_end()) {
            let (player, at) = (self.turn, self.at);
            let is_limited = self.terms.control != TimeControl::None;
            self.lent = self.counted(player, at, end);
            if is_limited && end <= at {
                // In an outage that has not ended yet. The respite of an earlier one can last.
                self.respite = self.respite.filter(|rest| !rest.is_zero()).or(Some(RESPITE));
            } else if self.lent.is_zero() {
                // The clock stands still until the deadline.
                let respite = self.passed(player, at, end, Pace::Respite);
                self.respite = Some(self.respite.map_or(respite, |it| it.max(respite)));
            }
            self.side_mut(player).left = self.lent;
            self.used_up = None;
        }
        self.respite_over = None;
        self.is_paused = true;
    }

    fn make_move(&mut self, event: usize, is_chosen: bool) {
        let control = self.terms.control;
        let mut before = self.side(self.turn).left - self.lent;
        let mut after = before;
        let is_late = is_chosen && self.is_used_up();
        let held = if is_late { self.held() } else { None };
        if is_late {
            before = control.ordinary();
            after = before;
        } else if is_chosen && self.at > self.started {
            // The moves that a game starts with add nothing.
            after = control.after_move(before);
        }
        self.flagged = None;
        self.plies.push(PlyTime { event, left: before, gained: after - before, held });
        self.side_mut(self.turn).left = control.period().unwrap_or(after);
        self.begin_turn(!self.turn, event);
    }

    fn begin_turn(&mut self, player: Color, event: usize) {
        self.turn = player;
        self.granted = self.side(player).left;
        self.used_up = None;
        self.lent = TimeDelta::zero();
        (self.respite, self.respite_over) = (None, None);
        self.turn_event = event;
        self.turn_start = self.at;
        self.unstarted = TimeDelta::zero();
    }

    /// Gives a player more time. For the player to move the span counts from the deadline, also if that has
    /// passed in an outage, but only the span becomes the player's own time, and nothing if that is used up.
    fn extend(&mut self, number: usize, player: Color, span: TimeDelta) {
        if player != self.turn {
            self.side_mut(player).left += span;
            return;
        }
        let is_used_up = self.is_used_up();
        let own = self.side(player).left - self.lent + span;
        let deadline = self.own_end();
        let end = deadline.map(|deadline| self.reach(player, deadline, span, Pace::Clock));
        let left = match end {
            Some(end) => self.counted(player, self.runs_from(), end),
            None => self.side(player).left + span,
        };
        self.side_mut(player).left = left;
        self.lent = if is_used_up { left } else { left - own };
        self.granted = match self.flagged.take() {
            Some(_) => span,
            None => self.granted + span,
        };
        self.used_up = end.filter(|&end| end <= self.at);
        self.turn_event = number;
    }

    /// Takes moves back, but not the time that they took.
    fn take_back(&mut self, taken_back: &TakenBack) {
        let (control, by) = (self.terms.control, taken_back.by);
        // Before the opponent's clock has started, the author of the move has gone on thinking.
        let is_unstarted = self.turn != by && self.at < self.turn_start;
        let used = if is_unstarted { self.unstarted } else { TimeDelta::zero() };
        let late = self.is_used_up().then_some(self.turn);
        let left = self.side(self.turn).left - self.lent;
        self.side_mut(self.turn).left = if late.is_some() { control.ordinary() } else { left };
        self.flagged = None;
        if let Some(period) = control.period() {
            // The next turn of the opponent is a new one.
            let opponent = self.side_mut(!by);
            opponent.left = opponent.left.max(period);
        }
        let mut held = None;
        for ply in taken_back.plies.iter().rev() {
            let Some(time) = self.plies.pop_if(|time| time.event == ply.event) else { break };
            held = time.held.filter(|_| ply.by == by);
            let side = self.side_mut(ply.by);
            side.left = match control.period() {
                Some(_) if ply.by == by => time.left.min(side.left),
                Some(_) => side.left,
                None if late == Some(ply.by) => time.left.min(side.left),
                None => {
                    // A player who overran gets one move's time at most.
                    let least = time.left.min(side.left).min(control.ordinary());
                    (side.left - time.gained).max(least)
                }
            };
        }
        let side = self.side_mut(by);
        side.left = (side.left - used).max(TimeDelta::zero());
        self.begin_turn(by, taken_back.event);
        if let Some(Held { own, shown }) = held {
            self.side_mut(by).left = TimeDelta::zero();
            self.used_up = Some(own);
            self.granted = self.passed(by, self.at, shown, Pace::Respite);
            self.respite = Some(self.granted);
        }
    }
}
