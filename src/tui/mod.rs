//! The board that fills the terminal.
//!
//! [`Model`](model::Model) is what is on the screen, pure: it takes events of the terminal and updates
//! of the game, and returns requests. The requests are carried out in other threads, so that the
//! screen never freezes.

pub mod look;
pub mod model;
pub mod request;
