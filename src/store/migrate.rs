//! The schema and its versions.

use std::path::Path;
use std::thread;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::connection::{LOCK_TIMEOUT, PAUSE, is_log_empty};
use super::queue::Turn;
use super::{Error, Result};

/// The schema of a new database: that to which [`MIGRATIONS`] lead.
const SCHEMA: &str = include_str!("../../migrations/schema.sql");

/// The oldest version that can be migrated.
const OLDEST: u32 = 12;

/// The migrations of older databases in order, each with the `user_version` that it leads to. A released
/// migration never changes. `CONTRIBUTING.md` lists the needs of a new one.
pub(super) const MIGRATIONS: &[(u32, &str)] = &[
    (13, include_str!("../../migrations/0013_time_and_mail.sql")),
    (14, include_str!("../../migrations/0014_faults_lines_subjects.sql")),
    (15, include_str!("../../migrations/0015_company.sql")),
    (16, include_str!("../../migrations/0016_play.sql")),
    (17, include_str!("../../migrations/0017_host.sql")),
    (18, include_str!("../../migrations/0018_probe.sql")),
    (19, include_str!("../../migrations/0019_told.sql")),
    (20, include_str!("../../migrations/0020_findings.sql")),
    (21, include_str!("../../migrations/0021_reminders.sql")),
    (22, include_str!("../../migrations/0022_openings.sql")),
    (23, include_str!("../../migrations/0023_tournaments.sql")),
    (24, include_str!("../../migrations/0024_seasons.sql")),
    (25, include_str!("../../migrations/0025_letter.sql")),
    (26, include_str!("../../migrations/0026_replica.sql")),
    (27, include_str!("../../migrations/0027_handover.sql")),
    (28, include_str!("../../migrations/0028_import.sql")),
    (29, include_str!("../../migrations/0029_portable.sql")),
    (30, include_str!("../../migrations/0030_attachment.sql")),
    (31, include_str!("../../migrations/0031_decided.sql")),
];

/// Marks a database as this program's: "Oflk".
const APPLICATION_ID: u32 = 0x4f66_6c6b;

