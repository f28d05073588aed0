//! Creates the database: the first transaction runs in memory, and its result becomes a file at once,
//! together with the missing folders. So a refused command leaves nothing behind, no process sees half
//! of a database, and a lock makes processes wait for each other.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{PAUSE, configure, connect, refuse_stray_log};
use super::copy::{CopyError, copy};
use super::migrate::{self, MIGRATIONS};
use super::{Error, Result, Tx, transaction};
use crate::files::{or_current, sync, sync_above};

/// How long to wait for other processes that create the same database, each in its turn.
const CREATION_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns an empty database in memory.
pub(super) fn in_memory(path: &Path) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    configure(&connection)?;
    migrate::apply(&connection, path, MIGRATIONS)?;
    Ok(connection)
}

/// Does the work in a transaction on the database, which is created if need be.
pub(super) fn create<T, E: From<Error>>(
    path: &Path,
    work: impl FnOnce(&Tx) -> Result<T, E>,
) -> Result<(T, Connection), E> {
    let (existing, _lock) = lock(path)?;
    refuse_stray_log(path)?;
    let (done, connection) = if path.exists() {
        // The file is empty, or another process has just created it.
        let connection = connect(path)?;
        let migrate_and_work = |tx: &Tx| {
            migrate::apply(&connection, path, MIGRATIONS)?;
            let done = work(tx)?;
            // The process that created the file may have been killed. Before the commit, the name of
            // SQLite's journal must be on disk, too.
            sync_above(path).map_err(|error| io_error(path, &error))?;
            Ok::<_, E>(done)
        };
        (transaction::write(&connection, migrate_and_work)?, connection)
    } else {
        let connection = in_memory(path)?;
        let done = transaction::write(&connection, work)?;
        publish(&connection, path, existing)?;
        (done, connect(path)?)
    };
    // If this fails, the next process that opens the file does it.
    let _ = migrate::use_write_ahead_log(&connection);
    Ok((done, connection))
}

/// Locks the innermost existing folder above the database against other processes that create
/// it, and returns that folder. The lock is `None` where folders cannot be locked.
fn lock(path: &Path) -> Result<(&Path, Option<File>)> {
    let innermost = || path.ancestors().skip(1).find(|folder| or_current(folder).is_dir());
    for _ in 0..CREATION_TIMEOUT.as_millis() / PAUSE.as_millis() {
        let Some(folder) = innermost() else { break };
        let opened = File::open(or_current(folder));
        match opened.as_ref().map(File::try_lock) {
            Ok(Err(TryLockError::WouldBlock)) => thread::sleep(PAUSE),
            // Another process may have created folders before it released the lock.
            Ok(Ok(())) if innermost() != Some(folder) => {}
            Ok(Ok(())) => return Ok((folder, opened.ok())),
            Err(_) | Ok(Err(TryLockError::Error(_))) => return Ok((folder, None)),
        }
    }
    Err(Error::Locked)
}

/// Writes the database to a new file. The folders between it and the existing one appear with it.
fn publish(connection: &Connection, path: &Path, existing: &Path) -> Result<()> {
    let published = || -> Result<(), CopyError> {
        let missing = path.parent().and_then(|folder| folder.strip_prefix(existing).ok());
        let mut names = missing.unwrap_or(Path::new("")).components();
        let (Some(first), Some(file)) = (names.next(), path.file_name()) else {
            return copy(connection, path, None);
        };
        let draft =
            tempfile::Builder::new().prefix(".outflank-").tempdir_in(or_current(existing))?;
        let folder = draft.path().join(names.as_path());
        fs::create_dir_all(&folder)?;
        copy(connection, &folder.join(file), None)?;
        for folder in folder.ancestors().take_while(|folder| folder.starts_with(draft.path())) {
            sync(folder)?;
        }
        fs::rename(draft.path(), existing.join(first))?;
        let _ = draft.keep();
        Ok(())
    };
    published().and_then(|()| Ok(sync_above(path)?)).map_err(|error| match error {
        // Another process created it without the lock.
        CopyError::Exists => Error::Locked,
        CopyError::Sqlite(error) => Error::opening(path, error),
        CopyError::Io(error) => io_error(path, &error),
    })
}

fn io_error(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::DiskFull,
        ErrorKind::DirectoryNotEmpty => Error::Locked,
        _ => Error::unopenable(path),
    }
}
