use chrono::{DateTime, Utc};

use super::{Db, MailId, Result, Tx, get, only, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::words;

words! {
    /// The kinds of news for the host, the most urgent first.
    HostItemKind {
        /// The clock of the server seems to be far ahead.
        Clock = "clock",
        /// A command that runs until stopped could not do its work.
        Storing = "storing",
        /// Mail could not be handed over to the mail server.
        Sending = "sending",
        /// Mails to a player bounced, were refused or were given up.
        Bounce = "bounce",
        /// Mail to a player is paused.
        Pause = "pause",
        /// A job or a deadline of a game failed.
        Job = "job",
        /// An incoming mail could not be processed.
        Quarantine = "quarantine",
        /// A player has signed up by mail.
        Signup = "signup",
    }
}

/// A piece of news for the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostItem {
    /// What it is.
    pub kind: HostItemKind,
    /// The number of the player or of the game, by its kind; 0 if it is about none.
    pub about: i64,
    /// How often it has happened.
    pub count: u32,
    /// The last reason; may be empty.
    pub text: String,
    /// When it first happened.
    pub first_at: DateTime<Utc>,
    /// When it last happened.
    pub last_at: DateTime<Utc>,
}

impl Tx<'_> {
    /// Adds something for the next mail to the host. What is there already happens once more.
    pub fn add_host_item(
        &self,
        kind: HostItemKind,
        about: i64,
        text: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO news (kind, about, count, text, first_at, last_at)
             VALUES (?1, ?2, 1, ?3, ?4, ?4)
             ON CONFLICT DO UPDATE SET count = count + 1, text = ?3, last_at = ?4,
                next_at = iif(mail IS NULL, NULL, coalesce(next_at, ?4))";
        self.run(sql, (kind.word(), about, text, seconds(now)))
    }

    /// Records that this mail to the host, which was queued now, has all items.
    pub fn put_host_items_into(&self, mail: MailId, now: DateTime<Utc>) -> Result<()> {
        self.execute("UPDATE news SET mail = ?1, told = count, next_at = NULL", [mail.0])?;
        self.run("UPDATE installation SET host_notified_at = ?1", [seconds(now)])
    }

    /// Deletes the items of a mail that was delivered. What has happened again since then stays.
    pub fn delete_host_items_in(&self, mail: MailId) -> Result<()> {
        self.execute("DELETE FROM news WHERE mail = ?1 AND next_at IS NULL", [mail.0])?;
        let sql =
            "UPDATE news SET count = count - told, told = 0, first_at = next_at, next_at = NULL,
                mail = NULL
             WHERE mail = ?1";
        self.run(sql, [mail.0])
    }

    /// Deletes the items about a player.
    pub(super) fn delete_host_items_about(&self, player: PlayerId) -> Result<()> {
        let sql = "DELETE FROM news WHERE kind IN ('bounce', 'pause', 'signup') AND about = ?1";
        self.run(sql, [player.0])
    }
}

impl Db<'_> {
    /// Returns the items for the host, by their kind.
    pub fn host_items(&self) -> Result<Vec<HostItem>> {
        let sql =
            "SELECT kind, about, count, text, first_at, last_at FROM news ORDER BY kind, about";
        self.all(sql, [], |row| {
            Ok(HostItem {
                kind: parsed(row, "kind")?,
                about: row.get("about")?,
                count: row.get("count")?,
                text: row.get("text")?,
                first_at: get(row, "first_at")?,
                last_at: get(row, "last_at")?,
            })
        })
    }

    /// Returns whether there are items for the host.
    pub fn has_host_items(&self) -> Result<bool> {
        self.one("SELECT EXISTS (SELECT 1 FROM news)", [], only)
    }

    /// Returns when the last mail to the host was queued; `None` if none was.
    pub fn host_notified_at(&self) -> Result<Option<DateTime<Utc>>> {
        Ok(self.first("SELECT host_notified_at FROM installation", [], only)?.flatten())
    }

    /// Returns whether a mail to the host waits for its delivery.
    pub fn is_host_mail_queued(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outbox INDEXED BY outbox_host
             WHERE kind = 'host' AND state = 'queued')";
        self.one(sql, [], only)
    }
}
