//! What `verify` reads: what is stored beside the logs of the games, and what SQLite finds.

use chrono::{DateTime, Utc};
use rusqlite::types::{Type, Value};
use rusqlite::{OptionalExtension, Row};

use super::{
    Db, Error, JobKind, MailId, Moment, Place, PlayerId, RatingRow, Record, StoredGame, Time,
    Turns, derived, parsed, record, seconds,
};
use crate::log::GameId;

/// A column that is not what follows from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The table and the column, such as `game.ply`.
    pub column: String,
    /// What is stored; `None` for no value.
    pub stored: Option<String>,
    /// What follows from the log.
    pub expected: Option<String>,
}

/// What housekeeping has stored for a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// When it must look at the game.
    pub alarm_at: Option<DateTime<Utc>>,
    /// Whether it failed there last time.
    pub has_failed: bool,
    /// The event that began the turn that can be claimed without a clock.
    pub claim_event: Option<usize>,
    /// The events that the reminders of the game are for.
    pub reminders: Vec<usize>,
}

/// A job of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Its number.
    pub id: i64,
    /// What is to be done; `None` for an unknown word.
    pub kind: Option<JobKind>,
    /// The last event that changed the position it is for.
    pub event: usize,
    /// How soon it is done.
    pub rank: u8,
}

/// A comment in a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentRow {
    /// The event of the log.
    pub event: usize,
    /// Who reads it.
    pub reader: PlayerId,
    /// When it was made.
    pub said_at: DateTime<Utc>,
}

/// What is counted for a player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayerCounts {
    /// Games that are active.
    pub active: i64,
    /// Finished games that count.
    pub results: Record,
    /// The turns in them.
    pub turns: Turns,
    /// The failures of the mail to the player: the count, and the rows.
    pub failures: (i64, i64),
    /// The bytes of the secret behind the reply tokens.
    pub secret: usize,
}

/// A row that refers to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dangling {
    /// The game, if one is concerned.
    pub game: Option<GameId>,
    /// What the row is.
    pub what: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// Rows that refer to something by a number that no constraint checks, each with what it is and what is
/// wrong. The first column is the game, if one is concerned.
const DANGLING: &[(&str, &str)] = &[
    (
        "SELECT game, 'the plan of player ' || player FROM plan JOIN game ON game.id = game
         WHERE plan.player IS NOT black AND plan.player IS NOT white",
        "the player does not play in the game",
    ),
    (
        "SELECT game, 'player ' || player || ' as a watcher' FROM watcher JOIN game ON game.id = game
         WHERE player IS black OR player IS white",
        "the player plays in the game",
    ),
    (
        "SELECT NULL, 'mail ' || id FROM outbox WHERE kind = 'digest' AND state IN ('queued', 'paused')
         AND player IS NULL",
        "a digest needs a player",
    ),
    (
        "SELECT NULL, 'the fingerprint of a mail of ' || sender FROM seen WHERE sender LIKE 'player %'
         AND NOT EXISTS (SELECT 1 FROM player WHERE id = CAST(substr(sender, 8) AS INTEGER))",
        "there is no such player",
    ),
    (
        "SELECT NULL, 'the reply to ' || mailbox FROM reply WHERE mailbox LIKE 'player %'
         AND NOT EXISTS (SELECT 1 FROM player WHERE id = CAST(substr(mailbox, 8) AS INTEGER))",
        "there is no such player",
    ),
    (
        "SELECT NULL, 'the mails without commands of ' || mailbox FROM idle WHERE mailbox LIKE 'player %'
         AND NOT EXISTS (SELECT 1 FROM player WHERE id = CAST(substr(mailbox, 8) AS INTEGER))",
        "there is no such player",
    ),
    (
        // In this order it reads no index of games, which may be damaged.
        "SELECT NULL, 'the analysis of game ' || game FROM analysis CROSS JOIN game ON game.id = game
         WHERE turn IS NOT NULL",
        "the game is active",
    ),
    (
        "SELECT NULL, 'the installation' FROM installation WHERE length(secret) <> 32",
        "its secret behind reply tokens is damaged",
    ),
    (
        "SELECT NULL, 'the installation' WHERE EXISTS (SELECT 1 FROM game)
            AND NOT EXISTS (SELECT 1 FROM installation)",
        "its secret behind reply tokens is missing",
    ),
    (
        "SELECT NULL, 'the numbers of ' || used.name FROM (
            SELECT 'game' AS name, max((SELECT coalesce(max(id), 0) FROM game),
                (SELECT coalesce(max(id), 0) FROM challenge)) AS last
            UNION ALL SELECT 'outbox', (SELECT coalesce(max(id), 0) FROM outbox)
            UNION ALL SELECT 'held', (SELECT coalesce(max(id), 0) FROM held)
            UNION ALL SELECT 'job', (SELECT coalesce(max(id), 0) FROM job)) AS used
         LEFT JOIN sqlite_sequence ON sqlite_sequence.name = used.name
         WHERE used.last > coalesce(seq, 0)",
        "a number that is in use would be given again",
    ),
];

