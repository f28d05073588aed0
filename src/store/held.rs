use std::fmt;

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row};

use super::{Db, Error, PlayerId, Time, Tx, key, seconds};

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
    /// The commands, a [`HeldLine`] each.
    pub commands: String,
    /// Whether there are no commands, but a yes makes the address the player's.
    pub is_new_address: bool,
    /// Whether the mail with them also had a comment or note, which was not kept.
    pub had_words: bool,
    /// When they came in.
    pub created_at: DateTime<Utc>,
    /// Whether they were confirmed or cancelled.
    pub is_done: bool,
}

/// The columns of held commands.
pub(super) const HELD: &str =
    "SELECT held.id, held.player, held.address, commands, is_new_address, had_words,
    held.created_at, done_at IS NOT NULL AS is_done";

/// A line with a held command. Its text form, which is stored, is read by [`HeldCommands::lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLine {
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

/// Stands in place of the number of events of a command about a challenge.
const CHALLENGE: &str = "challenge";

/// What separates the parts of a line. No command has it.
const SEPARATOR: char = '\t';

impl HeldCommands {
    /// Returns the commands.
    pub fn lines(&self) -> impl Iterator<Item = HeldLine> {
        self.commands.lines().map(|line| {
            let (words, rest) = line.split_once(SEPARATOR).unwrap_or((line, ""));
            let about = rest.split_once(SEPARATOR).and_then(|(events, sentence)| {
                let events = match events {
                    CHALLENGE => None,
                    events => Some(events.parse().ok()?),
                };
                Some(About { events, sentence: sentence.to_owned() })
            });
            HeldLine { words: words.to_owned(), about }
        })
    }
}

impl HeldLine {
    /// Returns the line as it is shown to the person who is asked.
    pub fn shown(&self) -> String {
        match &self.about {
            Some(about) => format!("{}: {}", self.words, about.sentence),
            None => self.words.clone(),
        }
    }
}

impl fmt::Display for HeldLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)?;
        match &self.about {
            Some(About { events, sentence }) => {
                let events = events.map_or_else(|| CHALLENGE.to_owned(), |it| it.to_string());
                write!(f, "{SEPARATOR}{events}{SEPARATOR}{sentence}")
            }
            None => Ok(()),
        }
    }
}

pub(super) fn held(row: &Row) -> rusqlite::Result<HeldCommands> {
    Ok(HeldCommands {
        player: row.get("player")?,
        address: row.get("address")?,
        commands: row.get("commands")?,
        is_new_address: row.get("is_new_address")?,
        had_words: row.get("had_words")?,
        created_at: row.get::<_, Time>("created_at")?.0,
        is_done: row.get("is_done")?,
    })
}

impl Tx<'_> {
    /// Holds commands until they are confirmed. They never change after that.
    pub fn hold(
        &self,
        player: Option<PlayerId>,
        address: &str,
        commands: &str,
        now: DateTime<Utc>,
    ) -> Result<HeldId, Error> {
        let id = self.insert(
            "INSERT INTO held (player, address, commands, created_at) VALUES (?1, ?2, ?3, ?4)",
            (player, address, commands, seconds(now)),
        )?;
        Ok(HeldId(id))
    }

    /// Records that the mail with held commands also had words, which were not kept.
    pub fn set_had_words(&self, id: HeldId) -> Result<(), Error> {
        self.execute("UPDATE held SET had_words = 1 WHERE id = ?1", [id]).map(drop)
    }

    /// Deletes the commands that came in before a time, with the mails that ask about them.
    pub fn delete_held_before(&self, time: DateTime<Utc>) -> Result<(), Error> {
        let time = seconds(time);
        self.execute(
            "DELETE FROM outbox WHERE held IN (SELECT id FROM held WHERE created_at < ?1)",
            [time],
        )?;
        self.execute("DELETE FROM held WHERE created_at < ?1", [time]).map(drop)
    }

    /// Deletes held commands whose confirmation could not be sent.
    pub fn delete_held(&self, id: HeldId) -> Result<(), Error> {
        self.execute("DELETE FROM held WHERE id = ?1", [id]).map(drop)
    }

    /// Marks held commands as confirmed or cancelled.
    pub fn release(&self, id: HeldId, now: DateTime<Utc>) -> Result<(), Error> {
        self.execute("UPDATE held SET done_at = ?2 WHERE id = ?1", (id, seconds(now))).map(drop)
    }
}

impl Db<'_> {
    /// Returns the commands with this key, waiting or done; `None` when there are none.
    pub fn held(&self, id: HeldId) -> Result<Option<HeldCommands>, Error> {
        let mut select = self.prepare(&format!("{HELD} FROM held WHERE id = ?1"))?;
        Ok(select.query_row([id], held).optional()?)
    }
}
