use chrono::{DateTime, Utc};

use crate::PlayerId;
use crate::words;

/// The key of held commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldId(pub i64);

/// Commands that wait for a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldCommands {
    /// The player that the sender claims to be; `None` for an address that is not signed up.
    pub player: Option<PlayerId>,
    /// The address that is asked to confirm.
    pub address: String,
    /// The commands, in their order.
    pub lines: Vec<HeldLine>,
    /// Whether there are no commands, but a yes makes the address the player's.
    pub is_new_address: bool,
    /// Whether the mail with them also had a comment or note, which was not kept.
    pub had_words: bool,
    /// Whether that mail was verified.
    pub is_verified: bool,
    /// When they came in.
    pub created_at: DateTime<Utc>,
    /// Whether they were confirmed or cancelled.
    pub is_done: bool,
}

words! {
    /// The kind of a held command.
    HeldKind {
        /// It ends the membership.
        Leave = "leave",
        /// It asks for a new address.
        Address = "address",
        /// Any other.
        Other = "other",
    }
}

/// A held command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLine {
    /// Its kind.
    pub kind: HeldKind,
    /// The command as it is run when it is confirmed.
    pub words: String,
    /// What the person who is asked must know besides the words, if anything.
    pub about: Option<About>,
}

/// The subject of a held command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// How many events the game of the command had; `None` if the command is about a challenge.
    pub events: Option<usize>,
    /// A sentence without a full stop.
    pub sentence: String,
}

impl HeldLine {
    /// Returns a command of no special kind that its words explain.
    pub const fn other(words: String) -> Self {
        Self { kind: HeldKind::Other, words, about: None }
    }

    /// Returns the line as it is shown to the person who is asked.
    pub fn shown(&self) -> String {
        match &self.about {
            Some(about) => format!("{}: {}", self.words, about.sentence),
            None => self.words.clone(),
        }
    }
}
