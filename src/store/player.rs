use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Params, Row};

use super::{Db, Error, MailState, key, seconds};

key! {
    /// The key of a player.
    #[derive(Hash)]
    PlayerId
}

/// Somebody who plays here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// The key.
    pub id: PlayerId,
    /// The name, as it was signed up.
    pub name: String,
    /// Where mail goes.
    pub address: String,
    /// Whether each of the player's moves is to be answered by mail.
    pub receipt: bool,
    /// How many mails to the address have come back for good.
    pub bounces: u32,
}

impl Player {
    /// After so many mails that came back, mail to the address pauses.
    pub const MOST_BOUNCES: u32 = 3;

    /// Whether mail to the player pauses.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.bounces >= Self::MOST_BOUNCES
    }
}

const PLAYER: &str = "SELECT id, name, address, receipt, bounces FROM player";

fn player(row: &Row) -> rusqlite::Result<Player> {
    Ok(Player {
        id: row.get("id")?,
        name: row.get("name")?,
        address: row.get("address")?,
        receipt: row.get("receipt")?,
        bounces: row.get("bounces")?,
    })
}

impl Db<'_> {
    /// Signs a player up. Name and address must be new, without regard to case. The secret is
    /// what the player's codes are made with.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn add_player(
        &self,
        name: &str,
        address: &str,
        secret: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Player, Error> {
        self.0
            .prepare_cached(
                "INSERT INTO player (name, address, secret, created_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute((name, address, secret, seconds(now)))?;
        self.player(PlayerId(self.0.last_insert_rowid()))
    }

    /// Gives a player a new address, from which nothing has come back yet.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn set_address(&self, player: PlayerId, address: &str) -> Result<(), Error> {
        self.0
            .prepare_cached("UPDATE player SET address = ?2 WHERE id = ?1")?
            .execute((player, address))?;
        self.set_bounces(player, 0)
    }

    /// Whether each of a player's moves is to be answered by mail.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn set_receipt(&self, player: PlayerId, receipt: bool) -> Result<(), Error> {
        self.0
            .prepare_cached("UPDATE player SET receipt = ?2 WHERE id = ?1")?
            .execute((player, receipt))?;
        Ok(())
    }

    /// Writes down how many mails to a player have come back for good; from
    /// [`Player::MOST_BOUNCES`] on mail to the player pauses, below it goes on.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn set_bounces(&self, player: PlayerId, bounces: u32) -> Result<(), Error> {
        self.0
            .prepare_cached("UPDATE player SET bounces = ?2 WHERE id = ?1")?
            .execute((player, bounces))?;
        let [from, to] = if bounces < Player::MOST_BOUNCES {
            [MailState::Paused, MailState::Queued]
        } else {
            [MailState::Queued, MailState::Paused]
        };
        self.0
            .prepare_cached("UPDATE outbox SET state = ?3 WHERE player = ?1 AND state = ?2")?
            .execute((player, from, to))?;
        Ok(())
    }

    /// What a player's codes are made with; `None` when there is no such player.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn secret(&self, player: PlayerId) -> Result<Option<[u8; 32]>, Error> {
        let mut select = self.0.prepare_cached("SELECT secret FROM player WHERE id = ?1")?;
        Ok(select.query_row([player], |row| row.get(0)).optional()?)
    }

    /// Gives a player a new secret: no code that the old one made is genuine any more.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn set_secret(&self, player: PlayerId, secret: &[u8; 32]) -> Result<(), Error> {
        self.0
            .prepare_cached("UPDATE player SET secret = ?2 WHERE id = ?1")?
            .execute((player, secret))?;
        Ok(())
    }

    /// The player of this name, without regard to case.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn player_named(&self, name: &str) -> Result<Option<Player>, Error> {
        self.one_player("WHERE name = ?1", [name])
    }

    /// The player with this address, without regard to case.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn player_at(&self, address: &str) -> Result<Option<Player>, Error> {
        self.one_player("WHERE address = ?1", [address])
    }

    /// The player with this key.
    ///
    /// # Errors
    /// [`Error`] of the database, also when there is none.
    pub fn player(&self, id: PlayerId) -> Result<Player, Error> {
        let sql = format!("{PLAYER} WHERE id = ?1");
        Ok(self.0.prepare_cached(&sql)?.query_row([id], player)?)
    }

    fn one_player(&self, which: &str, params: impl Params) -> Result<Option<Player>, Error> {
        let sql = format!("{PLAYER} {which}");
        Ok(self.0.prepare_cached(&sql)?.query_row(params, player).optional()?)
    }

    /// All players, by name.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn players(&self) -> Result<Vec<Player>, Error> {
        let mut all = self.0.prepare_cached(&format!("{PLAYER} ORDER BY name"))?;
        Ok(all.query_map([], player)?.collect::<Result<_, _>>()?)
    }
}
