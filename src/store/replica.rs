//! The replica of the database, which Litestream makes.

use std::path::{Path, PathBuf};

use super::{Db, Result, Tx, only};

impl Tx<'_> {
    /// Stores that Litestream, with these settings, makes a replica of the database, or that none is made.
    pub fn set_replica(&self, settings: Option<&Path>) -> Result<()> {
        self.run("DELETE FROM replica", [])?;
        let settings = settings.map(Path::to_string_lossy);
        let sql = "INSERT INTO replica (id, settings) SELECT 1, ?1 WHERE ?1 IS NOT NULL";
        self.run(sql, [settings])
    }
}

impl Db<'_> {
    /// Returns the path of Litestream's settings; `None` if no replica is made.
    pub fn replica(&self) -> Result<Option<PathBuf>> {
        let settings =
            self.first("SELECT settings FROM replica WHERE id = 1", [], only::<String>)?;
        Ok(settings.map(PathBuf::from))
    }
}
