//! What players set for themselves: their settings, and what these change.

mod decided;
mod due;
mod mute;
mod settings;
mod words;
