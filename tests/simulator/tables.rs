//! The tables of a database, read by SQL.

mod reader;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// The tables of a database by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Tables(pub BTreeMap<String, Arc<Table>>);

/// The rows of a table in its own order, with their values as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Table {
    columns: Vec<String>,
    /// Rows that have not changed are shared with the state before.
    rows: Vec<Arc<Row>>,
}

/// The values of a row.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Row {
    /// All values, with [`SEPARATOR`] behind each.
    text: Box<str>,
    /// Where each value ends.
    ends: Box<[usize]>,
    /// The number in the first column.
    number: i64,
}

/// Stands behind each value of a row.
const SEPARATOR: char = '\u{1f}';

/// Columns that name a process, which is another each time.
const OF_PROCESSES: [&str; 1] = ["lease"];

/// Behind so many changed rows of a table the others are read as if they were new.
const MAX_CHANGED: usize = 16;

/// The text of a null.
const NULL: &str = "null";

/// What is stored as the deadline of a game whose clock does not run.
const NO_DEADLINE: i64 = 253_402_300_799;

/// Reads the number in a column.
pub fn number(value: Option<&str>) -> Option<i64> {
    value?.parse().ok()
}

/// Reads the deadline in a column; `None` if no clock runs.
pub fn deadline(value: Option<&str>) -> Option<i64> {
    number(value).filter(|deadline| *deadline != NO_DEADLINE)
}

/// Opens a database to read it.
pub fn open(database: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    Connection::open_with_flags(database, flags).expect("the database opens")
}

impl Row {
    fn new(text: &str) -> Self {
        let ends: Box<[_]> = text.match_indices(SEPARATOR).map(|(at, _)| at).collect();
        let first = ends.first().map_or("", |end| &text[..*end]);
        Self { text: text.into(), number: first.parse().unwrap_or_default(), ends }
    }

    /// Returns the value in a column; `None` if it is null.
    fn value(&self, column: usize) -> Option<&str> {
        let from = column.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        Some(&self.text[from..self.ends[column]]).filter(|value| *value != NULL)
    }

    /// Returns the row for a reader.
    fn shown(&self) -> String {
        self.text.replace(SEPARATOR, " ")
    }
}

impl Table {
    /// Reads a table, which was like this before.
    fn read(sqlite: &Connection, name: &str, before: Option<&Arc<Self>>) -> Arc<Self> {
        let select = format!("SELECT * FROM {name}");
        let mut select = sqlite.prepare_cached(&select).expect("the table can be read");
        let columns: Vec<_> = select.column_names().map(str::to_owned).collect();
        let mut known = before.map_or(&[][..], |before| &before.rows);
        let (mut text, mut rows) = (String::new(), Vec::with_capacity(known.len()));
        let mut read = select.query([]).expect("the table can be read");
        while let Some(row) = read.next().expect("the table can be read") {
            text.clear();
            for (at, column) in columns.iter().enumerate() {
                match OF_PROCESSES.contains(&&**column) {
                    true => text.push('-'),
                    false => push(&mut text, row.get_ref(at).expect("the column is there")),
                }
                text.push(SEPARATOR);
            }
            // Rows before it may be gone, and it may be new.
            let same = known.iter().take(MAX_CHANGED).position(|known| *known.text == *text);
            let row = same.map_or_else(|| Arc::new(Row::new(&text)), |at| Arc::clone(&known[at]));
            known = &known[same.map_or(0, |at| at + 1)..];
            rows.push(row);
        }
        // An index can have another order.
        rows.sort_by_key(|row| row.number);
        match before.filter(|before| before.columns == columns && before.rows == rows) {
            Some(same) => Arc::clone(same),
            None => Arc::new(Self { columns, rows }),
        }
    }

    /// Returns these columns of each row; those that are missing are null.
    pub fn columns<const N: usize>(
        &self,
        names: [&str; N],
    ) -> impl Iterator<Item = [Option<&str>; N]> {
        self.columns_of(&self.rows, names)
    }

    fn columns_of<'a, const N: usize>(
        &self,
        rows: &'a [Arc<Row>],
        names: [&str; N],
    ) -> impl Iterator<Item = [Option<&'a str>; N]> + use<'a, N> {
        let at = names.map(|name| self.columns.iter().position(|column| column == name));
        rows.iter().map(move |row| at.map(|at| row.value(at?)))
    }

    /// Returns the rows whose first column is this number.
    fn rows_of(&self, number: i64) -> &[Arc<Row>] {
        let from = self.rows.partition_point(|row| row.number < number);
        let until = self.rows.partition_point(|row| row.number <= number);
        &self.rows[from..until]
    }
}

/// Returns the rows of a table by the number in their first column.
fn groups(table: Option<&Arc<Table>>) -> BTreeMap<i64, &[Arc<Row>]> {
    let rows = table.map_or(&[][..], |table| &table.rows);
    let groups = rows.chunk_by(|one, other| one.number == other.number);
    groups.map(|rows| (rows[0].number, rows)).collect()
}

/// Adds a value as text.
fn push(text: &mut String, value: ValueRef) {
    let written = match value {
        ValueRef::Null => text.write_str(NULL),
        ValueRef::Integer(number) => text.write_str(itoa::Buffer::new().format(number)),
        ValueRef::Real(number) => write!(text, "{number}"),
        ValueRef::Text(value) => text.write_str(&String::from_utf8_lossy(value)),
        ValueRef::Blob(bytes) => bytes.iter().try_for_each(|byte| write!(text, "{byte:02x}")),
    };
    written.expect("a text takes all");
}

