//! The replica of the database, which Litestream makes.

use std::path::{Path, PathBuf};

use super::connection::{MAX_REPLICATED_LOG, MAX_WAL_PAGES, log_of};
use super::{Db, Error, Result, Store, Tx, only};

impl Tx<'_> {
    /// Stores that Litestream, with these settings, makes a replica of the database, or that none is made.
    pub fn set_replica(&self, settings: Option<&Path>) -> Result<()> {
        self.execute("DELETE FROM replica", [])?;
        if let Some(settings) = settings {
            let sql = "INSERT INTO replica (id, settings) VALUES (1, ?1)";
            self.execute(sql, [settings.to_string_lossy()])?;
        }
        self.leave_checkpoints(settings.is_some())
    }
}

impl Db<'_> {
    /// Returns the path of Litestream's settings; `None` if no replica is made.
    pub fn replica(&self) -> Result<Option<PathBuf>> {
        let settings =
            self.first("SELECT settings FROM replica WHERE id = 1", [], only::<String>)?;
        Ok(settings.map(PathBuf::from))
    }

    /// Leaves the checkpoints after a commit to Litestream, or does them. A checkpoint that meets Litestream's
    /// reader cannot empty the log, and what it empties Litestream must copy as a whole.
    pub(super) fn leave_checkpoints(&self, is_replicated: bool) -> Result<()> {
        let pages = if is_replicated { 0 } else { MAX_WAL_PAGES };
        Ok(self.connection.pragma_update(None, "wal_autocheckpoint", pages)?)
    }
}

impl Store {
    /// Returns whether checkpoints are left to Litestream now. If its log is longer than it ever is while
    /// Litestream runs, they are not.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn leaves_checkpoints(&self) -> Result<bool, Error> {
        Ok(self.log_bytes() <= MAX_REPLICATED_LOG && self.read(|db| db.replica())?.is_some())
    }

    /// Returns the length of the write-ahead log in bytes; 0 if there is none.
    pub fn log_bytes(&self) -> u64 {
        log_of(self.path()).metadata().map_or(0, |log| log.len())
    }
}
