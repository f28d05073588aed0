//! What all commands that change a game share.

use super::notify::GamePlayers;
use super::view::{View, names};
use super::{Error, Reply, Session, find};
use crate::game::{Color, Game, GameId};
use crate::render::words::{self, Names};

/// Changes a game, stores the events that `change` adds to it, and notifies those they concern, in
/// one transaction. `change` gets the players' names, the actor's colour (`None`: the host, who
/// acts for the player to move) and the game. With `receipt`, the author of the events gets a
/// receipt.
///
/// # Errors
/// When there is no such game, the actor does not play in it, or `change` fails.
pub(super) fn change(
    session: &mut Session,
    id: GameId,
    receipt: bool,
    change: impl FnOnce(Names, Option<Color>, &mut Game) -> Result<(), Error>,
) -> Result<Reply, Error> {
    session.write(|writing| {
        let stored = find::game(writing.tx, id)?;
        let own = find::own_color(writing.tx, &stored, writing.actor)?;
        let mut game = stored.game.clone();
        change(names(&stored.black, &stored.white), own, &mut game)?;
        writing.tx.save_game(&stored, &game, writing.env.now())?;
        let players = GamePlayers { id, black: &stored.black, white: &stored.white, game: &game };
        let events = &game.events()[stored.game.events().len()..];
        writing.outbox.announce(&players, events, own, receipt, writing.mail)?;
        Ok(View::new(&stored, &game).reply(false))
    })
}

/// Refuses to change a game that is over.
pub(super) fn refuse_finished(id: GameId, names: Names, game: &Game) -> Result<(), Error> {
    match words::result(game, names) {
        Some(result) => {
            let result = result.trim_end_matches('.').replacen("A draw", "a draw", 1);
            Err(Error::refused(format!("game {id} is over: {result}")))
        }
        None => Ok(()),
    }
}