/// Applies the missing migrations, each once, however many processes do this at the same time.
/// Returns whether there is a database: an empty one is left to be created.
pub(super) fn migrate(
    connection: &Connection,
    path: &Path,
    migrations: &[(u32, &str)],
) -> Result<bool> {
    let opening = |error| Error::opening(path, error);
    let begin = |behavior| Transaction::new_unchecked(connection, behavior).map_err(opening);
    // In one transaction, because another process may create the schema between two reads.
    let reading = begin(TransactionBehavior::Deferred)?;
    let found = version(&reading, path, migrations);
    drop(reading);
    if found.is_err() && is_log_empty(path) {
        // A refused database stays as it was: SQLite removes the log that reading has created.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    }
    let found = found?;
    if found == 0 {
        return Ok(false);
    }
    let logging = use_write_ahead_log(connection);
    if found == newest(migrations) {
        return match logging {
            // Reading needs no log.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => Ok(true),
            // A restored backup has no log yet.
            other => other.map(|()| true).map_err(opening),
        };
    }
    logging.map_err(opening)?;
    // With foreign keys, a table that others refer to could not be replaced by one of the same name.
    connection.pragma_update(None, "foreign_keys", false)?;
    let migrated = || -> Result<()> {
        let turn = Turn::wait(path, None)?;
        let transaction = begin(TransactionBehavior::Immediate)?;
        turn.sync_new_names(path);
        apply(&transaction, path, migrations)?;
        Ok(transaction.commit()?)
    };
    let migrated = migrated();
    connection.pragma_update(None, "foreign_keys", true)?;
    migrated.map(|()| true)
}

/// Refuses a database that has another schema than the newest one.
pub(super) fn check_version(
    connection: &Connection,
    path: &Path,
    migrations: &[(u32, &str)],
) -> Result<()> {
    let known = newest(migrations);
    match version(connection, path, migrations)? {
        0 => Err(Error::Foreign(path.to_owned())),
        found if found < known => Err(Error::Older { path: path.to_owned(), found, known }),
        _ => Ok(()),
    }
}

/// Creates the schema, or applies the missing migrations, in the transaction that is open.
pub(super) fn apply(
    connection: &Connection,
    path: &Path,
    migrations: &[(u32, &str)],
) -> Result<()> {
    let found = version(connection, path, migrations)?;
    if found == 0 {
        connection.execute_batch(SCHEMA)?;
    } else {
        for (_, sql) in migrations.iter().filter(|(version, _)| *version > found) {
            connection.execute_batch(sql)?;
        }
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(connection.pragma_update(None, "user_version", newest(migrations))?)
}

pub(super) fn newest(migrations: &[(u32, &str)]) -> u32 {
    migrations.last().map_or(0, |(version, _)| *version)
}

/// Returns the `user_version` of the database; 0 if it is empty.
pub(super) fn version(
    connection: &Connection,
    path: &Path,
    migrations: &[(u32, &str)],
) -> Result<u32> {
    let pragma = |name: &str| {
        let value = connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        value.map(i32::cast_unsigned).map_err(|error| Error::opening(path, error))
    };
    let (application, found) = (pragma("application_id")?, pragma("user_version")?);
    let is_ours =
        application == APPLICATION_ID || (application == 0 && found == 0 && is_empty(connection)?);
    let (path, known) = (path.to_owned(), newest(migrations));
    match found {
        _ if !is_ours => Err(Error::Foreign(path)),
        _ if found > known => Err(Error::Newer { path, found, known }),
        1..OLDEST => Err(Error::Unreleased { path, found }),
        _ => Ok(found),
    }
}

pub(super) fn is_empty(connection: &Connection) -> Result<bool> {
    let tables = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    Ok(connection.query_row(tables, [], |row| row.get(0))?)
}

/// Turns the write-ahead log on for good. SQLite's busy timeout does not apply here, so this
/// waits by itself.
pub(super) fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut tries = LOCK_TIMEOUT.as_millis() / PAUSE.as_millis();
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
    use std::path::PathBuf;
    use std::sync::Barrier;

    use super::*;
    use crate::store::Store;
    use crate::store::connection::connect;

    const MANY: usize = 16;

    /// Returns a database with one player.
    fn database(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("outflank.db");
        let mut store = Store::open(&path, false).unwrap();
        let now = chrono::DateTime::UNIX_EPOCH;
        store
            .write_or_create(|tx| tx.add_player("alice", "alice@example.org", &[7; 32], now))
            .unwrap();
        path
    }

    /// Returns the migrations followed by `sql`.
    fn and_then(sql: &'static str) -> Vec<(u32, &'static str)> {
        [MIGRATIONS, &[(newest(MIGRATIONS) + 1, sql)]].concat()
    }

    #[test]
    fn a_database_opened_by_many_at_once_is_migrated_once() {
        let folder = tempfile::tempdir().unwrap();
        let (path, barrier) = (database(&folder), Barrier::new(MANY));
        // It fails the second time.
        let migrations = and_then("ALTER TABLE player ADD COLUMN rating INTEGER DEFAULT 1500");
        thread::scope(|scope| {
            for _ in 0..MANY {
                scope.spawn(|| {
                    let connection = connect(&path).unwrap();
                    barrier.wait();
                    assert!(migrate(&connection, &path, &migrations).unwrap());
                    let rating = "SELECT rating FROM player WHERE name = 'alice'";
                    let rating: i64 = connection.query_row(rating, [], |row| row.get(0)).unwrap();
                    assert_eq!(rating, 1500);
                });
            }
        });
        let connection = connect(&path).unwrap();
        assert_eq!(version(&connection, &path, &migrations).unwrap(), newest(&migrations));
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(&folder);
        let connection = connect(&path).unwrap();
        let migrations = and_then("DELETE FROM player; SELECT rating FROM player");
        migrate(&connection, &path, &migrations).unwrap_err();
        assert_eq!(version(&connection, &path, &migrations).unwrap(), newest(MIGRATIONS));
        let store = Store::open(&path, false).unwrap();
        assert_eq!(store.read(|db| db.players()).unwrap().len(), 1);
    }

    #[test]
    fn a_database_of_a_newer_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(&folder);
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
