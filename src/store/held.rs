use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::{Db, Error, PlayerId, Time, Tx, key, parsed, seconds};
use outflank_model::words;

key! {
    /// The key of held commands.
    HeldId
}

/// Commands that wait for a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldCommands {
    /// The player that the sender claims to be; `None` for an address that is not signed up.
    pub player: Option<PlayerId>,
    /// The address that is asked to confirm.
    pub address: String,
    /// The commands, in their order.
    pub lines: Vec<HeldLine>,
    /// Whether there are no commands, but a yes makes the address the player's.
    pub is_new_address: bool,
    /// Whether the mail with them also had a comment or note, which was not kept.
    pub had_words: bool,
    /// Whether that mail was verified.
    pub is_verified: bool,
    /// When they came in.
    pub created_at: DateTime<Utc>,
    /// Whether they were confirmed or cancelled.
    pub is_done: bool,
}

/// The columns of held commands.
pub(super) const HELD: &str =
    "SELECT held.id, held.player, held.address, is_new_address, had_words, is_verified,
    held.created_at, done_at IS NOT NULL AS is_done";

words! {
    /// The kind of a held command.
    HeldKind {
        /// It ends the membership.
        Leave = "leave",
        /// It asks for a new address.
        Address = "address",
        /// Any other.
        Other = "other",
    }
}

/// A held command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLine {
    /// Its kind.
    pub kind: HeldKind,
    /// The command as it is run when it is confirmed.
    pub words: String,
    /// What the person who is asked must know besides the words, if anything.
    pub about: Option<About>,
}

/// What a held command is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// How many events the game of the command had; `None` if the command is about a challenge.
    pub events: Option<usize>,
    /// A sentence without a full stop.
    pub sentence: String,
}

impl HeldLine {
    /// Returns a command of no special kind, of which nobody has to know more than its words.
    pub const fn other(words: String) -> Self {
        Self { kind: HeldKind::Other, words, about: None }
    }

    /// Returns the line as it is shown to the person who is asked.
    pub fn shown(&self) -> String {
        match &self.about {
            Some(about) => format!("{}: {}", self.words, about.sentence),
            None => self.words.clone(),
        }
    }

    fn from_row(row: &Row) -> rusqlite::Result<Self> {
        let about = match row.get("sentence")? {
            Some(sentence) => Some(About { events: row.get("events")?, sentence }),
            None => None,
        };
        Ok(Self { kind: parsed(row, "kind")?, words: row.get("words")?, about })
    }
}

/// Returns held commands without their lines.
pub(super) fn held(row: &Row) -> rusqlite::Result<HeldCommands> {
    Ok(HeldCommands {
        player: row.get("player")?,
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
        let id = self.insert(sql, (player, address, is_verified, mark, seconds(now)))?;
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
        self.run("UPDATE held SET had_words = 1 WHERE id = ?1", [id])
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
        self.run("DELETE FROM held WHERE id = ?1", [id])
    }

    /// Marks held commands as confirmed or cancelled.
    pub fn release(&self, id: HeldId, now: DateTime<Utc>) -> Result<(), Error> {
        self.run("UPDATE held SET done_at = ?2 WHERE id = ?1", (id, seconds(now)))
    }
}

impl Db<'_> {
    /// Returns the commands with this key, waiting or done; `None` when there are none.
    pub fn held(&self, id: HeldId) -> Result<Option<HeldCommands>, Error> {
        let Some(held) = self.first(&format!("{HELD} FROM held WHERE id = ?1"), [id], held)? else {
            return Ok(None);
        };
        Ok(Some(HeldCommands { lines: self.held_lines(id)?, ..held }))
    }

    pub(super) fn held_lines(&self, id: HeldId) -> Result<Vec<HeldLine>, Error> {
        let sql =
            "SELECT kind, words, events, sentence FROM held_command WHERE held = ?1 ORDER BY id";
        self.all(sql, [id], HeldLine::from_row)
    }
}