impl Tables {
    /// Reads all tables. There are none if there is no database.
    pub fn read(database: &Path) -> Self {
        Self::default().read_again(database)
    }

    /// Reads all tables, which were like this before.
    pub fn read_again(&self, database: &Path) -> Self {
        if !database.exists() {
            return Self::default();
        }
        reader::read_again(database, self)
    }

    /// Reads these tables, or all of them. They were like this before, and the others are.
    fn select(&self, sqlite: &Connection, changed: Option<&BTreeSet<String>>) -> Self {
        let all = sqlite.unchecked_transaction().expect("the database can be read");
        let select = |name: &str| (name.to_owned(), Table::read(&all, name, self.0.get(name)));
        if let Some(changed) = changed {
            let mut read = self.clone();
            read.0
                .extend(changed.iter().filter(|it| self.0.contains_key(*it)).map(|it| select(it)));
            return read;
        }
        let names =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut names_of = all.prepare_cached(names).expect("the schema can be read");
        let names =
            names_of.query_map([], |row| row.get::<_, String>(0)).expect("tables have names");
        Self(names.map(|name| select(&name.expect("a table has a name"))).collect())
    }

    /// Returns these columns of the rows of a table.
    pub fn columns<const N: usize>(
        &self,
        table: &str,
        names: [&str; N],
    ) -> impl Iterator<Item = [Option<&str>; N]> {
        self.0.get(table).into_iter().flat_map(move |table| table.columns(names))
    }

    /// Returns these columns of the rows whose first column is this number, in tables that are in the order of
    /// such numbers.
    pub fn columns_of<const N: usize>(
        &self,
        table: &str,
        number: i64,
        names: [&str; N],
    ) -> impl Iterator<Item = [Option<&str>; N]> {
        let table = self.0.get(table).into_iter();
        table.flat_map(move |table| table.columns_of(table.rows_of(number), names))
    }

    /// Returns the rows of a table that have this value in a column, each with the names of its columns.
    pub fn rows_with(
        &self,
        table: &str,
        column: &str,
        value: &str,
    ) -> Vec<Vec<(&str, Option<&str>)>> {
        let Some(table) = self.0.get(table) else { return Vec::new() };
        let at = table.columns.iter().position(|it| it == column).expect("the column is there");
        let number = value.parse().ok().filter(|_| at == 0);
        let rows = number.map_or(&table.rows[..], |number| table.rows_of(number));
        let rows = rows.iter().filter(|row| row.value(at) == Some(value));
        let names = table.columns.iter().map(String::as_str);
        rows.map(|row| names.clone().zip((0..).map(|at| row.value(at))).collect()).collect()
    }

    /// Returns the numbers in the first column of a table whose rows are others than before.
    pub fn changed(&self, before: &Self, table: &str) -> BTreeSet<i64> {
        let (before, after) = (before.0.get(table), self.0.get(table));
        if before == after {
            return BTreeSet::new();
        }
        let (before, after) = (groups(before), groups(after));
        let numbers = before.keys().chain(after.keys());
        numbers.filter(|number| before.get(number) != after.get(number)).copied().collect()
    }

    /// Returns whether a table is the same as before.
    pub fn is_same(&self, before: &Self, table: &str) -> bool {
        self.0.get(table) == before.0.get(table)
    }

    /// Returns the names of the tables that have this text, with the row.
    pub fn mentions(&self, text: &str) -> Option<String> {
        let of = |(name, table): (&String, &Arc<Table>)| {
            let row = table.rows.iter().find(|row| row.text.contains(text))?;
            Some(format!("{name}: {}", row.shown()))
        };
        self.0.iter().find_map(of)
    }

    /// Returns the numbers in the first column of the rows of a table that another state does not have.
    pub fn new_rows(&self, table: &str, before: &Self) -> Vec<i64> {
        let Some(after) = self.0.get(table) else { return Vec::new() };
        let none = Arc::default();
        let before = before.0.get(table).unwrap_or(&none);
        if before == after {
            return Vec::new();
        }
        // Most rows at the beginning and at the end are the same.
        let (before, after) = (&before.rows[..], &after.rows[..]);
        let is_same = |(one, other): &(&Arc<Row>, &Arc<Row>)| one == other;
        let first = before.iter().zip(after).take_while(is_same).count();
        let (before, after) = (&before[first..], &after[first..]);
        let last = before.iter().rev().zip(after.iter().rev()).take_while(is_same).count();
        let (before, after) = (&before[..before.len() - last], &after[..after.len() - last]);
        let before: HashSet<_> = before.iter().collect();
        let new = after.iter().filter(|row| !before.contains(row));
        new.map(|row| row.number).collect()
    }

    /// Returns the numbers in the first column of a table that no row of another state has.
    pub fn added(&self, table: &str, before: &Self) -> Vec<i64> {
        let mut new = self.new_rows(table, before);
        new.retain(|id| before.0.get(table).is_none_or(|before| before.rows_of(*id).is_empty()));
        new.dedup();
        new
    }

    /// Returns the tables whose rows differ, each with a row of the difference.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let names: BTreeSet<_> = self.0.keys().chain(other.0.keys()).collect();
        let none = Arc::default();
        let differs = |name: &&String| {
            let (one, two) =
                (self.0.get(*name).unwrap_or(&none), other.0.get(*name).unwrap_or(&none));
            let [one, two] = [one, two].map(|table| table.rows.iter().collect::<BTreeSet<_>>());
            let row = one.symmetric_difference(&two).next()?;
            Some(format!("{name}: {}", row.shown()))
        };
        names.iter().filter_map(differs).collect()
    }
}
