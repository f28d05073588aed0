//! Reads for `verify`: the values that are stored beside the logs of the games, and the faults that
//! SQLite finds.

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::clock::deadline_seconds;
use super::{Db, MailId, Result, derived, get, only, seconds};
use outflank_model::log::GameId;
use outflank_model::{PlayerId, StoredGame};

/// How much two numbers may differ that two machines have calculated.
const PRECISION: f64 = 1e-6;

/// A value in a row.
pub type Cell = Value;

/// What names a row: up to three values.
pub type Key = [String; 3];

/// A table with columns that follow from the logs of the games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checked {
    /// The games. The key of these and of all other rows of a game begins with its number.
    Game,
    /// Reminders of the present turn.
    Reminder,
    /// Jobs: by number, or `bot` for the work of a computer player.
    Job,
    /// Mails about a game, by number.
    Outbox,
    /// Games in digests, by the number of the mail.
    DigestGame,
    /// Plans, by the player.
    Plan,
    /// Comments, by event.
    Comment,
    /// Analyzed moves, by number.
    AnalysisPly,
    /// Players, by name.
    Player,
    /// Records, by player, kind and subject.
    Record,
    /// Ratings, by player, list and game.
    Rating,
}

/// A stored row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRow {
    /// What names it.
    pub key: Key,
    /// The values that follow from the logs, each with the table and the column, such as `game.ply`.
    pub values: Vec<(String, Cell)>,
}

impl Checked {
    /// The tables with rows of one game.
    pub const OF_GAMES: [Self; 8] = [
        Self::Game,
        Self::Reminder,
        Self::Job,
        Self::Outbox,
        Self::DigestGame,
        Self::Plan,
        Self::Comment,
        Self::AnalysisPly,
    ];

    /// The tables with rows about all games.
    pub const OF_ALL: [Self; 3] = [Self::Player, Self::Record, Self::Rating];

    /// Returns its name, and the statement that reads its rows, or those of one game: three columns for
    /// the key, then those that follow from the logs.
    const fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Game => (
                "game",
                "SELECT id, '', '', ply, events, position_event, turn, to_move, to_wait, black_discs,
                    white_discs, winner, reason, offer_event, paused, since, deadline, alarm_at,
                    claim_event
                 FROM game WHERE id = ?1",
            ),
            Self::Reminder => (
                "reminder",
                "SELECT game, event, stage, event FROM reminder WHERE game = ?1 ORDER BY event",
            ),
            Self::Job => (
                "job",
                "SELECT game, iif(kind IN ('hint', 'analysis'), id, 'bot'), '', kind, event, rank
                 FROM job WHERE game = ?1 ORDER BY id",
            ),
            Self::Outbox => (
                "outbox",
                "SELECT game, id, '', events, ply FROM outbox
                 WHERE game = ?1 AND events IS NOT NULL ORDER BY id",
            ),
            Self::DigestGame => (
                "digest_game",
                "SELECT game, mail, number, events, ply FROM digest_game WHERE game = ?1",
            ),
            Self::Plan => ("plan", "SELECT game, player, '', event FROM plan WHERE game = ?1"),
            Self::Comment => (
                "comment",
                "SELECT game, event, '', reader, said_at FROM comment WHERE game = ?1
                 ORDER BY event",
            ),
            Self::AnalysisPly => (
                "analysis_ply",
                "SELECT game, ply, '', choices FROM analysis_ply WHERE game = ?1 ORDER BY ply",
            ),
            Self::Player => (
                "player",
                "SELECT name, '', '', active, won, drawn, lost, timed_turns, late_turns, failures
                 FROM player ORDER BY id",
            ),
            Self::Record => (
                "record",
                "SELECT coalesce(name, 'number ' || player), kind, about, record.won, record.drawn,
                    record.lost
                 FROM record LEFT JOIN player ON player.id = player",
            ),
            Self::Rating => (
                "rating",
                "SELECT coalesce(name, 'number ' || player), list, game, ended_at, opponent, score,
                    rating, deviation, volatility, games
                 FROM rating LEFT JOIN player ON player.id = player",
            ),
        }
    }

    /// Returns its name in the database.
    pub const fn name(self) -> &'static str {
        self.parts().0
    }
}

/// A value that contradicts the logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The table and the column, such as `game.ply`.
    pub column: String,
    /// The stored value; `None` for no value.
    pub stored: Option<String>,
    /// The value that follows from the logs.
    pub expected: Option<String>,
}

