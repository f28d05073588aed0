use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{Db, MailId, Result, Tx, get, seconds};

/// A mail of `doctor` that asks for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Its number in the outbox.
    pub mail: MailId,
    /// Whether it went to the server's own address.
    pub is_loop: bool,
    /// The address of the person; `None` for the server itself, and after the answer.
    pub address: Option<String>,
    /// When it was queued.
    pub asked_at: DateTime<Utc>,
    /// When it came back or was answered.
    pub came_at: Option<DateTime<Utc>>,
    /// The findings from its answer.
    pub headers: AnswerHeaders,
}

/// The findings from the answer of a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerHeaders {
    /// The host in `by` of its first Received field.
    pub receiver: Option<String>,
    /// The name of the server in its first Authentication-Results field.
    pub server: Option<String>,
    /// The results in that field, such as `dkim=pass`.
    pub results: Option<String>,
}

const PROBE: &str =
    "SELECT mail, is_loop, address, asked_at, came_at, receiver, server, results FROM probe";

fn probe(row: &Row) -> Result<Probe> {
    Ok(Probe {
        mail: get(row, "mail")?,
        is_loop: row.get("is_loop")?,
        address: row.get("address")?,
        asked_at: get(row, "asked_at")?,
        came_at: get(row, "came_at")?,
        headers: AnswerHeaders {
            receiver: row.get("receiver")?,
            server: row.get("server")?,
            results: row.get("results")?,
        },
    })
}

impl Tx<'_> {
    /// Stores that this mail asks a person at this address or, without one, the server itself.
    pub fn add_probe(&self, mail: MailId, address: Option<&str>, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO probe (mail, is_loop, address, asked_at, mark)
             VALUES (?1, ?2, ?3, ?4, (SELECT mark FROM outbox WHERE id = ?1))";
        self.run(sql, (mail.0, address.is_none(), address, seconds(now)))
    }

    /// Records that a test mail has come back or was answered, and erases the address it went to.
    /// Returns false if there is no such question any more.
    pub fn settle_probe(
        &self,
        mail: MailId,
        headers: &AnswerHeaders,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let sql = "UPDATE probe SET came_at = ?2, address = NULL, receiver = ?3, server = ?4, results = ?5
             WHERE mail = ?1 AND came_at IS NULL";
        let AnswerHeaders { receiver, server, results } = headers;
        let is_settled = self.changes(sql, (mail.0, seconds(now), receiver, server, results))?;
        let sql = "DELETE FROM outbox WHERE id = ?1 AND kind = 'probe'
             AND EXISTS (SELECT 1 FROM probe WHERE mail = ?1 AND is_loop = 0)";
        self.execute(sql, [mail.0])?;
        Ok(is_settled)
    }

    /// Gives up a mail to the server itself that could not be sent, unless a process is sending it.
    pub fn withdraw_probe(&self, mail: MailId) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'superseded'
             WHERE id = ?1 AND kind = 'probe' AND state IN ('queued', 'failed') AND lease IS NULL";
        self.run(sql, [mail.0])
    }

    /// Deletes the questions that were asked before this time, with their addresses.
    pub fn delete_probes_before(&self, before: DateTime<Utc>) -> Result<()> {
        let sql = "DELETE FROM outbox WHERE kind = 'probe'
             AND id IN (SELECT mail FROM probe WHERE asked_at < ?1)";
        self.execute(sql, [seconds(before)])?;
        self.run("DELETE FROM probe WHERE asked_at < ?1", [seconds(before)])
    }
}

impl Db<'_> {
    /// Returns the question with this mail.
    pub fn probe(&self, mail: MailId) -> Result<Option<Probe>> {
        self.first(&format!("{PROBE} WHERE mail = ?1"), [mail.0], probe)
    }

    /// Returns the questions that were asked since this time, oldest first.
    pub fn probes_since(&self, since: DateTime<Utc>) -> Result<Vec<Probe>> {
        let sql = format!("{PROBE} WHERE asked_at >= ?1 ORDER BY asked_at, mail");
        self.all(&sql, [seconds(since)], probe)
    }
}
