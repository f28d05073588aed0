use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::effects::change::{Change, Decision, refuse_finished};
use crate::app::effects::tournaments;
use crate::app::{AtBoard, Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase};
use outflank_model::log::{Action, Event, GameId};

/// End a game in which you have not moved, so that it counts for nobody
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: abort 12")]
pub struct Abort {
    /// The number of the game
    game: GameId,
}

impl UseCase for Abort {
    const TRAITS: Traits = Traits {
        is_suggested: false,
        on_board: false,
        ..Traits::offered("abort", Heading::Play).by("who ends the game").button(
            Place::LastButtons,
            "End the game without a result",
            "You have not moved yet, so it counts for nobody.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn question(&self, _: &AtBoard) -> Option<String> {
        Some(format!("End game {} without a result?", self.game))
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::act(session, self)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        let (id, mut game) = (change.stored.id, change.stored.game.clone());
        refuse_finished(id, change.names, &game)?;
        let own = change.author()?;
        tournaments::refuse(change.stored, "no game is ended without a result")?;
        if game.has_moved(own) {
            return Err(Error::refused(format!("you have already moved in game {id}"))
                .with_hint(format!("`outflank resign {id}` gives it up")));
        }
        // While an offer is open, the event answers it; without one, it ends the game.
        if game.offer().is_some() {
            game.apply(Event::by(own, Action::Decline)).map_err(Error::refused)?;
        }
        game.apply(Event::by(own, Action::Decline)).map_err(Error::refused)?;
        let sentence = format!("You ended game {id} before your first move. It counts for nobody.");
        Ok(Decision { game, sentence })
    }
}
