//! What all commands that change a game share.

use crate::app::commands::play::plan;
use crate::app::effects::clocks::log_settings;
use crate::app::effects::clocks::record_flag;
use crate::app::effects::clocks::settings_in;
use crate::app::effects::notify::GamePlayers;
use crate::app::session::Writing;
use crate::app::views::game::View;
use crate::app::views::game::names;
use crate::app::{Env, Error, Reply, Session, find};
use crate::log::{Game, GameId};
use crate::render::words::{self, Names};
use crate::store::{StoredGame, Tx};
use outflank_rules::Color;

/// A game that a command changes.
pub(crate) struct Change<'a> {
    pub tx: &'a Tx<'a>,
    pub env: &'a Env,
    /// The game before the change.
    pub stored: &'a StoredGame,
    /// The players' names.
    pub names: Names<'a>,
    /// The actor's colour; `None` for the host, who acts for the player to move.
    pub own: Option<Color>,
}

/// Changes a game, stores the events that `change` adds to it, and notifies those they concern, in
/// one transaction. With `receipt`, the author of the events gets a receipt.
///
/// # Errors
/// When there is no such game, the actor does not play in it, or `change` fails.
pub(crate) fn change(
    session: &mut Session,
    id: GameId,
    receipt: bool,
    change: impl FnOnce(&Change, &mut Game) -> Result<(), Error>,
) -> Result<Reply, Error> {
    write_after_flag(session, id, |writing| {
        let (stored, game) = change_in(writing, id, receipt, change)?;
        let now = writing.env.now();
        let clocks = stored.clocks_of(&game, Some(now));
        Ok(View::new(&stored, &game).timed(&stored, &clocks, now).reply(false))
    })
}

/// Writes in one transaction. A flag in this game that has fallen is recorded before, and stays
/// recorded if the work is refused.
pub(crate) fn write_after_flag(
    session: &mut Session,
    id: GameId,
    work: impl FnOnce(&mut Writing) -> Result<Reply, Error>,
) -> Result<Reply, Error> {
    let flag_mails = record_flag(session, id)?;
    Ok(session.write(work)?.with_mails(flag_mails))
}

/// Does the same in a transaction that is open already. Returns the game before and after.
pub(crate) fn change_in(
    writing: &mut Writing,
    id: GameId,
    receipt: bool,
    change: impl FnOnce(&Change, &mut Game) -> Result<(), Error>,
) -> Result<(StoredGame, Game), Error> {
    let stored = find::game(writing.tx, id)?;
    let own = find::own_color(writing.tx, &stored, writing.actor)?;
    // The deadline may have passed in the meantime.
    let stored = writing.outbox.record_flag(stored)?;
    change_stored(writing, stored, own, receipt, change)
}

/// Does the same for a game that was read in this transaction, and for the player of this colour.
pub(crate) fn change_stored(
    writing: &mut Writing,
    stored: StoredGame,
    own: Option<Color>,
    receipt: bool,
    change: impl FnOnce(&Change, &mut Game) -> Result<(), Error>,
) -> Result<(StoredGame, Game), Error> {
    let Writing { tx, env, .. } = *writing;
    let (id, now) = (stored.id, env.now());
    let mut game = stored.game.clone();
    let names = names(&stored.black, &stored.white);
    let at = Change { tx, env, stored: &stored, names, own };
    change(&at, &mut game)?;
    let mut planned = Vec::new();
    if game.position_event() > stored.game.events().len() {
        planned = plan::carry_out(&at, &mut game)?;
        let clocks = stored.clocks_of(&game, Some(now));
        log_settings(&mut game, &clocks, |color| settings_in(&stored, color))?;
    }
    tx.save_game(&stored, &game, now)?;
    let players = GamePlayers { id, black: &stored.black, white: &stored.white, game: &game };
    writing.outbox.announce(&players, &stored.game, &planned, own, receipt, writing.mail)?;
    Ok((stored, game))
}

/// Refuses to change a game that is over.
pub(crate) fn refuse_finished(id: GameId, names: Names, game: &Game) -> Result<(), Error> {
    match words::result(game, names) {
        Some(result) => {
            let result = result.trim_end_matches('.');
            // Names stay as they are.
            let result = ["A draw", "Annulled"]
                .into_iter()
                .fold(result.to_owned(), |text, word| text.replacen(word, &word.to_lowercase(), 1));
            Err(Error::refused(format!("game {id} is over: {result}")))
        }
        None => Ok(()),
    }
}
