//! Messages: from what there is to tell to bytes, and from bytes to the next machine.
//!
//! [`Composer`] writes a [`MessageContext`] as a message of RFC 5322; a [`transport`] delivers it.
//! [`read`](read::read) takes one apart that came in; a [`token`] tells what it answers. Knows
//! nothing of the database.

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
