//! The pages, as HTML. The functions here read nothing and know no HTTP.
//!
//! Below the prefix of the site are these addresses:
//!
//! | address | page |
//! |---|---|
//! | `/style.css`, `/script.js` | [`STYLE`], [`SCRIPT`] |
//! | `/play/TOKEN` | [`play`], for a player |
//! | `/play/TOKEN?choose=d3` | the same with a chosen move |
//! | `/play/TOKEN/34` | [`replay`]: the game after 34 moves |
//! | `/play/TOKEN/game.txt`, `game.json`, `game.svg`; `34.svg` | transcript, JSON and picture |
//! | `/play/TOKEN/events` | the event stream until the game ends: each message is the [history](LiveGame::history) of the game now |
//! | `/watch/TOKEN`, and the same below it | [`play`] and [`replay`], for a watcher |
//! | `/play/TOKEN?plan=d6+c3` | the same after the moves of a branch of a plan |
//! | `/me/TOKEN` | [`desk`] |
//! | `/me/TOKEN/12`, and the same below it | [`play`] and [`replay`] of a game that was opened there |
//! | `/calendar/TOKEN.ics` | [`calendar`]: the deadlines and absences of a player |
//! | `/unsubscribe/TOKEN` | [`unsubscribe`]: the one-click link of a mail |
//! | `/`, `/players`, `/standings` | [`list`], if the site is public |
//! | `/player/NAME` | [`list`] of the games of a player |
//! | `/?variant=mini` | the games of a variant; for `/standings`, the ratings in it |
//! | `/?after=KEY` | the part of a long list that begins after the row with this key |
//! | `/game/12/events` | its event stream |
//! | `/game/12`, `/game/12/34`, `/game/12/game.txt` …, `/game/12/board.png` | [`replay`] of a public game, its downloads and its picture |
//!
//! A form that changes something is sent with POST to the address of its page: the field `history` is
//! [`LiveGame::history`], `command` the word of a command, and `text` its argument (a move, a comment), if it
//! has one; several fields `text` are its arguments in their order. `say` is what the player says with a move,
//! and `now` mails a comment at once. On the page of a player, `history` is that of a challenge, or
//! the absence that ends; other forms there have none, and a setting sends a command of two words, such as `set quiet`.

mod blocks;
mod board;
mod calendar;
mod command;
mod desk;
mod game;
mod list;
mod menu;
mod plan;
mod play;
mod plot;
mod preview;
mod replay;
mod small;
mod templates;

use std::sync::LazyLock;

use serde::Serialize;

use crate::app::{Analysis, Aside, Desk, LiveGame, Visit};
use outflank_model::log::Game;
use outflank_rules::Move;

pub use calendar::calendar;
pub use desk::desk;
pub use list::list;
pub use play::play;
pub use preview::preview;
pub use replay::replay;
pub use small::{failure, unsubscribe};

/// The stylesheet, without spaces around its punctuation.
pub static STYLE: LazyLock<String> = LazyLock::new(|| {
    let style = bare(include_str!("../../../templates/web/style.css"));
    let tight = |style: String, mark: &str| style.replace(mark, mark.trim());
    [" {", "{ ", "{\n", "; ", ";\n", ": ", " }"].into_iter().fold(style, tight)
});
/// The script.
pub static SCRIPT: LazyLock<String> =
    LazyLock::new(|| bare(include_str!("../../../templates/web/script.js")));

/// Returns the lines of a file without indentation, and without those that are comments.
fn bare(text: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let lines = lines.filter(|line| !line.starts_with("//") && !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Where the pages are.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Site {
    /// The prefix of the path of each address: `/othello`, or nothing.
    pub prefix: String,
    /// The whole address without a slash at its end: `https://club.example/othello`; empty without
    /// `[web] url`.
    pub url: String,
    /// Whether there are public pages.
    pub is_public: bool,
}

/// A message above the content of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// The command with this word was carried out.
    Done(&'static str),
    /// A comment was mailed at once.
    Mailed,
    /// The page that was used is no longer up to date, and nothing was done.
    Stale,
    /// The command was refused: the reason, and a hint.
    Refused(String, Option<String>),
}

/// The page of a game for one of its players or a watcher.
#[derive(Debug, Clone)]
pub struct PlayPage<'a> {
    /// Where the pages are.
    pub site: &'a Site,
    /// The path of this page: `/othello/play/TOKEN`, `/othello/watch/TOKEN` or `/othello/me/TOKEN/12`.
    pub path: &'a str,
    /// The path up to the token.
    pub home: &'a str,
    /// The game as it stands.
    pub live: &'a LiveGame,
    /// Who reads the page: a player, who may act there, or a watcher.
    pub visit: &'a Visit,
    /// What only the player sees; nothing for a watcher.
    pub aside: &'a Aside,
    /// The move that was chosen and not made yet; it is legal.
    pub chosen: Option<Move>,
    /// The game after the moves of a branch of a plan that is being made.
    pub branch: Option<&'a Game>,
    /// A refused command, and its argument as it was typed.
    pub typed: Option<(&'a str, &'a str)>,
    /// Shown above the content.
    pub message: Option<&'a Message>,
}

/// The page of a player.
#[derive(Debug, Clone)]
pub struct DeskPage<'a> {
    /// Where the pages are.
    pub site: &'a Site,
    /// The path of this page: `/othello/me/TOKEN`.
    pub path: &'a str,
    /// The name of the player.
    pub name: &'a str,
    /// Its contents.
    pub desk: &'a Desk,
    /// Whether its finished games are the first part of them.
    pub is_first: bool,
    /// Shown above the content.
    pub message: Option<&'a Message>,
}

/// A game after some of its moves.
#[derive(Debug, Clone)]
pub struct ReplayPage<'a> {
    /// Where the pages are.
    pub site: &'a Site,
    /// The path of the game, to which `/34` is added: `/othello/play/TOKEN` or `/othello/game/12`.
    pub path: &'a str,
    /// The game as it stands.
    pub live: &'a LiveGame,
    /// The number of moves after which it is shown; at most as many as it has.
    pub ply: usize,
    /// The findings of an analysis of its moves, if there is one.
    pub analysis: Option<&'a Analysis>,
    /// Whether everybody can see it.
    pub is_public: bool,
}

/// A page in place of the one that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// There is no such page, or it is not for everybody.
    NotFound,
    /// This server has only the public pages, and this is none.
    NotPublic,
    /// The request does not come from a form of a page of this site.
    Refused,
    /// There were too many requests.
    TooMany,
    /// Something failed, and nothing was done; trying again later can succeed.
    Unavailable,
    /// The club has moved to another machine, as this sentence says, and nothing was done.
    Moved(String),
    /// Something failed in a command that has begun, and may be done.
    Uncertain,
}
