//! Creates the database: the first transaction runs in memory, and what it wrote becomes a file
//! at once. So a refused command leaves nothing behind, nobody sees half of a database, and no
//! file disappears that another process is about to use. A lock on the folder makes processes
//! wait for each other.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;

use rusqlite::Connection;

use super::backup::{CopyError, copy};
use super::{Error, PATIENCE, PAUSE, Tx, connect, migrate, prepare, transact};
use crate::files;

/// Returns an empty database in memory.
pub(super) fn in_memory(path: &Path) -> Result<Connection, Error> {
    let connection = Connection::open_in_memory()?;
    prepare(&connection)?;
    migrate::apply(&connection, path)?;
    Ok(connection)
}

/// Does the work in a transaction on the database, which is created if need be.
pub(super) fn create<T, E: From<Error>>(
    path: &Path,
    creates_folder: bool,
    work: impl FnOnce(&Tx) -> Result<T, E>,
) -> Result<(T, Connection), E> {
    let mut folders = Vec::new();
    let locked = lock(path, creates_folder, &mut folders);
    let create = || {
        let (done, connection) = if path.exists() {
            // It is empty, or another process has just created it.
            let connection = connect(path)?;
            let migrate_and_work = |tx: &Tx| {
                migrate::apply(&connection, path)?;
                work(tx)
            };
            (transact(&connection, migrate_and_work)?, connection)
        } else {
            let connection = in_memory(path)?;
            let done = transact(&connection, work)?;
            publish(&connection, path)?;
            (done, connect(path)?)
        };
        // If another process or a full disk is in the way, the next one to open the file does it.
        let _ = migrate::use_write_ahead_log(&connection);
        Ok((done, connection))
    };
    let created = locked.as_ref().map_or_else(|_| Err(Error::Locked.into()), |_| create());
    if created.is_err() {
        // Under the lock, so that no process takes a folder for its own that is about to go.
        remove(folders, path);
    }
    drop(locked);
    created
}

/// Writes the database to a new file.
fn publish(connection: &Connection, path: &Path) -> Result<(), Error> {
    match copy(connection, path) {
        Ok(true) => Ok(()),
        // Somebody created it without the lock.
        Ok(false) => Err(Error::Locked),
        Err(CopyError::Sqlite(error)) => Err(Error::opening(path, error)),
        Err(CopyError::Io(error)) => Err(match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::DiskFull,
            _ => Error::unopenable(path),
        }),
    }
}

/// Locks the folder of the database against other processes that create one there. With
/// `creates`, creates it and those above it, and notes these, innermost first. Returns `None`
/// where folders cannot be locked.
fn lock(path: &Path, creates: bool, created: &mut Vec<PathBuf>) -> Result<Option<File>, Error> {
    let folder = files::folder_of(path);
    for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
        if creates {
            created.extend(create_folders(folder));
        }
        let opened = File::open(folder);
        match opened.as_ref().map(File::try_lock) {
            Ok(Err(TryLockError::WouldBlock)) => thread::sleep(PAUSE),
            Ok(Ok(())) => {
                // Another process may have removed it before it released the lock.
                let id = |folder: Metadata| (folder.dev(), folder.ino());
                let locked = opened.as_ref().ok().and_then(|folder| folder.metadata().ok());
                if locked.map(id) == folder.metadata().ok().map(id) {
                    return Ok(opened.ok());
                }
            }
            // Removed just now.
            Err(error) if creates && error.kind() == ErrorKind::NotFound => {}
            Err(_) | Ok(Err(TryLockError::Error(_))) => return Ok(None),
        }
    }
    Err(Error::Locked)
}

/// Creates a folder and those above it, and returns the created ones, innermost first. A folder
/// that cannot be created is reported when the file cannot be.
fn create_folders(folder: &Path) -> Vec<PathBuf> {
    let missing: Vec<_> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    let created = missing.into_iter().rev().filter(|folder| fs::create_dir(folder).is_ok());
    let mut created: Vec<_> = created.map(Path::to_owned).collect();
    created.reverse();
    created
}

/// Removes created folders. Another process may be using them for as long as it takes to be
/// refused too.
fn remove(mut folders: Vec<PathBuf>, database: &Path) {
    for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
        folders.retain(|folder| fs::remove_dir(folder).is_err() && folder.exists());
        if folders.is_empty() || database.exists() {
            return;
        }
        thread::sleep(PAUSE);
    }
}
