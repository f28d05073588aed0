//! The players' ratings: a game that ends is rated, and one that is annulled after its end is not rated
//! any more. The ratings after it follow, at once or in parts.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};

use crate::app::effects::changed::Changed;
use crate::app::effects::outbox::Outbox;
use crate::app::{App, Error, find};
use crate::store::{Db, Place, RatedGame, Tx};
use outflank_model::log::{Game, GameId};
use outflank_model::rating::{List, Score, rate};
use outflank_model::render::words;
use outflank_model::{PlayerId, Side, StoredGame};
use outflank_rules::Color;

/// How many moves either player must have made in a game that is rated.
const MIN_MOVES: usize = 2;
/// The most games after one that has just ended that are rated again with it. A time that ran out is
/// recorded later than it ended the game.
const MAX_AT_ONCE: usize = 100;
/// The most games that `send` rates again in one transaction. Other processes can write between two of
/// these.
const MAX_IN_TRANSACTION: usize = 1000;

/// Rates a game that has ended. Forgets the ratings after one that was annulled.
pub(crate) fn follow(outbox: &Outbox, changed: &Changed) -> Result<(), Error> {
    let (tx, id) = (outbox.tx, changed.after.id);
    if changed.annulled().is_some()
        && let Some((list, place)) = tx.delete_ratings(id)?
    {
        return begin_recalculation(tx, list, place);
    }
    if changed.ended().is_none() {
        return Ok(());
    }
    let Some((list, rated)) = rated(changed.after, changed.at) else { return Ok(()) };
    let place = rated.place;
    rate_game(tx, list, &rated)?;
    match tx.recalculation(list)? {
        Some(_) => begin_recalculation(tx, list, place.next()),
        None => match recalculate(tx, list, place.next(), MAX_AT_ONCE)? {
            Some(rest) => begin_recalculation(tx, list, rest),
            None => Ok(()),
        },
    }
}

/// Returns a game that ended at this time as the ratings have it, and its list; `None` if it does not count
/// for them.
pub(crate) fn rated(stored: &StoredGame, ended_at: DateTime<Utc>) -> Option<(List, RatedGame)> {
    let StoredGame { id, game, agreement, .. } = stored;
    let outcome = game.outcome().filter(|_| agreement.rated && is_countable(game))?;
    let [Some(black), Some(white)] = stored.sides().map(Side::person) else { return None };
    let place = Place { ended_at, game: *id };
    let score = Score::of(outcome.winner.map(|winner| winner == Color::Black));
    let players = [black.id, white.id];
    Some((List::of(game.start().rules()), RatedGame { place, players, score }))
}

/// Returns a sentence about the change of a player's rating by a game; `None` if the game was not meant to
/// be rated or counts for nobody.
pub(crate) fn result(db: &Db, game: GameId, player: PlayerId) -> Result<Option<String>, Error> {
    let Some((list, place, after)) = db.rating_after(game, player)? else {
        let stored = find::game(db, game)?;
        let is_too_short =
            stored.agreement.rated && stored.game.counts() && !is_countable(&stored.game);
        let why = "because each player must have made";
        return Ok(
            is_too_short.then(|| format!("The game was not rated, {why} {MIN_MOVES} moves."))
        );
    };
    let title = words::title(list.variant().name, list.rules());
    let number = after.number_at(after.ended_at);
    let sentence = match db.rating(list, player, Some(place))? {
        None => format!("Your first rating in {title} is {number}."),
        Some(before) => {
            let change = match after.rounded().cmp(&before.rounded()) {
                Ordering::Greater => format!("went up from {before} to"),
                Ordering::Less => format!("went down from {before} to"),
                Ordering::Equal => "stays at".to_owned(),
            };
            format!("Your rating in {title} {change} {number}.")
        }
    };
    let is_pending = db.recalculation(list)?.is_some_and(|from| from <= place);
    let pending = if is_pending { " It is being calculated again, so it may change." } else { "" };
    Ok(Some(sentence + pending))
}

/// Returns whether a finished game counts if its players wanted that.
fn is_countable(game: &Game) -> bool {
    let is_enough = |color| game.own_plies(color).count() >= MIN_MOVES;
    game.counts() && Color::BOTH.into_iter().all(is_enough)
}

/// Rates a game after those before it.
fn rate_game(tx: &Tx, list: List, game: &RatedGame) -> Result<(), Error> {
    let [first, second] = game.players.map(|player| tx.rating(list, player, Some(game.place)));
    let after = rate([first?, second?], game.score, game.place.ended_at);
    Ok(tx.set_ratings(list, game, after)?)
}

/// Rates again at most `most` games of a list from a place on. Returns where the others begin; `None`
/// if there are no others.
fn recalculate(tx: &Tx, list: List, from: Place, most: usize) -> Result<Option<Place>, Error> {
    let games = tx.rated_games(list, from, most + 1)?;
    games.iter().take(most).try_for_each(|game| rate_game(tx, list, game))?;
    Ok(games.get(most).map(|game| game.place))
}

