mod content;
mod delivery;
mod digest;
mod entries;
mod housekeeping;

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

pub use content::MailContent;
pub use delivery::{Claim, ClaimRequest, Settled};

use super::Player;
use crate::log::{Game, GameId};
use outflank_rules::quoted;

/// The number of a mail in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MailId(pub i64);

/// A text that is not the number of a mail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a mail number; see `outflank mail`", quoted(.0))]
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
    /// The kind of a mail, without what it carries. Each kind has templates of its name.
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
        /// All games that wait for the player.
        Digest = "digest",
        /// The time of the player or of the opponent is over.
        Flagged = "flagged",
        /// Reminds of games whose time is almost over.
        Reminder = "reminder",
        /// Says what the host or the opponent has done.
        Notice = "notice",
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

/// A moment in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The game.
    pub game: GameId,
    /// How many moves it had.
    pub ply: usize,
    /// How many events its log had.
    pub events: usize,
}

impl Moment {
    /// Returns the moment in which a game is now.
    pub fn of(id: GameId, game: &Game) -> Self {
        Self { game: id, ply: game.plies().len(), events: game.events().len() }
    }

    /// Returns the moment at which the position of a game came about.
    pub fn of_position(id: GameId, game: &Game) -> Self {
        Self { events: game.position_event(), ..Self::of(id, game) }
    }
}

/// An outbox entry to be stored.
#[derive(Debug, Clone)]
pub struct NewOutboxEntry<'a> {
    /// The recipient.
    pub to: Recipient<'a>,
    /// What it carries.
    pub content: MailContent,
    /// The incoming mail that it replies to.
    pub in_reply_to: Option<InReplyTo<'a>>,
}

impl<'a> NewOutboxEntry<'a> {
    /// Returns the entry for a mail to a player that replies to no mail.
    pub const fn to(player: &'a Player, content: MailContent) -> Self {
        Self { to: Recipient::Player(player), content, in_reply_to: None }
    }
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
    /// What it carries.
    pub content: MailContent,
    /// The recipient; `None` for somebody who is not signed up.
    pub player: Option<Player>,
    /// The recipient's current address.
    pub address: String,
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
    /// When it first bounced.
    pub bounced_at: Option<DateTime<Utc>>,
}

/// How much mail is still to be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaitingMail {
    /// Mails to be sent, or sent again.
    pub queued: u32,
    /// When the first of them is due.
    pub next: Option<DateTime<Utc>>,
    /// Mails held back until their recipients' addresses work again.
    pub paused: u32,
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
