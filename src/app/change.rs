//! What every command that changes a game has in common.

use super::notify::{Post, Table};
use super::view::{View, names};
use super::{App, Error, Reply, Session, look_up};
use crate::game::{Color, Game, GameId};
use crate::mail;
use crate::render::words::{self, Names};

/// Changes a game that goes on, and tells whom it concerns, in one transaction. `change` is given
/// the players' names, the colour of whoever acts (`None`: the host, for whoever is on turn) and
/// the game; it returns who wants a receipt.
///
/// # Errors
/// When there is no such game, whoever acts does not play in it, it is over, or `change` errs.
pub(super) fn change(
    session: &mut Session,
    id: GameId,
    change: impl FnOnce(Names, Option<Color>, &mut Game) -> Result<Option<Color>, Error>,
) -> Result<Reply, Error> {
    let actor = session.actor.clone();
    let App { store, dice, config, clock, .. } = &mut *session.app;
    let now = clock.now();
    store.write(|db| {
        let stored = look_up::game(db, id)?;
        let names = names(&stored.black, &stored.white);
        let own = look_up::own_color(db, &stored, actor.as_ref())?;
        if let Some(result) = words::result(&stored.game, names) {
            return Err(Error::GameOver { game: id, result });
        }
        let mut game = stored.game.clone();
        let receipt = change(names, own, &mut game)?;
        db.save_game(&stored, &game, now)?;
        let table = Table { id, black: &stored.black, white: &stored.white, game: &game };
        let post = Post::new(db, dice, mail::domain(&config.mail.from), now)?;
        let mails = post.moved(&table, receipt)?;
        Ok(Reply { mails, ..View::new(&stored, &game).reply(false) })
    })
}
