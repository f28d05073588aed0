use std::path::Path;
use std::thread;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::{Error, PATIENCE, PAUSE, sync_new_names};

/// The migrations in order. The database's `user_version` counts how many it has.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_games.sql"),
    include_str!("../../migrations/0002_play_by_mail.sql"),
    include_str!("../../migrations/0003_events.sql"),
    include_str!("../../migrations/0004_trust.sql"),
    include_str!("../../migrations/0005_cost.sql"),
    include_str!("../../migrations/0006_event_log.sql"),
    include_str!("../../migrations/0007_clocks.sql"),
    include_str!("../../migrations/0008_preferences.sql"),
    include_str!("../../migrations/0009_plans.sql"),
    include_str!("../../migrations/0010_bots.sql"),
    include_str!("../../migrations/0011_analyses.sql"),
];

/// Marks a database as this program's: "Oflk".
const APPLICATION_ID: i64 = 0x4f66_6c6b;

/// Applies the missing migrations, each once, however many processes do this at the same time.
/// Returns whether there is a database: an empty one is left to be created.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<bool, Error> {
    let opening = |error| Error::opening(path, error);
    let begin = |behavior| Transaction::new_unchecked(connection, behavior).map_err(opening);
    // In one transaction, because another process may create the schema between two reads.
    let reading = begin(TransactionBehavior::Deferred)?;
    let found = version(&reading, path)?;
    drop(reading);
    if found == 0 {
        return Ok(false);
    }
    let logging = use_write_ahead_log(connection);
    if found == MIGRATIONS.len() {
        return match logging {
            // Reading needs no log.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => Ok(true),
            // A restored backup has no log yet.
            other => other.map(|()| true).map_err(opening),
        };
    }
    logging.map_err(opening)?;
    // Else a table that others refer to could not be replaced by one of the same name.
    connection.pragma_update(None, "foreign_keys", false)?;
    let migrated = || -> Result<(), Error> {
        let transaction = begin(TransactionBehavior::Immediate)?;
        sync_new_names(path);
        apply(&transaction, path)?;
        Ok(transaction.commit()?)
    };
    let migrated = migrated();
    connection.pragma_update(None, "foreign_keys", true)?;
    migrated.map(|()| true)
}

/// Applies the missing migrations, in the transaction that is open.
pub(super) fn apply(connection: &Connection, path: &Path) -> Result<(), Error> {
    for sql in &MIGRATIONS[version(connection, path)?..] {
        connection.execute_batch(sql)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(connection.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?)
}

/// Returns how many migrations the database has.
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

pub(super) fn is_empty(connection: &Connection) -> Result<bool, Error> {
    let tables = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    Ok(connection.query_row(tables, [], |row| row.get(0))?)
}

/// Turns the write-ahead log on for good. SQLite's busy timeout does not apply here, so this
/// waits by itself.
pub(super) fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
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
        Store::open(&path, false).unwrap().write(|_| Ok::<_, Error>(())).unwrap();
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = Store::open(&path, false).unwrap_err();
        assert!(matches!(error, Error::Newer { found: 99, .. }), "{error}");
    }

    #[test]
    fn another_programs_database_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE note (text TEXT)").unwrap();
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(Store::open(&path, false), Err(Error::Foreign(_))));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
