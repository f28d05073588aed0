use clap::Args;

use crate::app::effects::change::{Change, Decision, change, refuse_finished};
use crate::app::views::reply::Drawing;
use crate::app::{AtBoard, Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase};
use outflank_model::log::{Action, Event, GameId};

/// Resign a game, on turn or not
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: resign 12")]
pub struct Resign {
    /// The number of the game
    game: GameId,
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for Resign {
    const TRAITS: Traits = Traits {
        is_suggested: false,
        ..Traits::offered("resign", Heading::Play).by("who resigns").button(
            Place::Buttons,
            "Give up",
            "The game ends, and your opponent wins.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn question(&self, at: &AtBoard) -> Option<String> {
        let whose = at.turn.map_or_else(String::new, |player| format!(" for {player}"));
        Some(format!("Resign game {}{whose}?", self.game))
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        refuse_finished(change.stored.id, change.names, &change.stored.game)?;
        change.decide(Event::by(change.author()?, Action::Resign))
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reply = change(session, self.game, false, |change| self.decide(change))?;
        Ok(reply.drawn(self.drawing))
    }
}
