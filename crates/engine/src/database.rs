//! Files with the values of all reachable positions of a small board.
//!
//! A file begins with lines of text: its kind, the rules, and the number of records; an empty line
//! ends them. Then come records of equal size, sorted: the key of a position in big-endian order,
//! its margin and its remoteness, each in one byte. The key numbers the cells from the upper left,
//! row by row. The digit of a cell in base 3 is 0 if it is empty, 1 for a disc of the player to
//! move and 2 for one of the opponent; the first cell has the lowest digit. Of positions that are
//! equal by symmetry or by swapping the colours, the file has the one with the least key.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};

use super::solve::{Value, played};
use super::symmetry::canonical;
use outflank_rules::{Goal, Lattice, Overrides, Placement, Position, Rules, State, Stuck, Variant};

const MAGIC: &str = "outflank database 1";
/// The most cells of a board with keys that fit into a word.
const MAX_CELLS: usize = 40;
/// The most bytes of the text at the beginning.
const MAX_HEADER_BYTES: u64 = 1024;
/// The bytes of a record besides its key.
const VALUE_BYTES: usize = 2;

/// Why a database cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unbuildable {
    /// The board has no edges or more cells than a key has room for.
    #[error("a database is for boards of at most {MAX_CELLS} cells")]
    Board,
    /// More positions are reachable than this.
    #[error("more than {0} positions can be reached")]
    TooLarge(usize),
    /// The builder was told to stop.
    #[error("stopped")]
    Stopped,
}

/// A file is not a database.
#[derive(Debug, thiserror::Error)]
pub enum BadDatabase {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// The file is of another kind, or damaged.
    #[error("it is not a database of solved positions")]
    Malformed,
}

/// Returns the file with the value of every position that can be reached from this one. `proceed`
/// gets the number of positions now and then, and returns whether to go on.
///
/// ```
/// # use outflank_engine::{Database, build_database};
/// # use outflank_rules::{Overrides, Position, Variant};
/// let overrides = Overrides { size: "3x3".parse().ok(), ..Overrides::default() };
/// let start = Position::start(Variant::named("othello")?.rules(&overrides)?);
/// let file = build_database(&start, 10_000, &|_| true)?;
/// let mut database = Database::open(std::io::Cursor::new(file))?;
/// assert!(database.get(&start)?.is_some_and(|value| value.remoteness.is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_database(
    start: &Position,
    limit: usize,
    proceed: &dyn Fn(usize) -> bool,
) -> Result<Vec<u8>, Unbuildable> {
    let width = key_width(start.rules()).ok_or(Unbuildable::Board)?;
    let mut builder = Builder { known: HashMap::new(), limit, proceed };
    builder.value(start)?;
    let mut records: Vec<_> = builder.known.into_iter().collect();
    records.sort_unstable_by_key(|&(key, _)| key);
    let mut file = header(start.rules(), records.len()).into_bytes();
    for (key, (margin, remoteness)) in records {
        file.extend_from_slice(&key.to_be_bytes()[8 - width..]);
        file.extend_from_slice(&margin.to_be_bytes());
        file.push(remoteness);
    }
    Ok(file)
}

struct Builder<'a> {
    known: HashMap<u64, (i8, u8)>,
    limit: usize,
    proceed: &'a dyn Fn(usize) -> bool,
}

impl Builder<'_> {
    fn value(&mut self, position: &Position) -> Result<(i8, u8), Unbuildable> {
        let key = key(position);
        if let Some(&value) = self.known.get(&key) {
            return Ok(value);
        }
        let value = match position.state() {
            State::Over(outcome) => (
                i8::try_from(position.rules().margin(&outcome, position.turn())).unwrap_or(i8::MAX),
                0,
            ),
            _ => {
                let after = |mv| self.value(&played(position, mv));
                let values: Result<Vec<_>, _> = position.legal().into_iter().map(after).collect();
                best(&values?)
            }
        };
        if self.known.len() >= self.limit {
            return Err(Unbuildable::TooLarge(self.limit));
        }
        self.known.insert(key, value);
        if self.known.len().is_multiple_of(1024) && !(self.proceed)(self.known.len()) {
            return Err(Unbuildable::Stopped);
        }
        Ok(value)
    }
}

/// Returns the value of a position from those after its moves, which are for the opponent.
fn best(after: &[(i8, u8)]) -> (i8, u8) {
    let margin = after.iter().map(|&(margin, _)| -margin).max().unwrap_or(0);
    let same = after.iter().filter(|(other, _)| -other.signum() == margin.signum());
    let plies = same.map(|&(_, remoteness)| remoteness);
    let plies = if margin > 0 { plies.min() } else { plies.max() };
    (margin, plies.unwrap_or(0) + 1)
}

