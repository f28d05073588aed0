//! When a mail is due: at once, or as its recipient and the author of the move have set.

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};

use crate::preferences::MailMode;
use crate::store::{MessageKind, NewOutboxEntry, Player};

/// What holds a mail back besides the settings of its recipient.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Hold {
    /// Nothing.
    Nothing,
    /// The time in which the author of a move can still take it back.
    Grace(TimeDelta),
    /// Not even the settings hold it back, because it answers a command of its recipient.
    Never,
}

/// When a mail is due that is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub at: DateTime<Utc>,
    /// Whether it waits for a digest.
    pub in_digest: bool,
}

/// Returns whether the player gets mails of this kind at all.
pub(crate) fn wants(player: &Player, kind: MessageKind) -> bool {
    kind != MessageKind::Turn || player.preferences.mail != MailMode::None
}

/// Returns when the player's daily digest, set for this time of day, is next due.
pub(crate) fn digest_at(player: &Player, time: NaiveTime, now: DateTime<Utc>) -> DateTime<Utc> {
    let clock = &player.preferences.clock;
    let today = clock.zone.local(now).date();
    let days = today.iter_days().take(3).map(|day| clock.zone.moment(day.and_time(time)));
    // A day that a zone skips has the moment of the next one.
    let next = days.into_iter().find(|moment| *moment >= now).unwrap_or(now);
    clock.after_quiet(next)
}

/// Returns when a mail is due; `None`: at once.
pub(crate) fn due(entry: &NewOutboxEntry, hold: Hold, now: DateTime<Utc>) -> Option<Due> {
    let player = entry.to.player()?;
    let kind = entry.content.kind();
    // Replies are never held back, nor are receipts of a command in a shell.
    if entry.in_reply_to.is_some() || kind == MessageKind::Receipt {
        return None;
    }
    let from = match hold {
        Hold::Nothing => now,
        Hold::Grace(span) => now + span,
        Hold::Never => return None,
    };
    let due = match (kind, player.preferences.mail) {
        (MessageKind::Turn, MailMode::Digest(time)) => {
            Due { at: digest_at(player, time, from), in_digest: true }
        }
        _ => Due { at: player.preferences.clock.after_quiet(from), in_digest: false },
    };
    (due.in_digest || due.at > now).then_some(due)
}
