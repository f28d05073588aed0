//! The commands of a page, described as the grammar describes them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;

use crate::app::PlayerCommand;

/// A command as a button, with the field for what stands behind it, if anything can.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Described {
    /// The word of the command, which is sent.
    pub word: &'static str,
    /// The word on the button.
    pub name: String,
    /// What the command does.
    pub about: String,
    /// What the field is for; empty without one.
    pub label: String,
}

/// The commands of players. Their parsers take longer to build than a page.
static COMMANDS: LazyLock<BTreeMap<&'static str, Described>> = LazyLock::new(|| {
    let described = PlayerCommand::WORDS.iter().filter_map(|&word| {
        let parser = PlayerCommand::parser(word)?;
        let about = parser.get_about().map(ToString::to_string).unwrap_or_default();
        // The first one is the number of the game, which the page knows.
        let text = parser.get_positionals().nth(1).and_then(clap::Arg::get_help);
        let label = text.map(ToString::to_string).unwrap_or_default();
        let label = label.split(" [default").next().unwrap_or_default().to_owned();
        Some((word, Described { word, name: capitalized(word), about, label }))
    });
    described.collect()
});

/// Returns the command with this word.
pub(super) fn described(word: &str) -> Option<&'static Described> {
    COMMANDS.get(word)
}

/// A button that answers an offer.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    word: &'static str,
    name: &'static str,
}

impl Answer {
    /// Returns the button for a command. To decline one's own offer is to withdraw it.
    pub(super) fn to(command: &'static Described, is_own: bool) -> Self {
        let Described { word, name, .. } = command;
        Self { word, name: if is_own { "Withdraw" } else { name } }
    }
}

/// Returns what a page says after the command with this word, which is true whatever the command found; `None`
/// where the page shows it.
pub(super) fn confirmation(word: &str) -> Option<&'static str> {
    Some(match word {
        "move" => "Your move was made.",
        "pass" => "You have passed.",
        "accept" => "You have accepted. If that begins a new game, you are mailed a link to it.",
        "decline" => "The offer is closed.",
        "note" => "Your note was added.",
        "plan" => "Your plan was changed.",
        "hint" => "The hint is being looked for, and will be mailed to you.",
        "analyze" => {
            "The game is being analyzed. The analysis will be mailed to you, and the replay shows it."
        }
        "mute" => "You get no more mails when it is your turn in this game.",
        "unmute" => "You get mails again when it is your turn in this game.",
        "unpause" => "The clocks run again.",
        "set" | "receipt" => "The setting was changed.",
        _ => return None,
    })
}

/// Returns text that begins with a capital letter.
pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_there_for_what_a_command_takes() {
        let label = |word| described(word).unwrap().label.as_str();
        assert_eq!(label("say"), "What you say");
        assert_eq!(label("note"), "The note");
        assert_eq!(label("plan"), "Branches of moves, or off");
        assert_eq!(label("resign"), "");
    }
}
