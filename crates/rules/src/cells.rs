use super::Cell;
use super::bitboard::Bitboard;

/// A set of cells in the order of [`Cell`]. On the 8×8 board, it is one word and allocates nothing.
///
/// ```
/// # use outflank_rules::{Cell, Cells};
/// let cells: Cells = [Cell::new(3, 4), Cell::new(2, 4)].into_iter().collect();
/// assert_eq!((cells.len(), cells.contains(Cell::new(3, 4))), (2, true));
/// assert_eq!(cells.iter().next(), Some(Cell::new(2, 4)));
/// assert_eq!(Cells::from_iter([]), Cells::NONE);
/// ```
#[derive(Debug, Clone)]
pub struct Cells(Repr);

#[derive(Debug, Clone)]
enum Repr {
    Bits(u64),
    /// Sorted.
    List(Vec<Cell>),
}

/// Sets are equal if they have the same cells, however each was made.
impl PartialEq for Cells {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Cells {}

impl FromIterator<Cell> for Cells {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut list: Vec<_> = cells.into_iter().collect();
        list.sort_unstable();
        list.dedup();
        Self(Repr::List(list))
    }
}

impl Cells {
    /// The empty set.
    pub const NONE: Self = Self(Repr::Bits(0));

    /// Returns the cells of the 8×8 board that have these bits.
    pub(super) const fn of_bits(bits: u64) -> Self {
        Self(Repr::Bits(bits))
    }

    /// Returns the cells of a sorted list.
    pub(super) const fn of_list(list: Vec<Cell>) -> Self {
        Self(Repr::List(list))
    }

    /// Returns the bits of the cells, which must be on the 8×8 board.
    pub(super) fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Bits(bits) => *bits,
            Repr::List(list) => list.iter().fold(0, |word, &cell| word | Bitboard::bit(cell)),
        }
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Bits(bits) => bits.count_ones() as usize,
            Repr::List(list) => list.len(),
        }
    }

    /// Returns whether the set contains the cell.
    pub fn contains(&self, cell: Cell) -> bool {
        match &self.0 {
            Repr::Bits(bits) => bits & Bitboard::bit(cell) != 0,
            Repr::List(list) => list.binary_search(&cell).is_ok(),
        }
    }

    /// Iterates over the cells in order.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + '_ {
        let (mut bits, list) = match &self.0 {
            Repr::Bits(bits) => (*bits, [].as_slice()),
            Repr::List(list) => (0, list.as_slice()),
        };
        let from_bits = std::iter::from_fn(move || {
            let cell = (bits != 0).then(|| Bitboard::lowest(bits))?;
            bits &= bits - 1;
            Some(cell)
        });
        from_bits.chain(list.iter().copied())
    }
}

/// A rectangle of cells.
///
/// ```
/// # use outflank_rules::{Position, Variant};
/// let rules = Variant::named("oddthello")?.rules(&Default::default())?;
/// let frame = Position::start(rules).frame();
/// assert_eq!((frame.rows, frame.columns), (4, 4));
/// assert_eq!((frame.row_range(), frame.column_range()), (1..5, 0..4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The upper left cell.
    pub first: Cell,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

impl Frame {
    /// Returns the column indices from the left.
    pub fn column_range(&self) -> std::ops::Range<i32> {
        self.first.column..self.first.column + i32::try_from(self.columns).unwrap_or(0)
    }

    /// Returns the row numbers from the top.
    pub fn row_range(&self) -> std::ops::Range<i32> {
        self.first.row..self.first.row + i32::try_from(self.rows).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_a_list_are_the_same_set() {
        let list = vec![Cell::new(0, 1), Cell::new(3, 4), Cell::new(4, 4), Cell::new(7, 8)];
        let of_list = Cells::of_list(list.clone());
        let of_bits = Cells::of_bits(of_list.bits());
        let collected = list.iter().rev().copied().collect();
        for cells in [&of_list, &of_bits, &collected] {
            assert_eq!((cells.len(), cells.is_empty()), (4, false));
            assert_eq!(cells.iter().collect::<Vec<_>>(), list);
            for row in 1..=8 {
                for column in 0..8 {
                    let cell = Cell::new(column, row);
                    assert_eq!(cells.contains(cell), list.contains(&cell), "{cell:?}");
                }
            }
        }
    }
}
