use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Params, Row, ToSql, named_params};

use super::{Db, Error, HeldId, Player, PlayerId, Time, seconds};
use crate::game::GameId;

/// The number of a mail in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MailId(pub i64);

/// What was written is no number of a mail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no number of a mail: the outbox numbers them 1, 2, 3, ...")]
pub struct BadMailId(pub String);

impl FromStr for MailId {
    type Err = BadMailId;

    fn from_str(text: &str) -> Result<Self, BadMailId> {
        match text.parse() {
            Ok(id) if id > 0 => Ok(Self(id)),
            _ => Err(BadMailId(text.to_owned())),
        }
    }
}

impl fmt::Display for MailId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Gives an enum the words that stand for it in the database.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// The word for it in the database and in lists.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                match value.as_str()? {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(FromSqlError::InvalidType),
                }
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.word().into())
            }
        }
    };
}

words! {
    /// What a mail tells of.
    Event {
        /// The game has begun.
        Started = "started",
        /// It is the player's turn.
        Turn = "turn",
        /// The game is over.
        Over = "over",
        /// The player's move was made.
        Receipt = "receipt",
        /// What came of a mail that came in.
        Answer = "answer",
        /// Somebody is asked whether a mail that came in was really theirs.
        Confirm = "confirm",
        /// A mail with the player's reply token came from another address.
        Mismatch = "mismatch",
        /// Mail to the opponent comes back.
        Paused = "paused",
    }
}

words! {
    /// How far a mail has come.
    MailState {
        /// It will be sent, or sent again.
        Queued = "queued",
        /// It was handed over.
        Sent = "sent",
        /// A later mail took its place before it was sent.
        Superseded = "superseded",
        /// It will not be tried again by itself.
        Failed = "failed",
        /// It waits until mail to the player goes on.
        Paused = "paused",
    }
}

/// Whom a mail goes to.
#[derive(Debug, Clone, Copy)]
pub enum Recipient<'a> {
    /// A player, at whatever address the player has when it is sent.
    Player(PlayerId),
    /// Somebody who is no player yet.
    Address(&'a str),
}

/// A mail that is to be sent.
#[derive(Debug)]
pub struct NewMail<'a> {
    /// Its Message-ID without angle brackets.
    pub message_id: &'a str,
    /// What it tells of.
    pub event: Event,
    /// Whom it goes to.
    pub to: Recipient<'a>,
    /// The game it is about, and after how many moves.
    pub game: Option<(GameId, usize)>,
    /// What it says besides.
    pub said: Option<&'a str>,
    /// What it asks about.
    pub held: Option<HeldId>,
    /// The mail that caused it, if one did.
    pub answer: Option<Answered<'a>>,
}

/// A mail that came in and is answered.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// Its Message-ID without angle brackets, if it had one that can be told to whom the answer
    /// goes.
    pub message_id: Option<&'a str>,
}

/// A mail of the outbox, as the host sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Its number.
    pub id: MailId,
    /// Its Message-ID without angle brackets.
    pub message_id: String,
    /// What it tells of.
    pub event: Event,
    /// Whom it goes to; `None` when that is no player yet.
    pub player: Option<Player>,
    /// Where it goes now.
    pub address: String,
    /// The game it is about, and after how many moves.
    pub game: Option<(GameId, usize)>,
    /// What it says besides.
    pub said: Option<String>,
    /// What it asks about.
    pub held: Option<HeldId>,
    /// Whether a mail caused it.
    pub is_answer: bool,
    /// The Message-ID, without angle brackets, of the mail that it answers.
    pub answers: Option<String>,
    /// How far it has come.
    pub state: MailState,
    /// How often it was tried.
    pub tries: u32,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it is to be tried next.
    pub due_at: DateTime<Utc>,
    /// Until when somebody has it in hand.
    pub lease_until: DateTime<Utc>,
    /// The address of the last try.
    pub sent_to: Option<String>,
    /// Why the last try failed.
    pub last_error: Option<String>,
    /// Whether it has come back for good.
    pub bounced: bool,
}

impl Mail {
    /// The address that it went to, or else the one that it is to go to.
    #[must_use]
    pub fn went_to(&self) -> &str {
        match &self.sent_to {
            Some(sent_to) if self.state == MailState::Sent => sent_to,
            _ => &self.address,
        }
    }

    /// Whom it goes to: `alice <alice@example.org>`.
    #[must_use]
    pub fn recipient(&self) -> String {
        let address = self.went_to();
        match &self.player {
            Some(player) => format!("{} <{address}>", player.name),
            None => format!("<{address}>"),
        }
    }
}

/// A mail that is in this process's hands until the lease ends.
#[derive(Debug)]
pub struct Claim {
    /// The mail.
    pub mail: Mail,
    lease: String,
}

/// What came of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It was handed over.
    Sent,
    /// It is to be tried again.
    Deferred {
        /// When.
        due_at: DateTime<Utc>,
        /// Why it was not handed over.
        error: String,
    },
    /// It is not to be tried again by itself.
    Failed {
        /// Why.
        error: String,
    },
}

