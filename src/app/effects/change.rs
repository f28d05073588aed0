//! What all commands that change a game share.

use crate::app::effects::changed::Origin;
use crate::app::effects::{clocks, flags, offers, outages, plans, turn_starts};
use crate::app::run::session::{Reading, Writing};
use crate::app::views::game::View;
use crate::app::views::game::names;
use crate::app::{Env, Error, Reply, Session, effects, find};
use crate::store::Db;
use outflank_model::StoredGame;
use outflank_model::log::{Event, Game, GameId};
use outflank_model::render::words::{self, Names};
use outflank_rules::Color;

/// A game that a command changes.
pub struct Change<'a> {
    pub(crate) db: &'a Db<'a>,
    pub(crate) env: &'a Env,
    /// The game before the change.
    pub(crate) stored: &'a StoredGame,
    /// The players' names.
    pub(crate) names: Names<'a>,
    /// The author's colour; `None` for the host, who acts for the player to move.
    pub(crate) own: Option<Color>,
}

/// What a board asks a command about: its game, for the player who would give the command.
pub struct Asked<'a> {
    /// The game as a command that changes it finds it: a flag that has fallen is recorded.
    pub(crate) change: Change<'a>,
    /// The game as it is stored.
    pub(crate) stored: &'a StoredGame,
}

/// What a command has decided.
pub struct Decision {
    /// The game with the new events.
    pub(crate) game: Game,
    /// What is said about it; empty if the game says all.
    pub(crate) sentence: String,
}

impl Change<'_> {
    /// Returns the author's colour.
    ///
    /// # Errors
    /// If the host is the author.
    pub(crate) fn author(&self) -> Result<Color, Error> {
        self.own.ok_or_else(find::no_player)
    }

    /// Decides on one event.
    ///
    /// # Errors
    /// If the event cannot happen now.
    pub(crate) fn decide(&self, event: Event) -> Result<Decision, Error> {
        let mut game = self.stored.game.clone();
        game.apply(event).map_err(Error::refused)?;
        Ok(game.into())
    }
}

impl From<Game> for Decision {
    fn from(game: Game) -> Self {
        Self { game, sentence: String::new() }
    }
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
    decide: impl FnOnce(&Change) -> Result<Decision, Error>,
) -> Result<Reply, Error> {
    write_after_flag(session, id, |writing| {
        let author = Author::Actor { receipt };
        let (stored, Decision { game, .. }) = change_in(writing, id, author, decide)?;
        let now = writing.env.now();
        // Who reads it matters only for an open offer.
        let actor = game.offer().map(|_| find::actor(writing.tx, writing.actor));
        let reader = actor.transpose()?.flatten().map(|reader| reader.id);
        let view = View::present(writing.tx, &stored, &game, now)?;
        Ok(offers::answerable(view, reader, &stored, now).reply(false))
    })
}

/// Writes in one transaction. A flag in this game that has fallen is recorded in it, and stays recorded
/// if the work is refused.
pub(crate) fn write_after_flag(
    session: &mut Session,
    id: GameId,
    work: impl FnOnce(&mut Writing) -> Result<Reply, Error>,
) -> Result<Reply, Error> {
    if !session.read(|Reading { db, env, .. }| flags::is_due(db, env, id))? {
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

/// Changes a game in an open transaction: adds the events of the decision to its log, then those of the
/// players' plans, and stores them with all that follows. Returns the game before, and the decision with the
/// game after it.
///
/// # Errors
/// When there is no such game, the actor does not play in it, or `decide` fails.
pub(crate) fn change_in(
    writing: &mut Writing,
    id: GameId,
    author: Author,
    decide: impl FnOnce(&Change) -> Result<Decision, Error>,
) -> Result<(StoredGame, Decision), Error> {
    let Writing { tx, env, actor, mail, .. } = *writing;
    let stored = find::game(tx, id)?;
    let (own, receipt) = match author {
        Author::Actor { receipt } => (find::own_color(tx, &stored, actor)?, receipt),
        Author::Side(color) => (Some(color), false),
    };
    // The deadline may have passed since the command began.
    let mut stored = flags::record(&mut writing.outbox, stored)?;
    let names = names(&stored);
    let mut decision = decide(&Change { db: tx, env, stored: &stored, names, own })?;
    let game = &mut decision.game;
    let mut planned = Vec::new();
    let now = env.now();
    outages::store_doubt(tx, now)?;
    if game.position_event() > stored.game.events().len() {
        planned = plans::carry_out(tx, &stored, game)?;
        turn_starts::add(&mut stored, game, own, now);
        let after = stored.clocks_of(game, Some(now));
        clocks::log_settings(game, &stored.agreement.terms, &after, |color| {
            stored.clock_settings(color)
        })?;
    }
    let origin = Origin { own, receipt, planned, mail };
    effects::store(&mut writing.outbox, &stored, game, now, &origin)?;
    Ok((stored, decision))
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
