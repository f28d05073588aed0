//! The outbox: mails to be sent, and those that were sent in the last days.

mod content;
mod delivery;
mod digest;
mod entries;
mod entry;
mod housekeeping;
mod kind;
mod moment;

pub use content::MailContent;
pub use delivery::{Claim, ClaimRequest, Settled};
pub use entry::{InReplyTo, MailId, NewOutboxEntry, OutboxEntry, Recipient, WaitingMail};
pub use kind::{MailState, MessageKind};
pub use moment::Moment;
