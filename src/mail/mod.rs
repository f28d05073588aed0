//! Messages: composed from what is known to bytes, sent, and parsed when they come in.
//!
//! [`Composer`] turns a [`MessageContext`] into a message of RFC 5322, which a [`transport`]
//! delivers. [`read`](read::read) parses an incoming message; a [`token`] shows what it replies to.
//! The module knows nothing of the database.

mod compose;
mod context;
mod ids;
mod link;
pub mod read;
mod templates;
pub mod token;
pub mod transport;
mod values;

pub use compose::{Composer, Error};
pub use context::{GameContext, MessageContext, ReplyAddress};
pub use ids::{domain, is_own, message_id, thread_id};
pub use templates::LINE;
