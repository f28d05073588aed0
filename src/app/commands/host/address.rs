use clap::Args;

use crate::app::commands::host::signup;
use crate::app::effects::bounces;
use crate::app::session::Writing;
use crate::app::sign_up::check_address_is_free;
use crate::app::{Error, Reply, Session, UseCase, ban, find};
use crate::command::{Address as NewAddress, PlayerRef};

/// Give a player a new address
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank address alice alice@example.net")]
pub struct Address {
    /// The player
    #[arg(value_name = "NAME")]
    player: PlayerRef,
    /// The new address for the player's mail
    address: NewAddress,
}

impl UseCase for Address {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|Writing { tx, env, outbox, .. }| {
            let mut player = find::player(tx, &self.player)?;
            find::refuse_left(&player)?;
            if !player.is_at(self.address.as_str()) {
                check_address_is_free(env, tx, &self.address)?;
            }
            ban::lift(tx, self.address.as_str())?;
            tx.set_address(player.id, self.address.as_str())?;
            tx.requeue_all_bounced(player.id, env.now())?;
            if player.address.is_some() {
                bounces::resume(outbox, &player)?;
            } else {
                bounces::queue_turns(outbox, player.id)?;
            }
            player.address = Some(self.address.to_string());
            Ok(signup::player_reply(&player, "gets mail at"))
        })
    }
}
