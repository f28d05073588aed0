use clap::Args;

use crate::app::commands::offers::{offer, respond};
use crate::app::effects::change::{Change, Decision};
use crate::app::{Concerns, Error, Heading, Known, Place, Reply, Session, Shown, Traits, UseCase};
use outflank_model::log::{Action, GameId, Offer};

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
    const TRAITS: Traits = Traits {
        on_own_page: true,
        done: Some("You have accepted. If that begins a new game, you are mailed a link to it."),
        ..Traits::offered("accept", Heading::Offers).by("who accepts").button(
            Place::Answers,
            "Accept",
            "",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn bind(&mut self, to: Shown) {
        self.known = to.known().or(self.known);
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        offer::decide(change, |own| {
            offer::refuse_unseen(change, own, self.known)?;
            let offer = change.stored.game.offer().map_or(Offer::Draw, |(_, offer)| offer);
            Ok((Action::Accept, offer::accepted(change, own, offer)))
        })
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reply = respond::accept(session, self.game, self.known)?;
        reply.map_or_else(|| offer::act(session, self), Ok)
    }
}
