use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::effects::change::{Change, Decision};
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase, Words, find};
use outflank_model::StoredGame;
use outflank_model::log::{Action, GameId};
use outflank_rules::Color;

/// Write a note about a game that only you see, or show your notes
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: note 12 \"keep the corner a1\"")]
pub struct Note {
    /// The number of the game
    game: GameId,
    /// The note [default: show the notes]
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

impl Note {
    /// Returns the command for a note from a page; without words it shows the notes.
    pub(crate) fn new(game: GameId, text: String) -> Self {
        Self { game, text: vec![text] }
    }

    /// Returns the note, with one space between words.
    fn cleaned(&self) -> String {
        let text = self.text.join(" ");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The most characters of a note.
const MAX_NOTE_CHARACTERS: usize = 1000;

impl UseCase for Note {
    const TRAITS: Traits = Traits {
        words: Some(Words::Own),
        done: Some("Your note was added."),
        ..Traits::new("note", Heading::Talk).by("whose note it is").button(
            Place::Apart,
            "Write a note",
            "Only you see it",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        offer::decide(change, |_| {
            Ok((Action::Note(self.cleaned()), "Noted; only you see it.".to_owned()))
        })
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let text = self.cleaned();
        if text.is_empty() {
            return session.read(|reading| {
                let stored = find::game(reading.db, self.game)?;
                let own = find::own_color(reading.db, &stored, reading.actor)?;
                Ok(list(&stored, own))
            });
        }
        if text.chars().count() > MAX_NOTE_CHARACTERS {
            let message = format!("the note has more than {MAX_NOTE_CHARACTERS} characters");
            return Err(Error::refused(message).with_hint("write several notes"));
        }
        offer::act(session, self)
    }
}

/// Returns the notes of one player of a game, oldest first.
pub(crate) fn notes(stored: &StoredGame, own: Option<Color>) -> Vec<&str> {
    let events = stored.game.events().iter().filter(|event| own.is_some() && event.by == own);
    let notes = events.filter_map(|event| match &event.action {
        Action::Note(text) => Some(text.as_str()),
        _ => None,
    });
    notes.collect()
}

fn list(stored: &StoredGame, own: Option<Color>) -> Reply {
    let notes = notes(stored, own);
    let text = match notes[..] {
        [] => format!("You have no notes about game {}.", stored.id),
        _ => shown(&notes),
    };
    Reply::new(&serde_json::json!({ "game": stored.id.0, "notes": notes })).text(text)
}

/// Returns notes as lines.
pub(crate) fn shown(notes: &[&str]) -> String {
    let lines = notes.iter().map(|note| format!("Your note: {note}"));
    lines.collect::<Vec<_>>().join("\n")
}
