//! The formats of exported games.

use clap::builder::TypedValueParser;

use super::format::{Format, Peculiarity};
use super::{csv, ggf, json, moves, pgn};
use crate::app::Error;
use crate::command::one_of;
use outflank_model::StoredGame;

/// The formats, those that can hold the fewest games first. A new one is a file and a line here.
const FORMATS: &[&Format] =
    &[&moves::FORMAT, &pgn::FORMAT, &ggf::FORMAT, &json::FORMAT, &csv::FORMAT];

impl Format {
    /// Returns why the format cannot hold a game, with one that can; `None` if it can.
    pub fn cannot_hold(&self, stored: &StoredGame) -> Option<Error> {
        let of_game: Vec<_> =
            Peculiarity::ALL.iter().filter(|peculiarity| peculiarity.is_in(stored)).collect();
        let holds = |format: &Self| of_game.iter().all(|it| format.holds.contains(it));
        let missing = of_game.iter().find(|it| !self.holds.contains(it))?;
        let message =
            format!("game {} {}, which {} cannot hold", stored.id, missing.word(), self.word);
        let other = FORMATS.iter().find(|format| holds(format)).map_or("json", |it| it.word);
        Some(
            Error::refused(message)
                .with_hint(format!("use `export {} --format {other}`", stored.id)),
        )
    }
}

/// Returns the parser of a format's word.
pub(super) fn parser() -> impl TypedValueParser<Value = &'static Format> {
    one_of(FORMATS.iter().map(|format| (format.word, *format)))
}

/// Returns the help of the option.
pub(super) fn help() -> String {
    let formats = FORMATS.iter().map(|format| format!("{} ({})", format.word, format.about));
    formats.collect::<Vec<_>>().join(", ")
}
