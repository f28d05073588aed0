use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{Db, Error, Time, Tx, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::{About, HeldCommands, HeldId, HeldLine};

/// The columns of held commands.
pub(super) const HELD: &str =
    "SELECT held.id, held.player, held.address, is_new_address, had_words, is_verified,
    held.created_at, done_at IS NOT NULL AS is_done";

fn held_line(row: &Row) -> rusqlite::Result<HeldLine> {
    let about = match row.get("sentence")? {
        Some(sentence) => Some(About { events: row.get("events")?, sentence }),
        None => None,
    };
    Ok(HeldLine { kind: parsed(row, "kind")?, words: row.get("words")?, about })
}

/// Returns held commands without their lines.
pub(super) fn held(row: &Row) -> rusqlite::Result<HeldCommands> {
    Ok(HeldCommands {
        player: row.get::<_, Option<i64>>("player")?.map(PlayerId),
        address: row.get("address")?,
        lines: Vec::new(),
        is_new_address: row.get("is_new_address")?,
        had_words: row.get("had_words")?,
        is_verified: row.get("is_verified")?,
        created_at: row.get::<_, Time>("created_at")?.0,
        is_done: row.get("is_done")?,
    })
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
    ) -> Result<HeldId, Error> {
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
    pub fn set_had_words(&self, id: HeldId) -> Result<(), Error> {
        self.run("UPDATE held SET had_words = 1 WHERE id = ?1", [id.0])
    }

    /// Deletes the commands that came in before a time, with the mails that ask about them.
    pub fn delete_held_before(&self, time: DateTime<Utc>) -> Result<(), Error> {
        let time = seconds(time);
        let sql = "DELETE FROM outbox WHERE held IN (SELECT id FROM held WHERE created_at < ?1)";
        self.execute(sql, [time])?;
        self.run("DELETE FROM held WHERE created_at < ?1", [time])
    }

    /// Deletes held commands whose confirmation could not be sent.
    pub fn delete_held(&self, id: HeldId) -> Result<(), Error> {
        self.run("DELETE FROM held WHERE id = ?1", [id.0])
    }

    /// Marks held commands as confirmed or cancelled.
    pub fn release(&self, id: HeldId, now: DateTime<Utc>) -> Result<(), Error> {
        self.run("UPDATE held SET done_at = ?2 WHERE id = ?1", (id.0, seconds(now)))
    }
}

impl Db<'_> {
    /// Returns the commands with this key, waiting or done; `None` when there are none.
    pub fn held(&self, id: HeldId) -> Result<Option<HeldCommands>, Error> {
        let Some(held) = self.first(&format!("{HELD} FROM held WHERE id = ?1"), [id.0], held)?
        else {
            return Ok(None);
        };
        Ok(Some(HeldCommands { lines: self.held_lines(id)?, ..held }))
    }

    pub(super) fn held_lines(&self, id: HeldId) -> Result<Vec<HeldLine>, Error> {
        let sql =
            "SELECT kind, words, events, sentence FROM held_command WHERE held = ?1 ORDER BY id";
        self.all(sql, [id.0], held_line)
    }
}
