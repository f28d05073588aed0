//! The grammar that all front ends share.
//!
//! These types parse games, moves, players and rules from a command line, a mail or ssh. The
//! commands themselves are registered in [`app`](crate::app), one file for each.

mod choice;
mod normalize;
mod play;
mod player;
mod reference;
mod reserved;
mod rules;

pub(crate) use choice::one_of;
pub use normalize::normalize;
pub use play::Play;
pub use player::{Address, BadAddress, BadName, Name, PlayerRef, SideRef, mailbox, names_bot};
pub use reference::{BadReference, GameAt, MoveAt};
pub use reserved::{COMMAND_WORDS, COMPUTER, CONFIRM_WORDS, END_WORDS, reserved_words};
pub use rules::RuleOptions;
