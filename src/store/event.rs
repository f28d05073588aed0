use chrono::{DateTime, Utc};

use super::{Db, Error, Result, Tx, get, seconds};
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_model::time_control::TurnStarts;
use outflank_rules::Color;

/// The author of the events that the host or the clock caused.
const HOST: char = 'h';

impl Tx<'_> {
    /// Adds the events after the first `stored` ones to the log of a game. `at` returns when an event
    /// happened, by its place in the log.
    pub(super) fn add_events(
        &self,
        id: GameId,
        game: &Game,
        stored: usize,
        at: impl Fn(usize) -> DateTime<Utc>,
    ) -> Result<()> {
        let lattice = game.lattice();
        let sql =
            "INSERT INTO event (game, number, at, author, action) VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut insert = self.prepare(sql)?;
        for (place, event) in game.events().iter().enumerate().skip(stored) {
            let author = event.by.map_or(HOST, Color::letter).to_string();
            let at = seconds(at(place));
            insert.execute((id.0, place + 1, at, author, event.action.label(lattice)))?;
        }
        Ok(())
    }

    /// Stores the clock start of the turn that this event began; 0 is the start of the game.
    pub fn set_turn_start(&self, game: GameId, event: usize, at: DateTime<Utc>) -> Result<()> {
        if event == 0 {
            let sql = "UPDATE game SET turn_starts_at = ?2 WHERE id = ?1";
            return self.run(sql, (game.0, seconds(at)));
        }
        let sql = "UPDATE event SET turn_starts_at = ?3 WHERE game = ?1 AND number = ?2";
        self.run(sql, (game.0, event, seconds(at)))
    }
}

impl Db<'_> {
    /// Applies the stored events to a game. Returns when each happened, and adds the clock starts of the
    /// turns that they began.
    pub(super) fn apply_events(
        &self,
        id: GameId,
        game: &mut Game,
        turn_starts: &mut TurnStarts,
    ) -> Result<Vec<DateTime<Utc>>> {
        let inconsistent = Error::inconsistent(id);
        let sql = "SELECT number, at, author, action, turn_starts_at FROM event
             WHERE game = ?1 ORDER BY number";
        let mut select = self.prepare(sql)?;
        let mut rows = select.query([id.0])?;
        let mut times = Vec::new();
        while let Some(row) = rows.next()? {
            let expected = times.len() + 1;
            if row.get::<_, usize>("number")? != expected {
                return Err(inconsistent(format!("event {expected} is missing")));
            }
            let author: String = row.get("author")?;
            let mut letters = author.chars();
            let letter = letters.next().unwrap_or_default();
            let by = Color::from_letter(letter);
            if by.is_none() && letter != HOST || letters.next().is_some() {
                return Err(inconsistent(format!("unknown author \"{author}\"")));
            }
            let action: String = row.get("action")?;
            let action: Action = action.parse().map_err(Error::inconsistent(id))?;
            game.apply(Event { by, action }).map_err(Error::inconsistent(id))?;
            times.push(get(row, "at")?);
            let start: Option<_> = get(row, "turn_starts_at")?;
            turn_starts.extend(start.map(|start| (expected, start)));
        }
        Ok(times)
    }
}
