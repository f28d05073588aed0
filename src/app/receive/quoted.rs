//! Commands in a mail that may be words of a comment which the mail quotes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::app::receive::bound::bound_to_now;
use crate::app::receive::comment::{self, COMMENT};
use crate::app::receive::question::{Doubt, separate};
use crate::app::receive::request::Parsed;
use crate::app::receive::tokens::RepliedTo;
use crate::app::views::comments::{self, Comment};
use crate::app::{Error, Line, PlayerCommand, find};
use crate::mail::read::{Body, InboundMessage, OwnLines};
use crate::store::Db;
use outflank_model::log::GameId;
use outflank_model::{About, HeldLine, Player};

/// How many letters and digits of a comment tell whether a mail quotes it.
const COMPARED_CHARS: usize = 16;

/// A comment that a mail quotes.
struct Quoted {
    author: String,
    /// Its words in small letters, without the marks around them.
    words: Vec<String>,
    /// The number of the typed line from which on it may stand among them.
    begin: usize,
}

/// Separates the commands of a player's mail that equal words of a quoted comment and do not stand above
/// all quotes. Returns those that must be confirmed, and the others. A comment among the equal ones is
/// refused, and an invalid command is left out.
pub(crate) fn split(
    db: &Db,
    player: &Player,
    message: &InboundMessage,
    to: &RepliedTo,
    commands: Vec<Parsed>,
) -> Result<(Vec<HeldLine>, Vec<Parsed>), Error> {
    let Body::Lines { fresh, own, whole, .. } = &message.body else {
        return Ok((Vec::new(), commands));
    };
    let text = Text { fresh, own, letters: letters(whole) };
    let mut by_game: BTreeMap<GameId, Vec<Quoted>> = BTreeMap::new();
    separate(commands, |parsed| {
        let Some(number) = parsed.line else { return Ok(Doubt::None) };
        let line = if parsed.words == COMMENT { &fresh[number] } else { &parsed.words };
        let words = words(line);
        let mut author = None;
        for game in games(to, parsed) {
            let quoted = match by_game.entry(game) {
                Entry::Occupied(found) => found.into_mut(),
                Entry::Vacant(missing) => missing.insert(text.quoted(db, game)?),
            };
            // A run of no words would panic.
            let has_run = |all: &[String]| all.windows(words.len().max(1)).any(|it| it == words);
            let is_same = |quoted: &&Quoted| number >= quoted.begin && has_run(&quoted.words);
            author = author.or_else(|| quoted.iter().find(is_same).map(|it| it.author.clone()));
        }
        let Some(author) = author else { return Ok(Doubt::None) };
        if parsed.words == COMMENT {
            return Ok(Doubt::Refuse(comment::unclear()));
        }
        let Some(command) = parsed.command() else { return Ok(Doubt::LeaveOut) };
        let line = bound_to_now(db, player, command, &with_game(command, &parsed.words));
        let sentence = format!("{author} has said the same, which your mail quotes");
        let about = About { events: None, sentence };
        Ok(line.map(|line| HeldLine { about: line.about.or(Some(about)), ..line }).into())
    })
}

/// Returns the games with comments that a mail may quote: its own games or, if these are unknown, the
/// game of the command.
fn games(to: &RepliedTo, parsed: &Parsed) -> Vec<GameId> {
    let shown: Vec<_> = to.at.iter().chain(to.drawn.iter().flatten()).map(|at| at.game).collect();
    match parsed.command() {
        Some(command) if shown.is_empty() => command.concerns().game().into_iter().collect(),
        _ => shown,
    }
}

/// The text of a mail.
struct Text<'a> {
    fresh: &'a [String],
    own: &'a OwnLines,
    /// The letters and digits of the whole text.
    letters: String,
}

impl Text<'_> {
    /// Returns the comments of a game that the text quotes.
    fn quoted(&self, db: &Db, game: GameId) -> Result<Vec<Quoted>, Error> {
        let Some(stored) = find::intact_game(db, game)? else { return Ok(Vec::new()) };
        let first_gap = self.own.gaps.first().map_or(self.fresh.len(), |gap| gap.above);
        let quoted = |Comment { by, text, .. }: Comment| {
            let begin: String = letters(text).chars().take(COMPARED_CHARS).collect();
            self.letters.contains(&begin).then(|| {
                let author = stored.name(by).to_owned();
                let name = format!("{author}:");
                let named = self.fresh.iter().position(|line| line.contains(&name));
                let begin = named.map_or(first_gap, |named| named.min(first_gap));
                Quoted { author, words: words(text), begin }
            })
        };
        Ok(comments::all(&stored.game).filter_map(quoted).collect())
    }
}

/// Returns a command with the number of its game, so that it means the same in a mail about none.
fn with_game(command: &PlayerCommand, words: &str) -> String {
    let Some(game) = command.concerns().game() else { return words.to_owned() };
    let alone = Line::command(words, None);
    if alone.is_some_and(|alone| alone.concerns().game() == Some(game)) {
        return words.to_owned();
    }
    let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
    format!("{first} {game} {rest}").trim_end().to_owned()
}

fn words(text: &str) -> Vec<String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
