use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::game::{Color, Game, GameId, Move, State};
use crate::render::words::{self, Names};
use crate::render::{self, LastMove};

/// What a mail has to tell, and to whom.
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// What happened: the name of the template that tells it.
    pub event: &'a str,
    /// Whom it goes to; `None` when that is nobody who plays here yet.
    pub name: Option<&'a str>,
    /// Where it goes: a bare address.
    pub address: &'a str,
    /// Its Message-ID without angle brackets.
    pub message_id: &'a str,
    /// When it was written.
    pub date: DateTime<Utc>,
    /// The game it is about, if it is about one.
    pub scene: Option<Scene<'a>>,
    /// What is said besides, in lines of text.
    pub said: Option<&'a str>,
    /// Whether a mail caused it.
    pub is_answer: bool,
    /// The Message-ID, without angle brackets, of the mail that it answers, if that has one.
    pub answers: Option<&'a str>,
    /// How it can be answered; `None` when no mail is taken in.
    pub answer_to: Option<AnswerTo<'a>>,
    /// Where to write to hear no more of the turns in this game: a bare address.
    pub unsubscribe: Option<&'a str>,
    /// Where it goes back to when it cannot be delivered: a bare address.
    pub return_path: &'a str,
}

/// A game at one moment, as one of its players sees it.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
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
    /// The id, without angle brackets, that all mails of the game refer to.
    pub thread: &'a str,
}

/// How a mail can be answered.
#[derive(Debug, Clone, Copy)]
pub struct AnswerTo<'a> {
    /// Where the answer goes: a bare address.
    pub address: &'a str,
    /// The code that must stand in the answer, where the address does not carry it.
    pub code: Option<&'a str>,
}

/// How many moves back a mail goes.
const LAST_MOVES: usize = 10;

/// What a template can name. Text is in ASCII; lists are not wrapped.
#[derive(Debug, Serialize)]
pub(super) struct Facts {
    /// The reader's name; none when that is nobody who plays here yet.
    name: Option<String>,
    /// The reader's address.
    address: String,
    /// What is said besides the state of a game; none for most mails.
    said: Option<String>,
    /// The address that an answer goes to; none when no mail is taken in.
    answer_to: Option<String>,
    /// The code that must stand in an answer; none where the address carries it.
    code: Option<String>,
    /// In a mail about a game, all that is below; else none of it is defined.
    #[serde(flatten)]
    scene: Option<SceneFacts>,
}

/// What a template of a mail about a game can name besides.
#[derive(Debug, Serialize)]
struct SceneFacts {
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
        let owned = |text: &str| text.to_owned();
        Self {
            name: notice.name.map(owned),
            address: notice.address.to_owned(),
            said: notice.said.map(owned),
            answer_to: notice.answer_to.map(|answer| answer.address.to_owned()),
            code: notice.answer_to.and_then(|answer| answer.code).map(owned),
            scene: notice.scene.as_ref().map(SceneFacts::of),
        }
    }
}

impl SceneFacts {
    fn of(scene: &Scene) -> Self {
        let game = scene.game;
        let position = game.position();
        let rules = position.rules();
        let side = |color: Color| Side {
            name: scene.names.of(color).to_owned(),
            color: color.to_string(),
            letter: words::letter(color, rules.lattice),
            discs: position.count(color),
        };
        let legal = game.legal();
        let label = |played: &Move| rules.lattice.move_label(*played);
        Self {
            game: scene.id.0,
            variant: scene.title.to_owned(),
            rules: words::rules(rules),
            you: side(scene.to),
            opponent: side(!scene.to),
            black: side(Color::Black),
            white: side(Color::White),
            turn: game.turn().map(|color| color.to_string()),
            your_turn: game.turn() == Some(scene.to),
            must_pass: game.state() == State::Passing,
            ply: game.plies().len(),
            last_move: words::last_move(game, scene.names),
            figure: render::figure(position, LastMove::of(game).as_ref()).to_string(),
            legal: legal.iter().map(label).collect::<Vec<_>>().join(" "),
            first_legal: legal.first().map(label),
            moves: words::last_moves(game, LAST_MOVES),
            result: words::result(game, scene.names),
        }
    }
}
