//! The effects of a change of a game: [`follow`] lists them. The other files have the parts that they
//! share, and events that no command causes: fallen flags, outages, reminders, digests, bounces.

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
pub(crate) mod letters;
pub(crate) mod limits;
pub(crate) mod mails;
pub(crate) mod offers;
pub(crate) mod outages;
pub(crate) mod outbox;
pub(crate) mod overdue;
pub(crate) mod plans;
pub(crate) mod quota;
pub(crate) mod ratings;
pub(crate) mod results;
pub(crate) mod tournaments;
pub(crate) mod turn_starts;
pub(crate) mod watchers;

use chrono::{DateTime, Utc};

use crate::app::{Error, find};
use crate::store::NewGame;
use changed::{Changed, Origin};
use outbox::Outbox;
use outflank_model::log::Game;
use outflank_model::{StoredChallenge, StoredGame};

/// Brings about the effects of a change of a game, in its transaction. A new effect is a file in this
/// folder and a line here.
fn follow(outbox: &mut Outbox, changed: &Changed) -> Result<(), Error> {
    results::count(outbox, changed)?;
    ratings::follow(outbox, changed)?;
    clocks::save(outbox, changed)?;
    jobs::queue(outbox, changed)?;
    tournaments::follow(outbox, changed)?;
    mails::queue(outbox, changed)?;
    watchers::queue(outbox, changed)
}

/// Stores a game that begins now, since this challenge was accepted or without one, with all that
/// follows. Returns it.
pub(crate) fn store_new(
    outbox: &mut Outbox,
    new: &NewGame,
    challenge: Option<&StoredChallenge>,
    now: DateTime<Utc>,
) -> Result<StoredGame, Error> {
    let id = match challenge {
        Some(challenge) => outbox.tx.add_game_of(challenge, new, now)?,
        None => outbox.tx.add_game(new, outbox.thread()?, now)?,
    };
    let mut after = find::game(outbox.tx, id)?;
    after.turn_starts = turn_starts::of_new(&after, now);
    turn_starts::save(outbox.tx, &after)?;
    let (clocks, origin) = (&after.clocks(), &Origin::default());
    follow(outbox, &Changed { after: &after, before: None, clocks, at: now, origin })?;
    Ok(after)
}

/// Stores the new events of a game that was read as `stored`, with all that follows.
pub(crate) fn store(
    outbox: &mut Outbox,
    stored: &StoredGame,
    game: &Game,
    at: DateTime<Utc>,
    origin: &Origin,
) -> Result<(), Error> {
    outbox.tx.save_game(stored, game, at)?;
    let after = &stored.after(game.clone(), at);
    if game.position_event() > stored.game.events().len() {
        turn_starts::save(outbox.tx, after)?;
    }
    let (before, clocks) = (Some(&stored.game), &after.clocks());
    follow(outbox, &Changed { after, before, clocks, at, origin })
}
