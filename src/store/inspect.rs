//! Checks of the file and its schema.

use std::path::Path;

use super::{Db, Error, create, transaction};

/// The most faults of the file that a check lists.
const MAX_FAULTS: u32 = 3;

impl Db<'_> {
    /// Returns the first faults that SQLite finds in the pages of the file. There are none in a sound
    /// database.
    pub fn first_faults(&self) -> Result<Vec<String>, Error> {
        self.faults_by(&format!("PRAGMA quick_check({MAX_FAULTS})"))
    }

    /// Returns the faults that SQLite finds by this check. On a connection that only reads, it does not
    /// compare values with the `CHECK`s of the schema.
    pub(super) fn faults_by(&self, pragma: &str) -> Result<Vec<String>, Error> {
        let mut check = self.prepare(pragma)?;
        let found = check.query_map([], |row| row.get::<_, String>(0))?;
        let found = found.collect::<Result<Vec<_>, _>>()?;
        // SQLite puts faults below a line with the name of the database.
        let lines = found.iter().flat_map(|faults| faults.lines());
        let faults = lines.filter(|line| *line != "ok" && !line.starts_with("***"));
        Ok(faults.map(str::to_owned).collect())
    }

    /// Returns the tables, indexes and other parts of the newest schema that are missing, changed or
    /// additional, by name.
    pub fn wrong_parts(&self) -> Result<Vec<String>, Error> {
        let fresh = transaction::read(&create::in_memory(Path::new(""))?, |db| db.parts())?;
        let found = self.parts()?;
        let mut wrong: Vec<_> = found
            .iter()
            .filter(|part| !fresh.contains(part))
            .chain(fresh.iter().filter(|part| !found.contains(part)))
            .map(|(name, _)| name.clone())
            .collect();
        wrong.sort_unstable();
        wrong.dedup();
        Ok(wrong)
    }

    /// Returns the parts of the schema with their definitions. Those of SQLite and Litestream are not
    /// compared. In a migrated database, comments and spaces stand elsewhere, and a renamed table has
    /// quotation marks.
    fn parts(&self) -> Result<Vec<(String, String)>, Error> {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'
             AND name NOT IN ('_litestream_seq', '_litestream_lock')";
        let is_ignored = |it: char| it.is_ascii_whitespace() || it == '"';
        let code = |line: &str| line.split("--").next().unwrap_or_default().replace(is_ignored, "");
        self.all(sql, [], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?.lines().map(code).collect()))
        })
    }
}
