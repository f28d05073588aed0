//! What the pages of a game as it stands and of a game after some of its moves have in common.

use minijinja::{Value, context};
use serde::Serialize;

use crate::app::LiveGame;
use crate::web::pages::board::{Marks, board, is_wide, scrolls};
use crate::web::pages::templates::value;
use outflank_model::log::Game;
use outflank_model::render::spoken;
use outflank_model::render::words::Names;
use outflank_rules::Color;

/// A player with the discs, as a page shows them above the board.
#[derive(Serialize)]
struct Side<'a> {
    color: String,
    name: &'a str,
    is_own: bool,
    is_to_move: bool,
    discs: u32,
}

/// Returns the values of a page at this path that shows `game`, the live game at one of its moments.
pub(super) fn shown(path: &str, live: &LiveGame, game: &Game, marks: Marks) -> Value {
    let (position, names, reader) = (game.position(), live.names(), reader(live));
    let side = |color: Color| Side {
        color: color.to_string(),
        name: names.of(color),
        is_own: reader == Some(color),
        is_to_move: game.turn() == Some(color),
        discs: position.count(color),
    };
    context! {
        path,
        is_wide => is_wide(position),
        scrolls => scrolls(position),
        board => Value::from_safe_string(board(position, marks)),
        sides => value(Color::BOTH.map(side)),
        last => spoken::last_move(game, names),
        spoken => spoken::board(position),
    }
}

/// Returns the colour of the player who reads the page; `None` for everybody else.
pub(super) fn reader(live: &LiveGame) -> Option<Color> {
    match live.own {
        [true, false] => Some(Color::Black),
        [false, true] => Some(Color::White),
        _ => None,
    }
}

/// Returns the players of a game: `alice against bob`.
pub(super) fn versus(names: Names) -> String {
    format!("{} against {}", names.black, names.white)
}

/// Returns a number of moves in words.
pub(super) fn moves(count: usize) -> String {
    if count == 1 { "1 move".to_owned() } else { format!("{count} moves") }
}
