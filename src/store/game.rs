use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::agreement::{self, COLUMNS};
use super::{Db, Result, Tx, get, moment, only, seconds};
use outflank_model::StoredGame;
use outflank_model::log::{Game, GameId};
use outflank_model::time_control::TurnStarts;
use outflank_model::{Agreement, Moment, PlayerId, Side};

/// A game to be stored.
#[derive(Debug)]
pub struct NewGame<'a> {
    /// What its players have agreed on.
    pub agreement: &'a Agreement,
    /// The game, with the events so far.
    pub game: &'a Game,
    /// Who has the black discs.
    pub black: &'a Side,
    /// Who has the white discs.
    pub white: &'a Side,
    /// Whether `play` begins it. Nobody is mailed about it.
    pub local: bool,
    /// Its mark: that of its challenge, if it had one.
    pub mark: &'a str,
}

impl Tx<'_> {
    /// Stores a game. `thread` makes the id that its mails refer to from its number.
    pub fn add_game(
        &self,
        new: &NewGame,
        thread: impl FnOnce(GameId) -> String,
        now: DateTime<Utc>,
    ) -> Result<GameId> {
        let id = self.insert_game(new, None, now)?;
        self.execute("UPDATE game SET thread = ?2 WHERE id = ?1", (id.0, thread(id)))?;
        Ok(id)
    }

    /// Stores an imported game, whose events happened at these times, with the digest of its record. Returns
    /// `None` if a game has the digest already.
    pub fn import_game(
        &self,
        new: &NewGame,
        thread: impl FnOnce(GameId) -> String,
        digest: &[u8],
        started: DateTime<Utc>,
        times: &[DateTime<Utc>],
    ) -> Result<Option<GameId>> {
        if self.exists("SELECT 1 FROM game WHERE digest = ?1", [digest])? {
            return Ok(None);
        }
        let id = self.insert_row(new, None, started)?;
        self.add_events(id, new.game, 0, |number| times.get(number).copied().unwrap_or(started))?;
        let since = new.game.since_event().checked_sub(1).and_then(|event| times.get(event));
        self.set_derived(id, new.game, [new.black, new.white], since.copied())?;
        let sql = "UPDATE game SET thread = ?2, digest = ?3 WHERE id = ?1";
        self.run(sql, (id.0, thread(id), digest))?;
        Ok(Some(id))
    }

    /// Stores a game with this number, or with the next one.
    pub(super) fn insert_game(
        &self,
        new: &NewGame,
        id: Option<GameId>,
        now: DateTime<Utc>,
    ) -> Result<GameId> {
        let id = self.insert_row(new, id, now)?;
        self.save(id, new.game, None, [new.black, new.white], now)?;
        Ok(id)
    }

    fn insert_row(&self, new: &NewGame, id: Option<GameId>, now: DateTime<Utc>) -> Result<GameId> {
        let sql = format!(
            "INSERT INTO game (id, {COLUMNS}, black, white, black_bot, white_bot, thread, created_at, turn,
                to_move, to_wait, since, local, mark)
             VALUES (:id, {}, :black, :white, :black_bot, :white_bot, '', :now, 'black', :black, :white,
                :now, :local, :mark)",
            agreement::values()
        );
        let [black, white] = [new.black, new.white];
        let bot = |side: &Side| side.person().is_none().then(|| side.name().to_owned());
        let others = [
            (":id", id.map(|id| id.0).into()),
            (":black", black.id().map(|id| id.0).into()),
            (":white", white.id().map(|id| id.0).into()),
            (":black_bot", bot(black).into()),
            (":white_bot", bot(white).into()),
            (":now", seconds(now).into()),
            (":local", new.local.into()),
            (":mark", new.mark.to_owned().into()),
        ];
        let params = agreement::params(new.agreement, new.game.start(), others);
        Ok(GameId(self.insert(&sql, &*params)?))
    }

    /// Stores the events that `game` has and `stored` has not; they happen now.
    pub fn save_game(&self, stored: &StoredGame, game: &Game, now: DateTime<Utc>) -> Result<()> {
        self.save(stored.id, game, Some(&stored.game), stored.sides(), now)
    }

    fn save(
        &self,
        id: GameId,
        game: &Game,
        stored: Option<&Game>,
        sides: [&Side; 2],
        now: DateTime<Utc>,
    ) -> Result<()> {
        let events = stored.map_or(0, |stored| stored.events().len());
        self.add_events(id, game, events, |_| now)?;
        let is_since_now = stored.is_some() && game.since_event() > events;
        self.set_derived(id, game, sides, is_since_now.then_some(now))
    }
}

