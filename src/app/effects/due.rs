//! When a mail goes: at once, or as its recipient and the author of the move have set.

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};

use crate::store::{Absence, OutboxEntry};
use outflank_model::Player;
use outflank_model::mail::{MessageKind, Trait};
use outflank_model::preferences::{MailMode, Preferences, Switch};

/// What holds a mail back besides the settings of its recipient.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Hold {
    /// Nothing else.
    Default,
    /// The time until the author of a move can no longer take it back.
    Grace(TimeDelta),
    /// It waits at least until this time.
    Until(DateTime<Utc>),
    /// Not even the settings hold it back, because it answers a command of its recipient.
    Immediate,
}

/// When a mail goes that is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    /// The earliest moment; it is not before the present.
    pub at: DateTime<Utc>,
    /// Whether it then becomes part of a digest.
    pub in_digest: bool,
    /// Whether neither a grace nor an absence holds it back: a digest that goes earlier has its game.
    pub is_ready: bool,
}

impl Due {
    /// Returns that of a mail that waits for no digest.
    pub(crate) const fn alone(at: DateTime<Utc>) -> Self {
        Self { at, in_digest: false, is_ready: true }
    }
}

/// Returns whether the player gets mails of this kind at all.
pub(crate) fn wants(player: &Player, kind: MessageKind) -> bool {
    let Preferences { mail, reminders, letter, .. } = player.preferences;
    (!kind.has(Trait::OfMove) || mail != MailMode::None)
        && (kind != MessageKind::Reminder || reminders == Switch::On)
        && (kind != MessageKind::Letter || letter)
}

/// Returns when a mail to a player goes, as the player's settings are now. A mail about a move
/// waits for the end of the absences given here.
pub(crate) fn due(
    mail: &OutboxEntry,
    player: &Player,
    absences: &[Absence],
    now: DateTime<Utc>,
) -> Due {
    let kind = mail.content.kind;
    // No setting holds back replies, nor receipts of a command in a shell.
    if mail.is_reply || mail.is_prompt || kind.has(Trait::Ordered) {
        return Due::alone(mail.not_before.map_or(now, |at| at.max(now)));
    }
    let from = mail.not_before.map_or(mail.created_at, |at| at.max(mail.created_at));
    // The reader may have changed the time zone since.
    let monday = mail.content.monday().map(|day| player.preferences.clock.zone.start_of(day));
    let from = monday.map_or(from, |monday| from.max(monday));
    // The reader's clock runs since the first try, which was not in quiet hours.
    let quiet = |at| match mail.first_try_at {
        Some(_) => at,
        None => player.preferences.clock.after_quiet(at),
    };
    if !kind.has(Trait::OfMove) {
        return Due::alone(quiet(from.max(now)));
    }
    let back = |at| absences.iter().find(|it| (it.from..it.until).contains(&at)).map(|it| it.until);
    let (back_then, back_now) = (back(from), back(now));
    let ready = back_now.or(back_then).unwrap_or(from);
    let mode = player.preferences.mail;
    let at = match mode {
        MailMode::Digest(time) => digest_at(player, time, ready),
        MailMode::Each | MailMode::None => ready,
    };
    let has_waited = back_then.is_some() || back_now.is_some();
    Due {
        at: quiet(at.max(now)),
        in_digest: has_waited || matches!(mode, MailMode::Digest(_)),
        is_ready: ready <= now,
    }
}

/// Returns when the player's daily digest, set for this time of day, is next made from this moment
/// on.
fn digest_at(player: &Player, time: NaiveTime, from: DateTime<Utc>) -> DateTime<Utc> {
    let zone = player.preferences.clock.zone;
    let today = zone.local(from).date();
    let days = today.iter_days().take(3).map(|day| zone.moment(day.and_time(time)));
    // A day that a zone skips has the moment of the next one.
    days.into_iter().find(|moment| *moment >= from).unwrap_or(from)
}
