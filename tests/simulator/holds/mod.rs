//! What must hold. Each is a function with the name under which a violation is reported; they read the
//! database by SQL, and replies, mails and pages as text.

mod delivery;
mod pages;
mod process;
mod results;
mod shown;

use chrono::{DateTime, Utc};

use super::Violation;
use super::server::Accepted;
use super::tables::Tables;

pub use delivery::*;
pub use pages::*;
pub use process::*;
pub use results::*;
pub use shown::*;

/// What a step has changed.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    pub before: &'a Tables,
    pub after: &'a Tables,
    /// All mails that the server has accepted.
    pub accepted: &'a [Accepted],
    /// How many of them it had accepted before.
    pub accepted_before: usize,
    pub now: DateTime<Utc>,
}

/// What must hold of each change: a line for each check.
const OF_CHANGES: [fn(&Change) -> Result<(), Violation>; 2] =
    [active_games_are_counted, mails_show_the_deadline];

/// Checks what a step has changed.
pub fn after_step(change: &Change) -> Result<(), Violation> {
    OF_CHANGES.into_iter().try_for_each(|check| check(change))
}

fn violated<T>(of: &'static str, found: String) -> Result<T, Violation> {
    Err(Violation { of, found })
}
