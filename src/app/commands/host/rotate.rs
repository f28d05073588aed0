use clap::Args;
use serde_json::json;

use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::PlayerRef;

/// Revoke a player's reply tokens
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The player's next mails carry new tokens. Until then the player's replies
are refused. The links to web pages in earlier mails open nothing any more.

Example: outflank rotate alice")]
pub struct Rotate {
    /// The player
    #[arg(value_name = "NAME")]
    player: PlayerRef,
}

impl UseCase for Rotate {
    const TRAITS: Traits = Traits::new("rotate", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|Writing { tx, env, .. }| {
            let player = find::player(tx, &self.player)?;
            tx.set_secret(player.id, &env.rng.secret()?.0)?;
            let player = player.name;
            let text = format!("The reply tokens of {player} are revoked.");
            Ok(Reply::new(&json!({ "player": player })).text(text))
        })
    }
}
