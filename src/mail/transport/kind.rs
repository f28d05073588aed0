//! What every kind of transport implements, and the types of its settings.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::message::{DeliveryError, Message};
use crate::clock::Deadline;

/// The result of a delivery. `Ok` means that the other side has taken responsibility for the message.
pub(super) type Delivered = Result<(), DeliveryError>;

/// A way to deliver messages. May keep a connection open between them.
pub(super) trait Transport: Send {
    /// Delivers one message. `is_alone` says whether no other message follows it.
    fn send(&mut self, message: &Message, is_alone: bool, deadline: Deadline) -> Delivered;

    /// Delivers messages in order and reports the result of each. Reports nothing about the messages that
    /// it does not try because the deadline has passed or the transport does not work.
    fn deliver(&mut self, messages: &[Message], deadline: Deadline, report: &mut Report) {
        one_by_one(self, messages, deadline, report);
    }

    /// Makes it ready to deliver a message, without delivering one, and returns the findings: a server
    /// that accepts the login, a program that can be run, a folder that can be written.
    ///
    /// # Errors
    /// [`DeliveryError`] when a message could not be delivered now.
    fn check(&mut self, deadline: Deadline) -> Result<Readiness, DeliveryError>;

    /// Returns whether it waits for nothing but the disk of this machine, as the database does.
    fn is_local(&self) -> bool {
        false
    }
}

/// The findings of a check of a transport that is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The beginning of a sentence that says that it works.
    pub found: String,
    /// A weakness of its settings, although it works.
    pub concern: Option<String>,
}

impl Readiness {
    pub(super) const fn good(found: String) -> Self {
        Self { found, concern: None }
    }
}

/// Receives the result of each message.
pub(super) type Report<'a> = dyn FnMut(Delivered) + 'a;

/// Delivers messages one after the other, as [`Transport::deliver`] does.
pub(super) fn one_by_one<T: Transport + ?Sized>(
    transport: &mut T,
    messages: &[Message],
    deadline: Deadline,
    report: &mut Report,
) {
    for message in messages {
        if deadline.has_passed() {
            return;
        }
        let result = transport.send(message, messages.len() == 1, deadline);
        let is_working =
            !matches!(result, Err(DeliveryError::Unavailable(_) | DeliveryError::Sender(_)));
        report(result);
        if !is_working {
            return;
        }
    }
}

/// Opens a transport with the settings of `[transport]` but `kind`.
pub(super) type Open = fn(toml::Table) -> Result<Box<dyn Transport>, BadSettings>;

/// Checks the settings of `[transport]` but `kind`.
pub(super) type Check = fn(toml::Table) -> Result<(), BadSettings>;

/// Checks that the settings are those of a transport, `S`, and have its types.
pub(super) fn check<S: DeserializeOwned>(settings: toml::Table) -> Result<(), BadSettings> {
    Ok(settings.try_into::<S>().map(drop)?)
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

/// A whole number from 1 to `MAX`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "toml::Value")]
pub(super) struct Whole<const MAX: u16>(pub(super) u16);

/// A time limit in seconds.
pub(super) type Seconds = Whole<3600>;

impl<const MAX: u16> TryFrom<toml::Value> for Whole<MAX> {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let number = value.as_integer().and_then(|number| u16::try_from(number).ok());
        let number = number.filter(|number| (1..=MAX).contains(number));
        number.map(Self).ok_or_else(|| format!("must be a whole number from 1 to {MAX}"))
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Self {
        Self::from_secs(seconds.0.into())
    }
}
