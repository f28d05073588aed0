//! The commands of a page, described as the grammar describes them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;

use crate::app::{Button, Place, PlayerCommand};

/// A command as a button, with the field for its argument, if it takes one.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Described {
    /// The word of the command, which is sent.
    pub word: &'static str,
    /// The words on the button.
    pub name: &'static str,
    /// What the command does, or the label of the field.
    pub about: &'static str,
    /// Whether there is a field.
    pub has_field: bool,
    /// Where the page of a game has it.
    #[serde(skip)]
    pub place: Place,
}

/// The commands that the page of a game has. Their parsers take longer to build than a page.
static COMMANDS: LazyLock<BTreeMap<&'static str, Described>> = LazyLock::new(|| {
    let described = PlayerCommand::ALL.iter().filter_map(|traits| {
        let (word, Button { place, name, about }) = (traits.word, traits.on_page?);
        // The first argument is the number of the game, which the page knows.
        let has_field = place == Place::Apart
            && PlayerCommand::parser(word)?.get_positionals().nth(1).is_some();
        Some((word, Described { word, name, about, has_field, place }))
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
    /// The button to join a tournament.
    pub(super) const JOIN: Self = Self { word: "join", name: "Join" };

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
        let fields: Vec<_> =
            COMMANDS.values().filter(|it| it.has_field).map(|it| it.word).collect();
        assert_eq!(fields, ["note", "plan", "say"]);
    }

    #[test]
    fn every_button_has_words_and_none_are_those_of_a_shell() {
        for Described { word, name, about, place, .. } in COMMANDS.values() {
            assert!(!name.is_empty() && !about.contains(['`', '[']), "{word}");
            let needs_words = matches!(place, Place::Buttons | Place::LastButtons);
            assert!(!needs_words || !about.is_empty(), "{word}");
        }
    }
}
