use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Params, Row, ToSql};

use super::{Db, Error, seconds};

/// The key of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlayerId(i64);

impl ToSql for PlayerId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for PlayerId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self)
    }
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
}

fn player(row: &Row) -> rusqlite::Result<Player> {
    Ok(Player { id: row.get("id")?, name: row.get("name")?, address: row.get("address")? })
}

impl Db<'_> {
    /// Signs a player up. Name and address must be new, without regard to case.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn add_player(
        &self,
        name: &str,
        address: &str,
        now: DateTime<Utc>,
    ) -> Result<Player, Error> {
        self.0
            .prepare_cached("INSERT INTO player (name, address, created_at) VALUES (?1, ?2, ?3)")?
            .execute((name, address, seconds(now)))?;
        let id = PlayerId(self.0.last_insert_rowid());
        Ok(Player { id, name: name.to_owned(), address: address.to_owned() })
    }

    /// Gives a player a new address.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn set_address(&self, player: PlayerId, address: &str) -> Result<(), Error> {
        self.0
            .prepare_cached("UPDATE player SET address = ?2 WHERE id = ?1")?
            .execute((player, address))?;
        Ok(())
    }

    /// The player of this name, without regard to case.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn player_named(&self, name: &str) -> Result<Option<Player>, Error> {
        self.one_player("SELECT id, name, address FROM player WHERE name = ?1", [name])
    }

    /// The player with this address, without regard to case.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn player_at(&self, address: &str) -> Result<Option<Player>, Error> {
        self.one_player("SELECT id, name, address FROM player WHERE address = ?1", [address])
    }

    /// The player with this key.
    ///
    /// # Errors
    /// [`Error`] of the database, also when there is none.
    pub fn player(&self, id: PlayerId) -> Result<Player, Error> {
        let sql = "SELECT id, name, address FROM player WHERE id = ?1";
        Ok(self.0.prepare_cached(sql)?.query_row([id], player)?)
    }

    fn one_player(&self, sql: &str, params: impl Params) -> Result<Option<Player>, Error> {
        Ok(self.0.prepare_cached(sql)?.query_row(params, player).optional()?)
    }

    /// All players, by name.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn players(&self) -> Result<Vec<Player>, Error> {
        let mut all =
            self.0.prepare_cached("SELECT id, name, address FROM player ORDER BY name")?;
        Ok(all.query_map([], player)?.collect::<Result<_, _>>()?)
    }
}
