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

use super::engine::legal_moves;
use super::solve::{Value, final_margin, played};
use crate::game::{
    Cell, Goal, Lattice, Overrides, Placement, Position, Rules, Size, State, Stuck, Variant,
};

const MAGIC: &str = "outflank database 1";
/// The most cells of a board whose keys fit into a word.
const CELLS: usize = 40;
/// The most bytes of the text at the beginning.
const HEADER: u64 = 1024;
/// The bytes of a record besides its key.
const VALUES: usize = 2;

/// Why a database cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unbuildable {
    /// The board has no edges or more cells than a key has room for.
    #[error("a database is for boards of at most {CELLS} cells")]
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
pub fn build_database(
    start: &Position,
    limit: usize,
    proceed: &dyn Fn(usize) -> bool,
) -> Result<Vec<u8>, Unbuildable> {
    let keys = Keys::new(start.rules()).ok_or(Unbuildable::Board)?;
    let mut builder = Builder { keys, known: HashMap::new(), limit, proceed };
    builder.value(start)?;
    let Builder { keys, known, .. } = builder;
    let mut records: Vec<_> = known.into_iter().collect();
    records.sort_unstable_by_key(|&(key, _)| key);
    let mut file = header(start.rules(), records.len()).into_bytes();
    for (key, (margin, remoteness)) in records {
        file.extend_from_slice(&key.to_be_bytes()[8 - keys.width()..]);
        file.extend_from_slice(&margin.to_be_bytes());
        file.push(remoteness);
    }
    Ok(file)
}

struct Builder<'a> {
    keys: Keys,
    known: HashMap<u64, (i8, u8)>,
    limit: usize,
    proceed: &'a dyn Fn(usize) -> bool,
}

impl Builder<'_> {
    fn value(&mut self, position: &Position) -> Result<(i8, u8), Unbuildable> {
        let key = self.keys.of(position);
        if let Some(&value) = self.known.get(&key) {
            return Ok(value);
        }
        let value = match position.state() {
            State::Over(outcome) => {
                (i8::try_from(final_margin(position, outcome)).unwrap_or(i8::MAX), 0)
            }
            _ => {
                let after = |mv| self.value(&played(position, mv));
                let values: Result<Vec<_>, _> =
                    legal_moves(position).into_iter().map(after).collect();
                best(&values?)
            }
        };
        if self.known.len() >= self.limit {
            return Err(Unbuildable::TooLarge(self.limit));
        }
        self.known.insert(key, value);
        if self.known.len() % 1024 == 0 && !(self.proceed)(self.known.len()) {
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

/// The keys of the positions on a board.
struct Keys {
    size: Size,
    /// For each symmetry of the board, the worth of a digit on each cell.
    worths: Vec<Vec<u64>>,
}

impl Keys {
    fn new(rules: &Rules) -> Option<Self> {
        let Lattice::Rectangle(size) = rules.lattice else { return None };
        let (rows, columns) = (usize::from(size.rows()), usize::from(size.columns()));
        if rows * columns > CELLS {
            return None;
        }
        let mut powers = vec![1_u64];
        powers.extend((1..rows * columns).scan(1, |power, _| {
            *power *= 3;
            Some(*power)
        }));
        let worths =
            (0..8).filter(|symmetry| symmetry & 4 == 0 || rows == columns).map(|symmetry| {
                let cells = (0..rows * columns).map(|index| {
                    let (mut row, mut column) = (index / columns, index % columns);
                    if symmetry & 1 != 0 {
                        row = rows - 1 - row;
                    }
                    if symmetry & 2 != 0 {
                        column = columns - 1 - column;
                    }
                    if symmetry & 4 != 0 {
                        (row, column) = (column, row);
                    }
                    powers[row * columns + column]
                });
                cells.collect()
            });
        let worths = worths.collect();
        Some(Self { size, worths })
    }

    /// Returns the bytes of a key.
    fn width(&self) -> usize {
        let largest: u64 = self.worths.first().map_or(0, |worths| worths.iter().sum::<u64>() * 2);
        8 - largest.leading_zeros() as usize / 8
    }

    fn of(&self, position: &Position) -> u64 {
        let columns = i32::from(self.size.columns());
        let digits: Vec<_> = (0..i32::from(self.size.rows()) * columns)
            .map(|index| {
                let disc = position.disc(Cell::new(index % columns, 1 + index / columns));
                disc.map_or(0, |color| if color == position.turn() { 1 } else { 2 })
            })
            .collect();
        let key = |worths: &Vec<u64>| digits.iter().zip(worths).map(|(d, worth)| d * worth).sum();
        self.worths.iter().map(key).min().unwrap_or(0)
    }
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
    keys: Keys,
    /// Where the records begin, and their number.
    first: u64,
    records: u64,
}

impl<R: Read + Seek> Database<R> {
    /// Opens a database.
    pub fn open(mut file: R) -> Result<Self, BadDatabase> {
        let mut start = Vec::new();
        file.by_ref().take(HEADER).read_to_end(&mut start)?;
        let end = start.windows(2).position(|two| two == b"\n\n").ok_or(BadDatabase::Malformed)?;
        let text = String::from_utf8_lossy(&start[..end]);
        let (rules, records) = parsed(&text).ok_or(BadDatabase::Malformed)?;
        let keys = Keys::new(&rules).ok_or(BadDatabase::Malformed)?;
        let database = Self { file, rules, keys, first: end as u64 + 2, records };
        database.checked()
    }

    fn checked(mut self) -> Result<Self, BadDatabase> {
        let length = self.file.seek(SeekFrom::End(0))?;
        let records = self.records.checked_mul(self.record_length() as u64);
        let is_whole = records.and_then(|bytes| bytes.checked_add(self.first)) == Some(length);
        if is_whole { Ok(self) } else { Err(BadDatabase::Malformed) }
    }

    /// Returns the rules of its positions.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the number of positions. Those that are equal by symmetry or by swapping the colours
    /// count once.
    pub const fn len(&self) -> u64 {
        self.records
    }

    /// Returns whether it has no position.
    pub const fn is_empty(&self) -> bool {
        self.records == 0
    }

    fn record_length(&self) -> usize {
        self.keys.width() + VALUES
    }

    /// Returns the value of a position with the rules of the database; `None` if it cannot be
    /// reached.
    pub fn get(&mut self, position: &Position) -> io::Result<Option<Value>> {
        let (width, key) = (self.keys.width(), self.keys.of(position));
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

/// Parses what [`header`] writes.
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
