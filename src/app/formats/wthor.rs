//! Tournament games of the Fédération Française d'Othello: a file of games, which names players by number,
//! and a file of players. Numbers are little-endian.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

use super::format::Format;
use super::reading::{Builder, Claim, Imported, Piece, Reader, Source};
use outflank_rules::{Cell, Move};

pub(super) const FORMAT: Format = Format {
    word: "wthor",
    about: "WTHOR of the French federation",
    media_type: "application/octet-stream",
    holds: &[],
    writer: None,
    reader: Some(Reader { is_binary: true, split, read }),
};

/// The bytes of the header of either file.
const HEADER: usize = 16;
/// The bytes of a game.
const RECORD: usize = 68;
/// The bytes of a player's name, in Latin-1, with zeros behind it.
const NAME: usize = 20;

fn split(bytes: &[u8]) -> Result<Vec<Piece<'_>>, String> {
    let Some((header, games)) = bytes.split_at_checked(HEADER) else {
        return Err("the file is shorter than the header of WTHOR".to_owned());
    };
    let count = header[4..8].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    if games.len() != count.saturating_mul(RECORD) {
        let found = games.len();
        return Err(format!("the header says {count} games of {RECORD} bytes, but {found} follow"));
    }
    match (header[12], header[13]) {
        (0 | 8, 0) => {}
        (0 | 8, _) => return Err("the file has solitaire games".to_owned()),
        (side, _) => return Err(format!("the games are not played on 8x8 but on {side}x{side}")),
    }
    Ok(games.chunks(RECORD).map(|content| Piece { line: None, content }).collect())
}

fn read(piece: &Piece, source: &Source) -> Result<Imported, String> {
    let (head, moves) = piece.content.split_at_checked(8).ok_or("the record is cut off")?;
    let number = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let name = |at: usize| {
        let known = source.players.get(usize::from(number(at))).filter(|name| !name.is_empty());
        known.cloned().unwrap_or_else(|| format!("player {}", number(at)))
    };
    let mut builder = Builder::othello()?;
    if moves.iter().skip_while(|byte| **byte != 0).any(|byte| *byte != 0) {
        return Err("there are moves behind the last one".to_owned());
    }
    for byte in moves.iter().take_while(|byte| **byte != 0) {
        let cell = Cell::new(i32::from(byte % 10) - 1, i32::from(byte / 10));
        builder.play(Move::Place(cell))?;
    }
    let black = i64::from(head[6]);
    if black > 64 {
        return Err(format!("{black} is not a number of discs"));
    }
    let tournament = number(0).to_string();
    let claim = Claim::by_margin(2 * black - 64);
    builder.finish(Some(claim), [&name(2), &name(4)], year(source), tournament, source)
}

/// Returns the beginning of the year in the header.
fn year(source: &Source) -> Option<DateTime<Utc>> {
    let year = source.bytes.get(10..12)?;
    let year = i32::from(u16::from_le_bytes([year[0], year[1]]));
    let first = NaiveDate::from_ymd_opt(year, 1, 1).filter(|_| year > 0)?;
    Some(first.and_time(NaiveTime::MIN).and_utc())
}

/// Returns the names in a file of players, by number.
pub(crate) fn players(bytes: &[u8]) -> Vec<String> {
    let names = bytes.get(HEADER..).unwrap_or_default().chunks(NAME);
    let letters = |name: &[u8]| {
        name.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect()
    };
    names.map(letters).collect()
}
