use clap::Args;
use serde_json::json;

use crate::app::commands::settings::leave::end_membership;
use crate::app::views::json::merged;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, access::ban, find};
use crate::command::PlayerRef;

/// End a player's membership, as `leave` does
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
With --ban, mail from the player's mailbox gets no answer any more. Only a
keyed hash of the mailbox is kept. `signup` with its address lifts the ban.

Example: outflank remove bob --ban")]
pub struct Remove {
    /// The player
    #[arg(value_name = "NAME")]
    player: PlayerRef,
    /// Ignore further mail from the player's mailbox
    #[arg(long)]
    ban: bool,
}

impl UseCase for Remove {
    const TRAITS: Traits = Traits { is_suggested: false, ..Traits::new("remove", Heading::Host) };

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|writing| {
            let player = find::player(writing.tx, &self.player)?;
            find::refuse_left(&player)?;
            let name = &player.name;
            if self.ban && player.address.is_none() {
                let error = Error::refused(format!("{name} has no address to ban"));
                return Err(error.with_hint("leave out --ban"));
            }
            let sentence = format!("The host has ended your membership, {name}.");
            let left = end_membership(writing, &player, &sentence)?;
            let mut text = format!("{name} is removed. {}", left.sentence());
            if let Some(address) = player.address.as_ref().filter(|_| self.ban) {
                ban::add(writing.env, writing.tx, address)?;
                text.push_str(" The mailbox is banned.");
            }
            let json = merged([json!(left), json!({ "banned": self.ban })]);
            Ok(Reply::new(&json).text(text))
        })
    }
}
