//! The commands of a page, described as the grammar describes them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;

use crate::app::{Place, PlayerCommand};

/// A command as a button, with the field for its argument, if it takes one.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Described {
    /// The word of the command, which is sent.
    pub word: &'static str,
    /// The word on the button.
    pub name: String,
    /// A description of the command.
    pub about: String,
    /// The label of the field; empty without one.
    pub label: String,
    /// Where the page of a game has it.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// The commands of players. Their parsers take longer to build than a page.
static COMMANDS: LazyLock<BTreeMap<&'static str, Described>> = LazyLock::new(|| {
    let described = PlayerCommand::words().filter_map(|word| {
        let place = PlayerCommand::named(word)?.on_page;
        let parser = PlayerCommand::parser(word)?;
        let about = parser.get_about().map(ToString::to_string).unwrap_or_default();
        // The first one is the number of the game, which the page knows.
        let text = parser.get_positionals().nth(1).and_then(clap::Arg::get_help);
        let label = text.map(ToString::to_string).unwrap_or_default();
        let label = label.split(" [default").next().unwrap_or_default().to_owned();
        Some((word, Described { word, name: capitalized(word), about, label, place }))
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

/// Returns text that begins with a capital letter.
pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_there_for_what_a_command_takes() {
        let label = |word| described(word).unwrap().label.as_str();
        assert_eq!(label("say"), "Your words");
        assert_eq!(label("note"), "The note");
        assert_eq!(label("plan"), "Branches of moves, or off");
        assert_eq!(label("resign"), "");
    }
}
