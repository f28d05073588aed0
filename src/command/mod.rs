//! The words of the one grammar that every door speaks.
//!
//! Here is how a game, a move, a player or a board is named on a command line, in a mail or over
//! ssh. Which commands there are is registered in [`app`](crate::app), where each has a file
//! with its arguments and what it does.

mod plain;
mod player;
mod reference;
mod rules;

pub use plain::plain;
pub use player::{Address, BadAddress, BadName, Name, PlayerRef};
pub use reference::{BadReference, GameAt, MoveAt};
pub use rules::{PassRule, RuleOptions};
