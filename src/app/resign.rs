use clap::Args;

use super::notify::{Post, Table};
use super::view::{View, names};
use super::{Error, Reply, Session, UseCase, look_up};
use crate::game::GameId;
use crate::mail;
use crate::render::words;

/// Give a game up, on turn or not (needs --as)
#[derive(Debug, Clone, Args)]
pub struct Resign {
    /// The number of the game
    game: GameId,
}

impl UseCase for Resign {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let actor = session.actor.clone();
        let super::App { store, dice, config, clock, .. } = &mut *session.app;
        let now = clock.now();
        store.write(|db| {
            let stored = look_up::game(db, self.game)?;
            let own = look_up::own_color(db, &stored, actor.as_ref())?.ok_or(Error::WhoResigns)?;
            let mut game = stored.game.clone();
            game.resign(own).map_err(|_| Error::GameOver {
                game: self.game,
                result: words::result(&stored.game, names(&stored.black, &stored.white))
                    .unwrap_or_default(),
            })?;
            db.save_game(&stored, &game, now)?;
            let table =
                Table { id: self.game, black: &stored.black, white: &stored.white, game: &game };
            let post = Post::new(db, dice, mail::domain(&config.mail.from), now)?;
            let mails = post.moved(&table, None)?;
            Ok(Reply { mails, ..View::new(&stored, &game).reply(false) })
        })
    }

    fn check(&self, actor: Option<&crate::command::PlayerRef>) -> Result<(), Error> {
        if actor.is_some() { Ok(()) } else { Err(Error::WhoResigns) }
    }
}
