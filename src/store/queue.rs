//! The queue of writers: a lock on a file beside the database. SQLite itself polls for its own lock, in
//! no order, so under load some processes would not get it in time. The end of a process ends its turn.
//!
//! The file also says how the last checkpoint left the write-ahead log.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};

use super::connection::{is_log_empty, lock_of, log_of, open_beside};
use super::{Error, Result};
use crate::files;

/// How long to wait for the writers that came before, while none of them begins its turn.
pub(super) const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait at most.
const MAX_WAIT: Duration = Duration::from_mins(5);
/// How often a writer that waits looks whether a turn has begun.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// More than the length of the mark.
const MAX_MARK_BYTES: u64 = 200;

/// The turn of a writer, which ends when it is dropped. Without a file there is no queue: where it
/// cannot be created or locked, SQLite's lock must do.
pub(super) struct Turn(Option<File>);

impl Turn {
    /// Waits until all writers that came before have written, or for at most this time.
    ///
    /// # Errors
    /// [`Error::Locked`] after this time, or without a limit as [`Wait`] says.
    pub(super) fn wait(database: &Path, limit: Option<Duration>) -> Result<Self> {
        Self::begin(database, limit).inspect(Self::begun)
    }

    fn begin(database: &Path, limit: Option<Duration>) -> Result<Self> {
        let open = || open_beside(database, &lock_of(database));
        let Some(file) = open() else { return Ok(Self(None)) };
        match file.try_lock() {
            Ok(()) => return Ok(Self(Some(file))),
            Err(TryLockError::Error(_)) => return Ok(Self(None)),
            Err(TryLockError::WouldBlock) if limit.is_some_and(|limit| limit.is_zero()) => {
                return Err(Error::Locked);
            }
            Err(TryLockError::WouldBlock) => {}
        }
        let Some(watched) = open() else { return Ok(Self(None)) };
        // The system's queue has no time limit. A turn that comes too late ends with its file.
        let (sender, turn) = mpsc::sync_channel(1);
        let wait = move || drop(sender.send(file.lock().ok().map(|()| file)));
        if thread::Builder::new().spawn(wait).is_err() {
            return Ok(Self(None));
        }
        let mut wait = Wait { limit, waited: Duration::ZERO, moved_at: Duration::ZERO };
        let mut last = last_turn(&watched);
        loop {
            let interval = limit.map_or(LOOK_INTERVAL, |limit| limit - wait.waited);
            let interval = interval.min(LOOK_INTERVAL);
            match turn.recv_timeout(interval) {
                Ok(file) => return Ok(Self(file)),
                Err(RecvTimeoutError::Disconnected) => return Ok(Self(None)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let before = std::mem::replace(&mut last, last_turn(&watched));
            if wait.is_over_after(interval, before != last) {
                return Err(Error::Locked);
            }
        }
    }

    /// Shows those who wait that the queue has moved. Where the time of the file cannot be set, they wait
    /// as if it had not.
    fn begun(&self) {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        if let Self(Some(file)) = self {
            let _ = futimens(file, &Timestamps { last_access: now, last_modification: now });
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

/// Does a checkpoint. Marks a log that it empties if the name of the log is on disk: the next writer
/// need not sync the name again.
pub(super) fn marking<T>(database: &Path, checkpoint: impl FnOnce() -> T) -> T {
    let file = open_beside(database, &lock_of(database));
    let file = file.filter(|file| !is_log_empty(database) || is_marked(file, database));
    let done = checkpoint();
    if let Some(file) = file.filter(|_| is_log_empty(database)) {
        mark(&file, database);
    }
    done
}

/// Returns when the last turn began, as a value that only differs from that of another turn.
fn last_turn(file: &File) -> Option<(i64, i64)> {
    file.metadata().ok().map(|file| (file.mtime(), file.mtime_nsec()))
}

/// When a writer no longer waits for its turn: after its limit, or else when no turn has begun for
/// [`QUEUE_TIMEOUT`] or after [`MAX_WAIT`].
struct Wait {
    limit: Option<Duration>,
    waited: Duration,
    /// How long it had waited when it last saw that a turn has begun.
    moved_at: Duration,
}

impl Wait {
    /// Returns whether it is over after another interval. `has_moved` says whether a turn has begun
    /// meanwhile.
    fn is_over_after(&mut self, interval: Duration, has_moved: bool) -> bool {
        self.waited += interval;
        if has_moved {
            self.moved_at = self.waited;
        }
        match self.limit {
            Some(limit) => self.waited >= limit,
            None => self.waited >= MAX_WAIT || self.waited - self.moved_at >= QUEUE_TIMEOUT,
        }
    }
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
    fn a_wait_ends_only_when_the_queue_stands_still_or_after_five_minutes() {
        let over_at = |limit: Option<u64>, last_move: u64| {
            let (waited, moved_at) = (Duration::ZERO, Duration::ZERO);
            let mut wait = Wait { limit: limit.map(Duration::from_secs), waited, moved_at };
            (1..).find(|&at| wait.is_over_after(LOOK_INTERVAL, at <= last_move))
        };
        assert_eq!(over_at(None, 0), Some(30));
        assert_eq!(over_at(None, 100), Some(130));
        assert_eq!(over_at(None, 10_000), Some(300));
        assert_eq!(over_at(Some(15), 10_000), Some(15), "a page");
    }

    #[test]
    fn those_who_wait_see_that_a_turn_begins() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("outflank.db");
        std::fs::write(&database, "").unwrap();
        drop(Turn::wait(&database, None).unwrap());
        let file = File::options().write(true).open(lock_of(&database)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        let before = last_turn(&file);
        drop(Turn::wait(&database, None).unwrap());
        assert_ne!(last_turn(&file), before);
    }

    #[test]
    fn a_writer_waits_for_its_turn_within_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("outflank.db");
        std::fs::write(&database, "").unwrap();
        let wait = |millis| Turn::wait(&database, Some(Duration::from_millis(millis)));
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
