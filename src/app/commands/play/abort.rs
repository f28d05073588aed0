use clap::Args;

use crate::app::effects::change::{ACTOR, Change, change_in, refuse_finished, write_after_flag};
use crate::app::views::game::View;
use crate::app::{Concerns, Error, Reply, Session, UseCase, find};
use crate::log::{Action, Event, GameId};

/// End a game before your first move, so that it counts for nobody
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: abort 12")]
pub struct Abort {
    /// The number of the game
    game: GameId,
}

impl UseCase for Abort {
    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        const PURPOSE: &str = "who ends the game";
        let id = self.game;
        find::acting(&session.actor, "abort", PURPOSE)?;
        write_after_flag(session, id, |writing| {
            let (stored, game) = change_in(writing, id, ACTOR, |change, game| {
                let &Change { names, own, .. } = change;
                refuse_finished(id, names, game)?;
                let own = own.ok_or_else(|| Error::usage(PURPOSE))?;
                if game.has_moved(own) {
                    return Err(Error::refused(format!("you have already moved in game {id}"))
                        .with_hint(format!("`outflank resign {id}` gives it up")));
                }
                // While an offer is open, the event answers it; without one, it ends the game.
                if game.offer().is_some() {
                    game.apply(Event::by(own, Action::Decline)).map_err(Error::refused)?;
                }
                game.apply(Event::by(own, Action::Decline)).map_err(Error::refused)
            })?;
            let sentence = format!("You ended game {id} before your first move.");
            Ok(View::new(&stored, &game).brief(&format!("{sentence} It counts for nobody.")))
        })
    }
}
