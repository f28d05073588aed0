use clap::Args;

use crate::app::run::session::Reading;
use crate::app::views::challenge::{table, to_json};
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::store::Challenges as Listed;
use outflank_model::StoredChallenge;

/// List open challenges: those to you, by you, and to anyone
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: challenges")]
pub struct Challenges {}

impl UseCase for Challenges {
    const TRAITS: Traits = Traits::new("challenges", Heading::Offers);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let program = session.front_end.program();
        session.read(|Reading { db, env, actor, most }| {
            let lists = match find::actor(db, actor)? {
                Some(player) => {
                    let id = player.id;
                    vec![Listed::To(id), Listed::By(id), Listed::ToAnyone(id)]
                }
                None => vec![Listed::All],
            };
            let mut challenges: Vec<StoredChallenge> = Vec::new();
            for list in lists {
                for id in db.open_challenges(list, env.now() - StoredChallenge::OPEN_FOR, most)? {
                    challenges.extend(db.challenge(id)?);
                }
            }
            let reply = Reply::list("challenges", challenges.iter().map(to_json));
            let none = format!("No open challenges. `{program}challenge anyone` makes one.");
            let reply = reply.table(table(&challenges), &none);
            if challenges.is_empty() {
                return Ok(reply);
            }
            Ok(reply.text(format!(
                "`{program}accept NUMBER` begins the game; `{program}decline NUMBER` refuses the challenge, \
                 or withdraws your own."
            )))
        })
    }
}
