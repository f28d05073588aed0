//! Transactions, and the two views of the tables within them.

use std::ops::Deref;
use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

use rusqlite::Error::QueryReturnedNoRows;
use rusqlite::{CachedStatement, Connection, Params, Row, Transaction, TransactionBehavior};

use super::{Error, Result};

/// The tables, within a transaction that reads.
#[derive(Debug)]
pub struct Db<'a> {
    pub(super) connection: &'a Connection,
}

/// The tables, within a transaction that writes.
#[derive(Debug)]
pub struct Tx<'a>(Db<'a>);

impl<'a> Deref for Tx<'a> {
    type Target = Db<'a>;

    fn deref(&self) -> &Db<'a> {
        &self.0
    }
}

impl Db<'_> {
    /// Prepares a statement. Fails after SQLite has undone the transaction: a later statement would be
    /// outside of it.
    pub(super) fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>> {
        match self.is_undone() {
            true => Err(Error::undone()),
            false => Ok(self.connection.prepare_cached(sql)?),
        }
    }

    /// Returns the rows that a statement finds.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        of: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.prepare(sql)?.query_and_then(params, of)?.collect()
    }

    /// Returns the first row that a statement finds; `None` when there is none.
    pub(super) fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        of: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        self.prepare(sql)?.query(params)?.next()?.map(of).transpose()
    }

    /// Returns the first row that a statement finds. There must be one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        of: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        self.first(sql, params, of)?.ok_or_else(|| QueryReturnedNoRows.into())
    }

    /// Returns whether a statement finds a row.
    pub(super) fn exists(&self, sql: &str, params: impl Params) -> Result<bool> {
        Ok(self.prepare(sql)?.exists(params)?)
    }

    /// Returns whether SQLite has undone the transaction, as it does after a full disk and some other
    /// faults.
    pub fn is_undone(&self) -> bool {
        self.connection.is_autocommit()
    }
}

impl Tx<'_> {
    /// Executes a statement.
    pub(super) fn run(&self, sql: &str, params: impl Params) -> Result<()> {
        self.execute(sql, params).map(drop)
    }

    /// Executes a statement, and returns how many rows it changed.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.prepare(sql)?.execute(params)?)
    }

    /// Executes a statement, and returns whether it changed a row.
    pub(super) fn changes(&self, sql: &str, params: impl Params) -> Result<bool> {
        Ok(self.execute(sql, params)? > 0)
    }

    /// Executes an `INSERT`, and returns the new row's key.
    pub(super) fn insert(&self, sql: &str, params: impl Params) -> Result<i64> {
        Ok(self.prepare(sql)?.insert(params)?)
    }

    /// Does a part of the transaction. After an error of `work`, only the part is undone. A fault of
    /// the database must still end the whole transaction.
    ///
    /// # Errors
    /// The error of `work`, or [`Error`] of the database.
    pub fn part<T, E: From<Error>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let execute = |sql: &str| self.0.connection.execute_batch(sql).map_err(Error::from);
        if self.is_undone() {
            return Err(Error::undone().into());
        }
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

/// Does the work in one transaction that reads.
pub(super) fn read<T, E: From<Error>>(
    connection: &Connection,
    work: impl FnOnce(&Db) -> Result<T, E>,
) -> Result<T, E> {
    let _until_read = begin(connection, TransactionBehavior::Deferred)?;
    work(&Db { connection })
}

/// Does two works that read the same state of the database, each in a transaction on a connection of its own.
/// That of `beside` is done in a thread of its own.
pub(super) fn read_beside<T, E: From<Error> + Send>(
    connection: &Connection,
    other: Connection,
    beside: impl FnOnce(&Db) -> Result<(), E> + Send,
    work: impl FnOnce(&Db) -> Result<T, E>,
) -> Result<T, E> {
    let version = |connection: &Connection| -> Result<i64> {
        Ok(connection.pragma_query_value(None, "data_version", |row| row.get(0))?)
    };
    let execute = |sql| other.execute_batch(sql).map_err(Error::from);
    let _until_read = loop {
        let before = version(connection)?;
        execute("BEGIN")?;
        version(&other)?;
        let transaction = begin(connection, TransactionBehavior::Deferred)?;
        if version(connection)? == before {
            break transaction;
        }
        // Another process has changed the database between the two beginnings.
        execute("ROLLBACK")?;
    };
    thread::scope(|scope| {
        let beside = move || beside(&Db { connection: &other });
        // Without another thread, `work` finds that nothing was done beside it.
        let beside = thread::Builder::new().spawn_scoped(scope, beside).ok();
        let done = work(&Db { connection });
        match beside.map_or(Ok(Ok(())), ScopedJoinHandle::join) {
            Ok(Ok(())) => done,
            Ok(Err(error)) => done.and(Err(error)),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Does the work in one transaction that writes. After an error nothing is written.
pub(super) fn write<T, E: From<Error>>(
    connection: &Connection,
    work: impl FnOnce(&Tx) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = begin(connection, TransactionBehavior::Immediate)?;
    let done = work(&Tx(Db { connection }))?;
    transaction.commit().map_err(Error::committing)?;
    Ok(done)
}

fn begin(connection: &Connection, behavior: TransactionBehavior) -> Result<Transaction<'_>> {
    Ok(Transaction::new_unchecked(connection, behavior)?)
}