/// Returns the bytes of a key on a board; `None` if its keys are too large.
fn key_width(rules: &Rules) -> Option<usize> {
    let Lattice::Rectangle(size) = rules.lattice else { return None };
    let cells = usize::from(size.rows()) * usize::from(size.columns());
    let largest = (0..cells.min(MAX_CELLS)).fold(0_u64, |key, _| 3 * key + 2);
    (cells <= MAX_CELLS).then_some(8 - largest.leading_zeros() as usize / 8)
}

/// Returns the key of a position.
fn key(position: &Position) -> u64 {
    let digits = canonical(position).unwrap_or_default();
    digits.iter().rev().fold(0, |key, &digit| key.wrapping_mul(3) + u64::from(digit))
}

fn header(rules: &Rules, records: usize) -> String {
    let size = match rules.lattice {
        Lattice::Rectangle(size) => size.to_string(),
        Lattice::Hex => String::new(),
    };
    let misere = rules.goal == Goal::Fewer;
    let anywhere = rules.placement == Placement::Anywhere;
    let pass = rules.stuck.pass_word().unwrap_or_default();
    format!(
        "{MAGIC}\nrules size={size} misere={misere} anywhere={anywhere} pass={pass}\n\
         records {records}\n\n"
    )
}

/// An open file with the values of a board's positions.
pub struct Database<R> {
    file: R,
    rules: Rules,
    /// The bytes of a key.
    width: usize,
    /// Where the records begin, and their number.
    first: u64,
    records: u64,
}

impl<R: Read + Seek> Database<R> {
    /// Opens a database.
    pub fn open(mut file: R) -> Result<Self, BadDatabase> {
        let mut start = Vec::new();
        file.by_ref().take(MAX_HEADER_BYTES).read_to_end(&mut start)?;
        let end = start.windows(2).position(|two| two == b"\n\n").ok_or(BadDatabase::Malformed)?;
        let text = String::from_utf8_lossy(&start[..end]);
        let (rules, records) = parsed(&text).ok_or(BadDatabase::Malformed)?;
        let width = key_width(&rules).ok_or(BadDatabase::Malformed)?;
        let mut database = Self { file, rules, width, first: end as u64 + 2, records };
        let length = database.file.seek(SeekFrom::End(0))?;
        let bytes = records.checked_mul(database.record_length() as u64);
        let is_whole = bytes.and_then(|bytes| bytes.checked_add(database.first)) == Some(length);
        if is_whole { Ok(database) } else { Err(BadDatabase::Malformed) }
    }

    /// Returns the rules of its positions.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the number of positions. Those that are equal by symmetry or by swapping the colours
    /// count once.
    pub const fn positions(&self) -> u64 {
        self.records
    }

    fn record_length(&self) -> usize {
        self.width + VALUE_BYTES
    }

    /// Returns the value of a position with the rules of the database; `None` if it cannot be
    /// reached.
    pub fn get(&mut self, position: &Position) -> io::Result<Option<Value>> {
        let (width, key) = (self.width, key(position));
        let (mut low, mut high) = (0, self.records);
        let mut record = vec![0; self.record_length()];
        while low < high {
            let middle = low + (high - low) / 2;
            self.file.seek(SeekFrom::Start(self.first + middle * record.len() as u64))?;
            self.file.read_exact(&mut record)?;
            let found = record[..width].iter().fold(0, |key, &byte| key << 8 | u64::from(byte));
            match found.cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return Ok(Some(Value {
                        margin: i8::from_be_bytes([record[width]]).into(),
                        remoteness: Some(record[width + 1].into()),
                    }));
                }
            }
        }
        Ok(None)
    }
}

/// Parses a [`header`].
fn parsed(text: &str) -> Option<(Rules, u64)> {
    let mut lines = text.lines();
    if lines.next()? != MAGIC {
        return None;
    }
    let words = lines.next()?.strip_prefix("rules ")?.split(' ');
    let mut overrides = Overrides::default();
    for (name, value) in words.filter_map(|word| word.split_once('=')) {
        match name {
            "size" => overrides.size = Some(value.parse().ok()?),
            "misere" => overrides.misere = value.parse().ok()?,
            "anywhere" => overrides.anywhere = value.parse().ok()?,
            "pass" => {
                let mut known = [Stuck::AutoPass, Stuck::MustPass].into_iter();
                overrides.stuck = Some(known.find(|stuck| stuck.pass_word() == Some(value))?);
            }
            _ => return None,
        }
    }
    let rules = Variant::named("othello").ok()?.rules(&overrides).ok()?;
    Some((rules, lines.next()?.strip_prefix("records ")?.parse().ok()?))
}
