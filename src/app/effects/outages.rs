//! Outages: times in which no `send` checked for passed deadlines. No flag falls in one, and the
//! deadlines that fell into it are moved behind it.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::effects::alarms::record_fault;
use crate::app::effects::changed::Origin;
use crate::app::effects::mails;
use crate::app::effects::outbox::Outbox;
use crate::app::views::game::names;
use crate::app::{App, Error, contain_part, effects, find};
use crate::log::{Action, Event, GameId};
use crate::store::{Db, Moment};
use outflank_rules::Color;

/// The longest time between two checks that is not an outage.
const MAX_BETWEEN_CHECKS: TimeDelta = TimeDelta::hours(2);
/// How often `send` stores that it has checked.
const STORING_INTERVAL: TimeDelta = TimeDelta::minutes(10);
/// The most games of one transaction. Other processes can write between two of them.
const MAX_GAMES: usize = 50;

/// Returns whether a deadline that has passed fell into an outage that `send` has not ended yet. If
/// `send` never ran, there is no outage.
pub(crate) fn covers(db: &Db, deadline: DateTime<Utc>, now: DateTime<Utc>) -> Result<bool, Error> {
    Ok(outage_since(db, now)?.is_some_and(|since| since < deadline))
}

/// Returns when `send` last checked for passed deadlines, if there is an outage since.
fn outage_since(db: &Db, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Error> {
    Ok(db.deadlines_checked_at()?.filter(|&checked_at| now - checked_at > MAX_BETWEEN_CHECKS))
}

impl App {
    /// Stores that `send` checks for passed deadlines now. If an outage ends with that, moves the
    /// deadlines that fell into it first. Returns a line for each game in which that failed.
    pub(crate) fn store_check(
        &mut self,
        is_active: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, Error> {
        let env = &self.env;
        let now = env.now();
        let missed = self.store.read(|db| {
            let checked_at = db.deadlines_checked_at()?;
            let is_stored = checked_at.is_some_and(|at| (now - at).abs() < STORING_INTERVAL);
            // Without an installation there are no games.
            if is_stored || db.installation()?.is_none() {
                return Ok::<_, Error>(None);
            }
            Ok(Some(match outage_since(db, now)? {
                Some(since) => db.games_with_deadline(since, now)?,
                None => Vec::new(),
            }))
        })?;
        let mut problems = Vec::new();
        let Some(games) = missed else { return Ok(problems) };
        for games in games.chunks(MAX_GAMES) {
            if !is_active() {
                return Ok(problems);
            }
            let failed = self.store.write(|tx| move_deadlines(&mut Outbox::new(env, tx), games))?;
            problems.extend(failed);
        }
        self.store.write(|tx| Ok::<_, Error>(tx.set_deadlines_checked_at(now)?))?;
        Ok(problems)
    }
}

/// Moves the deadlines of games that fell into an outage. Returns a line for each that failed.
fn move_deadlines(outbox: &mut Outbox, games: &[GameId]) -> Result<Vec<String>, Error> {
    let tx = outbox.tx;
    let mut problems = Vec::new();
    for &game in games {
        if let Err(error) = contain_part(tx, || move_deadline(outbox, game))? {
            problems.push(record_fault(outbox.env, tx, game, &error)?);
        }
    }
    Ok(problems)
}

/// Moves the deadline of a game if it fell into an outage, and notifies both players.
fn move_deadline(outbox: &mut Outbox, id: GameId) -> Result<(), Error> {
    let (tx, now) = (outbox.tx, outbox.env.now());
    let Some(stored) = find::intact_game(tx, id)? else { return Ok(()) };
    let (Some(since), Some(deadline)) = (outage_since(tx, now)?, stored.clocks().deadline()) else {
        return Ok(());
    };
    if deadline <= since || deadline > now {
        return Ok(());
    }
    let mut game = stored.game.clone();
    let event = Event::by_host(Action::Outage { since: since.timestamp() });
    game.apply(event).map_err(Error::refused)?;
    effects::store(outbox, &stored, &game, now, &Origin::default())?;
    let names = names(&stored.black, &stored.white);
    let Some(turn) = game.turn() else { return Ok(()) };
    let Some(deadline) = stored.clocks_of(&game, Some(now)).deadline() else { return Ok(()) };
    for color in Color::BOTH {
        let Some(player) = stored.player(color) else { continue };
        let zone = player.preferences.clock.zone;
        let whose = if color == turn { "Your".to_owned() } else { format!("{}'s", names.of(turn)) };
        let text = format!(
            "The server was down from {} to {}. {whose} time in game {id} ran out meanwhile, so it now \
             ends on {}.",
            zone.shown(since),
            zone.shown(now),
            zone.shown(deadline)
        );
        mails::notice(outbox, player, Some(Moment::of(id, &game)), &text)?;
    }
    Ok(())
}
