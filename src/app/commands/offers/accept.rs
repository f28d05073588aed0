use clap::Args;

use crate::app::commands::offers::{offer, respond};
use crate::app::{Concerns, Error, Known, Reply, Session, Shown, UseCase};
use crate::log::{Action, GameId, Offer};

/// Accept a challenge, or the opponent's offer
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: accept 12")]
pub struct Accept {
    /// The number of the challenge or game
    game: GameId,
    /// What the mail knew that the command replies to.
    #[arg(skip)]
    known: Option<Known>,
}

impl UseCase for Accept {
    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn bind(&mut self, to: Shown) {
        self.known = to.known().or(self.known);
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if let Some(reply) = respond::accept(session, self.game, self.known)? {
            return Ok(reply);
        }
        offer::act(session, self.game, "accept", "who accepts", |change, own, game| {
            offer::refuse_unseen(change, own, game, self.known)?;
            let offer = game.offer().map_or(Offer::Draw, |(_, offer)| offer);
            Ok((Action::Accept, offer::accepted(change, own, offer)))
        })
    }
}
