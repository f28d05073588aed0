use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Params, Row, ToSql, named_params};

use super::{Db, Error, HeldId, Player, PlayerId, Time, Tx, seconds};
use crate::game::GameId;

/// The number of a mail in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MailId(pub i64);

/// A text that is not the number of a mail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a mail number; `mail` lists the numbers")]
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

/// Defines an enum whose variants are stored as words.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// Returns the word for it in the database and in lists.
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
    /// What a message is about. Each kind has templates of its name.
    MessageKind {
        /// The game has begun.
        Started = "started",
        /// It is the player's turn.
        Turn = "turn",
        /// The game is over.
        Over = "over",
        /// The player's move was made.
        Receipt = "receipt",
        /// The reply to an incoming mail.
        Answer = "answer",
        /// Asks whether an incoming mail was really the recipient's.
        Confirm = "confirm",
        /// Another sender used the player's reply token.
        Mismatch = "mismatch",
        /// Mail to the opponent bounces.
        Paused = "paused",
    }
}

words! {
    /// The state of an outbox entry.
    MailState {
        /// To be sent, or sent again.
        Queued = "queued",
        /// Handed over.
        Sent = "sent",
        /// Replaced by a later mail before it was sent.
        Superseded = "superseded",
        /// Not tried again automatically.
        Failed = "failed",
        /// Held back until the player's address works again.
        Paused = "paused",
    }
}

/// The recipient of an outbox entry.
#[derive(Debug, Clone, Copy)]
pub enum Recipient<'a> {
    /// A player, at the address that the player has when the mail is sent.
    Player(&'a Player),
    /// Somebody who is not signed up.
    Address(&'a str),
}

impl<'a> Recipient<'a> {
    /// Returns the player, if it is one.
    pub const fn player(self) -> Option<&'a Player> {
        match self {
            Self::Player(player) => Some(player),
            Self::Address(_) => None,
        }
    }

    /// Returns the address.
    pub fn address(self) -> &'a str {
        match self {
            Self::Player(player) => &player.address,
            Self::Address(address) => address,
        }
    }
}

/// An outbox entry to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewOutboxEntry<'a> {
    /// What it is about.
    pub kind: MessageKind,
    /// The recipient.
    pub to: Recipient<'a>,
    /// The game it is about, and after how many moves.
    pub game: Option<(GameId, usize)>,
    /// Text that it says besides.
    pub text: Option<&'a str>,
    /// The commands that it asks about.
    pub held: Option<HeldId>,
    /// The incoming mail that it replies to.
    pub in_reply_to: Option<InReplyTo<'a>>,
}

/// An incoming mail that is replied to.
#[derive(Debug, Clone, Copy)]
pub struct InReplyTo<'a> {
    /// Its Message-ID without angle brackets; `None` when it has none that the recipient knows.
    pub message_id: Option<&'a str>,
}

/// A mail in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxEntry {
    /// Its number.
    pub id: MailId,
    /// Its Message-ID without angle brackets.
    pub message_id: String,
    /// What it is about.
    pub kind: MessageKind,
    /// The recipient; `None` for somebody who is not signed up.
    pub player: Option<Player>,
    /// The recipient's current address.
    pub address: String,
    /// The game it is about, and after how many moves.
    pub game: Option<(GameId, usize)>,
    /// Text that it says besides.
    pub text: Option<String>,
    /// The commands that it asks about.
    pub held: Option<HeldId>,
    /// Whether it replies to an incoming mail.
    pub is_reply: bool,
    /// The Message-ID, without angle brackets, of that mail.
    pub in_reply_to: Option<String>,
    /// Its state.
    pub state: MailState,
    /// How often it was tried.
    pub tries: u32,
    /// When it was queued.
    pub created_at: DateTime<Utc>,
    /// When it is to be tried next.
    pub due_at: DateTime<Utc>,
    /// The address of the last try.
    pub sent_to: Option<String>,
    /// Why the last try failed.
    pub last_error: Option<String>,
}

impl OutboxEntry {
    /// Returns the address that it went to, or else the one that it is to go to.
    pub fn went_to(&self) -> &str {
        match &self.sent_to {
            Some(sent_to) if self.state == MailState::Sent => sent_to,
            _ => &self.address,
        }
    }

    /// Returns the recipient with the address: `alice <alice@example.org>`.
    pub fn recipient(&self) -> String {
        let address = self.went_to();
        match &self.player {
            Some(player) => format!("{} <{address}>", player.name),
            None => format!("<{address}>"),
        }
    }
}

/// An outbox entry that only this process may send until its lease ends.
#[derive(Debug)]
pub struct Claim {
    /// The entry.
    pub entry: OutboxEntry,
    lease: String,
}

