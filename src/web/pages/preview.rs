//! The picture that a program shows beside a link to a game.

use crate::app::LiveGame;
use outflank_model::render::{LastMove, card, words};

/// Returns a game as it stands as a picture in PNG: the board, the names and the score. `None` if there is
/// not enough memory.
pub fn preview(live: &LiveGame) -> Option<Vec<u8>> {
    let (game, names) = (&live.game, live.names());
    let turn = words::turn(game, names).or_else(|| live.result.clone()).unwrap_or_default();
    card(game.position(), LastMove::of(game).as_ref(), &live.title, names, &turn)
}
