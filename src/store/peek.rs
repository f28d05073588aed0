use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::connection::{index_of, log_of};
use super::{Db, Error, migrate, transaction};

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
        let has_log = log_of(path).metadata().is_ok_and(|log| log.len() > 0);
        if has_log && !index_of(path).exists() {
            // SQLite would create the index.
            return Err(Error::unopenable(path));
        }
        // Without a log, all is in the file. SQLite would create an empty log.
        let how = if has_log { "readonly_shm=1" } else { "immutable=1" };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(uri(path, how), flags)?;
            connection.busy_timeout(LOCK_TIMEOUT)?;
            Ok(connection)
        };
        let connection = open().map_err(|error| Error::opening(path, error))?;
        match migrate::is_newest(&connection, path)? {
            true => Ok(Self(connection)),
            false => Err(Error::unopenable(path)),
        }
    }

    /// Reads in one transaction.
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn read<T, E: From<Error>>(&self, work: impl FnOnce(&Db) -> Result<T, E>) -> Result<T, E> {
        transaction::read(&self.0, work)
    }
}

/// Returns the URI of a file with one parameter. All that could have a meaning in a URI is escaped.
fn uri(path: &Path, parameter: &str) -> OsString {
    let mut uri = String::from("file:");
    if path.is_relative() {
        uri.push_str("./");
    }
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            // Writing to a string cannot fail.
            byte => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri.push('?');
    uri.push_str(parameter);
    uri.into()
}
