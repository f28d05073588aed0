//! The moves of a game on one line.

use super::format::{Exported, Format, Writer};
use super::reading::{Builder, Imported, Piece, Reader, Source};
use outflank_model::render::words;
use outflank_rules::Transcript;

pub(super) const FORMAT: Format = Format {
    word: "moves",
    about: "the moves, a game a line",
    media_type: "text/plain; charset=utf-8",
    holds: &[],
    writer: Some(Writer {
        head: |_, _| String::new(),
        write: |game: &Exported| {
            format!("{}\n", words::transcript(&game.stored.game).replace(' ', ""))
        },
    }),
    reader: Some(Reader { is_binary: false, split: |bytes| Ok(Piece::lines(bytes)), read }),
};

fn read(piece: &Piece, source: &Source) -> Result<Imported, String> {
    let moves: Transcript =
        piece.text().parse().map_err(|error: outflank_rules::BadMove| error.to_string())?;
    let mut builder = Builder::othello()?;
    moves.0.into_iter().try_for_each(|mv| builder.play(mv))?;
    builder.finish(None, [""; 2], None, String::new(), source)
}
