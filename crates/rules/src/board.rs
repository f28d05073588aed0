use super::bitboard::Bitboard;
use super::grid::Grid;
use super::{Cell, Color, Lattice, Size};

/// A set of cells in the order of [`Cell`]. On the 8×8 board, it is one word and allocates nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells(Repr);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Repr {
    Bits(u64),
    /// Sorted.
    List(Vec<Cell>),
}

impl Cells {
    /// The empty set.
    pub const NONE: Self = Self(Repr::Bits(0));

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

/// The discs on a lattice: a [`Bitboard`] for 8×8, a [`Grid`] for everything else. It finds the
/// outflanked discs, but does not know whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Board {
    Bits(Bitboard),
    Grid(Grid),
}

impl Board {
    pub(super) fn new(lattice: Lattice) -> Self {
        match lattice {
            Lattice::Rectangle(Size::EIGHT) => Self::Bits(Bitboard::default()),
            _ => Self::general(lattice),
        }
    }

    /// Returns a board that uses a [`Grid`] for every size.
    pub(super) fn general(lattice: Lattice) -> Self {
        Self::Grid(Grid::new(lattice))
    }

    pub(super) fn disc(&self, cell: Cell) -> Option<Color> {
        match self {
            Self::Bits(bits) => bits.disc(cell),
            Self::Grid(grid) => grid.disc(cell),
        }
    }

    pub(super) fn count(&self, color: Color) -> u32 {
        match self {
            Self::Bits(bits) => bits.discs(color).count_ones(),
            Self::Grid(grid) => grid.count(color),
        }
    }

    pub(super) fn empty(&self) -> Cells {
        match self {
            Self::Bits(bits) => Cells(Repr::Bits(bits.empty())),
            Self::Grid(grid) => Cells(Repr::List(grid.empty().collect())),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        match self {
            Self::Bits(bits) => bits.empty() == 0,
            Self::Grid(grid) => grid.empty().next().is_none(),
        }
    }

    pub(super) fn placements(&self, color: Color) -> Cells {
        match self {
            Self::Bits(bits) => Cells(Repr::Bits(bits.placements(color))),
            Self::Grid(grid) => Cells(Repr::List(grid.placements(color).collect())),
        }
    }

    pub(super) fn can_outflank(&self, color: Color) -> bool {
        match self {
            Self::Bits(bits) => bits.placements(color) != 0,
            Self::Grid(grid) => grid.placements(color).next().is_some(),
        }
    }

    pub(super) fn flips(&self, cell: Cell, color: Color) -> Cells {
        match self {
            Self::Bits(bits) => Cells(Repr::Bits(bits.flips(cell, color))),
            Self::Grid(grid) => Cells(Repr::List(grid.flips(cell, color))),
        }
    }

    /// Places a disc on a cell and flips `flipped`, the result of [`Board::flips`].
    pub(super) fn put(&mut self, cell: Cell, color: Color, flipped: &Cells) {
        match (self, &flipped.0) {
            (Self::Bits(bits), Repr::Bits(flipped)) => bits.put(cell, color, *flipped),
            (Self::Bits(bits), Repr::List(list)) => {
                bits.put(cell, color, list.iter().fold(0, |word, &c| word | Bitboard::bit(c)));
            }
            (Self::Grid(grid), _) => grid.put(cell, color, flipped),
        }
    }

    /// Returns the cells to draw: the whole rectangle, or the discs on the hex lattice with one
    /// empty cell around them.
    pub(super) fn frame(&self) -> Frame {
        match self {
            Self::Bits(_) => Frame { first: Cell::new(0, 1), rows: 8, columns: 8 },
            Self::Grid(grid) => grid.frame(),
        }
    }
}
