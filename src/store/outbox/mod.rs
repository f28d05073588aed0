//! The outbox: mails to be sent, and those that were sent in the last days.

mod content;
mod current;
mod delivery;
mod digest;
mod entries;
mod entry;
mod housekeeping;
mod kind;
mod moment;
mod occasion;
mod question;
mod recent;

pub use content::MailContent;
pub use current::CurrentGame;
pub use delivery::{Claim, ClaimRequest, Settled};
pub use entry::{InReplyTo, MailId, NewOutboxEntry, OutboxEntry, Recipient, WaitingMail};
pub use kind::{MailState, MessageKind, Subject, Topic, Trait};
pub use moment::Moment;
pub use occasion::Occasion;
pub use question::UntriedQuestion;
pub use recent::RecentNotice;
