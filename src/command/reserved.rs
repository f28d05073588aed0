//! The words that are not valid names.

use outflank_model::bot::named_levels;
use outflank_rules::{VARIANTS, Variant};

/// The words of all commands and their other names, which a test compares with the registry.
#[rustfmt::skip]
pub const COMMAND_WORDS: &[&str] = &[
    "abort", "accept", "address", "analyse", "analyze", "annul", "away", "backup", "block", "board", "bots",
    "challenge", "challenges", "chat", "claim", "completions",
    "decline", "doctor", "draw", "engine", "export", "extend", "forfeit", "games", "handover", "help", "hint", "history", "import", "inbox", "join",
    "leave", "log", "mail", "man", "move", "mute", "new", "next", "note", "page", "pass", "pause", "plan", "play", "player", "players",
    "preview", "receipt", "receive", "rematch", "remove", "replay", "resign", "rotate", "rules", "say",
    "send", "set", "show", "signup", "solve", "ssh", "standings", "status", "subscribe", "takeback", "takeover", "tournament", "tournaments", "unblock",
    "undo", "unmute", "unpause", "unsubscribe", "unwatch", "verify", "watch", "web", "withdraw",
];

/// The lines that end a mail.
pub const END_WORDS: &[&str] = &["--", "stop", "quit", "thanks"];

/// The lines that confirm a mail. The link in the mail writes the first one.
pub const CONFIRM_WORDS: &[&str] = &["yes", "ja", "oui", "sí", "si\u{301}", "sim", "да"];

/// Words that commands may have one day.
#[rustfmt::skip]
const PLANNED_WORDS: &[&str] = &[
    "absent", "adopt", "back", "clock", "exit", "letter", "list", "named", "offer", "retry", "version",
];

/// Words that would be misunderstood in a sentence about a player.
const MISLEADING_WORDS: &[&str] = &["anyone", "bot", COMPUTER, "no", "you"];

/// The word for any computer player.
pub const COMPUTER: &str = "computer";

/// The reserved words, each list with why they are not valid names. Variants and levels are, too.
const RESERVED: [(&[&str], &str); 5] = [
    (COMMAND_WORDS, "is a command"),
    (END_WORDS, "ends the commands of a mail"),
    (CONFIRM_WORDS, "confirms a mail"),
    (PLANNED_WORDS, "may become a command"),
    (MISLEADING_WORDS, MISLEADING),
];
const MISLEADING: &str = "would be misleading as a name";

/// Returns the words that are not valid names, in either case.
pub fn reserved_words() -> impl Iterator<Item = &'static str> {
    RESERVED.into_iter().flat_map(|(words, _)| words).copied().chain(played_words())
}

/// Returns the names of variants, and those of levels that are words.
fn played_words() -> impl Iterator<Item = &'static str> {
    VARIANTS.iter().flat_map(Variant::names).chain(named_levels())
}

/// Returns why a word is not a valid name, such as "is a command"; `None` if it is not reserved.
pub(super) fn reason(word: &str) -> Option<&'static str> {
    let is_word = |reserved: &&str| reserved.eq_ignore_ascii_case(word);
    let listed = RESERVED.iter().find(|(words, _)| words.iter().any(is_word)).map(|(_, why)| *why);
    listed.or_else(|| played_words().any(|it| is_word(&it)).then_some(MISLEADING))
}
