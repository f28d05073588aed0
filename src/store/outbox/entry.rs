use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};

use outflank_model::Player;
use outflank_model::mail::MailContent;
use outflank_model::mail::MailState;
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

    /// Returns the address; `None` for a player who gets no mail.
    pub fn address(self) -> Option<&'a str> {
        match self {
            Self::Player(player) => player.address.as_deref(),
            Self::Address(address) => Some(address),
        }
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

    /// Returns the entry for a mail to somebody who is not signed up that replies to no mail.
    pub const fn to_address(address: &'a str, content: MailContent) -> Self {
        Self { to: Recipient::Address(address), content, in_reply_to: None }
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
    /// The recipient's current address; `None` for a player who gets no mail any more.
    pub address: Option<String>,
    /// Whether it replies to an incoming mail.
    pub is_reply: bool,
    /// The Message-ID, without angle brackets, of that mail.
    pub in_reply_to: Option<String>,
    /// Its state.
    pub state: MailState,
    /// Whether it waits to become part of a digest.
    pub for_digest: bool,
    /// Whether no setting of its recipient holds it back, because it answers a command.
    pub is_prompt: bool,
    /// The earliest time to send it, such as the end of a grace.
    pub not_before: Option<DateTime<Utc>>,
    /// How often it was tried.
    pub tries: u32,
    /// When it was first tried, which has fixed its content; `None` before that.
    pub first_try_at: Option<DateTime<Utc>>,
    /// What it showed then that must still hold at a later try, or is said again.
    pub shown: Option<String>,
    /// Whether its Subject names the player to move, as fixed at the first try.
    pub says_turn: bool,
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
    /// Returns the moment at which its content was fixed: the first try, or until then the moment at
    /// which it was queued.
    pub fn made_at(&self) -> DateTime<Utc> {
        self.first_try_at.unwrap_or(self.created_at)
    }

    /// Returns the address that it went to, or else the one that it is to go to, if there is one.
    pub fn went_to(&self) -> Option<&str> {
        match &self.sent_to {
            Some(sent_to) if self.state == MailState::Sent => Some(sent_to),
            _ => self.address.as_deref(),
        }
    }

    /// Returns the recipient with the address: `alice <alice@example.org>`.
    pub fn recipient(&self) -> String {
        let address = self.went_to().map(|address| format!("<{address}>"));
        let name = self.player.as_ref().map(|player| player.name.clone());
        name.into_iter().chain(address).collect::<Vec<_>>().join(" ")
    }
}
