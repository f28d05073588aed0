//! The database: the only place that knows SQLite. A file per table; rows become domain types
//! here and nowhere else.
//!
//! Whoever reads gets a [`Db`] within [`Store::read`], whoever writes one within
//! [`Store::write`]: what is read there belongs together, and what is written there is on disk
//! whole or not at all.

mod error;
mod game;
mod held;
mod installation;
mod intake;
mod migrate;
mod moves;
mod outbox;
mod player;
mod seen;
mod subscription;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

pub use error::Error;
pub use game::{GameSummary, Listing, NewGame, StoredGame};
pub use held::{Held, HeldId};
pub use installation::Installation;
pub use intake::Intake;
pub use outbox::{Answered, Claim, Event, Mail, MailId, MailState, NewMail, Recipient, Settled};
pub use player::{Player, PlayerId};

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// An open database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// The tables, within one transaction.
#[derive(Debug)]
pub struct Db<'a>(&'a Connection);

impl Store {
    /// Opens the database in this file, made and brought to the newest schema where it is not.
    ///
    /// # Errors
    /// [`Error`] when the file cannot be opened, is not a database of this program, or was
    /// written by a newer version of it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let cannot = |error| Error::opening(path, error);
        // A new database is its owner's alone: it knows addresses. SQLite gives the files beside
        // it the same mode, and says better than this what is wrong with the path, if anything.
        let _ = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // A name that SQLite would give a meaning, like `:memory:`, is a file name here.
        let file = Path::new(".").join(path);
        let connection = Connection::open_with_flags(file, flags).map_err(cannot)?;
        Self::prepare(&connection).map_err(cannot)?;
        migrate::migrate(&connection, path)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// What [`Store::open`] would give for a file that does not exist yet, without making it.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn unfounded(path: &Path) -> Result<Self, Error> {
        let connection = Connection::open_in_memory()?;
        Self::prepare(&connection)?;
        migrate::migrate(&connection, path)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    fn prepare(connection: &Connection) -> rusqlite::Result<()> {
        connection.busy_timeout(PATIENCE)?;
        // A one-shot process leaves the checkpoint to the housekeeping of `send`.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    /// The file of the database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether what is written here is kept.
    #[must_use]
    pub fn is_founded(&self) -> bool {
        self.connection.path().is_some_and(|path| !path.is_empty())
    }

    /// Reads things that belong together: nothing changes between them. Within
    /// [`Store::write`] it reads what that has written so far.
    ///
    /// # Errors
    /// What `work` errs with, or [`Error`] of the database.
    pub fn read<T, E: From<Error>>(&self, work: impl FnOnce(&Db) -> Result<T, E>) -> Result<T, E> {
        let db = Db(&self.connection);
        if self.is_writing() {
            return work(&db);
        }
        let _until_read = self.begin(TransactionBehavior::Deferred)?;
        work(&db)
    }

    /// Writes: all of it is on disk when this returns, or, after an error, nothing. Within
    /// another write it is a part of that: undone alone when it errs, and kept with the whole.
    ///
    /// # Errors
    /// What `work` errs with, or [`Error`] of the database. After a fault of the database within
    /// another write, that must err, too.
    pub fn write<T, E: From<Error>>(&self, work: impl FnOnce(&Db) -> Result<T, E>) -> Result<T, E> {
        let db = Db(&self.connection);
        if self.is_writing() {
            return self.write_a_part(|| work(&db));
        }
        let transaction = self.begin(TransactionBehavior::Immediate)?;
        let done = work(&db)?;
        transaction.commit().map_err(Error::from)?;
        Ok(done)
    }

    fn write_a_part<T, E: From<Error>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let say = |sql: &str| self.connection.execute_batch(sql).map_err(Error::from);
        say("SAVEPOINT part")?;
        let done = work();
        if done.is_err() {
            say("ROLLBACK TO part")?;
        }
        say("RELEASE part")?;
        done
    }

    /// Whether a transaction is open, which is that of a [`Store::write`].
    fn is_writing(&self) -> bool {
        !self.connection.is_autocommit()
    }

    fn begin(&self, behavior: TransactionBehavior) -> Result<Transaction<'_>, Error> {
        Ok(Transaction::new_unchecked(&self.connection, behavior)?)
    }

    /// Moves what was committed from the write-ahead log into the database file, as far as no
    /// other process is in the way.
    ///
    /// # Errors
    /// [`Error`] when the disk does not take it.
    pub fn checkpoint(&self) -> Result<(), Error> {
        let done = self.connection.pragma_update(None, "wal_checkpoint", "PASSIVE");
        match done.map_err(Error::from) {
            Err(Error::Locked) => Ok(()),
            other => other,
        }
    }

    /// Writes a copy of the living database to a file that does not exist yet. The file has its
    /// name only when it is whole.
    ///
    /// # Errors
    /// [`Error`] when there is such a file, or it cannot be written.
    pub fn backup(&self, target: &Path) -> Result<(), Error> {
        if !self.is_founded() {
            return Err(Error::Missing(self.path.clone()));
        }
        let cannot = |reason: &dyn std::fmt::Display| Error::Backup {
            path: target.to_owned(),
            reason: reason.to_string(),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(cannot(&"its folder does not exist"));
        }
        let whole = tempfile::Builder::new()
            .prefix(".outflank-backup-")
            .tempfile_in(folder)
            .map_err(|error| cannot(&error))?;
        let mut copy = Connection::open(whole.path()).map_err(|error| cannot(&error))?;
        Backup::new(&self.connection, &mut copy)
            .and_then(|backup| backup.run_to_completion(i32::MAX, Duration::ZERO, None))
            // In one file: no log beside it that a later copy could forget.
            .and_then(|()| copy.pragma_update(None, "journal_mode", "DELETE"))
            .map_err(|error| cannot(&error))?;
        drop(copy);
        let kept =
            OpenOptions::new().write(true).open(whole.path()).and_then(|file| file.sync_all());
        kept.map_err(|error| cannot(&error))?;
        match whole.persist_noclobber(target) {
            // The name, too, is to outlive a power failure.
            Ok(_) => File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(|error| cannot(&error)),
            Err(failed) if failed.error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(Error::BackupExists(target.to_owned()))
            }
            Err(failed) => Err(cannot(&failed.error)),
        }
    }
}

fn seconds(time: DateTime<Utc>) -> i64 {
    time.timestamp()
}

/// Makes the type of a table's keys.
macro_rules! key {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub i64);

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                value.as_i64().map(Self)
            }
        }
    };
}
use key;

/// A column of seconds as a time.
struct Time(DateTime<Utc>);

impl rusqlite::types::FromSql for Time {
    fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
        let seconds = value.as_i64()?;
        DateTime::from_timestamp(seconds, 0)
            .map(Self)
            .ok_or(rusqlite::types::FromSqlError::OutOfRange(seconds))
    }
}
