//! Connections to the file, and its write-ahead log.

use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::Error;

/// How long SQLite waits for another program that writes; those of this program queue before that.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// A commit that makes the write-ahead log longer than this empties it: a hundred pages with their headers.
/// Each process that opens the database alone reads the whole log.
pub(super) const MAX_LOG: u64 = 100 * (4096 + 24);
/// Litestream empties the log of a database with a replica, unless the log is longer than this.
pub const MAX_REPLICATED_LOG: u64 = 64_000_000;
/// The pause between two tries to get a lock that SQLite itself does not wait for.
pub(super) const PAUSE: Duration = Duration::from_millis(10);

/// Opens an existing file.
pub(super) fn connect(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // A name such as `:memory:` has a meaning of its own for SQLite, but not behind a folder.
    let file = Path::new(".").join(path);
    Connection::open_with_flags(file, flags)
        .and_then(|connection| configure(&connection).map(|()| connection))
        .map_err(|error| Error::opening(path, error))
}

/// Sets how the connection waits, checks and syncs.
pub(super) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(LOCK_TIMEOUT)?;
    // Otherwise SQLite prepares a statement again for the values of its parameters.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A checkpoint by every process that closes the file would cost it three syncs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // SQLite's own checkpoints neither ask for a replica nor shorten the file. A process that opens the
    // database alone does not know that its log was checkpointed, and appends to it.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The address of a player who has left must not stay in free pages.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Returns whether there is a write-ahead log and it is empty.
pub(super) fn is_log_empty(database: &Path) -> bool {
    log_of(database).metadata().is_ok_and(|log| log.len() == 0)
}

/// Returns the file of the write-ahead log.
pub(super) fn log_of(database: &Path) -> PathBuf {
    beside(database, "-wal")
}

/// Returns the file of the index of the write-ahead log.
pub(super) fn index_of(database: &Path) -> PathBuf {
    beside(database, "-shm")
}

/// Returns the file whose lock the writers queue for.
pub(super) fn lock_of(database: &Path) -> PathBuf {
    beside(database, "-lock")
}

/// Returns the file whose locked bytes are the leases of processes.
pub(super) fn claims_of(database: &Path) -> PathBuf {
    beside(database, "-claims")
}

/// Returns the file with the names of the folder of a handover that is not finished yet.
pub(super) fn handover_of(database: &Path) -> PathBuf {
    beside(database, "-handover")
}

/// Returns the log or its index if it lies there without the database. SQLite would apply it to a new one.
pub(super) fn stray_log(database: &Path) -> Option<PathBuf> {
    let found = [log_of(database), index_of(database)].into_iter().find(|file| file.exists())?;
    // This is asked last, because another process may have created the database, and then its log.
    let is_missing = match database.metadata() {
        Ok(file) => file.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    is_missing.then_some(found)
}

/// Refuses to create a database where the log of another one lies.
pub(super) fn refuse_stray_log(database: &Path) -> Result<(), Error> {
    match stray_log(database) {
        Some(log) => Err(Error::StrayLog { path: database.to_owned(), log }),
        None => Ok(()),
    }
}

/// Returns the files that may lie beside a database and belong to it.
pub fn files_beside(database: &Path) -> [PathBuf; 4] {
    [log_of(database), index_of(database), lock_of(database), claims_of(database)]
}

/// Opens a file that is only locked, or creates it for the owner of the database.
pub(super) fn open_beside(database: &Path, path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    if let Ok(file) = options.open(path) {
        return Some(file);
    }
    let owner = database.metadata().ok()?;
    let file = options.create(true).mode(0o600).open(path).ok()?;
    let _ = file.set_permissions(Permissions::from_mode(owner.mode() & 0o777));
    let _ = fchown(&file, Some(owner.uid()), Some(owner.gid()));
    Some(file)
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut file = database.as_os_str().to_owned();
    file.push(ending);
    file.into()
}
