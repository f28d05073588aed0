//! What must hold. Each is a function with the name under which a violation is reported; they read the
//! database by SQL, and replies, mails and pages as text.

mod clocks;
mod delivery;
mod pages;
mod process;
mod results;
mod shown;
mod turn_mails;

use chrono::{DateTime, Utc};

use super::Violation;
use super::server::Accepted;
use super::tables::Tables;

pub use clocks::{
    clocks_are_those_of_the_model, send_does_all_that_is_due, show_says_what_the_model_says,
};
pub use delivery::*;
pub use pages::*;
pub use process::*;
pub use results::*;
pub use shown::*;
pub use turn_mails::*;

/// What a step has changed.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The command; nothing if it did not end because of a cut, or was not alone, or had another configuration.
    pub words: &'a [String],
    pub before: &'a Tables,
    pub after: &'a Tables,
    /// All mails that the server has accepted.
    pub accepted: &'a [Accepted],
    /// How many of them it had accepted before.
    pub accepted_before: usize,
    pub now: DateTime<Utc>,
}

type Check = fn(&Change) -> Result<(), Violation>;

/// What must hold of each change: a line for each check.
const OF_CHANGES: [Check; 5] = [
    active_games_are_counted,
    clocks_are_those_of_the_model,
    mails_show_the_deadline,
    send_does_all_that_is_due,
    turn_mails_come_when_they_should,
];

/// Checks what a step has changed.
pub fn after_step(change: &Change) -> Result<(), Violation> {
    OF_CHANGES.into_iter().try_for_each(|check| check(change))
}

fn violated<T>(of: &'static str, found: String) -> Result<T, Violation> {
    Err(Violation { of, found })
}
