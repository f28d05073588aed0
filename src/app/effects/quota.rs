//! The quota: how many mails unverified mail, or one player, can cause to one recipient in a sliding day.
//! Mails of games that are being played or watched do not count, nor do answers to verified mail.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::Error;
use crate::store::Db;
use outflank_model::mail::{MailContent, Occasion, Topic};
use outflank_model::{Player, PlayerId};

/// The most mails to a mailbox that unverified mail causes in a day: questions, answers and warnings
/// together.
const MAX_UNVERIFIED: u32 = 3;
/// How long a "no" to such a question ends them.
pub(crate) const REFUSED_FOR: TimeDelta = TimeDelta::days(30);
/// The most mails to a player that another one causes in a day. One mail the next day gathers the rest.
const MAX_BETWEEN_PLAYERS: usize = 5;

/// The span within which mails count.
pub(crate) const DAY: TimeDelta = TimeDelta::days(1);

/// Returns whether unverified mail can cause another mail to this mailbox.
pub(crate) fn allows_unverified(db: &Db, mailbox: &str, now: DateTime<Utc>) -> Result<bool, Error> {
    Ok(db.replies_since(now - DAY, mailbox, false)?.own < MAX_UNVERIFIED
        && !db.has_refused_since(now - REFUSED_FOR, mailbox)?)
}

/// The daily quota of mails that one player can cause to another.
pub(crate) struct Quota<'a> {
    pub db: &'a Db<'a>,
    pub by: PlayerId,
    pub to: PlayerId,
    pub now: DateTime<Utc>,
}

impl Quota<'_> {
    /// Returns whether a mail uses the quota. It does if the two have no active game together and it is about
    /// a challenge or a finished game.
    pub(crate) fn counts(&self, content: &MailContent) -> Result<bool, Error> {
        let &Self { db, by, to, .. } = self;
        let occasion = content.occasion.filter(|occasion| occasion.is_of_opponent());
        let counts = match (content.kind.topic(), content.game, occasion) {
            (Topic::Challenge, ..) => true,
            (_, Some(at), Some(_)) => !db.current_game(at.game, to)?.is_active,
            (_, None, _) | (_, _, None) => false,
        };
        Ok(counts && by != to && !db.play_together(by, to)?)
    }

    /// Returns when there is room for another mail; `None`: now. Mails that wait for their first try count,
    /// too.
    pub(crate) fn full_until(&self) -> Result<Option<DateTime<Utc>>, Error> {
        let tries = self.db.caused_mails(self.to, self.by, self.now - DAY)?;
        Ok((tries.len() >= MAX_BETWEEN_PLAYERS)
            .then(|| room_at(tries, MAX_BETWEEN_PLAYERS).unwrap_or(self.now + DAY)))
    }

    /// Returns when the mail that gathers the rest can go; `None`: now.
    pub(crate) fn gathered_until(&self) -> Result<Option<DateTime<Utc>>, Error> {
        let tries = self.db.caused_mails(self.to, self.by, self.now - DAY)?;
        Ok(room_at(tries, MAX_BETWEEN_PLAYERS))
    }

    /// Refuses words to the recipient, who has this name, if they would have to be mailed and there is no
    /// room.
    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        if self.db.play_together(self.by, self.to)? || self.full_until()?.is_none() {
            return Ok(());
        }
        let limit = format!("limit of {MAX_BETWEEN_PLAYERS} mails a day to {name} reached");
        Err(Error::refused(limit).with_hint("try again tomorrow"))
    }
}

/// Returns when the mails that were first tried within a day leave room for another; `None`: now.
pub(crate) fn room_at(
    tries: impl IntoIterator<Item = Option<DateTime<Utc>>>,
    most: usize,
) -> Option<DateTime<Utc>> {
    let mut tried: Vec<_> = tries.into_iter().flatten().collect();
    tried.sort_unstable();
    // The first of the last few makes room a day later.
    let first = tried.len().checked_sub(most).and_then(|index| tried.get(index));
    first.map(|&at| at + DAY)
}

/// Returns the text for this mail within the one that gathers the rest.
pub(crate) fn gathered(content: &MailContent) -> String {
    let text = content.text();
    match (content.challenge, content.occasion) {
        (Some(id), Some(Occasion::Challenge)) => {
            format!("{text} It is number {id}: `accept {id}` or `decline {id}` answers it.")
        }
        (Some(id), _) => format!("{text} It was number {id}."),
        (None, _) => text.to_owned(),
    }
}

/// Refuses a comment for a reader who has blocked its author.
pub(crate) fn refuse_unread(db: &Db, reader: &Player, author: &Player) -> Result<(), Error> {
    if !db.is_blocked(reader.id, author.id)? {
        return Ok(());
    }
    let message = format!("{} has blocked your comments", reader.name);
    Err(Error::refused(message).with_hint("nothing was passed on"))
}
