//! Fallen flags: the time of the player to move is over. None falls in an outage.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::app::effects::changed::Origin;
use crate::app::effects::outages;
use crate::app::effects::outbox::Outbox;
use crate::app::run::session::{Reading, Writing};
use crate::app::{Env, Reply, Session, effects, find};
use crate::store::{Db, GameSummary, MailId};
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_model::time_control::FlagRule;
use outflank_rules::Color;

/// Records that the time of the player to move is over, if it is, and notifies both players. Returns
/// the game after that.
pub(crate) fn record(outbox: &mut Outbox, stored: StoredGame) -> Result<StoredGame, Error> {
    match fallen(outbox.tx, outbox.env, &stored)? {
        Some((game, deadline)) => {
            effects::store(outbox, &stored, &game, deadline, &Origin::default())?;
            Ok(stored.after(game, deadline))
        }
        None => Ok(stored),
    }
}

/// Returns the game as [`record`] would leave it, without recording anything.
pub(crate) fn recorded(db: &Db, env: &Env, stored: StoredGame) -> Result<StoredGame, Error> {
    Ok(after_flag(db, env, &stored)?.unwrap_or(stored))
}

/// Returns the game as [`record`] would leave it, without recording anything; `None` if no flag has fallen.
pub(crate) fn after_flag(
    db: &Db,
    env: &Env,
    stored: &StoredGame,
) -> Result<Option<StoredGame>, Error> {
    let fallen = fallen(db, env, stored)?;
    Ok(fallen.map(|(game, deadline)| stored.after(game, deadline)))
}

/// Returns the game after the flag of the player to move has fallen, and when it fell; `None` if it has
/// not, or if that is recorded.
fn fallen(db: &Db, env: &Env, stored: &StoredGame) -> Result<Option<(Game, DateTime<Utc>)>, Error> {
    let clocks = stored.clocks();
    let (Some(player), Some(deadline)) = (clocks.running(), clocks.deadline()) else {
        return Ok(None);
    };
    if !has_fallen(db, stored.id, deadline, env.now())? {
        return Ok(None);
    }
    let action = match stored.agreement.terms.flag {
        FlagRule::Claim => Action::Flag(player),
        FlagRule::Hard => Action::TimeOut(player),
    };
    let mut game = stored.game.clone();
    game.apply(Event::by_host(action)).map_err(Error::refused)?;
    Ok(Some((game, deadline)))
}

fn has_fallen(
    db: &Db,
    game: GameId,
    deadline: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    Ok(deadline <= now && !outages::covers(db, game, deadline, now)?)
}

/// Returns the player who can claim a game: its clock has run out, or it has none and the player was mailed
/// so.
pub(crate) fn claimant(
    db: &Db,
    game: &GameSummary,
    now: DateTime<Utc>,
) -> Result<Option<Color>, Error> {
    let deadline = game.deadline.filter(|_| game.has_claim_flag && !game.is_paused);
    let has_fallen = |deadline| has_fallen(db, game.id, deadline, now);
    let can_claim = game.is_claimable || deadline.map_or(Ok(false), has_fallen)?;
    Ok(game.turn.filter(|_| can_claim).map(|turn| !turn))
}

/// Returns whether a flag has fallen in a game and is not recorded yet.
pub(crate) fn is_due(db: &Db, env: &Env, id: GameId) -> Result<bool, Error> {
    db.deadline(id)?.map_or(Ok(false), |deadline| has_fallen(db, id, deadline, env.now()))
}

/// Records a fallen flag of a game, if there is one. Returns whether there was.
pub(crate) fn record_in(outbox: &mut Outbox, id: GameId) -> Result<bool, Error> {
    if !is_due(outbox.tx, outbox.env, id)? {
        return Ok(false);
    }
    let stored = find::game(outbox.tx, id)?;
    let events = stored.game.events().len();
    Ok(record(outbox, stored)?.game.events().len() > events)
}

/// Records a fallen flag of a game in a transaction of its own. Returns the mails about it.
pub(crate) fn record_alone(session: &mut Session, id: GameId) -> Result<Vec<MailId>, Error> {
    if !session.read(|Reading { db, env, .. }| is_due(db, env, id))? {
        return Ok(Vec::new());
    }
    let recorded = session.write(|Writing { outbox, .. }| {
        let stored = find::game(outbox.tx, id)?;
        record(outbox, stored)?;
        Ok(Reply::default())
    })?;
    Ok(recorded.mails)
}
