//! Connections that only read: they create, change and migrate nothing.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::Error;
use super::connection::{index_of, is_log_empty, log_of};

/// Opens an existing file, and waits up to this time for locks. No file is created beside it, unless a
/// process that was killed has left a log without its index. Returns also whether no process uses the
/// database: when one begins to, what is read may be wrong.
pub(super) fn connect(path: &Path, lock_timeout: Duration) -> Result<(Connection, bool), Error> {
    open(path, "mode=ro", lock_timeout)
}

/// Opens an existing file that another program may be changing as a whole, as Litestream changes a replica
/// that it follows. It waits for the connection to end, since that holds SQLite's lock for readers. A file
/// whose folder cannot be written does not change.
pub(super) fn follow(path: &Path, lock_timeout: Duration) -> Result<Connection, Error> {
    match open_as(path, "mode=ro", lock_timeout)
        .and_then(|it| it.query_row("SELECT 1 FROM sqlite_schema", [], |_| Ok(())).map(|()| it))
    {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            Ok(open(path, "mode=ro", lock_timeout)?.0)
        }
        opened => opened.map_err(|error| Error::opening(path, error)),
    }
}

/// Opens an existing file for a short look: not even the index of its log is changed, where readers mark
/// what they read. A long look may see two states of the database.
///
/// # Errors
/// [`Error`] also if SQLite would have to create the index.
pub(super) fn peek(path: &Path, lock_timeout: Duration) -> Result<Connection, Error> {
    if !path.is_file() || !is_complete(path) && !index_of(path).exists() {
        return Err(Error::unopenable(path));
    }
    Ok(open(path, "readonly_shm=1", lock_timeout)?.0)
}

/// Opens a file: in this way if it has a log, and otherwise as one that no process uses, which it returns.
fn open(path: &Path, with_log: &str, lock_timeout: Duration) -> Result<(Connection, bool), Error> {
    let is_unused = is_complete(path);
    // SQLite would create a log and its index where there are none.
    let how = if is_unused { "immutable=1" } else { with_log };
    open_as(path, how, lock_timeout)
        .map(|it| (it, is_unused))
        .map_err(|error| Error::opening(path, error))
}

/// Opens a file with this parameter of its URI.
fn open_as(path: &Path, how: &str, lock_timeout: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri(path, how), flags)?;
    connection.busy_timeout(lock_timeout)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Returns whether the file holds the whole database, and no process uses it.
pub(super) fn is_complete(path: &Path) -> bool {
    !log_of(path).exists() || is_log_empty(path) && !index_of(path).exists()
}

/// Returns the URI of a file with one parameter. All that could have a meaning in a URI is escaped.
fn uri(path: &Path, parameter: &str) -> String {
    let mut uri = String::from("file:");
    for &byte in Path::new(".").join(path).as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/.-_".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri + "?" + parameter
}