fn text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    })
}

fn time(value: &Value) -> Option<String> {
    match value {
        Value::Integer(at) => DateTime::from_timestamp(*at, 0)
            .map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
        other => text(other),
    }
}

impl Db<'_> {
    /// Returns what SQLite finds wrong with the file, a line each: its own structure, and rows that refer
    /// to rows that do not exist.
    pub fn file_faults(&self) -> Result<Vec<String>, Error> {
        let mut faults = self.faults_by("PRAGMA integrity_check")?;
        let mut check = self.prepare("PRAGMA foreign_key_check")?;
        let found = check.query_map([], |row| {
            let (table, id, of): (String, Option<i64>, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let row = id.map_or("a row".to_owned(), |id| format!("row {id}"));
            Ok(format!("{row} of {table} refers to a row of {of} that does not exist"))
        })?;
        for fault in found {
            faults.push(fault?);
        }
        faults.dedup();
        Ok(faults)
    }

    /// Returns the numbers of all games.
    pub fn game_numbers(&self) -> Result<Vec<GameId>, Error> {
        let mut select = self.prepare("SELECT id FROM game ORDER BY id")?;
        let games = select.query_map([], |row| row.get(0).map(GameId))?;
        Ok(games.collect::<Result<_, _>>()?)
    }

    /// Returns whether there is a game with this number, whether it can be read or not.
    pub fn has_game(&self, game: GameId) -> Result<bool, Error> {
        let mut select = self.prepare("SELECT 1 FROM game WHERE id = ?1")?;
        Ok(select.exists([game.0])?)
    }

    /// Returns the keys of all players, with their names, those included who have left.
    pub fn player_keys(&self) -> Result<Vec<(PlayerId, String)>, Error> {
        let mut select = self.prepare("SELECT id, name FROM player ORDER BY id")?;
        let players = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(players.collect::<Result<_, _>>()?)
    }

    /// Returns the columns of a game that do not follow from its log. `deadline` is when the time of the
    /// player to move is over.
    pub fn differences(
        &self,
        stored: &StoredGame,
        deadline: Option<DateTime<Utc>>,
    ) -> Result<Vec<Difference>, Error> {
        let mut select = self.prepare(
            "SELECT ply, events, position_event, turn, to_move, to_wait, black_discs, white_discs,
                winner, reason, offer_event, paused, since, deadline FROM game WHERE id = ?1",
        )?;
        let row = select.query_row([stored.id.0], |row| {
            (0..derived::COLUMNS.len() + 2).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>()
        })?;
        let times =
            [seconds(stored.since()), super::clock::deadline_seconds(deadline)].map(Value::from);
        let expected = derived::values(&stored.game, stored.sides()).into_iter().chain(times);
        let names = derived::COLUMNS.into_iter().chain(["since", "deadline"]);
        let compared = names.zip(row.iter().zip(expected)).filter(|(_, (row, log))| *row != log);
        Ok(compared
            .map(|(name, (row, log))| {
                let show = if matches!(name, "since" | "deadline") { time } else { text };
                let column = format!("game.{name}");
                Difference { column, stored: show(row), expected: show(&log) }
            })
            .collect())
    }

    /// Returns what housekeeping has stored for a game.
    pub fn queued_of(&self, game: GameId) -> Result<Queued, Error> {
        let mut select =
            self.prepare("SELECT event FROM reminder WHERE game = ?1 ORDER BY event")?;
        let reminders = select.query_map([game.0], |row| row.get(0))?;
        let reminders = reminders.collect::<Result<_, _>>()?;
        let mut select =
            self.prepare("SELECT alarm_at, alarm_error, claim_event FROM game WHERE id = ?1")?;
        Ok(select.query_row([game.0], |row| {
            Ok(Queued {
                alarm_at: row.get::<_, Option<Time>>("alarm_at")?.map(|time| time.0),
                has_failed: row.get_ref("alarm_error")?.data_type() != Type::Null,
                claim_event: row.get("claim_event")?,
                reminders,
            })
        })?)
    }

    /// Returns the jobs of a game.
    pub fn jobs_of(&self, game: GameId) -> Result<Vec<JobRow>, Error> {
        let mut select =
            self.prepare("SELECT id, kind, event, rank FROM job WHERE game = ?1 ORDER BY id")?;
        let jobs = select.query_map([game.0], |row| {
            let kind = parsed(row, "kind").ok();
            let (event, rank) = (row.get("event")?, row.get("rank")?);
            Ok(JobRow { id: row.get("id")?, kind, event, rank })
        })?;
        Ok(jobs.collect::<Result<_, _>>()?)
    }

    /// Returns the comments of a game.
    pub fn comments_in(&self, game: GameId) -> Result<Vec<CommentRow>, Error> {
        let mut select = self
            .prepare("SELECT event, reader, said_at FROM comment WHERE game = ?1 ORDER BY event")?;
        let comments = select.query_map([game.0], |row| {
            let said_at = row.get::<_, Time>("said_at")?.0;
            Ok(CommentRow { event: row.get("event")?, reader: row.get("reader")?, said_at })
        })?;
        Ok(comments.collect::<Result<_, _>>()?)
    }

    /// Returns the moments of a game that mails are about, each with the number of its mail.
    pub fn mailed_moments(&self, game: GameId) -> Result<Vec<(i64, Moment)>, Error> {
        let mut select = self.prepare(
            "SELECT id, ply, events FROM outbox WHERE game = ?1 AND events IS NOT NULL ORDER BY id",
        )?;
        let moments = select.query_map([game.0], |row| {
            Ok((row.get(0)?, Moment { game, ply: row.get(1)?, events: row.get(2)? }))
        })?;
        Ok(moments.collect::<Result<_, _>>()?)
    }

    /// Returns the moments of a game that the digests in the outbox show, each with the number of its mail.
    pub fn moments_of_digests(&self, game: GameId) -> Result<Vec<(i64, Moment)>, Error> {
        let mut select =
            self.prepare("SELECT mail, ply, events FROM digest_game WHERE game = ?1")?;
        let moments = select.query_map([game.0], |row| {
            Ok((row.get(0)?, Moment { game, ply: row.get(1)?, events: row.get(2)? }))
        })?;
        Ok(moments.collect::<Result<_, _>>()?)
    }

    /// Returns the numbers of the analyzed moves of a game, each with how many moves were legal; `None`
    /// without an analysis.
    pub fn analyzed_choices(&self, game: GameId) -> Result<Option<Vec<(usize, usize)>>, Error> {
        let mut select = self.prepare("SELECT 1 FROM analysis WHERE game = ?1")?;
        if select.query_row([game.0], |_| Ok(())).optional()?.is_none() {
            return Ok(None);
        }
        let mut select =
            self.prepare("SELECT ply, choices FROM analysis_ply WHERE game = ?1 ORDER BY ply")?;
        let plies = select.query_map([game.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Some(plies.collect::<Result<_, _>>()?))
    }

    /// Returns what is counted for a player.
    pub fn counts_of(&self, player: PlayerId) -> Result<PlayerCounts, Error> {
        let mut select = self.prepare(
            "SELECT active, won, drawn, lost, timed_turns, late_turns, failures, length(secret) AS secret,
                (SELECT count(*) FROM failure WHERE failure.player = player.id) AS failed
             FROM player WHERE id = ?1",
        )?;
        Ok(select.query_row([player], |row| {
            Ok(PlayerCounts {
                active: row.get("active")?,
                results: record::record(row)?,
                turns: Turns { all: row.get("timed_turns")?, late: row.get("late_turns")? },
                failures: (row.get("failures")?, row.get("failed")?),
                secret: row.get("secret")?,
            })
        })?)
    }

    /// Returns all records of players, each with its columns `kind` and `about`.
    pub fn all_records(&self) -> Result<Vec<(PlayerId, String, String, Record)>, Error> {
        let mut select =
            self.prepare("SELECT player, kind, about, won, drawn, lost FROM record")?;
        let records = select.query_map([], |row| {
            Ok((row.get("player")?, row.get("kind")?, row.get("about")?, record::record(row)?))
        })?;
        Ok(records.collect::<Result<_, _>>()?)
    }

    /// Returns all rows of the ratings.
    pub fn all_ratings(&self) -> Result<Vec<RatingRow>, Error> {
        let mut select = self.prepare(
            "SELECT list, player, ended_at, game, opponent, score, rating, deviation, volatility, games
             FROM rating",
        )?;
        let ratings = select.query_map([], |row| {
            Ok(RatingRow {
                list: row.get("list")?,
                player: row.get("player")?,
                place: Place::of(row)?,
                opponent: row.get("opponent")?,
                score: row.get("score")?,
                rating: super::rating::rating(row)?,
            })
        })?;
        Ok(ratings.collect::<Result<_, _>>()?)
    }

    /// Returns the challenges that are accepted and have no game, and those that have one and are not, each
    /// with whether it is accepted.
    pub fn wrong_challenges(&self) -> Result<Vec<(GameId, bool)>, Error> {
        let mut select = self.prepare(
            "SELECT id, state = 'accepted' AS is_accepted FROM challenge
             WHERE is_accepted <> EXISTS (SELECT 1 FROM game WHERE game.id = challenge.id)
             ORDER BY id",
        )?;
        let wrong = select.query_map([], |row| Ok((GameId(row.get(0)?), row.get(1)?)))?;
        Ok(wrong.collect::<Result<_, _>>()?)
    }

    /// Returns the numbers of all challenges.
    pub fn challenge_numbers(&self) -> Result<Vec<GameId>, Error> {
        let mut select = self.prepare("SELECT id FROM challenge ORDER BY id")?;
        let challenges = select.query_map([], |row| row.get(0).map(GameId))?;
        Ok(challenges.collect::<Result<_, _>>()?)
    }

    /// Returns the numbers of all mails in the outbox.
    pub fn mail_numbers(&self) -> Result<Vec<MailId>, Error> {
        let mut select = self.prepare("SELECT id FROM outbox ORDER BY id")?;
        let mails = select.query_map([], |row| row.get(0).map(MailId))?;
        Ok(mails.collect::<Result<_, _>>()?)
    }

    /// Returns the rows that refer to nothing.
    pub fn dangling(&self) -> Result<Vec<Dangling>, Error> {
        let mut found = Vec::new();
        for &(sql, problem) in DANGLING {
            let mut select = self.prepare(sql)?;
            let rows = select.query_map([], |row: &Row| {
                let game = row.get::<_, Option<i64>>(0)?.map(GameId);
                Ok(Dangling { game, what: row.get(1)?, problem })
            })?;
            for row in rows {
                found.push(row?);
            }
        }
        Ok(found)
    }
}