impl Difference {
    /// Compares the value of a column, such as `game.ply`, with the one that follows from the logs.
    pub fn between(column: &str, stored: &Cell, expected: &Cell) -> Option<Self> {
        let is_same = match (stored, expected) {
            (Value::Real(stored), Value::Real(expected)) => (stored - expected).abs() < PRECISION,
            _ => stored == expected,
        };
        let show = |value: &Value| shown(column, value);
        let (stored, expected) = (show(stored), show(expected));
        (!is_same).then(|| Self { column: column.to_owned(), stored, expected })
    }
}

/// Returns a value as text; `None` if there is none.
fn shown(column: &str, value: &Value) -> Option<String> {
    let is_time = column.ends_with("_at") || ["game.since", "game.deadline"].contains(&column);
    Some(match value {
        Value::Null => return None,
        Value::Integer(at) if is_time => {
            DateTime::from_timestamp(*at, 0)?.to_rfc3339_opts(SecondsFormat::Secs, true)
        }
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    })
}

/// Returns the values that the log of a game gives for the first columns of its row, up to `deadline`.
/// `deadline` is when the time of the player to move is over.
pub fn derived_columns(stored: &StoredGame, deadline: Option<DateTime<Utc>>) -> Vec<Cell> {
    let times = [seconds(stored.since()), deadline_seconds(deadline)].map(Value::from);
    let columns = derived::columns(&stored.game, stored.sides()).into_iter();
    columns.map(|(_, value)| value).chain(times).collect()
}

/// A row that is wrong by itself, or refers to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The game, if one is concerned.
    pub game: Option<GameId>,
    /// The column, if it is one.
    pub column: Option<&'static str>,
    /// A name for the row.
    pub what: String,
    /// The problem.
    pub problem: String,
}

/// Rows that are wrong by themselves, or refer to something by a number that no constraint checks: the
/// column, if it is one, and a statement that returns the game (or null), a name for the row, and the
/// problem.
const WRONG: &[(Option<&str>, &str)] = &[
    (
        Some("player.secret"),
        "SELECT NULL, 'player ' || name,
            'the secret behind the reply tokens has ' || length(secret) || ' bytes, not 32'
         FROM player WHERE length(secret) <> 32",
    ),
    (
        Some("challenge.state"),
        "SELECT NULL, 'challenge ' || id, iif(state = 'accepted',
            'it is accepted, but its game does not exist', 'it is not accepted, but its game exists')
         FROM challenge
         WHERE (state = 'accepted') <> EXISTS (SELECT 1 FROM game WHERE game.id = challenge.id)
         ORDER BY id",
    ),
    (
        Some("game.digest"),
        "SELECT id, 'game ' || id, 'it is imported, but is active or rated, or has a player'
         FROM game WHERE digest IS NOT NULL AND (turn IS NOT NULL OR rated
            OR black IS NOT NULL OR white IS NOT NULL)",
    ),
    (
        None,
        "SELECT game, 'the plan of player ' || player, 'the player does not play in the game'
         FROM plan JOIN game ON game.id = game
         WHERE plan.player IS NOT black AND plan.player IS NOT white",
    ),
    (
        None,
        "SELECT game, 'player ' || player || ' as a watcher', 'the player plays in the game'
         FROM watcher JOIN game ON game.id = game WHERE player IS black OR player IS white",
    ),
    (
        None,
        "SELECT NULL, 'mail ' || id, 'a digest needs a player'
         FROM outbox WHERE kind = 'digest' AND state IN ('queued', 'paused') AND player IS NULL",
    ),
    (
        None,
        "SELECT NULL, what || mailbox, 'there is no such player' FROM (
            SELECT 'the fingerprint of a mail of ' AS what, sender AS mailbox FROM seen UNION ALL
            SELECT 'the reply to ', mailbox FROM reply UNION ALL
            SELECT 'the mails without commands of ', mailbox FROM idle)
         WHERE mailbox LIKE 'player %'
         AND NOT EXISTS (SELECT 1 FROM player WHERE id = CAST(substr(mailbox, 8) AS INTEGER))",
    ),
    (
        None,
        // In this order it reads no index of games, which may be damaged.
        "SELECT NULL, 'the analysis of game ' || game, 'the game is active'
         FROM analysis CROSS JOIN game ON game.id = game WHERE turn IS NOT NULL",
    ),
    (
        None,
        "SELECT NULL, 'the installation', 'its secret behind reply tokens is damaged'
         FROM installation WHERE length(secret) <> 32",
    ),
    (
        None,
        "SELECT NULL, 'the installation', 'its secret behind reply tokens is missing'
         WHERE EXISTS (SELECT 1 FROM game) AND NOT EXISTS (SELECT 1 FROM installation)",
    ),
    (
        None,
        "SELECT NULL, 'the numbers of ' || used.name, 'a number that is in use would be given again'
         FROM (
            SELECT 'game' AS name, max((SELECT coalesce(max(id), 0) FROM game),
                (SELECT coalesce(max(id), 0) FROM challenge)) AS last
            UNION ALL SELECT 'outbox', (SELECT coalesce(max(id), 0) FROM outbox)
            UNION ALL SELECT 'held', (SELECT coalesce(max(id), 0) FROM held)
            UNION ALL SELECT 'job', (SELECT coalesce(max(id), 0) FROM job)) AS used
         LEFT JOIN sqlite_sequence ON sqlite_sequence.name = used.name
         WHERE used.last > coalesce(seq, 0)",
    ),
];

