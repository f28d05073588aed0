//! The list of formats.

use clap::builder::TypedValueParser;

use super::format::{Format, Peculiarity};
use super::{csv, ggf, json, moves, pgn, wthor};
use crate::app::Error;
use crate::command::one_of;
use outflank_model::StoredGame;

/// The formats, those that can hold the fewest games first. A new one is a file and a line here.
const FORMATS: &[&Format] =
    &[&moves::FORMAT, &pgn::FORMAT, &wthor::FORMAT, &ggf::FORMAT, &json::FORMAT, &csv::FORMAT];

impl Format {
    /// Returns why the format cannot hold a game, with one that can; `None` if it can.
    pub fn cannot_hold(&self, stored: &StoredGame) -> Option<Error> {
        let of_game: Vec<_> =
            Peculiarity::ALL.iter().filter(|peculiarity| peculiarity.is_in(stored)).collect();
        let holds = |format: &Self| of_game.iter().all(|it| format.holds.contains(it));
        let missing = of_game.iter().find(|it| !self.holds.contains(it))?;
        let message =
            format!("game {} {}, which {} cannot hold", stored.id, missing.word(), self.word);
        let other = writers().find(|format| holds(format)).map_or("json", |it| it.word);
        Some(
            Error::refused(message)
                .with_hint(format!("use `export {} --format {other}`", stored.id)),
        )
    }
}

/// Returns the formats that games are written in.
pub(crate) fn writers() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().copied().filter(|format| format.writer.is_some())
}

/// Returns the formats that games are read in.
pub(crate) fn readers() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().copied().filter(|format| format.reader.is_some())
}

/// Returns the parser of the word of one of these formats.
pub(crate) fn parser(
    formats: impl Iterator<Item = &'static Format>,
) -> impl TypedValueParser<Value = &'static Format> {
    one_of(formats.map(|format| (format.word, format)))
}

/// Returns the help of an option for one of these formats.
pub(crate) fn help(formats: impl Iterator<Item = &'static Format>) -> String {
    let formats = formats.map(|format| format!("{} ({})", format.word, format.about));
    formats.collect::<Vec<_>>().join(", ")
}
