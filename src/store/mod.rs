//! The database: the only module that knows SQLite. A file per table; rows become domain types
//! here and nowhere else.
//!
//! [`Store::read`] gives a [`Db`], which can only read; [`Store::write`] gives a [`Tx`], which can
//! write too. All that one closure reads belongs together, and all that it writes is on disk when
//! [`Store::write`] returns, or none of it is. Every method of the two fails with [`Error`] when
//! the database does.

mod absence;
mod analysis;
mod backup;
mod clock;
mod comment;
mod create;
mod error;
mod event;
mod failure;
mod game;
#[cfg(test)]
mod growth;
mod held;
mod installation;
mod intake;
mod job;
mod key;
mod listing;
mod migrate;
mod outbox;
mod plan;
mod player;
mod quarantine;
mod reply;
mod seen;
mod side;
mod subscription;
#[cfg(test)]
mod tests;
mod time;
#[cfg(test)]
mod watch;

use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, Connection, OpenFlags, Params, Transaction, TransactionBehavior};

pub use absence::Absence;
pub use analysis::AnalyzedPly;
pub use clock::{LastReminder, Reminder};
pub use comment::CommentCount;
pub use error::Error;
pub use failure::Bounces;
pub use game::{NewGame, StoredGame};
pub use held::{HeldCommands, HeldId};
pub use installation::Installation;
pub use intake::IntakeCount;
pub use job::{Job, JobId, JobKind, NewJob, QueuedJob, WaitingJobs};
pub use listing::{GameSummary, Listing};
pub use outbox::{
    Claim, ClaimRequest, InReplyTo, MailContent, MailId, MailState, MessageKind, Moment,
    NewOutboxEntry, OutboxEntry, Recipient, Settled, WaitingMail,
};
pub use plan::StoredPlan;
pub use player::{Player, PlayerId, Results};
pub use quarantine::Quarantined;
pub use reply::ReplyCounts;
pub use side::Side;

use crate::files;
use key::key;
use migrate::MIGRATIONS;
use time::{Time, seconds};

/// How long to wait for another process that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// A commit that makes the write-ahead log longer than this empties it. Each process that opens the
/// database alone reads the whole log.
const MAX_WAL_PAGES: u32 = 100;
/// The pause between two tries where SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(10);

/// A database, open or not created yet.
#[derive(Debug)]
pub struct Store {
    /// While there is no file: an empty database in memory.
    connection: Connection,
    path: PathBuf,
    exists: bool,
    /// The device and the number of the file when it was opened.
    identity: Option<(u64, u64)>,
    has_written: bool,
}

/// The tables, for reading.
#[derive(Debug)]
pub struct Db<'a>(&'a Connection);

/// The tables within a transaction that writes.
#[derive(Debug)]
pub struct Tx<'a>(Db<'a>);

impl<'a> Deref for Tx<'a> {
    type Target = Db<'a>;

    fn deref(&self) -> &Db<'a> {
        &self.0
    }
}

impl Store {
    /// Opens the database in this file and brings it to the newest schema. A file that does not
    /// exist or is empty is created by the first [`Store::write`] that succeeds; with
    /// `creates_folder`, its folder is too. Until then the database is empty.
    ///
    /// # Errors
    /// [`Error`] when the file cannot be opened or created, is not a database of this program, or
    /// was written by a newer version of it or by one before the first release.
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
            if migrate::migrate(&connection, &path, MIGRATIONS)? {
                let identity = identity(&path);
                return Ok(Self { connection, path, exists, identity, has_written: false });
            }
        }
        let connection = create::in_memory(&path)?;
        Ok(Self { connection, path, exists: false, identity: None, has_written: false })
    }

    /// Returns the file of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file that was opened has been replaced or removed.
    pub fn is_replaced(&self) -> bool {
        identity(&self.path) != self.identity
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

    /// Reads; nothing changes between two reads of one closure.
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
        let _until_read = begin(&self.connection, TransactionBehavior::Deferred)?;
        work(&Db(&self.connection))
    }

    /// Writes in one transaction: all of it is on disk when this returns, or, after an error,
    /// nothing. Creates the database if need be.
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
    /// The error of `work`, or [`Error`] of the database.
    pub fn write<T, E: From<Error>>(
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
        transact(&self.connection, |tx| {
            sync_new_names(&self.path);
            work(tx)
        })
    }

    /// Limits how long to wait for another process that writes.
    pub fn limit_waiting(&self, limit: Duration) {
        // It cannot fail: SQLite only stores the number.
        let _ = self.connection.busy_timeout(limit);
    }

    /// Moves committed changes from the write-ahead log into the database file and empties the
    /// log, as far as no other process is in the way.
    ///
    /// # Errors
    /// [`Error`] when the disk refuses it.
    pub fn checkpoint(&self) -> Result<(), Error> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let done = self.connection.pragma_update(None, "wal_checkpoint", "TRUNCATE");
        self.connection.busy_timeout(LOCK_TIMEOUT)?;
        match done.map_err(Error::from) {
            Err(Error::Locked) => Ok(()),
            other => other,
        }
    }
}

