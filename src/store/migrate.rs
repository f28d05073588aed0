use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::{Error, PATIENCE};

/// The schemas in their order: the database's `user_version` counts how many it has.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_games.sql"),
    include_str!("../../migrations/0002_play_by_mail.sql"),
];

/// Marks a database as this program's: "Oflk".
const APPLICATION_ID: i64 = 0x4f66_6c6b;

/// Applies the migrations that are missing. However many processes do this to a fresh file at
/// once, each migration is applied once.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), Error> {
    let opening = |error| Error::opening(path, error);
    let begin = |behavior| Transaction::new_unchecked(connection, behavior).map_err(opening);
    // In one transaction: between two reads another process could make the schema.
    let reading = begin(TransactionBehavior::Deferred)?;
    let found = version(&reading, path)?;
    drop(reading);
    let logging = use_write_ahead_log(connection);
    if found == MIGRATIONS.len() {
        return match logging {
            // To be read, it needs no log.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => Ok(()),
            // A backup that was put in the place of its database comes without one.
            other => other.map_err(opening),
        };
    }
    logging.map_err(opening)?;
    let transaction = begin(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let applied = version(&transaction, path)?;
    for sql in &MIGRATIONS[applied..] {
        transaction.execute_batch(sql)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    Ok(transaction.commit()?)
}

/// How many migrations the database has.
fn version(connection: &Connection, path: &Path) -> Result<usize, Error> {
    let pragma = |name: &str| {
        let value = connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        value.map_err(|error| Error::opening(path, error))
    };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    let ours = application == APPLICATION_ID
        || (application == 0 && version == 0 && is_empty(connection)?);
    match usize::try_from(version) {
        _ if !ours => Err(Error::Foreign(path.to_owned())),
        Ok(found) if found <= MIGRATIONS.len() => Ok(found),
        found => Err(Error::Newer {
            path: path.to_owned(),
            found: found.unwrap_or(usize::MAX),
            known: MIGRATIONS.len(),
        }),
    }
}

fn is_empty(connection: &Connection) -> Result<bool, Error> {
    let tables = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    Ok(connection.query_row(tables, [], |row| row.get(0))?)
}

/// Turns on the write-ahead log, which stays on. SQLite does not wait for others here by
/// itself when two processes do it at once.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    const PAUSE: Duration = Duration::from_millis(10);
    let mut tries = PATIENCE.as_millis() / PAUSE.as_millis();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if tries > 0 && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) =>
            {
                tries -= 1;
                thread::sleep(PAUSE);
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn a_database_of_a_newer_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("newer.db");
        drop(Store::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, Error::Newer { found: 99, .. }), "{error}");
    }

    #[test]
    fn another_programs_database_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE note (text TEXT)").unwrap();
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(Store::open(&path), Err(Error::Foreign(_))));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
