//! Ratings of players, pure: Glicko-2, a list for each set of rules.

mod glicko;
mod list;

pub use glicko::{Rating, Score, Standing, rate};
pub use list::{BadList, List};
