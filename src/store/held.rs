use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{Db, Result, Tx, get, parsed, seconds};
use outflank_model::{About, HeldCommands, HeldId, HeldLine, PlayerId};

/// The columns of held commands.
pub(super) const HELD: &str =
    "SELECT held.id, held.player, held.address, is_new_address, had_words, is_verified,
    held.created_at, done_at IS NOT NULL AS is_done";

fn held_line(row: &Row) -> Result<HeldLine> {
    let events = row.get("events")?;
    let about = row.get::<_, Option<_>>("sentence")?.map(|sentence| About { events, sentence });
    Ok(HeldLine { kind: parsed(row, "kind")?, words: row.get("words")?, about })
}

impl Tx<'_> {
    /// Holds commands under this mark until they are confirmed. They never change after that. `is_verified`
    /// says whether the mail with them was verified.
    pub fn hold(
        &self,
        player: Option<PlayerId>,
        address: &str,
        lines: &[HeldLine],
        is_verified: bool,
        mark: &str,
        now: DateTime<Utc>,
    ) -> Result<HeldId> {
        let sql = "INSERT INTO held (player, address, is_verified, mark, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)";
        let id = self.insert(
            sql,
            (player.map(|player| player.0), address, is_verified, mark, seconds(now)),
        )?;
        for HeldLine { kind, words, about } in lines {
            let events = about.as_ref().and_then(|about| about.events);
            let sentence = about.as_ref().map(|about| &about.sentence);
            let sql = "INSERT INTO held_command (held, kind, words, events, sentence)
                 VALUES (?1, ?2, ?3, ?4, ?5)";
            self.insert(sql, (id, kind.word(), words, events, sentence))?;
        }
        Ok(HeldId(id))
    }

    /// Records that the mail with held commands also had words, which were not kept.
    pub fn set_had_words(&self, id: HeldId) -> Result<()> {
        self.run("UPDATE held SET had_words = 1 WHERE id = ?1", [id.0])
    }

    /// Deletes the commands that came in before a time, with the mails that ask about them.
    pub fn delete_held_before(&self, time: DateTime<Utc>) -> Result<()> {
        let time = seconds(time);
        let sql = "DELETE FROM outbox WHERE held IN (SELECT id FROM held WHERE created_at < ?1)";
        self.execute(sql, [time])?;
        self.run("DELETE FROM held WHERE created_at < ?1", [time])
    }

    /// Deletes held commands after their confirmation could not be sent.
    pub fn delete_held(&self, id: HeldId) -> Result<()> {
        self.run("DELETE FROM held WHERE id = ?1", [id.0])
    }

    /// Marks held commands as confirmed or cancelled.
    pub fn release(&self, id: HeldId, now: DateTime<Utc>) -> Result<()> {
        self.run("UPDATE held SET done_at = ?2 WHERE id = ?1", (id.0, seconds(now)))
    }
}

impl Db<'_> {
    /// Returns the commands with this key, waiting or done; `None` when there are none.
    pub fn held(&self, id: HeldId) -> Result<Option<HeldCommands>> {
        let sql = format!("{HELD} FROM held WHERE id = ?1");
        self.first(&sql, [id.0], |row| self.held_in(row))
    }

    /// Returns the held commands in a row with the columns of [`HELD`].
    pub(super) fn held_in(&self, row: &Row) -> Result<HeldCommands> {
        let sql =
            "SELECT kind, words, events, sentence FROM held_command WHERE held = ?1 ORDER BY id";
        Ok(HeldCommands {
            player: get(row, "player")?,
            address: row.get("address")?,
            lines: self.all(sql, [row.get::<_, i64>("id")?], held_line)?,
            is_new_address: row.get("is_new_address")?,
            had_words: row.get("had_words")?,
            is_verified: row.get("is_verified")?,
            created_at: get(row, "created_at")?,
            is_done: row.get("is_done")?,
        })
    }
}