const MAIL: &str = "SELECT outbox.id, message_id, event, player, name,
    coalesce(player.address, outbox.address) AS address, receipt, bounces, game, ply, said, held,
    answer, answers, state, tries, outbox.created_at, due_at, lease_until, sent_to, last_error,
    bounced_at IS NOT NULL AS bounced
    FROM outbox LEFT JOIN player ON player.id = outbox.player";

fn mail(row: &Row) -> rusqlite::Result<Mail> {
    let address: String = row.get("address")?;
    let player = match row.get("player")? {
        None => None,
        Some(id) => Some(Player {
            id,
            name: row.get("name")?,
            address: address.clone(),
            receipt: row.get("receipt")?,
            bounces: row.get("bounces")?,
        }),
    };
    let game = row.get::<_, Option<i64>>("game")?.map(GameId);
    Ok(Mail {
        id: MailId(row.get("id")?),
        message_id: row.get("message_id")?,
        event: row.get("event")?,
        player,
        address,
        game: game.zip(row.get("ply")?),
        said: row.get("said")?,
        held: row.get("held")?,
        is_answer: row.get("answer")?,
        answers: row.get("answers")?,
        state: row.get("state")?,
        tries: row.get("tries")?,
        created_at: row.get::<_, Time>("created_at")?.0,
        due_at: row.get::<_, Time>("due_at")?.0,
        lease_until: row.get::<_, Time>("lease_until")?.0,
        sent_to: row.get("sent_to")?,
        last_error: row.get("last_error")?,
        bounced: row.get("bounced")?,
    })
}

