//! The queue of writers: a lock on a file beside the database. SQLite itself polls for its own lock, in
//! no order, so under load some processes would not get it in time. The end of a process ends its turn.
//!
//! The file also says how the last checkpoint left the write-ahead log.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::Error;
use super::connection::{is_log_empty, lock_of, log_of};
use crate::files;

/// How long to wait for the writers that came before.
pub(super) const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);
/// More than the length of the mark.
const MAX_MARK_BYTES: u64 = 200;

/// The turn of a writer, which ends when it is dropped. Without a file there is no queue: where it
/// cannot be created or locked, SQLite's lock must do.
pub(super) struct Turn(Option<File>);

impl Turn {
    /// Waits until all writers that came before have written.
    ///
    /// # Errors
    /// [`Error::Locked`] after this time.
    pub(super) fn wait(database: &Path, timeout: Duration) -> Result<Self, Error> {
        let Some(file) = open(database) else { return Ok(Self(None)) };
        match file.try_lock() {
            Ok(()) => return Ok(Self(Some(file))),
            Err(TryLockError::Error(_)) => return Ok(Self(None)),
            Err(TryLockError::WouldBlock) if timeout.is_zero() => return Err(Error::Locked),
            Err(TryLockError::WouldBlock) => {}
        }
        // The system's queue has no time limit. A turn that comes too late ends with its file.
        let (sender, turn) = mpsc::sync_channel(1);
        let wait = move || drop(sender.send(file.lock().ok().map(|()| file)));
        if thread::Builder::new().spawn(wait).is_err() {
            return Ok(Self(None));
        }
        match turn.recv_timeout(timeout) {
            Ok(file) => Ok(Self(file)),
            Err(RecvTimeoutError::Timeout) => Err(Error::Locked),
            Err(RecvTimeoutError::Disconnected) => Ok(Self(None)),
        }
    }

    /// Syncs the names of the database and its write-ahead log to disk, if the log is empty and no
    /// checkpoint has emptied it. Each transaction calls this before it writes. So both names are on
    /// disk before the log has contents, even if the processes that created the files were killed.
    pub(super) fn sync_new_names(&self, database: &Path) {
        if !is_log_empty(database) || self.0.as_ref().is_some_and(|file| is_marked(file, database))
        {
            return;
        }
        // If this fails, so does the commit.
        if let (Ok(()), Some(file)) = (files::sync_above(database), &self.0) {
            mark(file, database);
        }
    }
}

/// Does a checkpoint. If it empties a log whose name is on disk, marks the log: the next writer need not
/// sync the name again.
pub(super) fn marking<T>(database: &Path, checkpoint: impl FnOnce() -> T) -> T {
    let file = open(database);
    let file = file.filter(|file| !is_log_empty(database) || is_marked(file, database));
    let done = checkpoint();
    if let Some(file) = file.filter(|_| is_log_empty(database)) {
        mark(&file, database);
    }
    done
}

/// Opens the file of the queue, or creates it for the owner of the database.
fn open(database: &Path) -> Option<File> {
    let path = lock_of(database);
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    if let Ok(file) = options.open(&path) {
        return Some(file);
    }
    let owner = database.metadata().ok()?;
    let file = options.create(true).mode(0o600).open(path).ok()?;
    let _ = file.set_permissions(Permissions::from_mode(owner.mode() & 0o777));
    let _ = fchown(&file, Some(owner.uid()), Some(owner.gid()));
    Some(file)
}

/// Returns a text that no other database or log has at this path, and that every change of the log
/// changes.
fn state(database: &Path) -> Option<String> {
    let (log, database) = (log_of(database).metadata().ok()?, database.metadata().ok()?);
    let changed = format!("{}.{:09}", log.mtime(), log.mtime_nsec());
    Some(format!("{} {} {changed}\n", database.ino(), log.ino()))
}

/// Returns whether the log is as it was when it was marked.
fn is_marked(mut file: &File, database: &Path) -> bool {
    let mut mark = String::new();
    file.rewind().is_ok()
        && file.take(MAX_MARK_BYTES).read_to_string(&mut mark).is_ok()
        && state(database).is_some_and(|state| state == mark)
}

/// Marks the log. If this fails, the next writer syncs its name again.
fn mark(mut file: &File, database: &Path) {
    if let Some(state) = state(database)
        && file.set_len(0).is_ok()
        && file.rewind().is_ok()
    {
        let _ = file.write_all(state.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_waits_for_its_turn_within_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("outflank.db");
        std::fs::write(&database, "").unwrap();
        let wait = |millis| Turn::wait(&database, Duration::from_millis(millis));
        let first = wait(0).unwrap();
        for millis in [0, 10] {
            assert!(matches!(wait(millis), Err(Error::Locked)));
        }
        drop(first);
        // The turns that came too late have ended.
        drop(wait(10_000).unwrap());
        let second = wait(10_000).unwrap();
        std::thread::scope(|scope| {
            let third = scope.spawn(|| wait(10_000).is_ok());
            drop(second);
            assert!(third.join().unwrap());
        });
    }
}
