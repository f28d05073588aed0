use std::cell::Cell;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::Connection;

use super::connection::{
    LOCK_TIMEOUT, MAX_LOG, MAX_REPLICATED_LOG, connect, log_of, refuse_stray_log, stray_log,
};
use super::copy::{CopyError, copy, lock_for_copy};
use super::mark::MarkId;
use super::migrate::{MIGRATIONS, check_version, migrate, newest, version};
use super::queue::{QUEUE_TIMEOUT, Turn};
use super::{Db, Error, KeptCopies, Tx, create, dated_copy, queue, read_only, transaction};
use crate::files;

/// How long a short look waits for a lock.
const PEEK_TIMEOUT: Duration = Duration::from_millis(200);

/// A database, open or not created yet.
#[derive(Debug)]
pub struct Store {
    /// While there is no file: an empty database in memory.
    pub(super) connection: Connection,
    path: PathBuf,
    exists: bool,
    /// The device and the inode of the file when it was opened.
    identity: Option<(u64, u64)>,
    /// Whether it was opened only to be read, when no process used it.
    was_unused: bool,
    is_followed: bool,
    has_written: bool,
    /// How long to wait for the writers that came before; `None`: as long as they get on.
    queue_limit: Cell<Option<Duration>>,
}

impl Store {
    /// Opens the database in this file and brings it to the newest schema. A file that does not
    /// exist or is empty is created by the first [`Store::write_or_create`] that succeeds; with
    /// `creates_folder`, its folder is too. Until then the database is empty.
    ///
    /// # Errors
    /// [`Error`] when the file cannot be opened or created, is not a database of this program,
    /// was written by a newer version of it or by one before the first release, or is missing while its log
    /// is there.
    pub fn open(path: &Path, creates_folder: bool) -> Result<Self, Error> {
        let path = link_target(path);
        let exists = match path.metadata() {
            Ok(file) if !file.is_file() => return Err(Error::unopenable(&path)),
            Ok(file) => file.len() > 0,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                !creates_folder && !files::folder_of(&path).is_dir()
            }
            Err(_) => true,
        };
        if exists {
            let connection = connect(&path)?;
            if migrate(&connection, &path, MIGRATIONS)? {
                return Ok(Self {
                    identity: identity(&path),
                    ..Self::new(connection, path, exists)
                });
            }
        }
        refuse_stray_log(&path)?;
        let connection = create::in_memory(&path)?;
        Ok(Self::new(connection, path, false))
    }

    /// Opens an existing database or backup only to read it. Nothing is created, updated or written, and
    /// no log appears beside a backup.
    ///
    /// # Errors
    /// Those of [`Store::inspect`]; also when the file does not exist, is empty, or has an older schema than
    /// this version writes.
    pub fn open_to_read(path: &Path) -> Result<Self, Error> {
        let known = Self::newest_schema();
        match Self::inspect(path)? {
            Some((store, found)) if found == known => Ok(store),
            Some((Self { path, .. }, found)) => Err(Error::Older { path, found, known }),
            None if path.exists() => Err(Error::Foreign(link_target(path))),
            None => Err(Error::Missing(link_target(path))),
        }
    }

    /// Opens a database of any released schema only to read it, and returns it with the version of its
    /// schema; `None` if the file is missing or empty. No file is created beside it, unless a process that
    /// was killed has left a log without its index.
    ///
    /// # Errors
    /// [`Error`] when the file cannot be read, is not a database of this program, was written by a newer
    /// version of it or by one before the first release, or is missing while its log is there.
    pub fn inspect(path: &Path) -> Result<Option<(Self, u32)>, Error> {
        let path = link_target(path);
        match path.metadata() {
            Ok(file) if !file.is_file() => return Err(Error::unopenable(&path)),
            Ok(file) if file.len() > 0 => {}
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {}
            Ok(_) | Err(_) => return refuse_stray_log(&path).map(|()| None),
        }
        let (connection, was_unused) = read_only::connect(&path, LOCK_TIMEOUT)?;
        let schema = version(&connection, &path, MIGRATIONS)?;
        let identity = identity(&path);
        let store = Self { identity, was_unused, ..Self::new(connection, path, true) };
        Ok((schema > 0).then_some((store, schema)))
    }

    /// Opens a database of the newest schema for a short look, which neither waits long for a lock nor
    /// changes a file, whoever owns it.
    ///
    /// # Errors
    /// [`Error`] when the file does not exist, is not a database of this program, or has another
    /// schema, and when it cannot be read without creating a file beside it.
    pub fn peek(path: &Path) -> Result<Self, Error> {
        let connection = read_only::peek(path, PEEK_TIMEOUT)?;
        check_version(&connection, path, MIGRATIONS)?;
        Ok(Self::new(connection, path.to_owned(), true))
    }

    /// Opens a replica that another program may be changing, only to read it for a moment.
    ///
    /// # Errors
    /// [`Error`] when the file does not exist, is not a database of this program, or has another schema.
    pub fn follow(path: &Path) -> Result<Self, Error> {
        let path = link_target(path);
        if !path.is_file() {
            return Err(Error::Missing(path));
        }
        let connection = read_only::follow(&path, LOCK_TIMEOUT)?;
        check_version(&connection, &path, MIGRATIONS)?;
        let identity = identity(&path);
        Ok(Self { identity, is_followed: true, ..Self::new(connection, path, true) })
    }

    /// Returns whether it is a replica that another program may be changing, which must wait while this is open.
    pub const fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// Returns the version of the schema that this program writes.
    pub fn newest_schema() -> u32 {
        newest(MIGRATIONS)
    }

    const fn new(connection: Connection, path: PathBuf, exists: bool) -> Self {
        let queue_limit = Cell::new(None);
        Self {
            connection,
            path,
            exists,
            identity: None,
            was_unused: false,
            is_followed: false,
            has_written: false,
            queue_limit,
        }
    }

    /// Returns whether another process has begun to use the database, which was opened only to be read when
    /// no process used it: what was read may be wrong then, and is to be read again.
    pub fn is_overtaken(&self) -> bool {
        self.was_unused && !read_only::is_complete(&self.path)
    }

    /// Returns the file of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file that was opened has been replaced or removed.
    pub fn is_replaced(&self) -> bool {
        identity(&self.path) != self.identity
    }

    /// Returns the device and the inode of the file that was opened; `None` before it is created.
    pub const fn identity(&self) -> Option<(u64, u64)> {
        self.identity
    }

    /// Opens the file that is now at this path.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn reopened(&self) -> Result<Self, Error> {
        Self::open(&self.path, false)
    }

    /// Returns whether a change or a backup was written through this store.
    pub const fn has_written(&self) -> bool {
        self.has_written
    }

    /// Returns an error when the database has not been created yet.
    ///
    /// # Errors
    /// [`Error::Missing`].
    pub fn must_exist(&self) -> Result<(), Error> {
        if self.exists { Ok(()) } else { Err(Error::Missing(self.path.clone())) }
    }

    /// Reads in one transaction: nothing changes between two reads of one closure.
    ///
    /// A closure that reads cannot write:
    /// ```compile_fail,E0599
    /// # use outflank::store::{Error, Store};
    /// # fn read(store: &Store, now: chrono::DateTime<chrono::Utc>) -> Result<(), Error> {
    /// store.read(|db| db.add_player("alice", "alice@example.org", &[7; 32], now).map(drop))
    /// # }
    /// ```
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn read<T, E: From<Error>>(&self, work: impl FnOnce(&Db) -> Result<T, E>) -> Result<T, E> {
        transaction::read(&self.connection, work)
    }

    /// Reads a database that was opened only to be read: two works read the same state, and that of `beside`
    /// is done in a thread of its own, with a connection of its own. If there can be no thread, it is not
    /// done.
    ///
    /// # Errors
    /// The error of `work`, or else that of `beside`, or [`Error`] of the database.
    pub fn read_beside<T, E: From<Error> + Send>(
        &self,
        beside: impl FnOnce(&Db) -> Result<(), E> + Send,
        work: impl FnOnce(&Db) -> Result<T, E>,
    ) -> Result<T, E> {
        let (other, _) = read_only::connect(&self.path, LOCK_TIMEOUT)?;
        transaction::read_beside(&self.connection, other, beside, work)
    }

    /// Writes in one transaction. All of it is on disk when this returns; after an error, nothing is.
    ///
    /// Transactions are not nested:
    /// ```compile_fail,E0502
    /// # use outflank::store::{Error, Store};
    /// # fn nest(store: &mut Store) -> Result<(), Error> {
    /// store.read(|_| store.write(|_| Ok(())))
    /// # }
    /// ```
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database: [`Error::Missing`] if it has not been created.
    pub fn write<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&Tx) -> Result<T, E>,
    ) -> Result<T, E> {
        let done = self.transact(work)?;
        self.has_written = true;
        Ok(done)
    }

    /// Writes as [`Store::write`] does, but creates the database if there is none.
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn write_or_create<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&Tx) -> Result<T, E>,
    ) -> Result<T, E> {
        let done = if self.exists {
            self.transact(work)?
        } else {
            let (done, connection) = create::create(&self.path, work)?;
            self.connection = connection;
            self.exists = true;
            self.identity = identity(&self.path);
            done
        };
        self.has_written = true;
        Ok(done)
    }

    /// Writes in one transaction without waiting for the disk: a power failure may undo it, but the
    /// end of this process cannot.
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn write_unsynced<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&Tx) -> Result<T, E>,
    ) -> Result<T, E> {
        let synchronous = |level: &str| self.connection.pragma_update(None, "synchronous", level);
        synchronous("NORMAL").map_err(Error::from)?;
        let done = self.transact(work);
        synchronous("FULL").map_err(Error::from)?;
        done
    }

    fn transact<T, E: From<Error>>(&self, work: impl FnOnce(&Tx) -> Result<T, E>) -> Result<T, E> {
        if let Err(missing) = self.must_exist() {
            // What the work itself refuses, such as an unknown game, comes first.
            let refuse = |tx: &Tx| work(tx).and_then(|_| Err(missing.into()));
            return transaction::write(&self.connection, refuse);
        }
        let turn = Turn::wait(&self.path, self.queue_limit.get())?;
        let done = transaction::write(&self.connection, |tx| {
            tx.refuse_moved().inspect_err(|error| {
                if matches!(error, Error::Moved(_)) {
                    self.finish_handover();
                }
            })?;
            turn.sync_new_names(&self.path);
            work(tx)
        })?;
        // The work is done even if this fails. The next commit tries again.
        let _ = self.shorten_log(MAX_LOG);
        Ok(done)
    }

    /// Refuses a damaged database, whose copy could take the place of a sound one. A row that breaks a
    /// `CHECK` of the schema does no harm to a copy.
    pub(super) fn must_be_sound(&self) -> Result<(), Error> {
        self.connection.pragma_update(None, "ignore_check_constraints", true)?;
        let faults = self.read(|db| db.first_faults());
        self.connection.pragma_update(None, "ignore_check_constraints", false)?;
        faults?.into_iter().next().map_or(Ok(()), |fault| Err(Error::Damaged(fault)))
    }

    /// Begins another mark of the installation: mails of this database that are made from now on have it, and
    /// the backup lacks it. A database that cannot be written now is copied without that.
    fn begin_mark(&mut self, mark: &str, now: DateTime<Utc>) -> Result<Option<MarkId>, Error> {
        match self.write(|tx| tx.begin_mark(mark, now)) {
            Err(Error::Locked | Error::ReadOnly | Error::DiskFull | Error::Moved(_)) => Ok(None),
            other => other,
        }
    }

    /// Writes a copy of the database, which may be in use, to a new file. The file gets its name
    /// when it is complete. `mark` is the next one of this installation.
    ///
    /// # Errors
    /// [`Error`] when the file exists or cannot be written, or the database is damaged.
    pub fn backup(&mut self, target: &Path, mark: &str, now: DateTime<Utc>) -> Result<(), Error> {
        self.must_exist()?;
        let failed = |reason: String| Error::Backup { path: target.to_owned(), reason };
        if !files::folder_of(target).is_dir() {
            return Err(failed("its folder does not exist".to_owned()));
        }
        if let Some(log) = stray_log(target) {
            let log = log.display();
            return Err(failed(format!(
                "{log} lies there, the log of another database; move it away"
            )));
        }
        self.copy(target, mark, now, |from, next_mark| {
            let _lock = lock_for_copy(files::folder_of(target));
            copy(from, target, next_mark)
        })
    }

    /// Makes a copy of a sound database, in which the next mark begins.
    fn copy<T>(
        &mut self,
        target: &Path,
        mark: &str,
        now: DateTime<Utc>,
        copy: impl FnOnce(&Connection, Option<MarkId>) -> Result<T, CopyError>,
    ) -> Result<T, Error> {
        self.must_be_sound()?;
        let next_mark = self.begin_mark(mark, now)?;
        let copied = copy(&self.connection, next_mark).map_err(|error| error.at(target))?;
        self.has_written = true;
        Ok(copied)
    }

    /// Writes a copy of the database, which may be in use, into a folder. Its name is that of the database
    /// and this time. Once it is complete and on disk, removes the copies with such names but the newest
    /// `most`. `mark` is the next one of this installation.
    ///
    /// # Errors
    /// [`Error`] when the copy cannot be written, or the database is damaged.
    pub fn keep_copies(
        &mut self,
        folder: &Path,
        most: usize,
        mark: &str,
        now: DateTime<Utc>,
    ) -> Result<KeptCopies, Error> {
        self.must_exist()?;
        let failed = |reason: String| Error::Backup { path: folder.to_owned(), reason };
        match folder.metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Error::BackupNotInFolder(folder.to_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::BackupFolderMissing(folder.to_owned()));
            }
            Err(error) => return Err(failed(error.to_string())),
        }
        let database = self.path.clone();
        self.copy(folder, mark, now, |from, next_mark| {
            dated_copy::keep(from, &database, folder, most, next_mark, now)
        })
    }

    /// Returns a number that changes when another connection has changed the database.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn data_version(&self) -> Result<i64, Error> {
        if self.is_followed {
            // The file is written directly, and each connection is a new one.
            let file = self.path.metadata().map_err(|_| Error::unopenable(&self.path))?;
            return Ok(file.mtime().wrapping_mul(1_000_000_000).wrapping_add(file.mtime_nsec()));
        }
        Ok(self.connection.pragma_query_value(None, "data_version", |row| row.get(0))?)
    }

    /// Limits how long to wait for other processes that write.
    pub fn limit_waiting(&self, limit: Duration) {
        self.wait_for(Some(limit), limit);
    }

    /// From now on, waits for other processes that write as long as they get on, and longer than at first
    /// for other programs.
    pub fn wait_patiently(&self) {
        self.wait_for(None, QUEUE_TIMEOUT);
    }

    fn wait_for(&self, queue: Option<Duration>, lock: Duration) {
        self.queue_limit.set(queue);
        // It cannot fail: SQLite only stores the number.
        let _ = self.connection.busy_timeout(lock);
    }

    /// Moves committed changes from the write-ahead log into the database file and empties the
    /// log, unless another process is using it. This is left to Litestream if the database has a replica, as
    /// long as the log is not too long.
    ///
    /// # Errors
    /// [`Error`] when the disk refuses it.
    pub fn checkpoint(&self) -> Result<(), Error> {
        self.shorten_log(0)
    }

    /// Returns the length of the write-ahead log in bytes; 0 if there is none.
    pub fn log_length(&self) -> u64 {
        log_of(&self.path).metadata().map_or(0, |log| log.len())
    }

    /// Does a [`Store::checkpoint`] if the log is longer than this, in bytes.
    fn shorten_log(&self, max: u64) -> Result<(), Error> {
        let length = self.log_length();
        if length <= max || length <= MAX_REPLICATED_LOG && self.read(|db| db.replica())?.is_some()
        {
            return Ok(());
        }
        let before = self.connection.pragma_query_value(None, "busy_timeout", |row| row.get(0))?;
        self.connection.busy_timeout(Duration::ZERO)?;
        let checkpoint = || self.connection.pragma_update(None, "wal_checkpoint", "TRUNCATE");
        let done = queue::marking(&self.path, checkpoint);
        self.connection.busy_timeout(Duration::from_millis(before))?;
        match done.map_err(Error::from) {
            Err(Error::Locked) => Ok(()),
            other => other,
        }
    }
}

/// Follows symbolic links, even to a file that does not exist.
fn link_target(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let follow = |path: PathBuf| match path.read_link() {
        Ok(target) => ControlFlow::Continue(files::folder_of(&path).join(target)),
        Err(_) => ControlFlow::Break(path),
    };
    match (0..MAX_LINKS).try_fold(path.to_owned(), |path, _| follow(path)) {
        ControlFlow::Continue(path) | ControlFlow::Break(path) => path,
    }
}

/// Returns the device and the inode of a file.
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}
