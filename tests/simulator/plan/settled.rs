//! What was set last, so that a scene does not set it again.

use std::collections::BTreeMap;

use crate::simulator::step::{Action, Command, Mood};

/// The mood of the mail server and the settings of the players, as far as steps have set them.
#[derive(Default)]
pub struct Settled {
    mood: Option<Mood>,
    /// The values by the name of the player and the word of the setting.
    values: BTreeMap<[String; 2], String>,
}

/// Returns the player, the word and the value of a command that sets something.
fn setting(action: &Action) -> Option<([String; 2], String)> {
    let Action::Command(Command { actor: Some(player), words, is_elsewhere: false }) = action
    else {
        return None;
    };
    match &words[..] {
        [set, word, value @ ..] if set == "set" && !value.is_empty() => {
            Some(([player.clone(), word.clone()], value.join(" ")))
        }
        _ => None,
    }
}

impl Settled {
    /// Returns whether an action would set what is so already.
    pub fn has(&self, action: &Action) -> bool {
        match action {
            Action::Server(mood) => self.mood == Some(*mood),
            _ => setting(action).is_some_and(|(key, value)| self.values.get(&key) == Some(&value)),
        }
    }

    /// Notes an action that is done.
    pub fn note(&mut self, action: &Action) {
        match action {
            Action::Server(mood) => self.mood = Some(*mood),
            // Other settings are back.
            Action::Restore => self.values.clear(),
            _ => self.values.extend(setting(action)),
        }
    }
}
