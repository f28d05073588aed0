//! From the outbox to the transport, after the commit; the outcome for the person who gave a command;
//! and the deletion of old records.

pub(crate) mod check;
pub(crate) mod club;
pub(crate) mod compose;
mod current;
pub(crate) mod deliver;
pub(crate) mod erasure;
pub(crate) mod host;
pub(crate) mod housekeeping;
mod letter;
pub(crate) mod mailed;
pub(crate) mod reminders;
mod titles;
