use chrono::{DateTime, Utc};
use serde::Serialize;

use super::link::mailto;
use super::read::quote::MARKER;
use crate::game::{Cell, Color, Game, GameId, Move, State, Stuck};
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
    /// The Message-ID, without angle brackets, of that mail, if it can be told.
    pub answers: Option<&'a str>,
    /// How it can be answered; `None` when no mail is taken in.
    pub answer_to: Option<AnswerTo<'a>>,
    /// Where to write to hear no more of the turns in this game.
    pub unsubscribe: Option<AnswerTo<'a>>,
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

impl AnswerTo<'_> {
    /// The link that opens an answer which says this already.
    fn link(&self, subject: &str, said: &str) -> String {
        // The move stands on a line of its own, whatever the mail program adds below.
        let body = match (said, self.code) {
            ("", None) => String::new(),
            (said, None) => format!("{said}\n"),
            (said, Some(code)) => format!("{said}\n\nCode: {code}\n"),
        };
        mailto(self.address, &format!("Re: {subject}"), &body)
    }
}

impl Notice<'_> {
    /// The Subject: that of all mails of its game, `Othello #12: alice - bob`, or whom it is from.
    pub(super) fn subject(&self) -> String {
        match self.scene {
            Some(Scene { title, id, names, .. }) => {
                format!("{title} #{id}: {} - {}", names.black, names.white)
            }
            None => "Outflank".to_owned(),
        }
    }
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
    subject: String,
    /// What is said besides the state of a game; none for most mails.
    said: Option<String>,
    /// The line above which an answer is written.
    marker: &'static str,
    /// The address that an answer goes to; none when no mail is taken in.
    answer_to: Option<String>,
    /// The code that must stand in an answer; none where the address carries it.
    code: Option<String>,
    /// Links to answers; none when no mail is taken in.
    links: Option<Links>,
    /// In a mail about a game, all that is below; else none of it is defined.
    #[serde(flatten)]
    scene: Option<SceneFacts>,
}

/// Links that open an answer.
#[derive(Debug, Serialize)]
struct Links {
    /// To one in which nothing is written yet.
    empty: String,
    /// To one that says yes.
    yes: String,
    /// To one that says no.
    no: String,
    /// To one that asks for help.
    help: String,
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
    /// Whether a pass is a move that a player may have to make.
    passes: bool,
    /// How many moves were made.
    ply: usize,
    /// The last move in words, and the pass that followed by itself; none before the first.
    last_move: Option<String>,
    figure: String,
    /// The legal moves, separated by spaces; empty when the game is over.
    legal: String,
    /// The first of them.
    first_legal: Option<String>,
    /// All of them, and what each would do.
    choices: Vec<Choice>,
    /// The last moves, numbered; empty before the first.
    moves: String,
    /// How the game ended, as a sentence; none while it goes on.
    result: Option<String>,
}

/// A move that may be made.
#[derive(Debug, Serialize)]
struct Choice {
    #[serde(skip)]
    played: Move,
    label: String,
    /// How many discs it flips.
    flips: usize,
    /// Black discs on the board after it.
    black: usize,
    /// White discs on the board after it.
    white: usize,
    /// The link to an answer that makes it; none when no mail is taken in or it is not the
    /// reader's turn.
    href: Option<String>,
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
        let subject = notice.subject();
        let links = notice.answer_to.map(|answer| Links {
            empty: answer.link(&subject, ""),
            yes: answer.link(&subject, "yes"),
            no: answer.link(&subject, "no"),
            help: answer.link(&subject, "help"),
        });
        let scene = notice.scene.as_ref();
        Self {
            name: notice.name.map(owned),
            address: notice.address.to_owned(),
            // A line may have come in by mail and end in CRLF.
            said: notice.said.map(|said| said.lines().collect::<Vec<_>>().join("\n")),
            marker: MARKER,
            answer_to: notice.answer_to.map(|answer| answer.address.to_owned()),
            code: notice.answer_to.and_then(|answer| answer.code).map(owned),
            links,
            scene: scene.map(|scene| SceneFacts::of(scene, notice.answer_to, &subject)),
            subject,
        }
    }
}

impl Facts {
    /// The link to an answer that places a disc on this cell; `None` where none may be placed.
    pub(super) fn link_to(&self, cell: Cell) -> Option<&str> {
        let choices = &self.scene.as_ref()?.choices;
        // The cells stand in their order; a pass stands alone.
        let at = choices.binary_search_by_key(&Some(cell), |choice| match choice.played {
            Move::Place(cell) => Some(cell),
            Move::Pass => None,
        });
        choices.get(at.ok()?)?.href.as_deref()
    }
}

impl SceneFacts {
    fn of(scene: &Scene, answer_to: Option<AnswerTo>, subject: &str) -> Self {
        let game = scene.game;
        let position = game.position();
        let rules = position.rules();
        let side = |color: Color| Side {
            name: scene.names.of(color).to_owned(),
            color: color.to_string(),
            letter: words::letter(color, rules.lattice),
            discs: position.count(color),
        };
        let your_turn = game.turn() == Some(scene.to);
        let answer_to = answer_to.filter(|_| your_turn);
        let link = |label: &str| answer_to.map(|answer| answer.link(subject, label));
        let choices: Vec<_> =
            game.legal().into_iter().map(|played| Choice::of(game, played, link)).collect();
        let labels: Vec<_> = choices.iter().map(|choice| choice.label.as_str()).collect();
        Self {
            game: scene.id.0,
            variant: scene.title.to_owned(),
            rules: words::rules(rules),
            you: side(scene.to),
            opponent: side(!scene.to),
            black: side(Color::Black),
            white: side(Color::White),
            turn: game.turn().map(|color| color.to_string()),
            your_turn,
            must_pass: game.state() == State::Passing,
            passes: rules.stuck == Stuck::MustPass,
            ply: game.plies().len(),
            last_move: words::last_move(game, scene.names),
            figure: render::figure(position, LastMove::of(game).as_ref()).to_string(),
            legal: labels.join(" "),
            first_legal: labels.first().map(|&label| label.to_owned()),
            choices,
            moves: words::last_moves(game, LAST_MOVES),
            result: words::result(game, scene.names),
        }
    }
}

impl Choice {
    fn of(game: &Game, played: Move, link: impl Fn(&str) -> Option<String>) -> Self {
        let position = game.position();
        let (placed, flips) = match played {
            Move::Place(cell) => (1, position.flips(cell).len()),
            Move::Pass => (0, 0),
        };
        let after = |color: Color| {
            let before = position.count(color) as usize;
            if color == position.turn() {
                before + placed + flips
            } else {
                before.saturating_sub(flips)
            }
        };
        let label = position.rules().lattice.move_label(played);
        let (black, white) = (after(Color::Black), after(Color::White));
        Self { played, href: link(&label), label, flips, black, white }
    }
}
