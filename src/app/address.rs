use clap::Args;

use super::{Error, Reply, Session, UseCase, look_up, signup};
use crate::command::{Address as NewAddress, PlayerRef};

/// Give a player a new address
#[derive(Debug, Clone, Args)]
pub struct Address {
    /// The player
    #[arg(value_name = "NAME")]
    player: PlayerRef,
    /// Where the player's mail is to go from now on
    address: NewAddress,
}

impl UseCase for Address {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let player = session.app.store.write(|db| {
            let mut player = look_up::player(db, &self.player)?;
            if !player.address.eq_ignore_ascii_case(self.address.as_str()) {
                signup::address_is_free(db, &self.address)?;
            }
            db.set_address(player.id, self.address.as_str())?;
            db.requeue_bounced(player.id, session.app.now())?;
            player.address = self.address.to_string();
            Ok::<_, Error>(player)
        })?;
        Ok(signup::reply(&player, "gets mail at"))
    }
}