impl Db<'_> {
    fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>, Error> {
        Ok(self.0.prepare_cached(sql)?)
    }
}

impl Tx<'_> {
    /// Returns whether SQLite has undone the transaction, as it does after some faults, such as a
    /// full disk.
    pub fn is_undone(&self) -> bool {
        self.0.0.is_autocommit()
    }

    /// Refuses after SQLite has undone the transaction: what is written then would stay.
    fn must_be_open(&self) -> Result<(), Error> {
        if self.is_undone() { Err(Error::undone()) } else { Ok(()) }
    }

    fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>, Error> {
        self.must_be_open()?;
        self.0.prepare(sql)
    }

    /// Executes a statement, and returns how many rows it changed.
    fn execute(&self, sql: &str, params: impl Params) -> Result<usize, Error> {
        Ok(self.prepare(sql)?.execute(params)?)
    }

    /// Executes an `INSERT`, and returns the new row's key.
    fn insert(&self, sql: &str, params: impl Params) -> Result<i64, Error> {
        Ok(self.prepare(sql)?.insert(params)?)
    }

    /// Does a part of the transaction that can fail alone: after an error of `work` only the part
    /// is undone. A fault of the database must end the whole transaction, though.
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn part<T, E: From<Error>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let execute = |sql: &str| self.0.0.execute_batch(sql).map_err(Error::from);
        self.must_be_open()?;
        execute("SAVEPOINT part")?;
        let done = work();
        if done.is_err() {
            if self.is_undone() {
                return done;
            }
            execute("ROLLBACK TO part")?;
        }
        execute("RELEASE part")?;
        done
    }
}

/// Does the work in one transaction that writes.
fn transact<T, E: From<Error>>(
    connection: &Connection,
    work: impl FnOnce(&Tx) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = begin(connection, TransactionBehavior::Immediate)?;
    let done = work(&Tx(Db(connection)))?;
    transaction.commit().map_err(Error::committing)?;
    Ok(done)
}

fn begin(connection: &Connection, behavior: TransactionBehavior) -> Result<Transaction<'_>, Error> {
    Ok(Transaction::new_unchecked(connection, behavior)?)
}

/// Opens an existing file.
fn connect(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // SQLite gives names like `:memory:` a meaning of their own, but not with a folder in front.
    let file = Path::new(".").join(path);
    Connection::open_with_flags(file, flags)
        .and_then(|connection| prepare(&connection).map(|()| connection))
        .map_err(|error| Error::opening(path, error))
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(LOCK_TIMEOUT)?;
    // Else a statement is prepared again for the values of its parameters.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A checkpoint by every process that closes the file would cost it three syncs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "wal_autocheckpoint", MAX_WAL_PAGES)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Brings the names of the database and its write-ahead log onto the disk, if the log is empty. Each
/// transaction calls this before it writes, when the log exists. So before the log has contents, both
/// names are on disk, even if the processes that created the files were killed.
fn sync_new_names(path: &Path) {
    if is_log_empty(path) {
        // If that fails, so does the commit.
        let _ = files::sync_above(path);
    }
}

/// Returns whether there is a write-ahead log and it is empty.
fn is_log_empty(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).metadata().is_ok_and(|log| log.len() == 0)
}

/// Follows symbolic links, also to a file that does not exist.
fn link_target(path: &Path) -> PathBuf {
    /// As many as the system follows.
    const LINKS: usize = 40;
    (0..LINKS).fold(path.to_owned(), |path, _| match path.read_link() {
        Ok(target) => files::folder_of(&path).join(target),
        Err(_) => path,
    })
}

/// Returns the device and the number of a file.
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}
