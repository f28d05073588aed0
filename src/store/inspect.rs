//! Reads a database without creating, migrating or writing it, for checks.

use std::path::Path;

use rusqlite::Connection;

use super::connection::{LOCK_TIMEOUT, refuse_stray_log};
use super::migrate::{MIGRATIONS, newest, version};
use super::{Db, Error, create, read_only, transaction};

/// A database that was opened to be read only.
#[derive(Debug)]
pub struct Inspection {
    connection: Connection,
    schema: u32,
    /// Whether no process used the database when it was opened.
    was_unused: bool,
}

/// The most faults of the file that a check lists.
const MAX_FAULTS: u32 = 3;

impl Inspection {
    /// Opens the database in this file; `None` if the file is missing or empty. No file is created beside
    /// it, unless a process that was killed has left a log without its index.
    ///
    /// # Errors
    /// [`Error`] when the file cannot be opened, is not a database of this program, was written by a
    /// newer version of it or by one before the first release, or is missing while its log is there.
    pub fn open(path: &Path) -> Result<Option<Self>, Error> {
        match path.metadata() {
            Ok(file) if !file.is_file() => return Err(Error::unopenable(path)),
            Ok(file) if file.len() > 0 => {}
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {}
            Ok(_) | Err(_) => return refuse_stray_log(path).map(|()| None),
        }
        let (connection, was_unused) = read_only::connect(path, LOCK_TIMEOUT)?;
        let schema = version(&connection, path, MIGRATIONS)?;
        Ok((schema > 0).then_some(Self { connection, schema, was_unused }))
    }

    /// Returns whether a process has begun to use the database, which was opened as one that nobody
    /// uses: what was read may be wrong then, and is to be read again.
    pub fn is_overtaken(&self, path: &Path) -> bool {
        self.was_unused && !read_only::is_complete(path)
    }

    /// Returns the version of its schema, which an older version of this program may have written.
    pub const fn schema(&self) -> u32 {
        self.schema
    }

    /// Returns the version of the schema that this program writes.
    pub fn newest_schema() -> u32 {
        newest(MIGRATIONS)
    }

    /// Reads in one transaction.
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn read<T, E: From<Error>>(&self, work: impl FnOnce(&Db) -> Result<T, E>) -> Result<T, E> {
        transaction::read(&self.connection, work)
    }
}

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

    /// Returns the parts of the schema with their definitions. SQLite's own are not compared.
    fn parts(&self) -> Result<Vec<(String, Option<String>)>, Error> {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'";
        self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
