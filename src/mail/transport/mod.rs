//! Delivers composed messages to the next machine: one file per transport.
//!
//! `[transport] kind = "…"` in the configuration chooses a transport. A new one is one file here
//! and one line in `KINDS`.

mod kind;
mod maildir;
mod message;
mod sendmail;
mod smtp;
mod worker;

pub use kind::BadSettings;
use kind::Open;
pub use message::{DeliveryError, Message};
pub use worker::Worker;

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
