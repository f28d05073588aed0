use clap::Args;

use crate::app::access::sign_up::check_address_is_free;
use crate::app::commands::host::signup;
use crate::app::effects::bounces;
use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, access::ban, find};
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
    const TRAITS: Traits = Traits::new("address", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|Writing { tx, env, outbox, .. }| {
            let player = find::player(tx, &self.player)?;
            find::refuse_left(&player)?;
            if !player.is_at(self.address.as_str()) {
                check_address_is_free(env, tx, &self.address)?;
            }
            ban::lift(tx, self.address.as_str())?;
            let player = bounces::change_address(outbox, &player, &self.address)?;
            Ok(signup::player_reply(&player, "gets mail at"))
        })
    }
}
