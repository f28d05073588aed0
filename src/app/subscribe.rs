use clap::Args;
use serde::Serialize;

use super::notify::Seats;
use super::{Actor, Error, Reply, Session, UseCase, look_up};
use crate::game::GameId;
use crate::store::{Event, StoredGame};

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
    session.app.act(|db, post| {
        let stored = look_up::game(db, id)?;
        let own = look_up::own_color(db, &stored, &session.actor)?;
        let player = look_up::acting(db, &session.actor)?;
        let is_new = db.set_subscribed(player.id, id, wanted)?;
        if wanted && is_new && own == stored.game.turn() {
            // The mail that was not sent when the turn began.
            let StoredGame { black, white, game, .. } = &stored;
            let seats = Seats { id, black, white, game };
            post.about(&seats, Event::Turn, &player, None)?;
        }
        let player = player.name;
        let said = if wanted {
            format!("{player} gets the turn mails of game {id}.")
        } else {
            format!("{player} gets no turn mails of game {id} until `subscribe {id}`.")
        };
        Ok(Reply::new(&Json { game: id.0, player, subscribed: wanted }).text(said))
    })
}
