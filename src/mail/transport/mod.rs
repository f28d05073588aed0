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

pub use kind::{BadSettings, Readiness};
use kind::{Check, Open, check};
pub use message::{DeliveryError, Message};
pub use sendmail::find_program;
pub use worker::Worker;

/// Every transport: its `kind`, the check of its other settings, and the function that opens it.
const KINDS: &[(&str, Check, Open)] = &[
    ("maildir", check::<maildir::Maildir>, maildir::open),
    ("sendmail", check::<sendmail::Sendmail>, sendmail::open),
    ("smtp", check::<smtp::Settings>, smtp::open),
];

/// Checks that `[transport]` of the configuration has the settings of its kind and no other. Reads no
/// file.
pub fn check_settings(settings: toml::Table) -> Result<(), BadSettings> {
    let (check, _, settings) = of_kind(settings)?;
    check(settings)
}

/// Opens the transport that `[transport]` of the configuration describes. Does not connect yet.
pub fn open(settings: toml::Table) -> Result<Worker, BadSettings> {
    let (_, open, settings) = of_kind(settings)?;
    Worker::new(open, settings)
}

/// Returns the functions of the kind of transport that the settings name, and its other settings.
fn of_kind(mut settings: toml::Table) -> Result<(Check, Open, toml::Table), BadSettings> {
    let kinds = KINDS.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
    let Some(toml::Value::String(kind)) = settings.remove("kind") else {
        return Err(BadSettings(format!("[transport] kind is missing; use one of {kinds}")));
    };
    match KINDS.iter().find(|(name, ..)| *name == kind) {
        Some(&(_, check, open)) => Ok((check, open, settings)),
        None => Err(BadSettings(format!("[transport] unknown kind {kind:?}; use one of {kinds}"))),
    }
}
