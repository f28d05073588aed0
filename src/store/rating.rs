use chrono::{DateTime, Utc};
use rusqlite::{Row, named_params};

use super::{Db, Result, Tx, get, only, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::rating::{List, Rating, Score};

/// A place in the order of rating: games are rated by their ends, then by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When a game ended.
    pub ended_at: DateTime<Utc>,
    /// Its number.
    pub game: GameId,
}

impl Place {
    /// Returns the next place.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { game: GameId(self.game.0 + 1), ..self }
    }

    fn of(row: &Row) -> Result<Self> {
        Ok(Self { ended_at: get(row, "ended_at")?, game: get(row, "game")? })
    }
}

/// A game that counts for the ratings of its players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedGame {
    /// Its place.
    pub place: Place,
    /// Its players, in any order.
    pub players: [PlayerId; 2],
    /// The score of the first player.
    pub score: Score,
}

/// Returns the rating in the columns `ended_at`, `rating`, `deviation`, `volatility` and `games`, which begin
/// at this place; `None` if they are empty.
fn rating_at(row: &Row, first: usize) -> Result<Option<Rating>> {
    let Some(ended_at) = get(row, first)? else { return Ok(None) };
    Ok(Some(Rating {
        ended_at,
        rating: row.get(first + 1)?,
        deviation: row.get(first + 2)?,
        volatility: row.get(first + 3)?,
        games: row.get(first + 4)?,
    }))
}

fn list_and_place(row: &Row) -> Result<(List, Place)> {
    Ok((parsed(row, "list")?, Place::of(row)?))
}

impl RatedGame {
    /// Returns the players, each with the opponent and the score.
    pub const fn sides(&self) -> [(PlayerId, PlayerId, Score); 2] {
        let [first, second] = self.players;
        [(first, second, self.score), (second, first, self.score.of_opponent())]
    }
}

impl Db<'_> {
    /// Returns a player's rating in a list after the last rated game before a place, or after the last
    /// one of all; `None` if there is no such game.
    pub fn rating(
        &self,
        list: List,
        player: PlayerId,
        before: Option<Place>,
    ) -> Result<Option<Rating>> {
        let sql = "SELECT ended_at, rating, deviation, volatility, games FROM rating
             WHERE list = ?1 AND player = ?2 AND (ended_at, game) < (?3, ?4)
             ORDER BY ended_at DESC, game DESC LIMIT 1";
        let (ended_at, game) =
            before.map_or((i64::MAX, 0), |place| (seconds(place.ended_at), place.game.0));
        let params = (list.to_string(), player.0, ended_at, game);
        Ok(self.first(sql, params, |row| rating_at(row, 0))?.flatten())
    }

    /// Returns when the first rated game of a player in a list ended; `None` if there is none.
    pub fn first_rated(&self, list: List, player: PlayerId) -> Result<Option<DateTime<Utc>>> {
        let sql =
            "SELECT ended_at FROM rating WHERE list = ?1 AND player = ?2 ORDER BY ended_at LIMIT 1";
        self.first(sql, (list.to_string(), player.0), only)
    }

    /// Returns the lists that have ratings.
    pub fn rating_lists(&self) -> Result<Vec<List>> {
        // Each step searches the index for the next list, however many games there are.
        let sql = "WITH RECURSIVE known (list) AS (
                SELECT min(list) FROM rating UNION ALL
                SELECT (SELECT min(list) FROM rating WHERE list > known.list) FROM known
                WHERE known.list IS NOT NULL)
             SELECT list FROM known WHERE list IS NOT NULL";
        self.all(sql, [], |row| Ok(parsed(row, "list")?))
    }

    /// Returns the first `limit` members who have ratings in a list: their names, their present ratings, and
    /// those before a place, if they had any there.
    pub fn ratings(
        &self,
        list: List,
        before: Place,
        limit: Option<u32>,
    ) -> Result<Vec<(String, Rating, Option<Rating>)>> {
        let sql = "WITH RECURSIVE known (player) AS (
                SELECT min(player) FROM rating WHERE list = ?1 UNION ALL
                SELECT (SELECT min(player) FROM rating WHERE list = ?1 AND player > known.player)
                FROM known WHERE known.player IS NOT NULL)
             SELECT name, now.ended_at, now.rating, now.deviation, now.volatility, now.games,
                    old.ended_at, old.rating, old.deviation, old.volatility, old.games
             FROM known JOIN player ON player.id = known.player
             JOIN rating AS now ON now.list = ?1 AND now.player = known.player
                AND (now.ended_at, now.game) = (
                    SELECT ended_at, game FROM rating WHERE list = ?1 AND player = known.player
                    ORDER BY ended_at DESC, game DESC LIMIT 1)
             LEFT JOIN rating AS old ON old.list = ?1 AND old.player = known.player
                AND (old.ended_at, old.game) = (
                    SELECT ended_at, game FROM rating WHERE list = ?1 AND player = known.player
                    AND (ended_at, game) < (?2, ?3)
                    ORDER BY ended_at DESC, game DESC LIMIT 1)
             WHERE left_at IS NULL LIMIT ?4";
        let limit = limit.map_or(-1, i64::from);
        let params = (list.to_string(), seconds(before.ended_at), before.game.0, limit);
        self.all(sql, params, |row| {
            let now = rating_at(row, 1)?.ok_or(rusqlite::Error::InvalidQuery)?;
            Ok((row.get("name")?, now, rating_at(row, 6)?))
        })
    }

    /// Returns a player's rating after a game, with its list and the place of the game; `None` if the
    /// game was not rated.
    pub fn rating_after(
        &self,
        game: GameId,
        player: PlayerId,
    ) -> Result<Option<(List, Place, Rating)>> {
        let sql = "SELECT list, game, ended_at, rating, deviation, volatility, games FROM rating
             WHERE game = ?1 AND player = ?2";
        let after = self.first(sql, (game.0, player.0), |row| {
            let (list, place) = (parsed(row, "list")?, Place::of(row)?);
            Ok(rating_at(row, 2)?.map(|rating| (list, place, rating)))
        })?;
        Ok(after.flatten())
    }

    /// Returns the first `most` rated games of a list from a place on.
    pub fn rated_games(&self, list: List, from: Place, most: usize) -> Result<Vec<RatedGame>> {
        // Each game has a row for either player. The one with the lower number is read here.
        let sql =
            "SELECT ended_at, game, player, opponent, score FROM rating INDEXED BY rating_order
             WHERE list = ?1 AND (ended_at, game) >= (?2, ?3) AND player < opponent
             ORDER BY ended_at, game LIMIT ?4";
        let params = (list.to_string(), seconds(from.ended_at), from.game.0, most);
        self.all(sql, params, |row| {
            let players = [get(row, "player")?, get(row, "opponent")?];
            Ok(RatedGame { place: Place::of(row)?, players, score: parsed(row, "score")? })
        })
    }

    /// Returns the place to begin at when the ratings of a list must be calculated again; `None` if they
    /// are up to date.
    pub fn recalculation(&self, list: List) -> Result<Option<Place>> {
        let sql = "SELECT ended_at, game FROM recalculation WHERE list = ?1";
        self.first(sql, [list.to_string()], Place::of)
    }

    /// Returns a list that needs its ratings calculated again, and the place to begin at; `None` if
    /// there is none.
    pub fn next_recalculation(&self) -> Result<Option<(List, Place)>> {
        let sql = "SELECT list, ended_at, game FROM recalculation ORDER BY list LIMIT 1";
        self.first(sql, [], list_and_place)
    }
}

