//! Fallen flags: the time of the player to move is over. None falls in an outage.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::app::effects::changed::Origin;
use crate::app::effects::outages;
use crate::app::effects::outbox::Outbox;
use crate::app::session::{Reading, Writing};
use crate::app::{Env, Reply, Session, effects, find};
use crate::log::{Action, Event, Game, GameId};
use crate::store::{Db, MailId, StoredGame};
use crate::time_control::FlagRule;

/// Records that the time of the player to move is over, if it is, and notifies both players. Returns
/// the game after that.
pub(crate) fn record(outbox: &mut Outbox, stored: StoredGame) -> Result<StoredGame, Error> {
    match fallen(outbox.tx, outbox.env, &stored)? {
        Some((game, deadline)) => {
            effects::store(outbox, &stored, &game, deadline, &Origin::default())?;
            Ok(after(stored, game, deadline))
        }
        None => Ok(stored),
    }
}

/// Returns the game after what [`record`] would record.
pub(crate) fn recorded(db: &Db, env: &Env, stored: StoredGame) -> Result<StoredGame, Error> {
    Ok(match fallen(db, env, &stored)? {
        Some((game, deadline)) => after(stored, game, deadline),
        None => stored,
    })
}

/// Returns the game after the flag of the player to move has fallen, and when it fell; `None` if it has
/// not, or if that is recorded.
fn fallen(db: &Db, env: &Env, stored: &StoredGame) -> Result<Option<(Game, DateTime<Utc>)>, Error> {
    let clocks = stored.clocks();
    let (Some(player), Some(deadline)) = (clocks.running(), clocks.deadline()) else {
        return Ok(None);
    };
    if !has_fallen(db, deadline, env.now())? {
        return Ok(None);
    }
    let action = match stored.terms.flag {
        FlagRule::Claim => Action::Flag(player),
        FlagRule::Hard => Action::TimeOut(player),
    };
    let mut game = stored.game.clone();
    game.apply(Event::by_host(action)).map_err(Error::refused)?;
    Ok(Some((game, deadline)))
}

fn after(mut stored: StoredGame, game: Game, at: DateTime<Utc>) -> StoredGame {
    stored.times.push(at);
    stored.game = game;
    stored
}

fn has_fallen(db: &Db, deadline: DateTime<Utc>, now: DateTime<Utc>) -> Result<bool, Error> {
    Ok(deadline <= now && !outages::covers(db, deadline, now)?)
}

/// Returns whether a flag has fallen in a game and is not recorded yet.
pub(crate) fn is_due(db: &Db, env: &Env, id: GameId) -> Result<bool, Error> {
    db.deadline(id)?.map_or(Ok(false), |deadline| has_fallen(db, deadline, env.now()))
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
