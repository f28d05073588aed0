use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Error, Reply, Session, UseCase, look_up};

/// Have each of your moves answered by mail, or no longer
#[derive(Debug, Clone, Args)]
pub struct Receipt {
    /// Whether you want receipts
    #[arg(value_name = "on|off", hide_possible_values = true, ignore_case = true)]
    wanted: Switch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Serialize)]
struct Json {
    player: String,
    receipt: bool,
}

impl UseCase for Receipt {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let receipt = self.wanted == Switch::On;
        let player = session.app.store.write(|db| {
            let player = look_up::acting(db, &session.actor)?;
            db.set_receipt(player.id, receipt)?;
            Ok::<_, Error>(player.name)
        })?;
        let said = if receipt {
            format!("Each move of {player} is answered by mail from now on.")
        } else {
            format!("Moves of {player} are not answered by mail any more.")
        };
        Ok(Reply::new(&Json { player, receipt }).text(said))
    }

    fn check(&self, actor: &super::Actor) -> Result<(), Error> {
        look_up::needs_player(actor, "receipt")
    }
}
