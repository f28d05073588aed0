//! Marks: random words that distinguish rows with the same number, since numbers come again after a backup
//! is restored. A row that is older than marks has one that follows from it.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Params};

use super::{Db, MailId, Result, Tx, only, seconds};
use outflank_model::HeldId;
use outflank_model::log::GameId;

/// The key of a mark of this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkId(i64);

impl Db<'_> {
    /// Returns the mark of a game; `None` if there is no such game.
    pub fn game_mark(&self, game: GameId) -> Result<Option<String>> {
        let sql = "SELECT coalesce(mark, concat_ws(' ', coalesce(black, black_bot),
                       coalesce(white, white_bot), created_at))
                   FROM game WHERE id = ?1";
        self.mark(sql, [game.0])
    }

    /// Returns the mark of a challenge; `None` if there is no such challenge.
    pub fn challenge_mark(&self, challenge: GameId) -> Result<Option<String>> {
        let sql = "SELECT coalesce(mark, concat_ws(' ', challenger, opponent, bot, created_at))
                   FROM challenge WHERE id = ?1";
        self.mark(sql, [challenge.0])
    }

    /// Returns the mark of held commands; `None` if they were deleted, and an empty one if none have had the
    /// key yet.
    pub fn held_mark(&self, held: HeldId) -> Result<Option<String>> {
        let sql = "SELECT coalesce(mark, created_at || '') FROM held WHERE id = ?1
                   UNION ALL SELECT '' WHERE ?1 >
                       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'held'), 0)
                   LIMIT 1";
        self.mark(sql, [held.0])
    }

    /// Returns the mark of a mail in the outbox; `None` if it was deleted.
    pub fn mail_mark(&self, mail: MailId) -> Result<Option<String>> {
        self.mark("SELECT coalesce(mark, created_at || '') FROM outbox WHERE id = ?1", [mail.0])
    }

    /// Returns the mark of a question of `doctor` with this mail; `None` if it was deleted.
    pub fn probe_mark(&self, mail: MailId) -> Result<Option<String>> {
        let of_question = "SELECT coalesce(mark, asked_at || '') FROM probe WHERE mail = ?1";
        match self.mark(of_question, [mail.0])? {
            None => self.mail_mark(mail),
            known => Ok(known),
        }
    }

    /// Returns the marks of this installation that a mail can have that was made at this time, the latest
    /// first.
    pub fn installation_marks(&self, at: DateTime<Utc>) -> Result<Vec<String>> {
        // Within its first second, the one before it was still given.
        let sql = "SELECT mark FROM installation_mark
             WHERE from_at <= ?1 AND from_at >= coalesce((SELECT max(from_at)
                FROM installation_mark WHERE from_at < ?1), from_at)
             ORDER BY id DESC";
        self.all(sql, [seconds(at)], only)
    }

    fn mark(&self, sql: &str, id: impl Params) -> Result<Option<String>> {
        self.first(sql, id, only)
    }
}

/// Removes the marks of this installation from this one on, from a copy.
pub(super) fn forget_from(copy: &Connection, first: MarkId) -> rusqlite::Result<()> {
    copy.execute("DELETE FROM installation_mark WHERE id >= ?1", [first.0]).map(drop)
}

impl Tx<'_> {
    /// Begins another mark of this installation. Returns its key; `None` if there is no installation yet.
    pub(super) fn begin_mark(&self, mark: &str, now: DateTime<Utc>) -> Result<Option<MarkId>> {
        // A clock that was ahead has been corrected.
        let sql = "UPDATE installation_mark SET from_at = ?1 WHERE from_at > ?1";
        self.execute(sql, [seconds(now)])?;
        let sql = "INSERT INTO installation_mark (from_at, mark)
                   SELECT ?1, ?2 FROM installation RETURNING id";
        self.first(sql, (seconds(now), mark), |row| Ok(MarkId(row.get(0)?)))
    }
}
