//! The moves of a game on one line.

use super::format::{Exported, Format};
use outflank_model::render::words;

pub(super) const FORMAT: Format = Format {
    word: "moves",
    about: "the moves, a game a line",
    holds: &[],
    head: String::new,
    write: |game: &Exported| format!("{}\n", words::transcript(&game.stored.game).replace(' ', "")),
};
