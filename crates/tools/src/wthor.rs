//! Records of tournament games in WTHOR format: a header of 16 bytes, then 68 bytes for each game.

use outflank_rules::{Cell, Move, Overrides, Position, State, Variant};

use crate::failure::Failure;

/// Returns the positions of each game of a file in which a disc was placed, one game after another. A game
/// ends before its first illegal move.
pub(crate) fn games(bytes: &[u8]) -> Result<impl ExactSizeIterator<Item = Vec<Position>>, Failure> {
    let rules = Variant::named("othello")?.rules(&Overrides::default())?;
    let records = bytes.get(16..).ok_or("a file is too short")?;
    let game = move |record: &[u8]| {
        let mut position = Position::start(rules);
        let mut positions = Vec::new();
        // Rows and columns count from 1.
        for &mv in record[8..].iter().take_while(|&&mv| mv != 0) {
            if position.state() == State::Passing && position.play(Move::Pass).is_err() {
                break;
            }
            positions.push(position.clone());
            let cell = Cell::new(i32::from(mv % 10) - 1, i32::from(mv / 10));
            if position.play(Move::Place(cell)).is_err() {
                break;
            }
        }
        positions
    };
    Ok(records.chunks_exact(68).map(game))
}