impl Db<'_> {
    /// Returns the game with this number, replayed; `None` when there is none. Fails also when
    /// the stored events break the game's rules.
    pub fn game(&self, id: GameId) -> Result<Option<StoredGame>> {
        let sql = format!(
            "SELECT {COLUMNS}, black, white, black_bot, white_bot, thread, local, created_at, turn_starts_at,
                digest IS NOT NULL AS imported
             FROM game WHERE id = ?1"
        );
        self.first(&sql, [id.0], |row| {
            let (agreement, start) = agreement::read(row, id)?;
            let mut game = Game::restore(start);
            let start: Option<DateTime<Utc>> = get(row, "turn_starts_at")?;
            let mut turn_starts = TurnStarts::from_iter(start.map(|start| (0, start)));
            let times = self.apply_events(id, &mut game, &mut turn_starts)?;
            Ok(StoredGame {
                id,
                agreement,
                game,
                local: row.get("local")?,
                started: get(row, "created_at")?,
                times,
                turn_starts,
                black: self.side(row, id, ["black", "black_bot"])?,
                white: self.side(row, id, ["white", "white_bot"])?,
                thread: row.get("thread")?,
                tournament: self.in_tournament(id)?,
            })
        })
    }

    /// Returns the present moment of a game of this player; `None` when the player is not in it.
    pub fn moment(&self, game: GameId, player: PlayerId) -> Result<Option<Moment>> {
        let sql = "SELECT ply, events FROM game WHERE id = ?1 AND ?2 IN (black, white)";
        self.first(sql, (game.0, player.0), |row| Ok(moment(row, game)?))
    }

    /// Returns when a game ended; `None` while it is active, or if there is no such game.
    pub fn ended_at(&self, game: GameId) -> Result<Option<DateTime<Utc>>> {
        self.first("SELECT since FROM game WHERE id = ?1 AND turn IS NULL", [game.0], only)
    }

    /// Returns whether `play` began a game, so that nobody is mailed about it.
    pub fn is_local(&self, game: GameId) -> Result<bool> {
        self.one("SELECT local FROM game WHERE id = ?1", [game.0], only)
    }

    /// Returns the openings that the games of two sides began with, as their moves without spaces between
    /// them: `f5d6c3d3c4f4f6f3`.
    pub fn openings_of(&self, sides: [&Side; 2]) -> Result<HashSet<String>> {
        let sql = "SELECT event.game, action FROM game JOIN event ON event.game = game.id
             WHERE action LIKE 'given %' AND digest IS NULL AND (opening IS NOT NULL
                    AND black IS ?1 AND black_bot IS ?2 AND white IS ?3 AND white_bot IS ?4
                OR opening IS NOT NULL
                    AND black IS ?3 AND black_bot IS ?4 AND white IS ?1 AND white_bot IS ?2)
             ORDER BY event.game, number";
        let [(one, one_bot), (other, other_bot)] =
            sides.map(|side| (side.id().map(|id| id.0), side.bot().map(ToString::to_string)));
        let given = self.all(sql, (one, one_bot, other, other_bot), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })?;
        let of_games = given.chunk_by(|(game, _), (next, _)| game == next);
        let moves =
            of_games.map(|game| game.iter().filter_map(|(_, action)| action.split(' ').nth(1)));
        Ok(moves.map(Iterator::collect).collect())
    }

    /// Returns the number of the last event that changed the position of a game.
    pub fn position_event(&self, game: GameId) -> Result<usize> {
        self.one("SELECT position_event FROM game WHERE id = ?1", [game.0], only)
    }
}
