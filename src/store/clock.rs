use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{Db, MailId, Result, Tx, get, only, seconds};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::tournament::Plan;

/// The stored deadline of a game without a running clock: the end of the year 9999.
const NEVER: i64 = 253_402_300_799;

/// A reminder of a turn that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reminder {
    /// The game.
    pub game: GameId,
    /// The event that began the turn or changed its time.
    pub event: usize,
    /// 1 for the first one, 2 for the last one.
    pub stage: u8,
}

/// A game with failed housekeeping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAlarm {
    /// The game.
    pub game: GameId,
    /// When it is tried again.
    pub due_at: DateTime<Utc>,
    /// Why it failed.
    pub error: String,
}

/// The last reminder of a turn that was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastReminder {
    /// 1 for the first one, 2 for the last one.
    pub stage: u8,
    /// When its mail was delivered; `None` while it waits, or if it bounced.
    pub delivered_at: Option<DateTime<Utc>>,
}

/// Returns a deadline as it is stored.
pub(super) fn deadline_seconds(at: Option<DateTime<Utc>>) -> i64 {
    at.map_or(NEVER, seconds)
}

/// Returns the deadline in a row; `None` if no clock runs and none has run out.
pub(super) fn deadline(row: &Row) -> Result<Option<DateTime<Utc>>> {
    Ok(Some(get(row, "deadline")?).filter(|deadline| seconds(*deadline) != NEVER))
}

impl Db<'_> {
    /// Returns when the time of a game's player to move is over, or was; `None` if no clock runs.
    pub fn deadline(&self, game: GameId) -> Result<Option<DateTime<Utc>>> {
        Ok(self.first("SELECT deadline FROM game WHERE id = ?1", [game.0], deadline)?.flatten())
    }

    /// Returns the event that began the turn, if the opponent was mailed that the game can be claimed in
    /// it.
    pub fn claim_event(&self, game: GameId) -> Result<Option<usize>> {
        self.one("SELECT claim_event FROM game WHERE id = ?1", [game.0], only)
    }

    /// Returns the last reminder of the turn that began with this event.
    pub fn last_reminder(&self, game: GameId, event: usize) -> Result<Option<LastReminder>> {
        let sql = "SELECT stage, delivered_at FROM reminder WHERE game = ?1 AND event = ?2
             ORDER BY stage DESC LIMIT 1";
        self.first(sql, (game.0, event), |row| {
            Ok(LastReminder { stage: row.get("stage")?, delivered_at: get(row, "delivered_at")? })
        })
    }

    /// Returns when the reminders of a turn were delivered, the first one first.
    pub fn delivered_reminders(&self, game: GameId, event: usize) -> Result<Vec<DateTime<Utc>>> {
        let sql = "SELECT delivered_at FROM reminder
             WHERE game = ?1 AND event = ?2 AND delivered_at IS NOT NULL ORDER BY stage";
        self.all(sql, (game.0, event), only)
    }

    /// Returns the games that a mail reminds of.
    pub fn reminded_games(&self, mail: MailId) -> Result<Vec<GameId>> {
        let sql = "SELECT DISTINCT game FROM reminder WHERE mail = ?1
             AND EXISTS (SELECT 1 FROM game WHERE game.id = reminder.game AND turn IS NOT NULL)
             ORDER BY game";
        self.all(sql, [mail.0], only)
    }

    /// Returns games with due housekeeping, at most `most`: those of one player to move.
    pub fn games_due(&self, now: DateTime<Utc>, most: usize) -> Result<Vec<GameId>> {
        let sql = "SELECT to_move FROM game INDEXED BY game_alarm
             WHERE alarm_at IS NOT NULL AND alarm_at <= ?1 ORDER BY alarm_at LIMIT 1";
        let player: Option<PlayerId> = self.first(sql, [seconds(now)], only)?;
        let Some(player) = player else { return Ok(Vec::new()) };
        let sql = "SELECT id FROM game INDEXED BY game_to_move_alarm
             WHERE alarm_at IS NOT NULL AND to_move = ?2 AND alarm_at <= ?1
             ORDER BY alarm_at LIMIT ?3";
        self.all(sql, (seconds(now), player.0, most), only)
    }

    /// Returns the games with failed housekeeping, at most `most`: those that are tried again first.
    pub fn failed_alarms(&self, most: u32) -> Result<Vec<FailedAlarm>> {
        let sql = "SELECT id, alarm_at, alarm_error FROM game INDEXED BY game_alarm_error
             WHERE alarm_error IS NOT NULL ORDER BY alarm_at LIMIT ?1";
        self.all(sql, [most], |row| {
            let (game, due_at) = (get(row, "id")?, get(row, "alarm_at")?);
            Ok(FailedAlarm { game, due_at, error: row.get("alarm_error")? })
        })
    }

    /// Returns the active games with a clock: all, or those that wait for this player.
    pub fn games_with_clock(&self, player: Option<PlayerId>) -> Result<Vec<GameId>> {
        let sql =
            "SELECT id FROM game INDEXED BY game_active WHERE turn IS NOT NULL AND clock <> 'none'
             AND (?1 IS NULL OR to_move = ?1) ORDER BY id";
        self.all(sql, [player.map(|it| it.0)], only)
    }

    /// Returns the active games with a deadline after the first moment and not after the second.
    pub fn games_with_deadline(
        &self,
        after: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Vec<GameId>> {
        let range = (seconds(after), seconds(until));
        let sql = "SELECT id FROM game WHERE turn IS NOT NULL AND deadline > ?1 AND deadline <= ?2
             ORDER BY deadline";
        self.all(sql, range, only)
    }

    /// Returns whether housekeeping is due in a game.
    pub fn is_game_due(&self, now: DateTime<Utc>) -> Result<bool> {
        Ok(!self.games_due(now, 1)?.is_empty())
    }
}