/// The result of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Handed over.
    Sent,
    /// To be tried again.
    Deferred {
        /// When.
        due_at: DateTime<Utc>,
        /// Why it was not handed over.
        error: String,
    },
    /// Not to be tried again automatically.
    Failed {
        /// Why.
        error: String,
    },
}

const ENTRY: &str = "SELECT outbox.id, message_id, kind, player, name,
    coalesce(player.address, outbox.address) AS address, receipt, bounces, game, ply, text, held,
    is_reply, in_reply_to, state, tries, outbox.created_at, due_at, sent_to, last_error
    FROM outbox LEFT JOIN player ON player.id = outbox.player";

fn entry(row: &Row) -> rusqlite::Result<OutboxEntry> {
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
    Ok(OutboxEntry {
        id: MailId(row.get("id")?),
        message_id: row.get("message_id")?,
        kind: row.get("kind")?,
        player,
        address,
        game: game.zip(row.get("ply")?),
        text: row.get("text")?,
        held: row.get("held")?,
        is_reply: row.get("is_reply")?,
        in_reply_to: row.get("in_reply_to")?,
        state: row.get("state")?,
        tries: row.get("tries")?,
        created_at: row.get::<_, Time>("created_at")?.0,
        due_at: row.get::<_, Time>("due_at")?.0,
        sent_to: row.get("sent_to")?,
        last_error: row.get("last_error")?,
    })
}

impl Tx<'_> {
    /// Puts a mail into the outbox, due at once or paused.
    pub fn add_outbox_entry(
        &self,
        new: &NewOutboxEntry,
        message_id: &str,
        state: MailState,
        now: DateTime<Utc>,
    ) -> Result<MailId, Error> {
        let (player, address) = match new.to {
            Recipient::Player(player) => (Some(player.id), None),
            Recipient::Address(address) => (None, Some(address)),
        };
        let id = self.insert(
            "INSERT INTO outbox (message_id, kind, player, address, game, ply, text, held, is_reply,
                in_reply_to, created_at, due_at, state)
             VALUES (:message_id, :kind, :player, :address, :game, :ply, :text, :held, :is_reply,
                :in_reply_to, :now, :now, :state)",
            named_params! {
                ":message_id": message_id,
                ":kind": new.kind,
                ":player": player,
                ":address": address,
                ":game": new.game.map(|(game, _)| game.0),
                ":ply": new.game.map(|(_, ply)| ply),
                ":text": new.text,
                ":held": new.held,
                ":is_reply": new.in_reply_to.is_some(),
                ":in_reply_to": new.in_reply_to.and_then(|mail| mail.message_id),
                ":now": seconds(now),
                ":state": state,
            },
        )?;
        Ok(MailId(id))
    }

    /// Supersedes the turn mails of a game to a player that were not sent.
    pub fn supersede_turn_mails(&self, game: GameId, player: PlayerId) -> Result<(), Error> {
        self.execute(
            "UPDATE outbox SET state = 'superseded' WHERE game = ?1 AND player = ?2
             AND kind = 'turn' AND state IN ('queued', 'paused')",
            (game.0, player),
        )
        .map(drop)
    }

    /// Moves all mails to a player from one state to another.
    pub fn change_state(
        &self,
        player: PlayerId,
        from: MailState,
        to: MailState,
    ) -> Result<(), Error> {
        self.execute(
            "UPDATE outbox SET state = ?3 WHERE player = ?1 AND state = ?2",
            (player, from, to),
        )
        .map(drop)
    }

    /// Queues the bounced mails of a player again that still matter: the start of a game without
    /// moves, and the current turn. Their Message-IDs stay.
    pub fn requeue_bounced(&self, player: PlayerId, now: DateTime<Utc>) -> Result<(), Error> {
        self.execute(
            "UPDATE outbox SET state = 'queued', bounced_at = NULL, due_at = ?2
             WHERE player = ?1 AND bounced_at IS NOT NULL AND state = 'sent'
             AND kind IN ('started', 'turn')
             AND ply = (SELECT ply FROM game WHERE game.id = outbox.game AND turn IS NOT NULL)",
            (player, seconds(now)),
        )
        .map(drop)
    }

    /// Marks a mail as bounced, and returns whether it was not marked before.
    pub fn mark_bounced(&self, id: MailId, why: &str, now: DateTime<Utc>) -> Result<bool, Error> {
        let marked = self.execute(
            "UPDATE outbox SET bounced_at = ?3, last_error = ?2
             WHERE id = ?1 AND bounced_at IS NULL",
            (id.0, why, seconds(now)),
        )?;
        Ok(marked > 0)
    }

    /// Claims a due mail until a time, one of `first` if any of those is due; `None` when no mail
    /// is due. `lease` names this process.
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
            .prepare(
                // Without the hint SQLite reads all queued mails and sorts them.
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

    /// Claims this mail until a time, if it is due and no other process has claimed it.
    pub fn claim_this_mail(
        &self,
        id: MailId,
        lease: &str,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Claim>, Error> {
        let claimed = self.execute(
            "UPDATE outbox SET lease = ?2, lease_until = ?3, tries = tries + 1,
                sent_to = coalesce(address,
                    (SELECT address FROM player WHERE player.id = outbox.player))
             WHERE id = ?1 AND state = 'queued' AND due_at <= ?4 AND lease_until <= ?4",
            (id.0, lease, seconds(until), seconds(now)),
        )?;
        if claimed == 0 {
            return Ok(None);
        }
        let entry = self.outbox_entry(id)?;
        Ok(entry.map(|entry| Claim { entry, lease: lease.to_owned() }))
    }

    /// Stores the result of a try and ends the claim. A mail that was superseded meanwhile stays
    /// so unless it was sent; one that another process has claimed is left to that process.
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
        self.execute(
            "UPDATE outbox SET lease = NULL, lease_until = 0, due_at = :due_at, last_error = :error,
                state = CASE WHEN state = 'queued' OR :state = 'sent' THEN :state ELSE state END
             WHERE id = :id AND lease = :lease",
            named_params! {
                ":id": claim.entry.id.0,
                ":lease": claim.lease,
                ":state": state,
                ":due_at": seconds(due_at),
                ":error": error,
            },
        )
        .map(drop)
    }

    /// Makes an unsent mail due at once, unless a process has claimed it. Returns whether there
    /// was such a mail.
    pub fn requeue_mail(&self, id: MailId, now: DateTime<Utc>) -> Result<bool, Error> {
        let changed = self.execute(
            "UPDATE outbox SET state = 'queued', due_at = ?2
             WHERE id = ?1 AND state IN ('queued', 'failed', 'paused') AND lease_until <= ?2",
            (id.0, seconds(now)),
        )?;
        Ok(changed > 0)
    }

    /// Records why these mails could not be tried.
    pub fn note_error(&self, mails: &[MailId], error: &str) -> Result<(), Error> {
        mails.iter().try_for_each(|id| {
            let sql = "UPDATE outbox SET last_error = ?2 WHERE id = ?1 AND state = 'queued'";
            self.execute(sql, (id.0, error)).map(drop)
        })
    }
}

