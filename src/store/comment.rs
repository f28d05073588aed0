use chrono::{DateTime, Utc};

use super::{Db, MailId, Result, Tx, only, seconds};
use outflank_model::PlayerId;
use outflank_model::log::GameId;

/// How many comments a player received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommentCount {
    /// All comments.
    pub all: u32,
    /// Comments that were to go out in a mail of their own.
    pub at_once: u32,
}

impl Tx<'_> {
    /// Records that an event of a game is a comment for a player. No mail carries it yet.
    pub fn add_comment(
        &self,
        game: GameId,
        event: usize,
        reader: PlayerId,
        at_once: bool,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO comment (game, event, reader, said_at, at_once) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.run(sql, (game.0, event, reader.0, seconds(now), at_once))
    }

    /// Attaches the comments for a player on a game that no other sent or queued mail carries. A mail that goes now
    /// also takes those of a turn mail that is due by now, but not tried yet.
    pub fn attach_comments(
        &self,
        mail: MailId,
        game: GameId,
        reader: PlayerId,
        goes_now: Option<DateTime<Utc>>,
    ) -> Result<()> {
        let sql = "UPDATE comment SET mail = ?1 WHERE game = ?2 AND reader = ?3
             AND (mail IS NULL OR EXISTS (SELECT 1 FROM outbox
                WHERE id = comment.mail AND (state = 'superseded'
                    OR kind = 'turn' AND state = 'queued' AND first_try_at IS NULL AND due_at <= ?4)))";
        self.run(sql, (mail.0, game.0, reader.0, goes_now.map(seconds)))
    }

    /// Blocks or unblocks the comments of an author for a player, and returns whether that is a change.
    pub fn set_blocked(
        &self,
        player: PlayerId,
        author: PlayerId,
        is_blocked: bool,
    ) -> Result<bool> {
        let sql = if is_blocked {
            "INSERT INTO blocked (player, author) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        } else {
            "DELETE FROM blocked WHERE player = ?1 AND author = ?2"
        };
        self.changes(sql, (player.0, author.0))
    }
}

impl Db<'_> {
    /// Returns the events of the comments on a game that a mail carries.
    pub fn comments_of(&self, mail: MailId, game: GameId) -> Result<Vec<usize>> {
        let sql = "SELECT event FROM comment WHERE game = ?1 AND mail = ?2 ORDER BY event";
        self.all(sql, (game.0, mail.0), only)
    }

    /// Returns whether a comment for a player waits for the next mail about the game.
    pub fn is_comment_waiting(&self, game: GameId, event: usize, reader: PlayerId) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM comment
                WHERE game = ?1 AND event = ?2 AND reader = ?3 AND mail IS NULL)";
        self.one(sql, (game.0, event, reader.0), only)
    }

    /// Counts the comments for a player on a game since this time.
    pub fn comments_since(
        &self,
        since: DateTime<Utc>,
        game: GameId,
        reader: PlayerId,
    ) -> Result<CommentCount> {
        let sql = "SELECT count(*), count(*) FILTER (WHERE at_once) FROM comment
             WHERE game = ?1 AND reader = ?2 AND said_at > ?3";
        self.one(sql, (game.0, reader.0, seconds(since)), |row| {
            Ok(CommentCount { all: row.get(0)?, at_once: row.get(1)? })
        })
    }

    /// Returns whether a player has blocked the comments of an author.
    pub fn is_blocked(&self, player: PlayerId, author: PlayerId) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM blocked WHERE player = ?1 AND author = ?2)";
        self.one(sql, (player.0, author.0), only)
    }
}
