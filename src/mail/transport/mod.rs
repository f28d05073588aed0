//! How a composed message leaves this machine: one file per transport.
//!
//! A transport is chosen by `[transport] kind = "…"` in the configuration; a new one is one
//! file here and one line in `KINDS`.

mod maildir;
mod sendmail;
mod smtp;

use std::time::Duration;

use serde::Deserialize;

use crate::clock::Deadline;

/// One message with its envelope, ready to go.
#[derive(Debug, Clone)]
pub struct Message {
    /// Envelope sender: a bare address.
    pub from: String,
    /// Envelope recipient: a bare address.
    pub to: String,
    /// The Message-ID without its angle brackets: stays the same on every attempt.
    pub message_id: String,
    /// The message of RFC 5322, lines ended by CRLF.
    pub bytes: Vec<u8>,
}

/// Why a message was not delivered, in words for the host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryError {
    /// The transport itself does not work (server down, login refused, disk full): the other
    /// messages would fare no better now. Try again later.
    #[error("{0}")]
    Unavailable(String),
    /// This message was not taken this time (4xx, or the connection broke). Try again later.
    #[error("{0}")]
    Temporary(String),
    /// This message will never be taken for this recipient (5xx).
    #[error("{0}")]
    Permanent(String),
}

impl Message {
    /// The message as Unix keeps it and its programs take it: lines ended by LF.
    fn with_lf(&self) -> Vec<u8> {
        let ends_line = |at: usize| self.bytes[at..].starts_with(b"\r\n");
        let kept = self.bytes.iter().enumerate().filter(|&(at, _)| !ends_line(at));
        kept.map(|(_, &byte)| byte).collect()
    }
}

/// Why the settings of a transport cannot be used: one line that names the setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(pub String);

/// The complaint of the TOML reader, led by the setting it is about.
impl From<toml::de::Error> for BadSettings {
    fn from(error: toml::de::Error) -> Self {
        let text = error.to_string();
        Self(match text.trim_end().rsplit_once("\nin ") {
            Some((what, setting)) => format!("[transport] {}: {what}", setting.trim_matches('`')),
            None => format!("[transport] {}", text.trim_end()),
        })
    }
}

/// A number of seconds that makes sense as a time limit.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Seconds(Duration);

impl TryFrom<toml::Value> for Seconds {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        value
            .as_integer()
            .and_then(|seconds| u64::try_from(seconds).ok())
            .filter(|seconds| (1..=3600).contains(seconds))
            .map(|seconds| Self(Duration::from_secs(seconds)))
            .ok_or("must be a whole number of seconds from 1 to 3600")
    }
}

/// A way out. May keep a connection open between messages.
pub trait Transport: Send {
    /// Hands one message over, giving up at `deadline`. `Ok` means that the other side has
    /// taken responsibility for it.
    ///
    /// # Errors
    /// [`DeliveryError`], whose kind tells whether and when another try makes sense.
    fn deliver(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError>;
}

type Open = fn(toml::Table) -> Result<Box<dyn Transport>, BadSettings>;

/// Every transport: the `kind` it is configured by, and what makes it of the other settings.
const KINDS: &[(&str, Open)] =
    &[("maildir", maildir::open), ("sendmail", sendmail::open), ("smtp", smtp::open)];

/// Makes the transport that `[transport]` of the configuration describes. Contacts nothing yet.
///
/// # Errors
/// [`BadSettings`] when `kind` is missing or unknown, or another setting is wrong.
pub fn open(mut settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let kinds = || {
        let names: Vec<_> = KINDS.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    };
    let kind = match settings.remove("kind") {
        Some(toml::Value::String(kind)) => kind,
        _ => return Err(BadSettings(format!("[transport] needs `kind`: one of {}", kinds()))),
    };
    match KINDS.iter().find(|(name, _)| *name == kind) {
        Some((_, open)) => open(settings),
        None => Err(BadSettings(format!(
            "[transport] kind `{kind}` is unknown: use one of {}",
            kinds()
        ))),
    }
}
