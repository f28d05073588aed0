use clap::Args;

use crate::app::commands::offers::{offer, respond};
use crate::app::effects::change::refuse_finished;
use crate::app::{Concerns, Error, Known, Reply, Session, Shown, UseCase};
use crate::log::{Action, GameId};

/// Decline a challenge or the opponent's offer, or withdraw your own
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
    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn bind(&mut self, to: Shown) {
        self.known = to.known().or(self.known);
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if let Some(reply) = respond::decline(session, self.game, self.known)? {
            return Ok(reply);
        }
        offer::act(session, self.game, "decline", "who declines", |change, own, game| {
            offer::refuse_unseen(change, own, game, self.known)?;
            let sentence = match game.offer() {
                Some((by, offer)) if by == own => {
                    format!("You withdrew the {} in game {}.", offer.noun(), self.game)
                }
                Some((by, offer)) => {
                    let other = change.names.of(by);
                    format!("You declined {other}'s {} in game {}.", offer.noun(), self.game)
                }
                None => {
                    refuse_finished(self.game, change.names, game)?;
                    let id = self.game;
                    let error = offer::none_open(id);
                    return Err(match game.turn() {
                        // To decline the game itself is to end it.
                        Some(_) if !game.has_moved(own) => error.with_hint(format!(
                            "`outflank abort {id}` ends the game before your first move"
                        )),
                        _ => error,
                    });
                }
            };
            Ok((Action::Decline, sentence))
        })
    }
}
