//! New addresses that players ask for.

use chrono::{DateTime, Utc};

use super::{Db, Result, Tx, only, seconds};
use outflank_model::{HeldId, PlayerId};

impl Tx<'_> {
    /// Counts a request for a new address. Returns how many the player made after `since`, with this
    /// one; earlier ones are forgotten.
    pub fn count_address_request(
        &self,
        player: PlayerId,
        since: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<u32> {
        let old = "DELETE FROM address_request WHERE player = ?1 AND asked_at <= ?2";
        self.execute(old, (player.0, seconds(since)))?;
        let insert = "INSERT INTO address_request (player, asked_at) VALUES (?1, ?2)";
        self.execute(insert, (player.0, seconds(now)))?;
        self.one("SELECT count(*) FROM address_request WHERE player = ?1", [player.0], only)
    }

    /// Holds a new address of a player under this mark until it is confirmed from there.
    pub fn hold_new_address(
        &self,
        player: PlayerId,
        address: &str,
        mark: &str,
        now: DateTime<Utc>,
    ) -> Result<HeldId> {
        let sql = "INSERT INTO held (player, address, mark, created_at, is_new_address)
             VALUES (?1, ?2, ?3, ?4, 1)";
        let id = self.insert(sql, (player.0, address, mark, seconds(now)))?;
        Ok(HeldId(id))
    }

    /// Lets the new addresses of a player wait no longer, nor the questions at an earlier address whether
    /// the player asks for one or leaves.
    pub fn drop_new_addresses(&self, player: PlayerId) -> Result<()> {
        let sql = "UPDATE held SET done_at = created_at WHERE player = ?1 AND done_at IS NULL AND (
                is_new_address = 1 OR EXISTS (SELECT 1 FROM held_command
                    WHERE held = held.id AND kind IN ('address', 'leave')))";
        self.run(sql, [player.0])
    }
}

impl Db<'_> {
    /// Returns how many new addresses of a player were held after a time.
    pub fn new_addresses_since(&self, player: PlayerId, time: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT count(*) FROM held
             WHERE player = ?1 AND is_new_address = 1 AND created_at > ?2";
        self.one(sql, (player.0, seconds(time)), only)
    }
}
