//! The rows of all tables, for a copy of the database that is no file of SQLite.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, ErrorCode, params_from_iter};
use tempfile::TempDir;

use super::connection::refuse_stray_log;
use super::copy::{CopyError, draft_folder};
use super::migrate::{self, MIGRATIONS};
use super::{Cell, Db, Error, Result, only, seconds};
use crate::files;

/// The tables of an installation that another one makes anew. Bans are hashes with a secret.
const OWN_TABLES: [&str; 5] = ["ban", "club", "handover", "installation_mark", "replica"];

/// The columns with secrets, which another installation makes anew.
const SECRETS: [(&str, &str); 3] =
    [("installation", "token"), ("installation", "secret"), ("player", "secret")];

/// The table with the last numbers that were given in others.
const SEQUENCES: &str = "sqlite_sequence";

/// A row: its columns by name. Those with secrets are not among them.
pub type Row = Vec<(String, Cell)>;

impl Db<'_> {
    /// Passes each row with the name of its table, table by table. Secrets and the tables of the
    /// installation itself are left out.
    ///
    /// # Errors
    /// The error of `pass`, or [`Error`] of the database.
    pub fn rows<E: From<Error>>(
        &self,
        mut pass: impl FnMut(&str, Row) -> Result<(), E>,
    ) -> Result<(), E> {
        for (table, columns) in tables(self.connection)? {
            // The last numbers of the tables come first, before their rows count on from them.
            let of = if table == SEQUENCES { "WHERE name <> 'installation_mark'" } else { "" };
            let sql = format!("SELECT {} FROM {table} {of}", columns.join(", "));
            let mut select = self.connection.prepare(&sql).map_err(Error::from)?;
            let mut rows = select.query([]).map_err(Error::from)?;
            while let Some(row) = rows.next().map_err(Error::from)? {
                let cell = |(place, name): (usize, &String)| Ok((name.clone(), row.get(place)?));
                let cells =
                    columns.iter().enumerate().map(cell).collect::<Result<_, rusqlite::Error>>();
                pass(&table, cells.map_err(Error::from)?)?;
            }
        }
        Ok(())
    }
}

/// Returns the tables whose rows are passed, each with its columns.
fn tables(connection: &Connection) -> Result<Vec<(String, Vec<String>)>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'
         AND (name = ?1 OR name NOT LIKE 'sqlite_%')
         AND name NOT IN ('_litestream_seq', '_litestream_lock')
         ORDER BY name <> ?1, rowid";
    let names: Vec<String> = Db { connection }.all(sql, [SEQUENCES], only)?;
    let own = |name: &String| !OWN_TABLES.contains(&name.as_str());
    let table = |name: String| {
        let sql = "SELECT name FROM pragma_table_info(?)";
        let mut columns: Vec<String> = Db { connection }.all(sql, [&name], only)?;
        columns.retain(|column| !SECRETS.contains(&(name.as_str(), column.as_str())));
        Ok((name, columns))
    };
    names.into_iter().filter(own).map(table).collect()
}

/// Returns the database that is filled in this folder.
fn draft_in(folder: &TempDir) -> PathBuf {
    folder.path().join("draft")
}

/// A new database that is filled with rows. It gets its name when it is complete; a process that is killed
/// before that leaves nothing of it.
#[derive(Debug)]
pub struct Filling {
    target: PathBuf,
    folder: TempDir,
    _lock: Option<fs::File>,
    connection: Connection,
    tables: BTreeMap<String, Vec<String>>,
}

impl Filling {
    /// Begins a database.
    ///
    /// # Errors
    /// [`Error::BackupExists`] if there is a database of this name, and [`Error`] if its folder cannot be
    /// written.
    pub fn begin(target: &Path) -> Result<Self> {
        let failed = |error: io::Error| CopyError::Io(error).at(target);
        refuse_stray_log(target)?;
        if target.metadata().is_ok_and(|file| file.len() > 0) {
            return Err(CopyError::Exists.at(target));
        }
        let (folder, lock) = draft_folder(target)?;
        let draft = draft_in(&folder);
        fs::write(&draft, "").map_err(failed)?;
        fs::set_permissions(&draft, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let connection = Connection::open(&draft)?;
        // A draft needs no journal, and a row may refer to one that comes later.
        connection.pragma_update(None, "journal_mode", "OFF")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "foreign_keys", false)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch("BEGIN")?;
        migrate::apply(&connection, target, MIGRATIONS)?;
        let tables = tables(&connection)?.into_iter().collect();
        Ok(Self { target: target.to_owned(), folder, _lock: lock, connection, tables })
    }

    /// Adds a row to a table. `secret` makes the value of a column that the row lacks because it is secret.
    /// Returns why the row cannot be added, if it is none of this schema.
    ///
    /// # Errors
    /// The error of `secret`, or [`Error`] of the database.
    pub fn add<E: From<Error>>(
        &self,
        table: &str,
        mut row: Row,
        secret: impl Fn(&str) -> Result<Cell, E>,
    ) -> Result<Result<(), String>, E> {
        let Some(columns) = self.tables.get(table) else {
            return Ok(Err(format!("there is no table {table:?}")));
        };
        if let Some((unknown, _)) = row.iter().find(|(name, _)| !columns.contains(name)) {
            return Ok(Err(format!("{table} has no column {unknown:?}")));
        }
        for (_, column) in SECRETS.iter().filter(|(of, _)| *of == table) {
            row.push(((*column).to_owned(), secret(column)?));
        }
        let names: Vec<_> = row.iter().map(|(name, _)| name.as_str()).collect();
        let places = vec!["?"; row.len()].join(", ");
        let sql = format!("INSERT INTO {table} ({}) VALUES ({places})", names.join(", "));
        let mut insert = self.connection.prepare_cached(&sql).map_err(Error::from)?;
        match insert.execute(params_from_iter(row.iter().map(|(_, cell)| cell))) {
            Ok(_) => Ok(Ok(())),
            Err(rusqlite::Error::SqliteFailure(error, Some(why)))
                if matches!(
                    error.code,
                    ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch
                ) =>
            {
                Ok(Err(why))
            }
            Err(error) => Err(Error::from(error).into()),
        }
    }

    /// Ends the rows, and begins the marks of the installation with this one. Returns the file, to check it,
    /// or the table with a row that refers to nothing.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn end(&self, mark: &str) -> Result<Result<PathBuf, String>> {
        let sql = "INSERT INTO installation_mark (from_at, mark) SELECT ?1, ?2 FROM installation";
        self.connection.execute(sql, (seconds(DateTime::<Utc>::UNIX_EPOCH), mark))?;
        let db = Db { connection: &self.connection };
        let broken: Option<String> =
            db.first("SELECT \"table\" FROM pragma_foreign_key_check", [], only)?;
        self.connection.execute_batch("COMMIT")?;
        Ok(broken.map_or_else(|| Ok(draft_in(&self.folder)), Err))
    }

    /// Gives the database its name, on disk.
    ///
    /// # Errors
    /// [`Error`] if there is a database of this name by now, or the disk refuses it.
    pub fn publish(self) -> Result<()> {
        let draft = draft_in(&self.folder);
        drop(self.connection);
        let published = || -> io::Result<()> {
            fs::File::open(&draft)?.sync_all()?;
            if self.target.metadata().is_ok_and(|file| file.len() > 0) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            fs::rename(&draft, &self.target)?;
            files::sync_above(&self.target)
        };
        published().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CopyError::Exists.at(&self.target),
            _ => CopyError::Io(error).at(&self.target),
        })
    }
}