impl App {
    /// Rates again the games after those that were annulled, until `is_active` returns false. A process
    /// that is killed leaves the rest to the next one. Returns why that failed, if it did: mail does not
    /// wait for ratings.
    pub(crate) fn recalculate_ratings(&mut self, is_active: &dyn Fn() -> bool) -> Option<String> {
        let mut recalculate_all = || -> Result<(), Error> {
            while is_active() && self.store.read(|db| db.next_recalculation())?.is_some() {
                self.store.write(|tx| recalculate_next(tx, MAX_IN_TRANSACTION))?;
            }
            Ok(())
        };
        let error = recalculate_all().err()?;
        Some(format!("ratings were not calculated again: {error}"))
    }
}

/// Rates again at most `most` games of a list that has some to be rated again.
fn recalculate_next(tx: &Tx, most: usize) -> Result<(), Error> {
    let Some((list, from)) = tx.next_recalculation()? else { return Ok(()) };
    let rest = recalculate(tx, list, from, most)?;
    Ok(tx.set_recalculation(list, rest)?)
}

/// Has `send` rate again the games of a list from a place on, if there are any.
fn begin_recalculation(tx: &Tx, list: List, from: Place) -> Result<(), Error> {
    let from = tx.recalculation(list)?.map_or(from, |begun| begun.min(from));
    let is_needed = !tx.rated_games(list, from, 1)?.is_empty();
    Ok(tx.set_recalculation(list, is_needed.then_some(from))?)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use outflank_rules::{Overrides, Position, Variant};

    use super::*;
    use crate::store::{NewGame, Store};
    use outflank_model::Agreement;

    const GAMES: i64 = 9;

    /// Returns the ratings after each game that was won by its first player.
    fn ratings(store: &Store, list: List) -> Vec<String> {
        let first = Place { ended_at: DateTime::UNIX_EPOCH, game: GameId(0) };
        let read = |db: &Db| {
            let games = db.rated_games(list, first, GAMES as usize)?;
            let after = |game: &RatedGame| {
                game.players.map(|player| db.rating_after(game.place.game, player))
            };
            let all: Vec<_> = games.iter().flat_map(after).collect::<Result<_, _>>()?;
            Ok::<_, Error>(all.into_iter().map(|rating| format!("{rating:?}")).collect())
        };
        store.read(read).unwrap()
    }

    /// Each part is a transaction, after which another process continues.
    #[test]
    fn ratings_that_are_calculated_in_parts_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("club.db");
        let rules = Variant::named("mini").unwrap().rules(&Overrides::default()).unwrap();
        let (list, variant) = (List::of(&rules), Variant::named("mini").unwrap());
        let game = Game::new(Position::start(rules));
        let start = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let first = Place { ended_at: start, game: GameId(1) };
        let mut store = Store::open(&path, false).unwrap();
        let rated = |tx: &Tx| {
            let add = |n: usize| {
                let (name, address) = (format!("p{n}"), format!("p{n}@example.org"));
                tx.add_player(&name, &address, &[7; 32], start).map(Side::from)
            };
            let players: Vec<_> = (0..4).map(add).collect::<Result<_, _>>()?;
            for number in 0..GAMES as usize {
                let sides = [number % 4, (number + 1 + number % 3) % 4].map(|n| &players[n]);
                let agreement = &Agreement { rated: true, ..Agreement::on(variant) };
                let [black, white] = sides;
                let new =
                    NewGame { agreement, game: &game, black, white, local: false, mark: "mark" };
                let id = tx.add_game(&new, |id| id.to_string(), start)?;
                // Two end in the same second.
                let ended_at = start + chrono::TimeDelta::days(number as i64 / 2);
                let place = Place { ended_at, game: id };
                let players = sides.map(|side| side.id().unwrap());
                rate_game(tx, list, &RatedGame { place, players, score: Score::Won })?;
            }
            Ok::<_, Error>(())
        };
        store.write_or_create(rated).unwrap();
        let annul = |tx: &Tx| {
            let (list, place) = tx.delete_ratings(GameId(1))?.unwrap();
            begin_recalculation(tx, list, place)
        };
        store.write(annul).unwrap();
        let stale = ratings(&store, list);
        for part in 0..4 {
            assert!(store.read(|db| db.recalculation(list)).unwrap().is_some(), "{part} parts");
            drop(store);
            store = Store::open(&path, false).unwrap();
            store.write(|tx| recalculate_next(tx, 2)).unwrap();
        }
        assert_eq!(store.read(|db| db.next_recalculation()).unwrap(), None);
        let in_parts = ratings(&store, list);
        assert_ne!(in_parts, stale);
        store.write(|tx| recalculate(tx, list, first, 100)).unwrap();
        assert_eq!(ratings(&store, list), in_parts);
    }
}