impl Db<'_> {
    /// Puts a mail into the outbox, due at once, or paused where mail to the player pauses. A mail
    /// about the same player's turn in the same game that was not sent yet is superseded by it,
    /// unless it is one that only answers.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn add_mail(&self, new: &NewMail, now: DateTime<Utc>) -> Result<MailId, Error> {
        let (player, address) = match new.to {
            Recipient::Player(player) => (Some(player), None),
            Recipient::Address(address) => (None, Some(address)),
        };
        let game = new.game.map(|(game, _)| game.0);
        if !matches!(new.event, Event::Answer | Event::Paused | Event::Mismatch) {
            self.0
                .prepare_cached(
                    "UPDATE outbox SET state = 'superseded' WHERE game = ?1 AND player = ?2
                     AND event = 'turn' AND state IN ('queued', 'paused')",
                )?
                .execute((game, player))?;
        }
        self.0
            .prepare_cached(
                "INSERT INTO outbox (message_id, event, player, address, game, ply, said, held,
                                     answer, answers, created_at, due_at, state)
                 VALUES (:message_id, :event, :player, :address, :game, :ply, :said, :held,
                         :answer, :answers, :now, :now,
                         iif((SELECT bounces FROM player WHERE id = :player) >= :most,
                             'paused', 'queued'))",
            )?
            .execute(named_params! {
                ":message_id": new.message_id,
                ":event": new.event,
                ":player": player,
                ":address": address,
                ":game": game,
                ":ply": new.game.map(|(_, ply)| ply),
                ":said": new.said,
                ":held": new.held,
                ":answer": new.answer.is_some(),
                ":answers": new.answer.and_then(|answer| answer.message_id),
                ":now": seconds(now),
                ":most": Player::MOST_BOUNCES,
            })?;
        Ok(MailId(self.0.last_insert_rowid()))
    }

    /// Sends a player again what came back and still matters: how the player's games began that
    /// have no move yet, and whose turn it is. Their Message-IDs stay.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn requeue_bounced(&self, player: PlayerId, now: DateTime<Utc>) -> Result<(), Error> {
        self.0
            .prepare_cached(
                "UPDATE outbox SET state = 'queued', bounced_at = NULL, due_at = ?2
                 WHERE player = ?1 AND bounced_at IS NOT NULL AND state = 'sent'
                 AND event IN ('started', 'turn')
                 AND ply = (SELECT ply FROM game WHERE game.id = outbox.game AND turn IS NOT NULL)",
            )?
            .execute((player, seconds(now)))?;
        Ok(())
    }

    /// How many answers to mail were written since a time: to this address, and to all.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn answers_since(&self, time: DateTime<Utc>, to: &str) -> Result<(u32, u32), Error> {
        let mut select = self.0.prepare_cached(
            "SELECT count(*) FILTER (
                WHERE coalesce(player.address, outbox.address) = ?2 COLLATE NOCASE), count(*)
             FROM outbox INDEXED BY outbox_answer LEFT JOIN player ON player.id = outbox.player
             WHERE answer AND outbox.created_at > ?1",
        )?;
        Ok(select.query_row((seconds(time), to), |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Marks a mail as come back for good. Whether it was not marked before.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn mark_bounced(&self, id: MailId, why: &str, now: DateTime<Utc>) -> Result<bool, Error> {
        let marked = self
            .0
            .prepare_cached(
                "UPDATE outbox SET bounced_at = ?3, last_error = ?2
                 WHERE id = ?1 AND bounced_at IS NULL",
            )?
            .execute((id.0, why, seconds(now)))?;
        Ok(marked > 0)
    }

    /// Takes a mail that is due, of `first` if one is, in hand until `until`. Nobody else gets it
    /// before. `lease` names this process. `None` when nothing is due.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn claim_mail(
        &self,
        first: &[MailId],
        lease: &str,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Claim>, Error> {
        for &id in first {
            if let Some(claim) = self.claim_this_mail(id, lease, now, until)? {
                return Ok(Some(claim));
            }
        }
        let next = self
            .0
            .prepare_cached(
                // By itself SQLite would rather look at all that is queued, and sort it.
                "SELECT id FROM outbox INDEXED BY outbox_due
                 WHERE state = 'queued' AND due_at <= ?1 AND lease_until <= ?1
                 ORDER BY due_at, id LIMIT 1",
            )?
            .query_row([seconds(now)], |row| row.get(0).map(MailId))
            .optional()?;
        match next {
            Some(id) => self.claim_this_mail(id, lease, now, until),
            None => Ok(None),
        }
    }

    /// Takes this mail in hand, if it is due and nobody else has it.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn claim_this_mail(
        &self,
        id: MailId,
        lease: &str,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Claim>, Error> {
        let taken = self
            .0
            .prepare_cached(
                "UPDATE outbox SET lease = ?2, lease_until = ?3, tries = tries + 1,
                    sent_to = coalesce(address,
                        (SELECT address FROM player WHERE player.id = outbox.player))
                 WHERE id = ?1 AND state = 'queued' AND due_at <= ?4 AND lease_until <= ?4",
            )?
            .execute((id.0, lease, seconds(until), seconds(now)))?;
        if taken == 0 {
            return Ok(None);
        }
        let mail = self.mail(id)?;
        Ok(mail.map(|mail| Claim { mail, lease: lease.to_owned() }))
    }

    /// Writes down what came of a try and gives the mail out of hand. A mail that was superseded
    /// meanwhile stays so unless it was sent; one whose lease has passed to somebody else is left
    /// to them.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn settle_mail(
        &self,
        claim: &Claim,
        settled: &Settled,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let (state, due_at, error) = match settled {
            Settled::Sent => (MailState::Sent, now, None),
            Settled::Deferred { due_at, error } => (MailState::Queued, *due_at, Some(error)),
            Settled::Failed { error } => (MailState::Failed, now, Some(error)),
        };
        self.0
            .prepare_cached(
                "UPDATE outbox SET lease = NULL, lease_until = 0, due_at = :due_at, last_error = :error,
                    state = CASE WHEN state = 'queued' OR :state = 'sent' THEN :state ELSE state END
                 WHERE id = :id AND lease = :lease",
            )?
            .execute(named_params! {
                ":id": claim.mail.id.0,
                ":lease": claim.lease,
                ":state": state,
                ":due_at": seconds(due_at),
                ":error": error,
            })?;
        Ok(())
    }

    /// Makes a mail that was not sent due at once, unless somebody has it in hand. Whether there
    /// was such a mail.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn requeue_mail(&self, id: MailId, now: DateTime<Utc>) -> Result<bool, Error> {
        let changed = self
            .0
            .prepare_cached(
                "UPDATE outbox SET state = 'queued', due_at = ?2
                 WHERE id = ?1 AND state IN ('queued', 'failed', 'paused') AND lease_until <= ?2",
            )?
            .execute((id.0, seconds(now)))?;
        Ok(changed > 0)
    }

    /// Writes down why these mails could not even be tried.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn note_trouble(&self, mails: &[MailId], error: &str) -> Result<(), Error> {
        let mut update = self.0.prepare_cached(
            "UPDATE outbox SET last_error = ?2 WHERE id = ?1 AND state = 'queued'",
        )?;
        for id in mails {
            update.execute((id.0, error))?;
        }
        Ok(())
    }

    /// The mail of this number; `None` when there is none.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn mail(&self, id: MailId) -> Result<Option<Mail>, Error> {
        let sql = format!("{MAIL} WHERE outbox.id = ?1");
        Ok(self.0.prepare_cached(&sql)?.query_row([id.0], mail).optional()?)
    }

    /// All mails of a game, in the order in which they were written.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn mails_of(&self, game: GameId) -> Result<Vec<Mail>, Error> {
        self.mails(&format!("{MAIL} WHERE game = ?1 ORDER BY outbox.id"), [game.0])
    }

    /// The mails that were not sent, and the last `settled` of the others, in the order in which
    /// they were written.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn recent_mails(&self, settled: u32) -> Result<Vec<Mail>, Error> {
        let sql = format!(
            "{MAIL} WHERE state IN ('queued', 'failed', 'paused') OR outbox.id IN (
                SELECT id FROM outbox NOT INDEXED
                WHERE state IN ('sent', 'superseded') ORDER BY id DESC LIMIT ?1)
             ORDER BY outbox.id"
        );
        self.mails(&sql, [settled])
    }

    fn mails(&self, sql: &str, params: impl Params) -> Result<Vec<Mail>, Error> {
        let mut select = self.0.prepare_cached(sql)?;
        Ok(select.query_map(params, mail)?.collect::<Result<_, _>>()?)
    }
}
