//! What people write who do not know the commands yet. Nothing of it is done: the answer suggests the command.

use crate::app::views::challenge::next_steps;
use crate::command::{Name, normalize};
use outflank_model::bot::{Bot, FIRST};
use outflank_rules::Variant;

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
    let (mut meant, mut is_wish) = (Vec::new(), false);
    for word in words.iter().filter(|word| !word.is_empty()) {
        if let Some(bot) = level(word) {
            meant.push(format!("challenge {bot}"));
        } else if COMPUTER.contains(word) {
            meant.push(format!("challenge {FIRST}"));
        } else if ANYONE.contains(word) {
            meant.push("challenge anyone".to_owned());
        } else if Variant::named(word).is_ok() || PLAYING.contains(word) {
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
    // A number alone is no name.
    let name = word.strip_prefix("bot:").or(Some(word).filter(|it| it.parse::<u32>().is_err()));
    name?.parse().ok().map(Bot::Level)
}

/// Returns the command that a challenge with its words in the wrong order means, such as
/// `challenge othello bob`, and the name in it.
pub(crate) fn turned_challenge(line: &str) -> Option<(Name, String)> {
    let line = normalize(line);
    let [challenge, variant, name] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    let variant = variant.to_lowercase();
    let name: Name = name.parse().ok()?;
    let is_it = challenge.eq_ignore_ascii_case("challenge") && Variant::named(&variant).is_ok();
    is_it.then(|| (name.clone(), format!("challenge {name} {variant}")))
}

/// What asks to sign up.
const SIGNUP: &[&str] =
    &["sign up", "sign me up", "sign-up", "signup", "register", "register me", "join"];
/// What can stand in front of that, and between it and the name.
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
/// Words behind [`SIGNUP`] in sentences that give no name, such as "join us".
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
    let mut wish = wish.as_str();
    // A greeting can stand in front of a polite beginning.
    for _ in 0..2 {
        wish =
            BEFORE.iter().find_map(|it| wish.strip_prefix(it)?.strip_prefix(' ')).unwrap_or(wish);
    }
    wish = BEHIND.iter().find_map(|it| wish.strip_suffix(it)?.strip_suffix(' ')).unwrap_or(wish);
    let is_word = NO_NAMES.iter().any(|word| word.eq_ignore_ascii_case(last));
    (SIGNUP.contains(&wish) && !is_word).then(|| last.parse().ok()).flatten()
}
