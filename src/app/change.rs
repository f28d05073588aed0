//! What every command that changes a game has in common.

use super::notify::Seats;
use super::view::{View, names};
use super::{Error, Reply, Session, look_up};
use crate::game::{Color, Game, GameId};
use crate::render::words::{self, Names};

/// Changes a game, and tells whom it concerns, in one transaction. `change` is given
/// the players' names, the colour of whoever acts (`None`: the host, for whoever is on turn) and
/// the game; it returns whose doing it was, and whether a copy is wanted.
///
/// # Errors
/// When there is no such game, whoever acts does not play in it, or `change` errs.
pub(super) fn change(
    session: &mut Session,
    id: GameId,
    change: impl FnOnce(Names, Option<Color>, &mut Game) -> Result<Option<Color>, Error>,
    receipt: bool,
) -> Result<Reply, Error> {
    session.app.act(|db, post| {
        let stored = look_up::game(db, id)?;
        let names = names(&stored.black, &stored.white);
        let own = look_up::own_color(db, &stored, &session.actor)?;
        let mut game = stored.game.clone();
        let by = change(names, own, &mut game)?;
        db.save_game(&stored, &game, session.app.now())?;
        let seats = Seats { id, black: &stored.black, white: &stored.white, game: &game };
        let wants = |color: &Color| receipt || stored.player(*color).receipt;
        post.moved(&seats, by.filter(wants), session.answered)?;
        Ok(View::new(&stored, &game).reply(false))
    })
}

/// Refuses a game that is over.
pub(super) fn goes_on(id: GameId, names: Names, game: &Game) -> Result<(), Error> {
    match words::result(game, names) {
        Some(result) => Err(Error::GameOver { game: id, result }),
        None => Ok(()),
    }
}
