use chrono::{DateTime, Utc};

use super::MailId;
use crate::store::{Db, Result, Tx, get, kinds, moment, only, seconds};
use outflank_model::mail::Trait;
use outflank_model::{Moment, PlayerId};

impl Db<'_> {
    /// Returns whether turn mails wait for a digest that is due.
    pub fn is_digest_due(&self, now: DateTime<Utc>) -> Result<bool> {
        Ok(!self.players_with_due_digests(now, 1)?.is_empty())
    }

    /// Returns the players with a due digest, at most `most` of them.
    pub fn players_with_due_digests(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<PlayerId>> {
        let sql = "SELECT DISTINCT player FROM outbox INDEXED BY outbox_digest
             WHERE state = 'queued' AND for_digest AND due_at <= ?1 LIMIT ?2";
        self.all(sql, (seconds(now), most), only)
    }

    /// Returns the games of this digest or reminder, which was made for a player at this time, in its
    /// order. There are none when its record was deleted.
    pub fn games_of_digest(
        &self,
        mail: MailId,
        player: PlayerId,
        made_at: DateTime<Utc>,
    ) -> Result<Vec<Moment>> {
        // A restored backup can have another mail with the same number.
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM outbox
                WHERE id = ?1 AND player = ?2 AND kind IN ({}) AND created_at = ?3)",
            kinds(|kind| kind.topic().is_games())
        );
        let is_known = self.one(&sql, (mail.0, player.0, seconds(made_at)), only)?;
        if is_known { self.digest_games(mail) } else { Ok(Vec::new()) }
    }

    /// Returns the games of a digest or a reminder in its order.
    pub(super) fn digest_games(&self, mail: MailId) -> Result<Vec<Moment>> {
        let sql = "SELECT game, ply, events FROM digest_game WHERE mail = ?1 ORDER BY number";
        self.all(sql, [mail.0], |row| Ok(moment(row, get(row, "game")?)?))
    }
}

impl Tx<'_> {
    /// Stores the games of a digest or a reminder in place of those that it had.
    pub(super) fn set_digest_games(&self, mail: MailId, games: &[Moment]) -> Result<()> {
        if games.is_empty() {
            return Ok(());
        }
        self.run("DELETE FROM digest_game WHERE mail = ?1", [mail.0])?;
        let sql =
            "INSERT INTO digest_game (mail, number, game, ply, events) VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut insert = self.prepare(sql)?;
        for (number, Moment { game, ply, events }) in (1_i64..).zip(games) {
            insert.execute((mail.0, number, game.0, ply, events))?;
        }
        Ok(())
    }

    /// Holds a queued mail back until it is due, or until it becomes part of a digest that is due
    /// then.
    pub fn hold_mail(&self, id: MailId, due_at: DateTime<Utc>, for_digest: bool) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = ?2, for_digest = ?3 WHERE id = ?1";
        self.run(sql, (id.0, seconds(due_at), for_digest))
    }

    /// Sets the holds on a new mail: the earliest time to send it, and whether the settings of its
    /// recipient hold it back.
    pub fn set_hold(
        &self,
        id: MailId,
        not_before: Option<DateTime<Utc>>,
        is_prompt: bool,
    ) -> Result<()> {
        let sql = "UPDATE outbox SET not_before = ?2, is_prompt = ?3 WHERE id = ?1";
        self.run(sql, (id.0, not_before.map(seconds), is_prompt))
    }

    /// Records why the digest of a player that was due at this time could not be queued, with the mails
    /// that wait for it, and when to try it again.
    pub fn defer_digest(
        &self,
        player: PlayerId,
        now: DateTime<Utc>,
        due_at: DateTime<Utc>,
        error: &str,
    ) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = ?3, last_error = ?4
             WHERE player = ?1 AND state IN ('queued', 'paused', 'failed') AND state = 'queued'
             AND for_digest AND due_at <= ?2";
        self.run(sql, (player.0, seconds(now), seconds(due_at), error))
    }

    /// Supersedes all unsent turn mails of a player, and those about moves that the player watches.
    pub fn supersede_all_turn_mails(&self, player: PlayerId) -> Result<()> {
        let sql = format!(
            "UPDATE outbox SET state = 'superseded'
             WHERE player = ?1 AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             AND kind IN ({})",
            kinds(|kind| kind.has(Trait::OfMove))
        );
        self.run(&sql, [player.0])
    }
}
