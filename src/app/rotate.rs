use clap::Args;
use serde::Serialize;

use super::{Error, Reply, Session, UseCase, look_up};
use crate::command::PlayerRef;

/// Make all codes in the mails of a player worthless
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "The next mails bear new ones. Until then the player's answers are not taken."
)]
pub struct Rotate {
    /// The player
    #[arg(value_name = "NAME")]
    player: PlayerRef,
}

#[derive(Serialize)]
struct Json {
    player: String,
}

impl UseCase for Rotate {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let secret = session.app.dice.secret()?;
        let player = session.app.store.write(|db| {
            let player = look_up::player(db, &self.player)?;
            db.set_secret(player.id, &secret.0)?;
            Ok::<_, Error>(player.name)
        })?;
        let said = format!("The codes that {player} has are worth nothing any more.");
        Ok(Reply::new(&Json { player }).text(said))
    }
}
