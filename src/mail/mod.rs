//! Composes, delivers and reads mail, without access to the database.
//!
//! [`Composer`] turns a [`MessageContext`] into a message of RFC 5322, which a [`transport`]
//! delivers. [`read`](read::read) parses an inbound message; a [`token`] in it identifies the player
//! and the game.

mod compose;
mod context;
mod error;
mod ids;
mod link;
pub mod markup;
mod pieces;
pub mod read;
mod status;
mod templates;
mod text;
pub mod token;
pub mod transport;
mod values;

pub use compose::{Composer, Disarm};
pub use context::{
    ChallengeContext, GameContext, MessageContext, ReplyAddress, Section, TimeContext, Waiting,
    subject_of_game,
};
pub use error::Error;
pub use ids::{is_own, message_id, thread_id};
pub use templates::{COMMAND_MARKS, LINE, as_command};
