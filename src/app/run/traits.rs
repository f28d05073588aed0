//! The traits of a command, which front ends know whatever its arguments are.

use std::fmt;

/// The traits of a command.
#[derive(Debug, Clone, Copy)]
pub struct Traits {
    /// Its word.
    pub word: &'static str,
    /// The heading of `help` under which it stands.
    pub heading: Heading,
    /// Its other names, in every front end.
    pub aliases: &'static [&'static str],
    /// Its other names in the shell and over ssh. In a mail they would turn sentences into commands.
    pub synonyms: &'static [&'static str],
    /// Who gives it, to complete "to say ..."; `None` if the host can give it too.
    pub actor: Option<&'static str>,
    /// Whether the shell needs `--as` for it even if the user of the system is a player: nobody can undo it.
    pub needs_name: bool,
    /// The words that it carries, if a person writes them.
    pub words: Option<Words>,
    /// Whether a board offers it in its game while it would not be refused.
    pub on_board: bool,
    /// How the page of a game has it, if it does. There too it is offered while it would not be refused.
    pub on_page: Option<Button>,
    /// Whether the page of a player has it.
    pub on_own_page: bool,
    /// What a page says after it, which is true whatever it found; `None` where the page shows it.
    pub done: Option<&'static str>,
    /// Whether the board shows its effect, so that only the sentence of its reply is shown.
    pub is_shown_by_board: bool,
    /// Whether the engine searches for so long that a board must not wait for it.
    pub takes_long: bool,
    /// Whether a reply to a mail about a watched game can give it. All commands that only read can be.
    pub for_watchers: bool,
    /// Whether it is suggested for a similar word; not if it cannot be undone.
    pub is_suggested: bool,
    /// Whether the outcome of the mails that it sends is printed below its reply.
    pub reports_mails: bool,
}

/// A heading of `help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// To make moves, and to end a game.
    Play,
    /// Challenges and offers, and their answers.
    Offers,
    /// Comments and notes.
    Talk,
    /// Clocks and absences.
    Time,
    /// Tournaments.
    Tournaments,
    /// To read.
    Look,
    /// What players set for themselves.
    Settings,
    /// Commands of the host.
    Host,
}

/// The words of a person that a command carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// For somebody else.
    ForOthers,
    /// For the author.
    Own,
}

/// A command as the page of a game has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Button {
    /// Where it is.
    pub place: Place,
    /// The words on its button.
    pub name: &'static str,
    /// What it does, in a sentence, or the label of the field for its words.
    pub about: &'static str,
}

/// Where the page of a game has a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the squares of the board: it is never offered besides.
    Squares,
    /// In a place of its own.
    Apart,
    /// Beside the open offer, or else among the buttons.
    Answers,
    /// Among the buttons.
    Buttons,
    /// Among the last of the buttons.
    LastButtons,
}

impl Traits {
    /// Returns the traits of a command that no board and no page has.
    pub(crate) const fn new(word: &'static str, heading: Heading) -> Self {
        Self {
            word,
            heading,
            aliases: &[],
            synonyms: &[],
            actor: None,
            needs_name: false,
            words: None,
            on_board: false,
            on_page: None,
            on_own_page: false,
            done: None,
            is_shown_by_board: false,
            takes_long: false,
            for_watchers: false,
            is_suggested: true,
            reports_mails: true,
        }
    }

    /// Returns the traits of a command that boards and pages offer. A board shows its effect.
    pub(crate) const fn offered(word: &'static str, heading: Heading) -> Self {
        Self { on_board: true, is_shown_by_board: true, ..Self::new(word, heading) }
    }

    /// Adds the button that the page of a game has for it, and what that does.
    pub(crate) const fn button(
        self,
        place: Place,
        name: &'static str,
        about: &'static str,
    ) -> Self {
        Self { on_page: Some(Button { place, name, about }), ..self }
    }

    /// Requires a player, who is called this in a sentence.
    pub(crate) const fn by(self, actor: &'static str) -> Self {
        Self { actor: Some(actor), ..self }
    }

    /// Returns its word and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        [self.word].into_iter().chain(self.aliases.iter().copied())
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
