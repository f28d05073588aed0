use clap::Args;
use serde::Serialize;

use crate::app::session::Writing;
use crate::app::sign_up::sign_up;
use crate::app::{Error, Reply, Session, UseCase};
use crate::command::{Address, Name};
use crate::store::Player;

/// Sign a player up
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank signup alice alice@example.org")]
pub struct Signup {
    /// The player's name: a letter, then letters, digits, ".", "_" or "-"
    name: Name,
    /// The address for the player's mail
    address: Address,
}

impl UseCase for Signup {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|Writing { tx, env, .. }| {
            let player = sign_up(env, tx, &self.name, &self.address)?;
            Ok(player_reply(&player, "is signed up; mail goes to"))
        })
    }
}

/// Returns the reply to the host about a player's address.
pub(crate) fn player_reply(player: &Player, what: &str) -> Reply {
    #[derive(Serialize)]
    struct AddressJson<'a> {
        player: &'a str,
        address: &'a str,
    }
    Reply::new(&AddressJson { player: &player.name, address: &player.address })
        .text(format!("{} {what} {}.", player.name, player.address))
}
