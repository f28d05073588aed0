use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::named_params;

use super::{Db, Result, Tx, get, only, seconds};
use outflank_model::PlayerId;

/// The most incoming mails with a record.
pub const MAX_RECEIVED: i64 = 10_000;
/// How long a record is kept.
const KEPT_FOR: TimeDelta = TimeDelta::days(30);

/// The record of an incoming mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// When it was processed.
    pub at: DateTime<Utc>,
    /// The owner of the mail or of its reply token, or the intended recipient of the mail that bounced.
    pub player: Option<PlayerId>,
    /// The sender's address, if it is not the player's.
    pub sender: Option<String>,
    /// The words of its commands.
    pub understood: Vec<String>,
    /// The word for the disposition.
    pub disposition: String,
    /// The reason for it; may be empty.
    pub why: String,
}

/// Which incoming mails are listed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReceivedFilter<'a> {
    /// Only those of this player.
    pub player: Option<PlayerId>,
    /// Only those with this disposition.
    pub disposition: Option<&'a str>,
}

impl Tx<'_> {
    /// Adds the record of an incoming mail, and deletes the oldest records if there are too many.
    pub fn add_received(&self, mail: &Received) -> Result<()> {
        let row = named_params! {
            ":at": seconds(mail.at),
            ":player": mail.player.map(|id| id.0),
            ":sender": mail.sender,
            ":understood": mail.understood.join(" "),
            ":disposition": mail.disposition,
            ":why": mail.why,
        };
        let sql = "INSERT INTO received (received_at, player, sender, understood, disposition, why)
             VALUES (:at, :player, :sender, :understood, :disposition, :why) RETURNING id";
        let id: i64 = self.one(sql, row, only)?;
        self.run("DELETE FROM received WHERE id <= ?1", [id - MAX_RECEIVED])
    }

    /// Deletes the records of incoming mails that are too old. Those from a clock that was ahead get
    /// this time.
    pub fn delete_old_received(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE received SET received_at = ?1 WHERE received_at > ?1";
        self.execute(sql, [seconds(now)])?;
        let before = seconds(now - KEPT_FOR);
        self.run("DELETE FROM received WHERE received_at < ?1", [before])
    }
}

impl Db<'_> {
    /// Returns the last incoming mails that are still kept at this time, the last one first.
    pub fn received(
        &self,
        filter: ReceivedFilter,
        count: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<Received>> {
        let parameters = named_params! {
            ":since": seconds(now - KEPT_FOR),
            ":player": filter.player.map(|id| id.0),
            ":disposition": filter.disposition,
            ":count": count,
        };
        let sql = "SELECT received_at, player, sender, understood, disposition, why FROM received
             WHERE received_at >= :since AND (:player IS NULL OR player = :player)
                 AND (:disposition IS NULL OR disposition = :disposition)
             ORDER BY id DESC LIMIT :count";
        self.all(sql, parameters, |row| {
            let understood: String = row.get("understood")?;
            Ok(Received {
                at: get(row, "received_at")?,
                player: get(row, "player")?,
                sender: row.get("sender")?,
                understood: understood.split_whitespace().map(str::to_owned).collect(),
                disposition: row.get("disposition")?,
                why: row.get("why")?,
            })
        })
    }
}
