//! What holds of alarms and reminders.

use super::{Changed, Control, Outage, Settings, outage, violated};
use crate::simulator::holds::Change;
use crate::simulator::{DAY, Violation};

/// The least time between the two reminders of a game without a clock.
const MIN_BETWEEN_REMINDERS: i64 = 7 * DAY;

/// A reminder of the present turn.
struct Reminder {
    stage: usize,
    delivered_at: Option<i64>,
    is_new: bool,
}

impl Changed<'_> {
    /// Returns the reminders of the present turn, the first one first.
    fn reminders(&self) -> Vec<Reminder> {
        let columns = ["event", "stage", "delivered_at"];
        let before = self.change.before.columns_of("reminder", self.game.id, columns);
        let before: Vec<_> = before.map(|[event, stage, _]| [event, stage]).collect();
        let after = self.change.after.columns_of("reminder", self.game.id, columns);
        let reminder = |[event, stage, at]: [Option<&str>; 3]| {
            let is_of_turn = event?.parse() == Ok(self.model.time_event);
            let is_new = !before.contains(&[event, stage]);
            let delivered_at = at.and_then(|at| at.parse().ok());
            let reminder = Reminder { stage: stage?.parse().ok()?, delivered_at, is_new };
            is_of_turn.then_some(reminder)
        };
        after.filter_map(reminder).collect()
    }

    /// Returns when the first and the second reminder are due by docs/time.md; `None` if there are none, or if
    /// it does not say when.
    fn reminders_due(&self) -> Option<[i64; 2]> {
        let Self { game, model, .. } = self;
        let is_without_claim =
            game.control == Control::None && game.players[1 - model.turn].is_none();
        if model.deadline.is_none() || is_without_claim || game.is_local {
            return None;
        }
        // The log of a game without a clock has no quiet hours.
        let settings = Settings::of(self.change.after, game.players[model.turn]?)?;
        match game.control {
            Control::None => model.reminders(&settings.calendar),
            _ => model.reminders(model.calendar(model.turn)),
        }
    }

    /// No reminder comes before its time, nor in an absence.
    pub(super) fn reminders_are_not_early(&self) -> Result<(), Violation> {
        let now = self.change.now.timestamp();
        let reminders = self.reminders();
        let Some(due) = self.reminders_due() else { return Ok(()) };
        for reminder in reminders.iter().filter(|reminder| reminder.is_new) {
            let is_away = self.model.away_until(self.model.turn, now).is_some();
            let first = reminders.iter().find(|it| it.stage < reminder.stage);
            let is_too_soon = self.game.control == Control::None
                && first.is_some_and(|first| {
                    first.delivered_at.is_none_or(|at| now < at + MIN_BETWEEN_REMINDERS)
                });
            // `send` that runs late reminds once.
            let is_late = self.game.control != Control::None
                && reminder.stage == 1
                && due[1] <= now
                && self.model.now < due[1];
            if is_late || is_away || now < due[reminder.stage - 1] || is_too_soon {
                let found = format!("reminder {} at {now}, due {due:?}", reminder.stage);
                return self.violated("reminders_are_not_early", &found);
            }
        }
        Ok(())
    }

    /// The next `send` looks at the game when its deadline has passed or a reminder is due.
    pub(super) fn alarm_is_in_time(&self) -> Result<(), Violation> {
        let Self { game, model, .. } = self;
        if game.is_local || game.has_alarm_error {
            return Ok(());
        }
        let now = self.change.now.timestamp();
        let deadline = model.deadline.filter(|_| game.control != Control::None);
        let reminders = self.reminders();
        let next = match (self.reminders_due(), reminders.as_slice()) {
            (Some([first, _]), []) => Some(first),
            (Some([_, second]), [first]) if first.stage == 1 => match game.control {
                Control::None => {
                    first.delivered_at.map(|at| second.max(at + MIN_BETWEEN_REMINDERS))
                }
                _ => Some(second),
            },
            _ => None,
        };
        let next = next.map(|at| model.away_until(model.turn, at.max(now)).unwrap_or(at).max(now));
        let Some(due) = deadline.into_iter().chain(next).min() else { return Ok(()) };
        // While the mail server is down, the deadline that has passed is looked at again later.
        let is_waiting = deadline.is_some_and(|deadline| {
            deadline <= now && outage(self.change.after, deadline, now) != Outage::None
        });
        if is_waiting || game.alarm_at.is_some_and(|at| at <= due.max(now)) {
            return Ok(());
        }
        self.violated("alarm_is_in_time", &format!("the alarm is not at {due} or before"))
    }
}

/// After `send`, no alarm is due, so no flag and no reminder, unless it doubts the clock.
pub fn send_does_all_that_is_due(change: &Change) -> Result<(), Violation> {
    let is_any = |table| change.after.columns(table, ["id"]).next().is_some();
    let is_send = change.words.first().is_some_and(|word| word == "send");
    if !is_send || is_any("clock_doubt") {
        return Ok(());
    }
    let now = change.now.timestamp();
    let columns = ["id", "alarm_at", "alarm_error", "events", "black_bot", "white_bot"];
    for [id, alarm_at, error, events, bots @ ..] in change.after.columns("game", columns) {
        let alarm_at = alarm_at.and_then(|at| at.parse().ok());
        // A computer player moves after that, and games of tournaments begin: a reminder of the turn that begins then
        // can be due at once.
        let known = id.and_then(|id| id.parse().ok());
        let known = known.and_then(|id| change.before.columns_of("game", id, ["events"]).next());
        let is_same = known == Some([events]) || known.is_some() && bots == [None, None];
        // The end of an outage can make one due at once, too.
        let last = if known == Some([events]) { now } else { now - 1 };
        if error.is_none() && is_same && alarm_at.is_some_and(|at: i64| at <= last) {
            let found = format!("game {id:?} at {now}: alarm {alarm_at:?}");
            return violated("send_does_all_that_is_due", found);
        }
    }
    Ok(())
}
