//! What people write who do not know the commands yet. Nothing of it is done: the answer suggests the command.

use crate::app::views::challenge::next_steps;
use crate::command::{Name, normalize};
use outflank_engine::Level;
use outflank_model::bot::{Bot, FIRST};
use outflank_rules::{VARIANTS, Variant};

/// Words that a wish to play can have besides what it is about.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "a", "again", "against", "an", "another", "begin", "can", "challenge", "could", "game", "games", "hello", "hey",
    "hi", "i", "id", "let", "lets", "like", "love", "match", "may", "me", "new", "of", "one", "play", "playing",
    "please", "start", "the", "to", "us", "want", "with", "would", "your",
];
/// The words of [`FILLERS`] that say that somebody wants to play.
const PLAYING: &[&str] = &["challenge", "game", "games", "match", "new", "play", "playing"];
const COMPUTER: &[&str] = &["ai", "bot", "bots", "computer", "machine", "program", "robot"];
const ANYONE: &[&str] =
    &["anybody", "anyone", "everybody", "everyone", "opponent", "somebody", "someone"];
/// The most words of a wish.
const MAX_WORDS: usize = 12;

/// Returns the commands of a game that a line may ask for, if it has no other words.
pub(crate) fn wanted_game(line: &str) -> Vec<String> {
    let line = normalize(line).to_lowercase().replace(['\'', '\u{2019}'], "");
    let mark = |c: char| !c.is_alphanumeric();
    let words: Vec<_> = line.split_whitespace().map(|word| word.trim_matches(mark)).collect();
    let is_variant = |word: &str| VARIANTS.iter().flat_map(Variant::names).any(|name| name == word);
    let (mut meant, mut is_wish) = (Vec::new(), false);
    for word in words.iter().filter(|word| !word.is_empty()) {
        if let Some(bot) = level(word) {
            meant.push(format!("challenge {bot}"));
        } else if COMPUTER.contains(word) {
            meant.push(format!("challenge {FIRST}"));
        } else if ANYONE.contains(word) {
            meant.push("challenge anyone".to_owned());
        } else if is_variant(word) || PLAYING.contains(word) {
            is_wish = true;
        } else if !FILLERS.contains(word) {
            return Vec::new();
        }
    }
    meant.dedup();
    match &meant[..] {
        _ if words.len() > MAX_WORDS => Vec::new(),
        [] if is_wish => next_steps().to_vec(),
        _ => meant,
    }
}

/// Returns the computer player with this name, with or without `bot:`.
fn level(word: &str) -> Option<Bot> {
    let named = Level::all().map(Bot::Level).find(|bot| {
        let name = bot.to_string();
        name == word || name.strip_prefix("bot:") == Some(word)
    });
    // A number alone is no name.
    named.filter(|_| word.parse::<u32>().is_err())
}

/// Returns the command that a challenge with its words in the wrong order means, such as
/// `challenge othello bob`, and the name in it.
pub(crate) fn turned_challenge(line: &str) -> Option<(Name, String)> {
    let line = normalize(line);
    let [challenge, variant, name] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    let variant = variant.to_lowercase();
    let is_variant = VARIANTS.iter().flat_map(Variant::names).any(|known| known == variant);
    let name: Name = name.parse().ok()?;
    let is_it = challenge.eq_ignore_ascii_case("challenge") && is_variant;
    is_it.then(|| (name.clone(), format!("challenge {name} {variant}")))
}

/// What asks to sign up besides `signup`, and what can stand in front of it and behind it.
const SIGNUP: &[&str] =
    &["sign up", "sign me up", "sign-up", "signup", "register", "register me", "join"];
const BEFORE: &[&str] = &[
    "can i",
    "could i",
    "id like to",
    "i want to",
    "i would like to",
    "let me",
    "may i",
    "please",
    "hello",
    "hi",
];
const BEHIND: &[&str] = &["as", "with the name", "under the name", "my name is", "name"];
/// What stands behind these words in sentences that ask for no name.
const NO_NAMES: &[&str] = &[
    "at", "by", "for", "here", "in", "me", "now", "our", "please", "the", "to", "today", "up",
    "us", "with", "you",
];

/// Returns the name under which a stranger wants to sign up, if the line is nothing but that wish.
pub(crate) fn wanted_name(line: &str) -> Option<Name> {
    let line = normalize(line).replace(['\'', '\u{2019}'], "").replace(',', " ");
    let words: Vec<_> = line.split_whitespace().collect();
    let (last, wish) = words.split_last()?;
    let wish: Vec<_> = wish.iter().map(|word| word.trim_end_matches(':').to_lowercase()).collect();
    let wish = wish.join(" ");
    let without = |text: &str, known: &[&str], cut: fn(&str, &str) -> Option<String>| {
        known.iter().find_map(|known| cut(text, known)).unwrap_or_else(|| text.to_owned())
    };
    let front =
        |text: &str, known: &str| Some(text.strip_prefix(known)?.strip_prefix(' ')?.to_owned());
    let back =
        |text: &str, known: &str| Some(text.strip_suffix(known)?.strip_suffix(' ')?.to_owned());
    let wish = without(&wish, BEFORE, front);
    let wish = without(&wish, BEFORE, front);
    let wish = without(&wish, BEHIND, back);
    let is_word = NO_NAMES.iter().any(|word| word.eq_ignore_ascii_case(last));
    (SIGNUP.contains(&&*wish) && !is_word).then(|| last.parse().ok()).flatten()
}
