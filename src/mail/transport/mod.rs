//! Delivers composed messages to the next machine: one file per transport.
//!
//! `[transport] kind = "…"` in the configuration chooses a transport. A new one is one file here
//! and one line in `KINDS`.

mod maildir;
mod sendmail;
mod smtp;
mod worker;

use std::time::Duration;

use lettre::Address;
use serde::Deserialize;
pub use worker::Worker;

use crate::clock::Deadline;
use crate::mail::status;

/// The longest text of another program that is passed on, in characters.
const LONGEST_LINE: usize = 300;

/// A composed message with its envelope.
#[derive(Debug, Clone)]
pub struct Message {
    /// Envelope sender: a bare address.
    pub from: String,
    /// Envelope recipient: a bare address.
    pub to: String,
    /// The Message-ID without its angle brackets, the same on every attempt.
    pub message_id: String,
    /// The message of RFC 5322, with CRLF line ends.
    pub bytes: Vec<u8>,
}

/// An error in delivering a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryError {
    /// The transport does not work (server down, login refused, disk full), so the other messages
    /// would fail too. Try again later.
    #[error("{0}")]
    Unavailable(String),
    /// This message was refused for now (4xx, or the connection broke). Try again later.
    #[error("{0}")]
    Temporary(String),
    /// The recipient will never be accepted (5xx to RCPT TO): the address fails. Never with the
    /// status 5.7.x, which is about the sender and so [`Self::Permanent`].
    #[error("{0}")]
    Recipient(String),
    /// This message will never be accepted, but not because of the recipient: the host must look at
    /// it.
    #[error("{0}")]
    Permanent(String),
}

impl DeliveryError {
    /// Returns the error for a recipient that was refused permanently with this reply.
    fn refused_recipient(why: String) -> Self {
        if status::is_policy(&why) { Self::Permanent(why) } else { Self::Recipient(why) }
    }
}

impl Message {
    /// Returns the message with LF line ends, as Unix programs expect it.
    fn with_lf(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for line in self.bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\r\n") {
                Some(line) => bytes.extend(line.iter().chain(b"\n")),
                None => bytes.extend(line),
            }
        }
        bytes
    }

    /// Returns the sender and the recipient, if each is a single plain address.
    fn envelope(&self) -> Result<(Address, Address), DeliveryError> {
        let Self { from, to, .. } = self;
        let bad_sender =
            || format!("{from:?} is not a valid sender address; correct from in [mail]");
        let bad_recipient = || format!("{to:?} is not a valid address");
        Ok((
            plain_address(from).ok_or_else(|| DeliveryError::Unavailable(bad_sender()))?,
            plain_address(to).ok_or_else(|| DeliveryError::Recipient(bad_recipient()))?,
        ))
    }
}

/// Parses an address; `None` if it needs quoting, since it could end or extend a command then.
fn plain_address(text: &str) -> Option<Address> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"(),;<>\\".contains(&byte);
    text.parse().ok().filter(|_| text.bytes().all(is_plain))
}

/// Returns the text on one line, without control characters, cut if long.
fn one_line(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let words: Vec<_> = plain.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_LINE).collect()
}

/// An error in the settings of a transport: one line that names the setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(pub String);

/// Puts the name of the setting before the message of the TOML reader.
impl From<toml::de::Error> for BadSettings {
    fn from(error: toml::de::Error) -> Self {
        let text = error.to_string();
        Self(match text.trim_end().rsplit_once("\nin ") {
            Some((what, setting)) => format!("[transport] {}: {what}", setting.trim_matches('`')),
            None => format!("[transport] {}", text.trim_end()),
        })
    }
}

/// A whole number from 1 to `MOST`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Whole<const MOST: u16>(u16);

/// A time limit in seconds.
type Seconds = Whole<3600>;

impl<const MOST: u16> TryFrom<toml::Value> for Whole<MOST> {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let number = value.as_integer().and_then(|number| u16::try_from(number).ok());
        let number = number.filter(|number| (1..=MOST).contains(number));
        number.map(Self).ok_or_else(|| format!("must be a whole number from 1 to {MOST}"))
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Self {
        Self::from_secs(seconds.0.into())
    }
}

/// A way to deliver messages. May keep a connection open between them.
trait Transport: Send {
    /// Delivers messages in order and reports the result of each; `Ok` means that the other side
    /// has taken responsibility for it. Reports nothing about the messages that it does not try
    /// because the deadline has passed or the transport does not work.
    fn deliver(
        &mut self,
        messages: &[Message],
        deadline: Deadline,
        report: &mut dyn FnMut(Result<(), DeliveryError>),
    );

    /// Returns whether it waits for nothing but the disk of this machine, as the database does.
    fn is_local(&self) -> bool {
        false
    }
}

/// Delivers messages one after the other, in the manner of [`Transport::deliver`].
fn one_by_one(
    messages: &[Message],
    deadline: Deadline,
    report: &mut dyn FnMut(Result<(), DeliveryError>),
    mut deliver: impl FnMut(&Message) -> Result<(), DeliveryError>,
) {
    for message in messages {
        if deadline.has_passed() {
            return;
        }
        let result = deliver(message);
        let is_working = !matches!(result, Err(DeliveryError::Unavailable(_)));
        report(result);
        if !is_working {
            return;
        }
    }
}

type Open = fn(toml::Table) -> Result<Box<dyn Transport>, BadSettings>;

/// Every transport: its `kind`, and the function that opens it with the other settings.
const KINDS: &[(&str, Open)] =
    &[("maildir", maildir::open), ("sendmail", sendmail::open), ("smtp", smtp::open)];

/// Opens the transport that `[transport]` of the configuration describes. Does not connect yet.
pub fn open(mut settings: toml::Table) -> Result<Worker, BadSettings> {
    let kinds = KINDS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let Some(toml::Value::String(kind)) = settings.remove("kind") else {
        return Err(BadSettings(format!("[transport] kind is missing; use one of {kinds}")));
    };
    match KINDS.iter().find(|(name, _)| *name == kind) {
        Some((_, open)) => Worker::new(*open, settings),
        None => Err(BadSettings(format!("[transport] unknown kind {kind:?}; use one of {kinds}"))),
    }
}
