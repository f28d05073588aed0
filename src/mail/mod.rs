//! Messages: from what there is to tell to bytes, and from bytes to the next machine.
//!
//! [`Composer`] writes a [`Notice`] as a message of RFC 5322; a [`transport`] delivers it.
//! [`read`](read::read) takes one apart that came in; a [`token`] tells what it answers. Knows
//! nothing of the database.

mod compose;
mod facts;
mod ids;
mod link;
mod page;
pub mod read;
mod templates;
pub mod token;
pub mod transport;

pub use compose::{Composer, Error};
pub use facts::{AnswerTo, Notice, Scene};
pub use ids::{domain, is_own, message_id, thread_id};
pub use templates::LINE;
