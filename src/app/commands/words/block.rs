use clap::Args;
use serde_json::json;

use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::PlayerRef;

/// Block a player's challenges and comments
#[derive(Debug, Clone, Args)]
#[command(after_help = "That player cannot watch your games, either.\n\nExample: block bob")]
pub struct Block {
    /// The player's name
    #[arg(value_name = "NAME")]
    name: PlayerRef,
}

/// Allow a player's challenges and comments again
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: unblock bob")]
pub struct Unblock {
    /// The player whom you have blocked
    #[arg(value_name = "NAME")]
    name: PlayerRef,
}

impl UseCase for Block {
    const TRAITS: Traits = Traits::new("block", Heading::Talk).by("who blocks a player");

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        set_blocked(session, &self.name, true)
    }
}

impl UseCase for Unblock {
    const TRAITS: Traits = Traits::new("unblock", Heading::Talk).by("who blocks a player");

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        set_blocked(session, &self.name, false)
    }
}

fn set_blocked(session: &mut Session, author: &PlayerRef, blocked: bool) -> Result<Reply, Error> {
    session.front_end.refuse_address(author)?;
    session.write(|Writing { tx, actor, .. }| {
        let (player, author) = (find::acting(tx, actor)?, find::player(tx, author)?);
        if player.id == author.id {
            return Err(Error::refused("you cannot block yourself").with_hint("name an opponent"));
        }
        tx.set_blocked(player.id, author.id, blocked)?;
        let (player, author) = (player.name.as_str(), author.name.as_str());
        let text = if blocked {
            format!("{player} has blocked {author}; `unblock {author}` ends that.")
        } else {
            format!("{player} does not block {author}.")
        };
        let json = json!({ "player": player, "author": author, "blocked": blocked });
        Ok(Reply::new(&json).text(text))
    })
}
