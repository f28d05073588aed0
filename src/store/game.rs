use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row, named_params};

use super::agreement::{AgreementRow, COLUMNS, values};
use super::side::SideRow;
use super::{Db, Error, Time, Tx, seconds};
use outflank_model::StoredGame;
use outflank_model::log::{Game, GameId};
use outflank_model::time_control::TurnStarts;
use outflank_model::{Agreement, Moment, PlayerId, Side};
use outflank_rules::Color;

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
}

/// A row of the table, before the game is replayed.
struct GameRow {
    agreement: AgreementRow,
    black: SideRow,
    white: SideRow,
    thread: String,
    local: bool,
    started: DateTime<Utc>,
    turn_start: Option<DateTime<Utc>>,
}

fn game_row(row: &Row) -> rusqlite::Result<GameRow> {
    Ok(GameRow {
        agreement: AgreementRow::of(row)?,
        black: SideRow::of(row, Color::Black)?,
        white: SideRow::of(row, Color::White)?,
        thread: row.get("thread")?,
        local: row.get("local")?,
        started: row.get::<_, Time>("created_at")?.0,
        turn_start: row.get::<_, Option<Time>>("turn_starts_at")?.map(|time| time.0),
    })
}

impl Tx<'_> {
    /// Stores a game with this mark. `thread` makes the id that its mails refer to from its number.
    pub fn add_game(
        &self,
        new: &NewGame,
        mark: &str,
        thread: impl FnOnce(GameId) -> String,
        now: DateTime<Utc>,
    ) -> Result<GameId, Error> {
        let id = self.insert_game(new, None, now)?;
        let sql = "UPDATE game SET thread = ?2, mark = ?3 WHERE id = ?1";
        self.execute(sql, (id.0, thread(id), mark))?;
        Ok(id)
    }

    /// Stores a game with this number, or with the next one.
    pub(super) fn insert_game(
        &self,
        new: &NewGame,
        id: Option<GameId>,
        now: DateTime<Utc>,
    ) -> Result<GameId, Error> {
        let agreement = AgreementRow::new(new.agreement, new.game.start());
        let sql = format!(
            "INSERT INTO game (id, {COLUMNS}, black, white, black_bot, white_bot, thread, created_at, turn,
                to_move, to_wait, since, local)
             VALUES (:id, {}, :black, :white, :black_bot, :white_bot, '', :now, 'black', :black, :white,
                :now, :local)",
            values()
        );
        let own = named_params! {
            ":id": id.map(|id| id.0),
            ":black": new.black.id().map(|id| id.0),
            ":white": new.white.id().map(|id| id.0),
            ":black_bot": new.black.bot().map(ToString::to_string),
            ":white_bot": new.white.bot().map(ToString::to_string),
            ":now": seconds(now),
            ":local": new.local,
        };
        let id = GameId(self.insert(&sql, &*[&agreement.params(), own].concat())?);
        self.save(id, new.game, None, [new.black, new.white], now)?;
        Ok(id)
    }

    /// Stores the events that `game` has and `stored` has not; they happen now.
    pub fn save_game(
        &self,
        stored: &StoredGame,
        game: &Game,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.save(stored.id, game, Some(&stored.game), stored.sides(), now)
    }

    fn save(
        &self,
        id: GameId,
        game: &Game,
        stored: Option<&Game>,
        sides: [&Side; 2],
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let events = stored.map_or(0, |stored| stored.events().len());
        self.add_events(id, game, events, now)?;
        self.set_derived(id, game, sides)?;
        if stored.is_some() && game.since_event() > events {
            let sql = "UPDATE game SET since = ?2 WHERE id = ?1";
            self.execute(sql, (id.0, seconds(now)))?;
        }
        Ok(())
    }
}

impl Db<'_> {
    /// Returns the game with this number, replayed; `None` when there is none. Fails also when
    /// the stored events break the game's rules.
    pub fn game(&self, id: GameId) -> Result<Option<StoredGame>, Error> {
        let sql = format!(
            "SELECT {COLUMNS}, black, white, black_bot, white_bot, thread, local, created_at, turn_starts_at
             FROM game WHERE id = ?1"
        );
        let Some(row) = self.first(&sql, [id.0], game_row)? else { return Ok(None) };
        let inconsistent = |error: Box<dyn std::error::Error>| Error::Inconsistent {
            game: id,
            reason: error.to_string(),
        };
        let (agreement, start) = row.agreement.read().map_err(inconsistent)?;
        let mut game = Game::restore(start);
        let mut turn_starts = TurnStarts::from_iter(row.turn_start.map(|start| (0, start)));
        let times = self.apply_events(id, &mut game, &mut turn_starts)?;
        Ok(Some(StoredGame {
            id,
            agreement,
            game,
            local: row.local,
            started: row.started,
            times,
            turn_starts,
            black: row.black.read(self, id)?,
            white: row.white.read(self, id)?,
            thread: row.thread,
        }))
    }

    /// Returns the moment in which a game of this player is now; `None` when the player is not in
    /// it.
    pub fn moment(&self, game: GameId, player: PlayerId) -> Result<Option<Moment>, Error> {
        let sql = "SELECT ply, events FROM game WHERE id = ?1 AND ?2 IN (black, white)";
        self.first(sql, (game.0, player.0), |row| {
            Ok(Moment { game, ply: row.get("ply")?, events: row.get("events")? })
        })
    }

    /// Returns when a game ended; `None` while it is active, or if there is no such game.
    pub fn ended_at(&self, game: GameId) -> Result<Option<DateTime<Utc>>, Error> {
        let mut select = self.prepare("SELECT since FROM game WHERE id = ?1 AND turn IS NULL")?;
        let ended_at = select.query_row([game.0], |row| row.get::<_, Time>(0)).optional()?;
        Ok(ended_at.map(|time| time.0))
    }

    /// Returns whether `play` began a game, so that nobody is mailed about it.
    pub fn is_local(&self, game: GameId) -> Result<bool, Error> {
        self.one("SELECT local FROM game WHERE id = ?1", [game.0], |row| row.get(0))
    }

    /// Returns the number of the last event that changed the position of a game.
    pub fn position_event(&self, game: GameId) -> Result<usize, Error> {
        self.one("SELECT position_event FROM game WHERE id = ?1", [game.0], |row| row.get(0))
    }
}
