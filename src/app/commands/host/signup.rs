use clap::Args;
use serde_json::json;

use crate::app::access::sign_up::sign_up;
use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase};
use crate::command::{Address, Name};
use outflank_model::Player;

/// Sign a player up
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
With --no-mail, the player has no address, for two people at one keyboard
or on one machine. `address NAME ADDRESS` gives one later.

Example: outflank signup alice alice@example.org")]
pub struct Signup {
    /// The player's name: a letter, then letters, digits, ".", "_" or "-"
    name: Name,
    /// The address for the player's mail
    #[arg(required_unless_present = "no_mail")]
    address: Option<Address>,
    /// Sign up a player who gets no mail
    #[arg(long, conflicts_with = "address")]
    no_mail: bool,
}

impl UseCase for Signup {
    const TRAITS: Traits = Traits::new("signup", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write_or_create(|Writing { tx, env, .. }| {
            let player = sign_up(env, tx, &self.name, self.address.as_ref())?;
            Ok(player_reply(&player, "is signed up; mail goes to"))
        })
    }
}

/// Returns the reply to the host about a player's address, after these words.
pub(crate) fn player_reply(player: &Player, what: &str) -> Reply {
    let name = &player.name;
    let text = match &player.address {
        Some(address) => format!("{name} {what} {address}."),
        None => format!("{name} is signed up and gets no mail."),
    };
    Reply::new(&json!({ "player": name, "address": player.address })).text(text)
}