impl Db<'_> {
    /// Returns the games of tournaments that are played by others than the schedule says.
    pub fn wrong_pairings(&self) -> Result<Vec<GameId>> {
        let sql = "SELECT game.id FROM pairing JOIN game ON game.id = pairing.game
             WHERE pairing.black IS NOT game.black OR pairing.white IS NOT game.white
             ORDER BY game.id";
        self.all(sql, [], only)
    }

    /// Returns the faults that SQLite finds in the file, a line each: its own structure, and rows that
    /// refer to rows that do not exist.
    pub fn file_faults(&self) -> Result<Vec<String>> {
        let mut faults = self.faults_by("PRAGMA integrity_check")?;
        faults.extend(self.all("PRAGMA foreign_key_check", [], |row| {
            let (table, id, of): (String, Option<i64>, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let row = id.map_or("a row".to_owned(), |id| format!("row {id}"));
            Ok(format!("{row} of {table} refers to a row of {of} that does not exist"))
        })?);
        faults.dedup();
        Ok(faults)
    }

    /// Returns the numbers of all games.
    pub fn game_numbers(&self) -> Result<Vec<GameId>> {
        self.all("SELECT id FROM game ORDER BY id", [], only)
    }

    /// Returns whether there is a game with this number, whether it can be read or not.
    pub fn has_game(&self, game: GameId) -> Result<bool> {
        self.exists("SELECT 1 FROM game WHERE id = ?1", [game.0])
    }

    /// Returns the keys of all players, with their names, those included who have left.
    pub fn player_keys(&self) -> Result<Vec<(PlayerId, String)>> {
        let sql = "SELECT id, name FROM player ORDER BY id";
        self.all(sql, [], |row| Ok((get(row, 0)?, row.get(1)?)))
    }

    /// Reads the rows of a table: those of this game, or all of a table about all games.
    pub fn checked_rows(
        &self,
        table: Checked,
        game: Option<GameId>,
        mut each: impl FnMut(CheckedRow),
    ) -> Result<()> {
        let (name, sql) = table.parts();
        let mut select = self.prepare(sql)?;
        let columns = select.column_names().skip(3);
        let columns: Vec<_> = columns.map(|column| format!("{name}.{column}")).collect();
        let mut rows = select.query(params_from_iter(game.map(|game| game.0)))?;
        while let Some(row) = rows.next()? {
            let named =
                |at: usize| -> Result<_> { Ok(shown("", &row.get(at)?).unwrap_or_default()) };
            let key = [named(0)?, named(1)?, named(2)?];
            let value = |(at, name): (usize, &String)| Ok((name.clone(), row.get(at)?));
            let values = (3..).zip(&columns).map(value).collect::<Result<_>>()?;
            each(CheckedRow { key, values });
        }
        Ok(())
    }

    /// Returns how many failures of the mail to players are recorded, by name.
    pub fn failure_counts(&self) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT name, (SELECT count(*) FROM failure WHERE failure.player = player.id) FROM player";
        self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the numbers of all challenges.
    pub fn challenge_numbers(&self) -> Result<Vec<GameId>> {
        self.all("SELECT id FROM challenge ORDER BY id", [], only)
    }

    /// Returns the numbers of all mails in the outbox.
    pub fn mail_numbers(&self) -> Result<Vec<MailId>> {
        self.all("SELECT id FROM outbox ORDER BY id", [], only)
    }

    /// Returns the rows that are wrong by themselves, or refer to nothing.
    pub fn wrong_rows(&self) -> Result<Vec<Wrong>> {
        let mut found = Vec::new();
        for &(column, sql) in WRONG {
            found.extend(self.all(sql, [], |row| {
                let game = get(row, 0)?;
                Ok(Wrong { game, column, what: row.get(1)?, problem: row.get(2)? })
            })?);
        }
        Ok(found)
    }
}
