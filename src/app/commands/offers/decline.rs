use clap::Args;

use crate::app::commands::offers::{offer, respond};
use crate::app::effects::change::{Change, Decision, refuse_finished};
use crate::app::{Concerns, Error, Heading, Known, Place, Reply, Session, Shown, Traits, UseCase};
use outflank_model::log::{Action, GameId};

/// Decline an offer or challenge, or withdraw your own
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: decline 12")]
pub struct Decline {
    /// The number of the challenge or game
    game: GameId,
    /// What the mail knew that the command replies to.
    #[arg(skip)]
    known: Option<Known>,
}

impl UseCase for Decline {
    const TRAITS: Traits = Traits {
        on_own_page: true,
        done: Some("The offer is closed."),
        ..Traits::offered("decline", Heading::Offers).by("who declines").button(
            Place::Answers,
            "Decline",
            "",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn bind(&mut self, to: Shown) {
        self.known = to.known().or(self.known);
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reply = respond::decline(session, self.game, self.known)?;
        reply.map_or_else(|| offer::act(session, self), Ok)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        offer::decide(change, |own| {
            offer::refuse_unseen(change, own, self.known)?;
            let (id, game) = (change.stored.id, &change.stored.game);
            let sentence = match game.offer() {
                Some((by, offer)) if by == own => {
                    format!("You withdrew the {} in game {id}.", offer.noun())
                }
                Some((by, offer)) => {
                    let other = change.names.of(by);
                    format!("You declined {other}'s {} in game {id}.", offer.noun())
                }
                None => {
                    refuse_finished(id, change.names, game)?;
                    let error = offer::none_open(id);
                    return Err(match game.turn() {
                        // To decline the game itself is to end it.
                        Some(_) if !game.has_moved(own) && change.stored.tournament.is_none() => {
                            error.with_hint(format!(
                                "`outflank abort {id}` ends a game in which you have not moved"
                            ))
                        }
                        _ => error,
                    });
                }
            };
            Ok((Action::Decline, sentence))
        })
    }
}
