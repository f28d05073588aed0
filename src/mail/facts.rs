use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::game::{Color, Game, GameId, Move, State};
use crate::render::words::{self, Names};
use crate::render::{self, LastMove};

/// What a mail about a game has to tell, and to whom.
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// What happened: the name of the template that tells it.
    pub event: &'a str,
    /// The number of the game.
    pub id: GameId,
    /// The title of its variant.
    pub title: &'a str,
    /// The game as it stood then.
    pub game: &'a Game,
    /// Who plays.
    pub names: Names<'a>,
    /// The colour of the player it goes to.
    pub to: Color,
    /// Where it goes: a bare address.
    pub address: &'a str,
    /// Its Message-ID without angle brackets.
    pub message_id: &'a str,
    /// The id, without angle brackets, that all mails of the game refer to.
    pub thread: &'a str,
    /// When it was written.
    pub date: DateTime<Utc>,
}

/// How many moves back a mail goes.
const LAST_MOVES: usize = 10;

/// What a template can name. Text is in ASCII; lists are not wrapped.
#[derive(Debug, Serialize)]
pub(super) struct Facts {
    /// The number of the game.
    game: i64,
    /// The title of its variant.
    variant: String,
    /// What is special about the rules, in a few words each.
    rules: Vec<String>,
    /// Whom the mail goes to.
    you: Side,
    /// The other player.
    opponent: Side,
    black: Side,
    white: Side,
    /// Whose turn it is, as `you.color`; none when the game is over.
    turn: Option<String>,
    your_turn: bool,
    must_pass: bool,
    /// How many moves were made.
    ply: usize,
    /// The last move in words, and the pass that followed by itself; none before the first.
    last_move: Option<String>,
    figure: String,
    /// The legal moves, separated by spaces; empty when the game is over.
    legal: String,
    /// The first of them.
    first_legal: Option<String>,
    /// The last moves, numbered; empty before the first.
    moves: String,
    /// How the game ended, as a sentence; none while it goes on.
    result: Option<String>,
}

#[derive(Debug, Serialize)]
struct Side {
    name: String,
    /// `black` or `white`.
    color: String,
    /// The letter of its discs in the figure.
    letter: char,
    /// Its discs on the board.
    discs: u32,
}

impl Facts {
    pub(super) fn of(notice: &Notice) -> Self {
        let game = notice.game;
        let position = game.position();
        let rules = position.rules();
        let side = |color: Color| Side {
            name: notice.names.of(color).to_owned(),
            color: color.to_string(),
            letter: words::letter(color, rules.lattice),
            discs: position.count(color),
        };
        let legal = game.legal();
        let label = |played: &Move| rules.lattice.move_label(*played);
        Self {
            game: notice.id.0,
            variant: notice.title.to_owned(),
            rules: words::rules(rules),
            you: side(notice.to),
            opponent: side(!notice.to),
            black: side(Color::Black),
            white: side(Color::White),
            turn: game.turn().map(|color| color.to_string()),
            your_turn: game.turn() == Some(notice.to),
            must_pass: game.state() == State::Passing,
            ply: game.plies().len(),
            last_move: words::last_move(game, notice.names),
            figure: render::figure(position, LastMove::of(game).as_ref()).to_string(),
            legal: legal.iter().map(label).collect::<Vec<_>>().join(" "),
            first_legal: legal.first().map(label),
            moves: words::last_moves(game, LAST_MOVES),
            result: words::result(game, notice.names),
        }
    }
}
