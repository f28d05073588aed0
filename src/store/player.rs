use chrono::{DateTime, Utc};
use rusqlite::Error::QueryReturnedNoRows;
use rusqlite::{Params, Row};

use super::{Db, Result, Tx, get, only, parsed, seconds};
use outflank_model::preferences::Preferences;
use outflank_model::{Player, PlayerId};

/// The columns of a player besides the key, the name and the address.
pub(super) const COLUMNS: &str =
    "left_at, clock, mail_mode, style, subject, grace, receipt, reminders, challenges,
    letter, watchers, named, failures, paused_at";

fn player(row: &Row) -> Result<Player> {
    from_row(row, get(row, "id")?)
}

/// Returns the player with this key from the other columns of a row.
pub(super) fn from_row(row: &Row, id: PlayerId) -> Result<Player> {
    Ok(Player {
        id,
        name: row.get("name")?,
        address: row.get("address")?,
        left_at: get(row, "left_at")?,
        preferences: Preferences {
            clock: parsed(row, "clock")?,
            mail: parsed(row, "mail_mode")?,
            style: parsed(row, "style")?,
            subject: parsed(row, "subject")?,
            grace: parsed(row, "grace")?,
            receipt: row.get("receipt")?,
            reminders: parsed(row, "reminders")?,
            letter: row.get("letter")?,
            challenges: parsed(row, "challenges")?,
            watchers: parsed(row, "watchers")?,
            named: parsed(row, "named")?,
        },
        failures: row.get("failures")?,
        paused_at: get(row, "paused_at")?,
    })
}

/// How many games of a player are active, and how the others ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// The player's name.
    pub name: String,
    /// Whether the player has an address.
    pub has_address: bool,
    /// Games that are active.
    pub active: u32,
    /// Games that the player has won.
    pub won: u32,
    /// Games that the player has lost.
    pub lost: u32,
    /// Games that ended in a draw.
    pub drawn: u32,
}

const RESULTS: &str =
    "SELECT name, address IS NOT NULL AS has_address, active, won, lost, drawn FROM player";

fn results(row: &Row) -> Result<Results> {
    Ok(Results {
        name: row.get("name")?,
        has_address: row.get("has_address")?,
        active: row.get("active")?,
        won: row.get("won")?,
        lost: row.get("lost")?,
        drawn: row.get("drawn")?,
    })
}

