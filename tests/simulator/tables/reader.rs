//! Reads a database again and again: it stays open, and the tables whose pages are as they were are not read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tempfile::NamedTempFile;

use super::{Tables, open};
use crate::simulator::cut::log_of;

/// More tables than a database has.
const MAX_TABLES: usize = 200;

/// A copy of the last database that was read, which stays open: to open one takes as long as to read it.
struct Reader {
    /// The database that it is a copy of.
    database: PathBuf,
    /// The file of the copy, which has no name any more.
    file: File,
    sqlite: Connection,
    /// How often the copy was written.
    writes: u32,
    /// What it holds, without the counters that were written into it.
    bytes: Vec<u8>,
    /// The table or index of each page by the number of the page.
    owners: BTreeMap<usize, String>,
    /// What was read last.
    tables: Tables,
}

thread_local! {
    static READER: RefCell<Option<Reader>> = const { RefCell::new(None) };
}

impl Reader {
    /// Opens an empty copy of a database.
    fn new(database: &Path) -> io::Result<Self> {
        // Its folder has nothing but what the program writes.
        let folder = database.ancestors().nth(2).unwrap_or(database);
        let (file, path) = NamedTempFile::new_in(folder)?.into_parts();
        let sqlite = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let sqlite = sqlite.map_err(io::Error::other)?;
        sqlite.set_prepared_statement_cache_capacity(MAX_TABLES);
        Ok(Self {
            database: database.to_owned(),
            file,
            sqlite,
            writes: 0,
            bytes: Vec::new(),
            owners: BTreeMap::new(),
            tables: Tables::default(),
        })
    }

    /// Copies the database again, in the form of one without a write-ahead log. Returns the tables and indexes that
    /// have changed since; `None` if that cannot be told.
    fn refresh(&mut self) -> io::Result<Option<BTreeSet<String>>> {
        let mut bytes = fs::read(&self.database)?;
        let changed = self.changed(&bytes);
        self.bytes.clone_from(&bytes);
        let Some((header, _)) = bytes.split_first_chunk_mut::<100>() else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        self.writes += 1;
        // See "The Database Header" of the file format of SQLite: the versions for writers and readers, the counter by
        // which a connection sees that the file is another, and the counter for which the size is valid.
        header[18..20].copy_from_slice(&[1, 1]);
        header[24..28].copy_from_slice(&self.writes.to_be_bytes());
        header[92..96].copy_from_slice(&self.writes.to_be_bytes());
        self.file.set_len(bytes.len().try_into().unwrap_or(u64::MAX))?;
        self.file.write_all_at(&bytes, 0)?;
        Ok(changed)
    }

    /// Returns the owners of the pages that differ from these, unless a page may belong to another one since: then
    /// the size, the list of free pages or the schema differs, which the header tells, or a page that is not a leaf.
    fn changed(&self, bytes: &[u8]) -> Option<BTreeSet<String>> {
        let header = |bytes: &[u8]| bytes.get(28..44).map(<[u8]>::to_vec);
        if bytes.len() != self.bytes.len() || header(bytes) != header(&self.bytes) {
            return None;
        }
        let size = self.page_size();
        let pages = self.bytes.chunks(size).zip(bytes.chunks(size)).enumerate().skip(1);
        let differing = pages.filter(|(_, (before, after))| before != after);
        // The first byte tells the leaves of an index and of a table from all other pages.
        let owner = |(at, (before, after)): (usize, (&[u8], &[u8]))| {
            let are_leaves = [before, after].iter().all(|page| matches!(page[0], 10 | 13));
            self.owners.get(&(at + 1)).filter(|_| are_leaves).cloned()
        };
        differing.map(owner).collect()
    }

    /// Returns the table or index of each page, except of those on which a long row goes on.
    fn owners(&self) -> rusqlite::Result<BTreeMap<usize, String>> {
        let mut select = self
            .sqlite
            .prepare_cached("SELECT rootpage, name FROM sqlite_schema WHERE rootpage")?;
        let roots = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut open = roots.collect::<rusqlite::Result<Vec<(usize, String)>>>()?;
        let mut owners = BTreeMap::new();
        while let Some((page, name)) = open.pop() {
            let children = self.children(page);
            open.extend(children.map(|child| (child, name.clone())));
            owners.insert(page, name);
        }
        Ok(owners)
    }

    /// Returns the pages below a page: see "B-tree Pages" of the file format.
    fn children(&self, page: usize) -> impl Iterator<Item = usize> {
        let bytes = self.bytes.chunks(self.page_size()).nth(page - 1).unwrap_or_default();
        let number =
            |at: usize| bytes[at..at + 4].iter().fold(0, |it, byte| it << 8 | usize::from(*byte));
        let is_inner = matches!(bytes.first(), Some(2 | 5));
        let cells = if is_inner { number(1) & 0xffff } else { 0 };
        let cell = move |at: usize| number(10 + 2 * at) & 0xffff;
        is_inner.then(|| number(8)).into_iter().chain((0..cells).map(move |at| number(cell(at))))
    }

    fn page_size(&self) -> usize {
        match self.bytes.get(16..18) {
            Some([0, 1]) | None => 1 << 16,
            Some(size) => usize::from(size[0]) << 8 | usize::from(size[1]),
        }
    }
}

/// Reads a database, of which this was read before. What is only in its log, which a process leaves that was killed, is
/// read from there.
pub(super) fn read_again(database: &Path, before: &Tables) -> Tables {
    if fs::metadata(log_of(database)).is_ok_and(|log| log.len() > 0) {
        return before.select(&open(database), None);
    }
    READER.with_borrow_mut(|reader| {
        let known = reader.take().filter(|it| it.database == database);
        let mut known = known.map_or_else(|| Reader::new(database), Ok).expect("a copy is made");
        let changed = known.refresh().expect("the database is copied");
        if changed.is_none() {
            known.owners = known.owners().expect("the pages can be read");
        }
        known.tables = known.tables.select(&known.sqlite, changed.as_ref());
        let read = known.tables.clone();
        *reader = Some(known);
        read
    })
}