impl Tx<'_> {
    /// Stores when the time of the player to move ends, or ended; `None` if no clock runs. `claim_event`
    /// is the event that began the turn if a game without a clock can be claimed.
    pub fn set_deadline(
        &self,
        game: GameId,
        at: Option<DateTime<Utc>>,
        claim_event: Option<usize>,
    ) -> Result<()> {
        let sql =
            "UPDATE game SET deadline = ?2, claim_event = iif(claim_event IS ?3, claim_event, NULL)
             WHERE id = ?1";
        self.run(sql, (game.0, deadline_seconds(at), claim_event))
    }

    /// Records that the opponent is mailed that a game without a clock can be claimed, in the turn that
    /// this event began.
    pub fn set_claim(&self, game: GameId, event: usize) -> Result<()> {
        let sql = "UPDATE game SET claim_event = ?2 WHERE id = ?1";
        self.run(sql, (game.0, event))
    }

    /// Stores when housekeeping must look at a game next, if it must.
    pub fn set_alarm(&self, game: GameId, at: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "UPDATE game SET alarm_at = ?2, alarm_error = NULL WHERE id = ?1";
        self.run(sql, (game.0, at.map(seconds)))
    }

    /// Records why housekeeping failed in a game, and when to try it again.
    pub fn defer_alarm(&self, game: GameId, at: DateTime<Utc>, error: &str) -> Result<()> {
        let sql = "UPDATE game SET alarm_at = ?2, alarm_error = ?3 WHERE id = ?1";
        self.run(sql, (game.0, seconds(at), error))
    }

    /// Makes alarms due that a clock ahead of this time had set. Mails with a later time count as sent or
    /// received now.
    pub fn correct_times(&self, now: DateTime<Utc>) -> Result<()> {
        for sql in [
            "UPDATE game SET alarm_at = ?1 WHERE alarm_at > ?1",
            "UPDATE reminder SET delivered_at = ?1 WHERE delivered_at > ?1",
            "UPDATE reply SET replied_at = ?1 WHERE replied_at > ?1",
            "UPDATE intake SET last_at = ?1 WHERE last_at > ?1",
            "UPDATE probe SET asked_at = ?1 WHERE asked_at > ?1",
            "UPDATE tournament SET due_at = ?1 WHERE due_at > ?1 AND state = 'running'",
        ] {
            self.execute(sql, [seconds(now)])?;
        }
        // A season that ended by that clock counts as ended now.
        let sql = "UPDATE tournament SET due_at = ?1, starts_at = ?1
             WHERE due_at > ?1 AND state = 'open' AND season > 0";
        self.run(sql, [seconds(now + Plan::BETWEEN_SEASONS)])
    }

    /// Records that a mail has this reminder.
    pub fn add_reminder(&self, reminder: &Reminder, mail: MailId) -> Result<()> {
        let sql = "INSERT INTO reminder (game, event, stage, mail) VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, (reminder.game.0, reminder.event, reminder.stage, mail.0))
    }

    /// Records the reminder of a player who gets no mail, which counts as delivered at this time.
    pub fn add_reminder_without_mail(&self, reminder: &Reminder, now: DateTime<Utc>) -> Result<()> {
        // No mail has the number 0.
        let sql = "INSERT INTO reminder (game, event, stage, mail, delivered_at) VALUES (?1, ?2, ?3, 0, ?4)";
        self.run(sql, (reminder.game.0, reminder.event, reminder.stage, seconds(now)))
    }

    /// Returns the queued mail with reminders to a player, if there is one that no process has
    /// claimed.
    pub fn queued_reminder(&self, player: PlayerId) -> Result<Option<MailId>> {
        let sql = "SELECT id FROM outbox
             WHERE player = ?1 AND game IS NULL AND state IN ('queued', 'paused', 'failed')
             AND state <> 'failed' AND kind = 'reminder' AND lease IS NULL LIMIT 1";
        self.first(sql, [player.0], only)
    }

    /// Deletes the reminders of a game that were not delivered, but for those of the turn that
    /// began with this event. A mail without reminders is not sent.
    pub fn delete_reminders(&self, game: GameId, turn_event: Option<usize>) -> Result<()> {
        let sql =
            "SELECT mail, delivered_at IS NULL FROM reminder WHERE game = ?1 AND event IS NOT ?2";
        let reminders: Vec<(i64, bool)> =
            self.all(sql, (game.0, turn_event), |row| Ok((row.get(0)?, row.get(1)?)))?;
        if reminders.is_empty() {
            return Ok(());
        }
        let sql = "DELETE FROM reminder WHERE game = ?1 AND event IS NOT ?2";
        self.execute(sql, (game.0, turn_event))?;
        for (mail, _) in reminders.into_iter().filter(|(_, is_unsent)| *is_unsent) {
            let sql = "UPDATE outbox SET state = 'superseded'
                 WHERE id = ?1 AND state IN ('queued', 'paused')
                 AND NOT EXISTS (SELECT 1 FROM reminder WHERE mail = ?1)";
            self.execute(sql, [mail])?;
        }
        Ok(())
    }

    /// Moves the reminders of a mail that was replaced to its replacement.
    pub fn move_reminders(&self, from: MailId, to: MailId) -> Result<()> {
        self.run("UPDATE reminder SET mail = ?2 WHERE mail = ?1", (from.0, to.0))
    }

    /// Records when the reminders of a mail were delivered; `None` when the mail came back.
    pub(super) fn set_reminders_delivered(
        &self,
        mail: MailId,
        at: Option<DateTime<Utc>>,
    ) -> Result<()> {
        let sql = "UPDATE reminder SET delivered_at = ?2 WHERE mail = ?1";
        self.run(sql, (mail.0, at.map(seconds)))
    }
}
