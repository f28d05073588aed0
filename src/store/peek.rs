//! A look into a database that neither waits long nor changes anything.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::migrate::{MIGRATIONS, check_version};
use super::{Db, Error, read_only, transaction};

/// How long to wait for a lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(200);

/// A database that is only looked into: no file is created, changed or migrated, whoever owns it.
#[derive(Debug)]
pub struct Peek(Connection);

impl Peek {
    /// Opens the database in this file if it has the newest schema.
    ///
    /// # Errors
    /// [`Error`] when the file does not exist, is not a database of this program, or has another
    /// schema, and when it cannot be read without creating a file beside it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let connection = read_only::peek(path, LOCK_TIMEOUT)?;
        check_version(&connection, path, MIGRATIONS)?;
        Ok(Self(connection))
    }

    /// Reads in one transaction.
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn read<T, E: From<Error>>(&self, work: impl FnOnce(&Db) -> Result<T, E>) -> Result<T, E> {
        transaction::read(&self.0, work)
    }
}
