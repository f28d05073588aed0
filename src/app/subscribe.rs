use clap::Args;
use serde::Serialize;

use super::{Actor, Error, Reply, Session, UseCase, look_up};
use crate::game::GameId;

/// Get the turn mails of a game again
#[derive(Debug, Clone, Args)]
pub struct Subscribe {
    /// The number of the game
    pub(super) game: GameId,
}

/// Get no turn mails of a game any more
#[derive(Debug, Clone, Args)]
pub struct Unsubscribe {
    /// The number of the game
    pub(super) game: GameId,
}

#[derive(Serialize)]
struct Json {
    game: i64,
    player: String,
    subscribed: bool,
}

impl UseCase for Subscribe {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        subscribe(session, self.game, true)
    }

    fn check(&self, actor: &Actor) -> Result<(), Error> {
        look_up::needs_player(actor, "subscribe")
    }
}

impl UseCase for Unsubscribe {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        subscribe(session, self.game, false)
    }

    fn check(&self, actor: &Actor) -> Result<(), Error> {
        look_up::needs_player(actor, "unsubscribe")
    }
}

fn subscribe(session: &mut Session, id: GameId, wanted: bool) -> Result<Reply, Error> {
    let player = session.app.store.write(|db| {
        let game = look_up::game(db, id)?;
        look_up::own_color(db, &game, &session.actor)?;
        let player = look_up::acting(db, &session.actor)?;
        db.set_subscribed(player.id, id, wanted)?;
        Ok::<_, Error>(player.name)
    })?;
    let said = if wanted {
        format!("{player} gets the turn mails of game {id}.")
    } else {
        format!("{player} gets no turn mails of game {id} until `subscribe {id}`.")
    };
    Ok(Reply::new(&Json { game: id.0, player, subscribed: wanted }).text(said))
}
