use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, get, kinds, only, seconds};
use outflank_model::log::GameId;
use outflank_model::mail::Trait;

/// An outage of the mail server: it accepts no mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailOutage {
    /// The first try that failed.
    pub since: DateTime<Utc>,
    /// When a mail was accepted again; `None` as long as none is.
    pub until: Option<DateTime<Utc>>,
}

/// A clock of the server that seems to be far ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockDoubt {
    /// The last time that is surely right.
    pub known: DateTime<Utc>,
    /// From when on `send` ran each day with that clock, and when it last ran; `None` if it did not.
    pub sends: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

/// Returns a query for the games with an unsent, due mail that tells the player to move about the
/// present turn. After the deadline, it counts as due: it was, and another took its place. Bounced mails wait
/// because of their recipient.
fn unsent() -> String {
    format!(
        "SELECT game.id FROM game JOIN outbox ON outbox.player = game.to_move
         WHERE game.turn IS NOT NULL AND outbox.state IN ('queued', 'paused', 'failed')
         AND outbox.state = 'queued' AND outbox.bounced_at IS NULL
         AND (outbox.tries > 0 OR outbox.due_at <= ?1 OR game.deadline <= ?1) AND outbox.kind IN ({})
         AND (outbox.game = game.id
                AND (outbox.kind = 'turn' OR outbox.events >= game.position_event)
            OR EXISTS (SELECT 1 FROM digest_game
                WHERE digest_game.mail = outbox.id AND digest_game.game = game.id))",
        kinds(|kind| kind.has(Trait::ShowsTurn))
    )
}

impl Db<'_> {
    /// Returns the present outage of the mail server, if there is one.
    pub fn mail_outage(&self) -> Result<Option<MailOutage>> {
        self.first("SELECT since, until FROM mail_outage", [], |row| {
            Ok(MailOutage { since: get(row, "since")?, until: get(row, "until")? })
        })
    }

    /// Returns whether the turn mail of this game is due and was not sent.
    pub fn is_turn_mail_unsent(&self, game: GameId, now: DateTime<Utc>) -> Result<bool> {
        let sql = format!("{} AND game.id = ?2 LIMIT 1", unsent());
        self.exists(&sql, (seconds(now), game.0))
    }

    /// Returns the games with a due, unsent turn mail and a deadline before this time.
    pub fn games_with_unsent_turn_mail(
        &self,
        now: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<Vec<GameId>> {
        let sql = format!("{} AND game.deadline < ?2 GROUP BY game.id", unsent());
        self.all(&sql, (seconds(now), seconds(before)), only)
    }

    /// Returns whether a clock runs in a game.
    pub fn has_deadlines(&self) -> Result<bool> {
        let sql = "SELECT 1 FROM game WHERE turn IS NOT NULL AND deadline < 253402300799 LIMIT 1";
        self.exists(sql, [])
    }

    /// Returns the doubt about a clock that seems to be far ahead; `None` if there is none.
    pub fn clock_doubt(&self) -> Result<Option<ClockDoubt>> {
        self.first("SELECT known, since, last FROM clock_doubt", [], |row| {
            let (since, last): (Option<_>, _) = (get(row, "since")?, get(row, "last")?);
            Ok(ClockDoubt { known: get(row, "known")?, sends: since.zip(last) })
        })
    }
}

impl Tx<'_> {
    /// Records that no mail can be handed over, from now on if that is new.
    pub fn begin_mail_outage(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO mail_outage (id, since) VALUES (1, ?1)
                   ON CONFLICT DO UPDATE SET until = NULL";
        self.run(sql, [seconds(now)])
    }

    /// Records that a mail was accepted in an outage.
    pub fn end_mail_outage(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE mail_outage SET until = ?1 WHERE until IS NULL";
        self.run(sql, [seconds(now)])
    }

    /// Forgets an outage that has ended.
    pub fn forget_mail_outage(&self) -> Result<()> {
        self.run("DELETE FROM mail_outage WHERE until IS NOT NULL", [])
    }

    /// Stores the doubt about a clock that seems to be far ahead; `None` if there is none.
    pub fn set_clock_doubt(&self, doubt: Option<ClockDoubt>) -> Result<()> {
        let Some(ClockDoubt { known, sends }) = doubt else {
            return self.run("DELETE FROM clock_doubt", []);
        };
        let (since, last) = sends.unzip();
        let sql =
            "INSERT OR REPLACE INTO clock_doubt (id, known, since, last) VALUES (1, ?1, ?2, ?3)";
        self.run(sql, (seconds(known), since.map(seconds), last.map(seconds)))
    }
}
