//! What all commands that change a game share.

use super::clocks::{log_settings, record_flag, settings_of};
use super::notify::GamePlayers;
use super::view::{View, names};
use super::{Env, Error, Reply, Session, find};
use crate::game::{Color, Game, GameId};
use crate::render::words::{self, Names};
use crate::store::{StoredGame, Tx};

/// What a change can look at.
pub(super) struct Changing<'a> {
    pub tx: &'a Tx<'a>,
    pub env: &'a Env,
    pub stored: &'a StoredGame,
    pub names: Names<'a>,
    /// The actor's colour; `None` for the host.
    pub own: Option<Color>,
}

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
    change_stored(session, id, receipt, |changing, game| change(changing.names, changing.own, game))
}

/// Changes a game like [`change`], for a change that must look at more than the game.
pub(super) fn change_stored(
    session: &mut Session,
    id: GameId,
    receipt: bool,
    change: impl FnOnce(&Changing, &mut Game) -> Result<(), Error>,
) -> Result<Reply, Error> {
    let flag_mails = record_flag(session, id)?;
    let reply = session.write(|writing| {
        let now = writing.env.now();
        let stored = find::game(writing.tx, id)?;
        let own = find::own_color(writing.tx, &stored, writing.actor)?;
        // The deadline may have passed in the meantime.
        let stored = writing.outbox.record_flag(stored)?;
        let mut game = stored.game.clone();
        let names = names(&stored.black, &stored.white);
        let changing = Changing { tx: writing.tx, env: writing.env, stored: &stored, names, own };
        change(&changing, &mut game)?;
        let settings = |color| settings_of(stored.player(color));
        if game.position_event() > stored.game.events().len() {
            let clocks = stored.clocks_of(&game, Some(now));
            log_settings(&mut game, &clocks, settings)?;
        }
        writing.tx.save_game(&stored, &game, now)?;
        let players = GamePlayers { id, black: &stored.black, white: &stored.white, game: &game };
        let events = &game.events()[stored.game.events().len()..];
        writing.outbox.announce(&players, events, own, receipt, writing.mail)?;
        let clocks = stored.clocks_of(&game, Some(now));
        Ok(View::new(&stored, &game).timed(&stored, &clocks, now).reply(false))
    })?;
    Ok(reply.with_mails(flag_mails))
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
