use serde::Serialize;

use super::read::quote::MARKER;
use super::{GameContext, MessageContext, ReplyAddress};
use crate::game::{Cell, Color, Game, Move, State};
use crate::render::{self, LastMove, Style, words};

/// How many moves back a mail goes.
const LAST_MOVES: usize = 10;

/// What a template can name. Text is in ASCII; lists are not wrapped.
#[derive(Debug, Serialize)]
pub(super) struct TemplateValues {
    /// The reader's name; none when that is nobody who plays here yet.
    name: Option<String>,
    /// The reader's address.
    address: String,
    subject: String,
    /// What is said besides the state of a game; none for most mails.
    text: Option<String>,
    /// The line above which an answer is written.
    marker: &'static str,
    /// The address that an answer goes to; none when no mail is taken in.
    reply_to: Option<String>,
    /// The reply token that must be in the text of a reply; none if the address carries it.
    token: Option<String>,
    /// Links to answers; none when no mail is taken in.
    links: Option<Links>,
    /// In a mail about a game, all that is below; else none of it is defined.
    #[serde(flatten)]
    scene: Option<GameValues>,
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
struct GameValues {
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
    /// The legal moves and their number: `c4 / d3 (2 moves)`.
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

impl TemplateValues {
    pub(super) fn of(context: &MessageContext) -> Self {
        let owned = |text: &str| text.to_owned();
        let subject = context.subject();
        let links = context.reply_to.map(|answer| Links {
            empty: answer.link(&subject, ""),
            yes: answer.link(&subject, "yes"),
            no: answer.link(&subject, "no"),
            help: answer.link(&subject, "help"),
        });
        let scene = context.game.as_ref();
        Self {
            name: context.name.map(owned),
            address: context.address.to_owned(),
            // A line may have come in by mail and end in CRLF.
            text: context.text.map(|text| text.lines().collect::<Vec<_>>().join("\n")),
            marker: MARKER,
            reply_to: context.reply_to.map(|answer| answer.address.to_owned()),
            token: context.reply_to.and_then(|reply| reply.token).map(owned),
            links,
            scene: scene.map(|scene| GameValues::of(scene, context.reply_to, &subject)),
            subject,
        }
    }
}

impl TemplateValues {
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

impl GameValues {
    fn of(scene: &GameContext, reply_to: Option<ReplyAddress>, subject: &str) -> Self {
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
        let reply_to = reply_to.filter(|_| your_turn);
        let link = |label: &str| reply_to.map(|answer| answer.link(subject, label));
        let choices: Vec<_> =
            game.legal().into_iter().map(|played| Choice::of(game, played, link)).collect();
        let count = match choices.len() {
            1 => "1\u{a0}move".to_owned(),
            count => format!("{count}\u{a0}moves"),
        };
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
            ply: game.plies().len(),
            last_move: words::last_move(game, scene.names),
            figure: render::figure(position, LastMove::of(game).as_ref()).to_string(),
            legal: format!("{}\u{a0}({count})", labels.join("\u{a0}/ ")),
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

/// What a template of HTML can name.
#[derive(Debug, Serialize)]
pub(super) struct HtmlValues<'a> {
    #[serde(flatten)]
    values: &'a TemplateValues,
    /// The board, as HTML; none where that would be too long, and in a mail about no game.
    board: Option<String>,
    /// Whether there is room for the moves that may be made, and for a link to each.
    roomy: bool,
}

/// How much of a mail is shown in HTML, from all down to what always fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    All,
    /// The board in plain letters.
    Plain,
    /// No link to each move either.
    Unlinked,
    /// No board.
    Boardless,
}

impl Detail {
    pub(super) const ALL: [Self; 4] = [Self::All, Self::Plain, Self::Unlinked, Self::Boardless];
}

/// A board of more cells is too long for a mail however plainly it is drawn, and the frame of a
/// hex lattice may have millions.
const MOST_CELLS: usize = 9_000;

impl<'a> HtmlValues<'a> {
    pub(super) fn of(context: &MessageContext, values: &'a TemplateValues, detail: Detail) -> Self {
        let roomy = matches!(detail, Detail::All | Detail::Plain);
        let dress = if detail == Detail::All { Style::Full } else { Style::Plain };
        let link = |cell| values.link_to(cell).filter(|_| roomy).map(str::to_owned);
        let game = context.game.map(|scene| scene.game).filter(|game| {
            let frame = game.position().frame();
            detail != Detail::Boardless && frame.rows * frame.columns <= MOST_CELLS
        });
        let board = game
            .map(|game| render::html(game.position(), LastMove::of(game).as_ref(), dress, link));
        Self { values, board, roomy }
    }
}
