//! The outbox: mails to be sent, and those that were sent in the last days.

mod attachment;
mod content;
mod current;
mod delivery;
mod digest;
mod entries;
mod entry;
mod housekeeping;
mod question;
mod recent;

pub use current::CurrentGame;
pub use delivery::{Claim, ClaimRequest, Settled};
pub use entry::{InReplyTo, MailId, NewOutboxEntry, OutboxEntry, Recipient, WaitingMail};
pub use question::UntriedQuestion;
pub use recent::RecentNotice;