impl Tx<'_> {
    /// Stores the ratings of both players after a game. They replace those that the game had.
    pub fn set_ratings(&self, list: List, rated: &RatedGame, after: [Rating; 2]) -> Result<()> {
        let place = rated.place;
        for ((player, opponent, score), rating) in rated.sides().into_iter().zip(after) {
            self.execute(
                "INSERT INTO rating (list, player, ended_at, game, opponent, score, rating, deviation,
                    volatility, games)
                 VALUES (:list, :player, :ended_at, :game, :opponent, :score, :rating, :deviation,
                    :volatility, :games)
                 ON CONFLICT DO UPDATE SET rating = excluded.rating, deviation = excluded.deviation,
                    volatility = excluded.volatility, games = excluded.games",
                named_params! {
                    ":list": list.to_string(),
                    ":player": player.0,
                    ":ended_at": seconds(place.ended_at),
                    ":game": place.game.0,
                    ":opponent": opponent.0,
                    ":score": score.word(),
                    ":rating": rating.rating,
                    ":deviation": rating.deviation,
                    ":volatility": rating.volatility,
                    ":games": rating.games,
                },
            )?;
        }
        Ok(())
    }

    /// Deletes the ratings after a game, which counts no longer. Returns its list and place; `None` if it
    /// was not rated.
    pub fn delete_ratings(&self, game: GameId) -> Result<Option<(List, Place)>> {
        let sql = "DELETE FROM rating WHERE game = ?1 RETURNING list, ended_at, game";
        Ok(self.all(sql, [game.0], list_and_place)?.pop())
    }

    /// Stores the place to begin at when the ratings of a list must be calculated again; `None` if they
    /// are up to date.
    pub fn set_recalculation(&self, list: List, from: Option<Place>) -> Result<()> {
        match from {
            Some(Place { ended_at, game }) => self.run(
                "INSERT INTO recalculation (list, ended_at, game) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET ended_at = excluded.ended_at, game = excluded.game",
                (list.to_string(), seconds(ended_at), game.0),
            ),
            None => self.run("DELETE FROM recalculation WHERE list = ?1", [list.to_string()]),
        }
    }
}
