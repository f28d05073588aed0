//! Words that are not commands, with hints.

use crate::app::{Error, text::similar};
use outflank_rules::quoted;

/// Words of other programs, each with a hint. Over ssh and by mail `outflank ` is left out.
const EXPLAINED: [(&[&str], &str); 3] = [
    (&["list", "ls"], "did you mean `outflank games`?"),
    (
        &["version"],
        concat!(
            "this is version ",
            env!("CARGO_PKG_VERSION"),
            "; see `outflank help` for commands"
        ),
    ),
    (
        &LEAVING,
        "each command ends by itself, so there is nothing to leave; see `outflank help` for commands",
    ),
];

/// The lines that leave a board.
pub const LEAVING: [&str; 3] = ["quit", "q", "exit"];

/// Returns the hint for a word of other programs.
pub(crate) fn explained(word: &str) -> Option<&'static str> {
    let is_word = |known: &&str| known.eq_ignore_ascii_case(word);
    EXPLAINED.iter().find(|(words, _)| words.iter().any(is_word)).map(|it| it.1)
}

/// Returns the error for a word that is not a command. It explains the word or suggests a similar one of
/// these commands.
pub fn unknown_command<S: AsRef<str>>(word: &str, suggested: impl IntoIterator<Item = S>) -> Error {
    let error = Error::usage(format!("there is no command {}", quoted(word)));
    if let Some(explained) = explained(word) {
        return error.with_hint(explained);
    }
    error.with_hint(match similar::most_similar(word, suggested) {
        Some(command) => format!("did you mean `outflank {command}`?"),
        None => "see `outflank help`".to_owned(),
    })
}
