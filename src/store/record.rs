use chrono::{DateTime, Utc};
use rusqlite::Row;
use serde::Serialize;

use super::{Db, Result, Tx, get, parsed};
use outflank_model::PlayerId;
use outflank_model::bot::Bot;
use outflank_model::rating::{List, Score};
use outflank_rules::Color;

/// How finished games of a player ended, as far as they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Record {
    /// Games that the player has won.
    pub won: u32,
    /// Games that ended in a draw.
    pub drawn: u32,
    /// Games that the player has lost.
    pub lost: u32,
}

/// The subject of a record of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordAbout {
    /// Games with this colour under the rules of a list.
    Color(Color, List),
    /// Games against this person.
    Player(PlayerId),
    /// Games against this computer player.
    Bot(Bot),
}

/// The turns of a player in finished games with a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turns {
    /// How many there were.
    pub all: u32,
    /// In how many the time ran out.
    pub late: u32,
}

impl Record {
    /// Returns how many games it counts.
    pub const fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }
}

impl RecordAbout {
    /// Returns the columns `kind` and `about` of the record.
    pub fn columns(&self) -> (&'static str, String) {
        match self {
            Self::Color(Color::Black, list) => ("black", list.to_string()),
            Self::Color(Color::White, list) => ("white", list.to_string()),
            Self::Player(player) => ("player", player.0.to_string()),
            Self::Bot(bot) => ("bot", bot.to_string()),
        }
    }
}

fn record(row: &Row) -> Result<Record> {
    Ok(Record { won: row.get("won")?, drawn: row.get("drawn")?, lost: row.get("lost")? })
}

impl Db<'_> {
    /// Returns a record of a player.
    pub fn record(&self, player: PlayerId, about: &RecordAbout) -> Result<Record> {
        let (kind, about) = about.columns();
        let sql =
            "SELECT won, drawn, lost FROM record WHERE player = ?1 AND kind = ?2 AND about = ?3";
        Ok(self.first(sql, (player.0, kind, about), record)?.unwrap_or_default())
    }

    /// Returns a player's records with this colour, each with the list of its rules.
    pub fn records_by_list(&self, player: PlayerId, color: Color) -> Result<Vec<(List, Record)>> {
        let sql = "SELECT about, won, drawn, lost FROM record WHERE player = ?1 AND kind = ?2
             ORDER BY about";
        self.all(sql, (player.0, color.to_string()), |row| {
            Ok((parsed(row, "about")?, record(row)?))
        })
    }

    /// Returns a player's records against computer players, each with the name of that player.
    pub fn records_against_bots(&self, player: PlayerId) -> Result<Vec<(String, Record)>> {
        let sql = "SELECT about, won, drawn, lost FROM record WHERE player = ?1 AND kind = 'bot'
                AND won + drawn + lost > 0
             ORDER BY length(about), about";
        self.all(sql, [player.0], |row| Ok((parsed(row, "about")?, record(row)?)))
    }

    /// Returns when a player signed up, and the player's turns in finished games with a clock.
    pub fn member_since(&self, player: PlayerId) -> Result<(DateTime<Utc>, Turns)> {
        let sql = "SELECT created_at, timed_turns, late_turns FROM player WHERE id = ?1";
        self.one(sql, [player.0], |row| {
            let turns = Turns { all: row.get("timed_turns")?, late: row.get("late_turns")? };
            Ok((get(row, "created_at")?, turns))
        })
    }
}

impl Tx<'_> {
    /// Counts a result in a record of a player, or no longer if it does not count any more.
    pub fn count_in_record(
        &self,
        player: PlayerId,
        about: &RecordAbout,
        score: Score,
        counts: bool,
    ) -> Result<()> {
        let (kind, about) = about.columns();
        let change = if counts { 1 } else { -1 };
        let of = |other| if score == other { change } else { 0 };
        let sql = "INSERT INTO record (player, kind, about, won, drawn, lost)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET won = won + excluded.won, drawn = drawn + excluded.drawn,
                lost = lost + excluded.lost";
        self.run(sql, (player.0, kind, about, of(Score::Won), of(Score::Drawn), of(Score::Lost)))
    }

    /// Counts the turns of a player in a game with a clock, or no longer if it does not count any more.
    pub fn count_turns(&self, player: PlayerId, turns: Turns, counts: bool) -> Result<()> {
        let sign = if counts { 1 } else { -1 };
        let [all, late] = [turns.all, turns.late].map(|count| sign * i64::from(count));
        let sql = "UPDATE player SET timed_turns = timed_turns + ?2, late_turns = late_turns + ?3
             WHERE id = ?1";
        self.run(sql, (player.0, all, late))
    }
}