impl Tx<'_> {
    /// Signs a player up. Name and address must be new, without regard to case. The secret is behind
    /// the player's reply tokens.
    pub fn add_player(
        &self,
        name: &str,
        address: &str,
        secret: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Player> {
        let player = self.add_player_without_mail(name, secret, now)?;
        self.set_address(player.id, address)?;
        self.player(player.id)
    }

    /// Signs a player up who has no address. The name must be new, without regard to case.
    pub fn add_player_without_mail(
        &self,
        name: &str,
        secret: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Player> {
        let sql = "INSERT INTO player (name, secret, created_at) VALUES (?1, ?2, ?3)";
        let id = self.insert(sql, (name, secret, seconds(now)))?;
        self.player(PlayerId(id))
    }

    /// Gives a player a new address.
    pub fn set_address(&self, player: PlayerId, address: &str) -> Result<()> {
        self.run("UPDATE player SET address = ?2 WHERE id = ?1", (player.0, address))
    }

    /// Stores the player's settings.
    pub fn set_preferences(&self, player: PlayerId, preferences: &Preferences) -> Result<()> {
        let Preferences {
            clock,
            mail,
            style,
            subject,
            grace,
            receipt,
            reminders,
            letter,
            challenges,
            watchers,
            named,
        } = preferences;
        let sql =
            "UPDATE player SET clock = ?2, mail_mode = ?3, style = ?4, subject = ?5, grace = ?6,
                receipt = ?7, reminders = ?8, challenges = ?9, watchers = ?10, letter = ?11, named = ?12
             WHERE id = ?1";
        self.run(
            sql,
            (
                player.0,
                clock.to_string(),
                mail.to_string(),
                style.word(),
                subject.word(),
                grace.to_string(),
                receipt,
                reminders.word(),
                challenges.to_string(),
                watchers.word(),
                letter,
                named.word(),
            ),
        )
    }

    /// Counts a game of a player that has begun, with 1, or no longer one that has ended, with -1.
    pub fn count_active(&self, player: PlayerId, change: i64) -> Result<()> {
        self.run("UPDATE player SET active = active + ?2 WHERE id = ?1", (player.0, change))
    }

    /// Counts the result of a finished game of a player, with 1, or no longer, with -1; `None` is a draw.
    pub fn count_result(&self, player: PlayerId, has_won: Option<bool>, change: i64) -> Result<()> {
        let sql = match has_won {
            Some(true) => "UPDATE player SET won = won + ?2 WHERE id = ?1",
            Some(false) => "UPDATE player SET lost = lost + ?2 WHERE id = ?1",
            None => "UPDATE player SET drawn = drawn + ?2 WHERE id = ?1",
        };
        self.run(sql, (player.0, change))
    }

    /// Gives a player a new secret. Reply tokens of the old one become invalid, and new addresses wait
    /// no longer.
    pub fn set_secret(&self, player: PlayerId, secret: &[u8; 32]) -> Result<()> {
        self.drop_new_addresses(player)?;
        self.run("UPDATE player SET secret = ?2 WHERE id = ?1", (player.0, secret))
    }
}

impl Db<'_> {
    /// Returns the secret behind a player's reply tokens; `None` when there is no such player.
    pub fn secret(&self, player: PlayerId) -> Result<Option<[u8; 32]>> {
        self.first("SELECT secret FROM player WHERE id = ?1", [player.0], only)
    }

    /// Returns the player of this name, without regard to case.
    pub fn player_named(&self, name: &str) -> Result<Option<Player>> {
        self.one_player("WHERE name = ?1", [name])
    }

    /// Returns the player with this address, without regard to case.
    pub fn player_at(&self, address: &str) -> Result<Option<Player>> {
        self.one_player("WHERE address = ?1", [address])
    }

    /// Returns the player with this key, which must exist.
    pub fn player(&self, id: PlayerId) -> Result<Player> {
        self.one_player("WHERE id = ?1", [id.0])?.ok_or_else(|| QueryReturnedNoRows.into())
    }

    fn one_player(&self, which: &str, params: impl Params) -> Result<Option<Player>> {
        Ok(self.players_of(which, params)?.pop())
    }

    /// Returns all members, by name.
    pub fn players(&self) -> Result<Vec<Player>> {
        self.players_of("WHERE left_at IS NULL ORDER BY name", [])
    }

    fn players_of(&self, which: &str, params: impl Params) -> Result<Vec<Player>> {
        let sql = format!("SELECT id, name, address, {COLUMNS} FROM player {which}");
        self.all(&sql, params, player)
    }

    /// Returns how many games of a player are active, and how the others ended.
    pub fn results_of(&self, player: PlayerId) -> Result<Results> {
        self.one(&format!("{RESULTS} WHERE id = ?1"), [player.0], results)
    }

    /// Returns the results of the first `limit` members by name: all, or those behind this name.
    pub fn results(&self, behind: Option<&str>, limit: Option<u32>) -> Result<Vec<Results>> {
        let params = (behind.unwrap_or_default(), limit.map_or(-1, i64::from));
        let sql = format!("{RESULTS} WHERE left_at IS NULL AND name > ?1 ORDER BY name LIMIT ?2");
        self.all(&sql, params, results)
    }

    /// Returns the names just before and after this text in the alphabet, at most `limit` of each.
    pub fn names_near(&self, text: &str, limit: u32) -> Result<Vec<String>> {
        let sql =
            "SELECT * FROM (SELECT name FROM player WHERE name < ?1 ORDER BY name DESC LIMIT ?2)
             UNION ALL
             SELECT * FROM (SELECT name FROM player WHERE name >= ?1 ORDER BY name LIMIT ?2)";
        self.all(sql, (text, limit), only)
    }
}
