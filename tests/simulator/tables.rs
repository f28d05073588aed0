//! The tables of a database, read by SQL.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// The rows of each table, each as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Tables(pub BTreeMap<String, BTreeSet<String>>);

/// Columns that name a process, which is another each time.
const OF_PROCESSES: [&str; 1] = ["lease"];

/// Opens a database to read it.
pub fn open(database: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    Connection::open_with_flags(database, flags).expect("the database opens")
}

impl Tables {
    /// Reads all tables. There are none if there is no database.
    pub fn read(database: &Path) -> Self {
        if !database.exists() {
            return Self::default();
        }
        let sqlite = open(database);
        let names =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut select = sqlite.prepare(names).expect("the schema can be read");
        let names = select.query_map([], |row| row.get::<_, String>(0)).expect("tables have names");
        let table = |name: String| {
            let rows = rows(&sqlite, &format!("SELECT * FROM {name}"));
            (name, rows)
        };
        Self(names.map(Result::unwrap).map(table).collect())
    }

    pub fn of(&self, table: &str) -> impl Iterator<Item = &String> {
        self.0.get(table).into_iter().flatten()
    }

    /// Returns the addresses of players, each with its secret.
    pub fn identities(&self) -> Vec<&str> {
        let columns = |row: &'_ String| Some((row.find("address=")?, row.find(" created_at=")?));
        self.of("player")
            .filter_map(|row| columns(row).map(|(from, until)| &row[from..until]))
            .collect()
    }

    /// Returns the tables whose rows differ, with a row of the difference.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let names: BTreeSet<_> = self.0.keys().chain(other.0.keys()).collect();
        let none = BTreeSet::new();
        let differs = |name: &&String| {
            let (one, two) =
                (self.0.get(*name).unwrap_or(&none), other.0.get(*name).unwrap_or(&none));
            let row = one.symmetric_difference(two).next()?;
            Some(format!("{name}: {row}"))
        };
        names.iter().filter_map(differs).collect()
    }
}

fn rows(sqlite: &Connection, sql: &str) -> BTreeSet<String> {
    let mut select = sqlite.prepare(sql).expect("the table can be read");
    let names: Vec<_> = select.column_names().into_iter().map(str::to_owned).collect();
    let row = |row: &rusqlite::Row| {
        let columns = names.iter().enumerate().map(|(at, name)| {
            let value = match row.get_ref(at)? {
                _ if OF_PROCESSES.contains(&name.as_str()) => "-".to_owned(),
                ValueRef::Null => "null".to_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => number.to_string(),
                ValueRef::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
                ValueRef::Blob(bytes) => {
                    format!("{} bytes {:x?}", bytes.len(), &bytes[..bytes.len().min(4)])
                }
            };
            Ok(format!("{name}={value}"))
        });
        Ok(columns.collect::<rusqlite::Result<Vec<_>>>()?.join(" "))
    };
    let rows = select.query_map([], row).expect("the table can be read");
    rows.map(Result::unwrap).collect()
}
