//! What a change of a game brings about: [`follow`] lists the effects. The other files are what the
//! effects share, and events that no command causes: fallen flags, outages, reminders, digests, bounces.

pub(crate) mod absences;
pub(crate) mod ahead;
pub(crate) mod alarms;
pub(crate) mod bounces;
pub(crate) mod challenges;
pub(crate) mod change;
pub(crate) mod changed;
pub(crate) mod clocks;
pub(crate) mod digests;
pub(crate) mod due;
pub(crate) mod flags;
pub(crate) mod jobs;
pub(crate) mod limits;
pub(crate) mod mails;
pub(crate) mod outages;
pub(crate) mod outbox;
pub(crate) mod overdue;
pub(crate) mod plans;
pub(crate) mod quota;
pub(crate) mod ratings;
pub(crate) mod results;
pub(crate) mod turn_starts;
pub(crate) mod watchers;

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::store::NewGame;
use changed::{Changed, GamePlayers, Origin};
use outbox::Outbox;
use outflank_model::log::{Game, GameId};
use outflank_model::time_control::Clocks;
use outflank_model::{Agreement, Side, StoredChallenge, StoredGame};

/// Brings about what follows from a change of a game, in the transaction of the change. A new effect
/// is a file in this folder and a line here.
fn follow(outbox: &mut Outbox, changed: &Changed) -> Result<(), Error> {
    results::count(outbox, changed)?;
    ratings::follow(outbox, changed)?;
    clocks::save(outbox, changed)?;
    jobs::queue(outbox, changed)?;
    mails::queue(outbox, changed)?;
    watchers::queue(outbox, changed)
}

/// Stores a game that begins now, since this challenge was accepted or without one, with all that
/// follows. Returns its number.
pub(crate) fn store_new(
    outbox: &mut Outbox,
    new: &NewGame,
    challenge: Option<&StoredChallenge>,
    now: DateTime<Utc>,
) -> Result<GameId, Error> {
    let id = match challenge {
        Some(challenge) => outbox.tx.add_game_of(challenge, new, now)?,
        None => outbox.tx.add_game(new, &outbox.env.rng.mark(), outbox.thread()?, now)?,
    };
    let &NewGame { agreement: Agreement { terms, rated, .. }, game, black, white, local } = new;
    let times = vec![now; game.events().len()];
    let are_people = [black, white].map(|side: &Side| side.person().is_some());
    let turn_starts = turn_starts::of_new(new, now);
    turn_starts::save(outbox.tx, id, game, &turn_starts)?;
    let clocks = &Clocks::of(terms, game, now, &times, &turn_starts).of_people(are_people);
    let after = GamePlayers { id, black, white, game };
    let (rated, origin) = (*rated, &Origin::default());
    let changed = Changed { after, before: None, rated, local, terms, clocks, at: now, origin };
    follow(outbox, &changed).map(|()| id)
}

/// Stores what has happened in a game since it was read, with all that follows.
pub(crate) fn store(
    outbox: &mut Outbox,
    stored: &StoredGame,
    game: &Game,
    at: DateTime<Utc>,
    origin: &Origin,
) -> Result<(), Error> {
    outbox.tx.save_game(stored, game, at)?;
    let StoredGame { id, black, white, agreement: Agreement { terms, rated, .. }, local, .. } =
        stored;
    if game.position_event() > stored.game.events().len() {
        turn_starts::save(outbox.tx, *id, game, &stored.turn_starts)?;
    }
    let after = GamePlayers { id: *id, black, white, game };
    let clocks = &stored.clocks_of(game, Some(at));
    let (before, rated, local) = (Some(&stored.game), *rated, *local);
    follow(outbox, &Changed { after, before, rated, local, terms, clocks, at, origin })
}