impl Db<'_> {
    /// Returns how many replies to mail were queued since a time: to this address, and to all.
    pub fn replies_since(&self, time: DateTime<Utc>, to: &str) -> Result<(u32, u32), Error> {
        let mut select = self.prepare(
            "SELECT count(*) FILTER (
                WHERE coalesce(player.address, outbox.address) = ?2 COLLATE NOCASE), count(*)
             FROM outbox INDEXED BY outbox_answer LEFT JOIN player ON player.id = outbox.player
             WHERE is_reply AND outbox.created_at > ?1",
        )?;
        Ok(select.query_row((seconds(time), to), |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Returns the mail with this number; `None` when there is none.
    pub fn outbox_entry(&self, id: MailId) -> Result<Option<OutboxEntry>, Error> {
        let mut select = self.prepare(&format!("{ENTRY} WHERE outbox.id = ?1"))?;
        Ok(select.query_row([id.0], entry).optional()?)
    }

    /// Returns all mails of a game, oldest first.
    pub fn outbox_of(&self, game: GameId) -> Result<Vec<OutboxEntry>, Error> {
        self.outbox_entries(&format!("{ENTRY} WHERE game = ?1 ORDER BY outbox.id"), [game.0])
    }

    /// Returns the unsent mails and the last `settled` of the others, oldest first.
    pub fn recent_outbox(&self, settled: u32) -> Result<Vec<OutboxEntry>, Error> {
        let sql = format!(
            "{ENTRY} WHERE state IN ('queued', 'failed', 'paused') OR outbox.id IN (
                SELECT id FROM outbox NOT INDEXED
                WHERE state IN ('sent', 'superseded') ORDER BY id DESC LIMIT ?1)
             ORDER BY outbox.id"
        );
        self.outbox_entries(&sql, [settled])
    }

    fn outbox_entries(&self, sql: &str, params: impl Params) -> Result<Vec<OutboxEntry>, Error> {
        let mut select = self.prepare(sql)?;
        Ok(select.query_map(params, entry)?.collect::<Result<_, _>>()?)
    }
}
