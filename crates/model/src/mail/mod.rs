//! Mails: their kinds, their contents, and why they are sent.

mod content;
mod kind;
mod occasion;

pub use content::{Attachment, MailContent};
pub use kind::{DELIVERED_KEPT_FOR, MailState, MessageKind, Subject, Topic, Trait};
pub use occasion::{Occasion, UnknownOccasion};
