//! The keys of other clubs, by which their games are known.

use super::{Db, Result, Tx, only};

impl Tx<'_> {
    /// Stores that a club of this name has this public key.
    pub fn set_club_key(&self, key: &[u8; 32], club: &str) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO club_key (key, club) VALUES (?1, ?2)";
        self.run(sql, (key, club))
    }

    /// Deletes the public key of a club.
    pub fn delete_club_key(&self, key: &[u8; 32]) -> Result<()> {
        self.run("DELETE FROM club_key WHERE key = ?1", [key])
    }
}

impl Db<'_> {
    /// Returns the name of the club with this public key; `None` if the key is unknown.
    pub fn club_with_key(&self, key: &[u8; 32]) -> Result<Option<String>> {
        self.first("SELECT club FROM club_key WHERE key = ?1", [key], only)
    }
}
