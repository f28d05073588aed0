//! What all commands that change a game share.

use crate::app::effects::changed::Origin;
use crate::app::effects::{clocks, flags, outages, plans, turn_starts};
use crate::app::session::{Reading, Writing};
use crate::app::views::game::{View, names};
use crate::app::views::time::Away;
use crate::app::{Env, Error, Reply, Session, effects, find};
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
    /// The author's colour; `None` for the host, who acts for the player to move.
    pub own: Option<Color>,
}

/// Who changes a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The actor of the command, who gets a receipt with `receipt`.
    Actor {
        /// Whether the command asks for a receipt.
        receipt: bool,
    },
    /// The player of this colour: a computer player, or a person who leaves.
    Side(Color),
}

/// The actor of a command that asks for no receipt.
pub(crate) const ACTOR: Author = Author::Actor { receipt: false };

/// Changes a game in a transaction of its own, and replies with the game after the change. With
/// `receipt`, the author of a move gets a receipt.
///
/// # Errors
/// Those of [`change_in`].
pub(crate) fn change(
    session: &mut Session,
    id: GameId,
    receipt: bool,
    change: impl FnOnce(&Change, &mut Game) -> Result<(), Error>,
) -> Result<Reply, Error> {
    write_after_flag(session, id, |writing| {
        let author = Author::Actor { receipt };
        let (stored, game) = change_in(writing, id, author, change)?;
        let now = writing.env.now();
        let clocks = stored.clocks_of(&game, Some(now));
        let view = View::new(&stored, &game).timed(&stored, &clocks, now);
        Ok(view.with_away(Away::at(writing.tx, now)?).reply(false))
    })
}

/// Writes in one transaction. A flag in this game that has fallen is recorded in it, and stays recorded
/// if the work is refused.
pub(crate) fn write_after_flag(
    session: &mut Session,
    id: GameId,
    work: impl FnOnce(&mut Writing) -> Result<Reply, Error>,
) -> Result<Reply, Error> {
    let is_due = !session.is_trial()
        && session.read(|Reading { db, env, .. }| flags::is_due(db, env, id))?;
    if !is_due {
        return session.write(work);
    }
    let mut refused = None;
    let reply = session.write(|writing| {
        let tx = writing.tx;
        flags::record(&mut writing.outbox, find::game(tx, id)?)?;
        let (mails, bots) = (writing.outbox.queued.len(), writing.outbox.bots.len());
        match tx.part(|| work(writing)) {
            // After a fault nothing is changed.
            Err(error) if !error.is_fault() => {
                writing.outbox.queued.truncate(mails);
                writing.outbox.bots.truncate(bots);
                refused = Some(error);
                Ok(Reply::default())
            }
            done => done,
        }
    })?;
    refused.map_or(Ok(reply), Err)
}

/// Changes a game in an open transaction: applies the events that `change` adds to its log, then
/// those of the players' plans, and stores them with all that follows. Returns the game before and
/// after.
///
/// # Errors
/// When there is no such game, the actor does not play in it, or `change` fails.
pub(crate) fn change_in(
    writing: &mut Writing,
    id: GameId,
    author: Author,
    change: impl FnOnce(&Change, &mut Game) -> Result<(), Error>,
) -> Result<(StoredGame, Game), Error> {
    let Writing { tx, env, actor, mail, .. } = *writing;
    let stored = find::game(tx, id)?;
    let (own, receipt) = match author {
        Author::Actor { receipt } => (find::own_color(tx, &stored, actor)?, receipt),
        Author::Side(color) => (Some(color), false),
    };
    // The deadline may have passed since the command began.
    let mut stored = match writing.is_trial() {
        true => flags::recorded(tx, env, stored)?,
        false => flags::record(&mut writing.outbox, stored)?,
    };
    let mut game = stored.game.clone();
    let names = names(&stored.black, &stored.white);
    change(&Change { tx, env, stored: &stored, names, own }, &mut game)?;
    writing.end_trial()?;
    let mut planned = Vec::new();
    let now = env.now();
    outages::store_doubt(tx, now)?;
    if game.position_event() > stored.game.events().len() {
        planned = plans::carry_out(tx, &stored, &mut game)?;
        turn_starts::add(&mut stored, &game, own, now);
        let after = stored.clocks_of(&game, Some(now));
        clocks::log_settings(&mut game, &stored.terms, &after, |color| {
            stored.clock_settings(color)
        })?;
    }
    let origin = Origin { own, receipt, planned, mail };
    effects::store(&mut writing.outbox, &stored, &game, now, &origin)?;
    Ok((stored, game))
}

/// Refuses to change a game that is over.
pub(crate) fn refuse_finished(id: GameId, names: Names, game: &Game) -> Result<(), Error> {
    match words::result(game, names) {
        Some(result) => {
            let result = result.trim_end_matches('.');
            // Names stay as they are.
            let result = ["A draw", "Annulled", "The host"]
                .into_iter()
                .fold(result.to_owned(), |text, word| text.replacen(word, &word.to_lowercase(), 1));
            Err(Error::refused(format!("game {id} is over: {result}")))
        }
        None => Ok(()),
    }
}
