//! The words that are not valid names.

/// The words of all commands, which a test compares with the registry.
#[rustfmt::skip]
pub const COMMAND_WORDS: &[&str] = &[
    "abort", "accept", "address", "analyse", "analyze", "annul", "away", "backup", "block", "bots", "claim",
    "decline", "draw", "engine", "extend", "forfeit", "games", "help", "hint", "history", "inbox",
    "mail", "move", "mute", "new", "next", "note", "pass", "pause", "plan", "players", "preview",
    "receipt", "receive", "rematch", "replay", "resign", "rotate", "say", "send", "set", "show",
    "signup", "solve", "ssh", "subscribe", "takeback", "unblock", "unmute", "unpause",
    "unsubscribe",
];

/// The lines that end a mail.
pub const END_WORDS: &[&str] = &["--", "stop", "quit", "thanks"];

/// The lines that confirm a mail. The link in the mail writes the first one.
pub const CONFIRM_WORDS: &[&str] = &["yes", "ja", "oui", "sí", "si\u{301}", "sim", "да"];

/// Words that commands may have one day, and other words that would mislead as names.
#[rustfmt::skip]
const PLANNED_WORDS: &[&str] = &[
    "absent", "anyone", "back", "board", "bot", "challenge", "challenges", "chat", "clock",
    "doctor", "exit", "export", "import", "leave", "list", "log", "me", "no", "offer", "page",
    "play", "player", "remove", "retry", "rules", "standings", "status", "tournament",
    "tournaments", "undo", "unwatch", "verify", "version", "watch", "web", "you",
];

/// Returns the words that are not valid names, in either case.
pub fn reserved_words() -> impl Iterator<Item = &'static str> {
    [COMMAND_WORDS, END_WORDS, CONFIRM_WORDS, PLANNED_WORDS].into_iter().flatten().copied()
}
