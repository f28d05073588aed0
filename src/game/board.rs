use super::grid::Grid;
use super::{Bitboard, Cell, Color, Lattice, Size};

/// A set of cells in the order of [`Cell`]. On the 8×8 board it is one word and allocates nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells(Repr);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Repr {
    Bits(u64),
    /// Sorted.
    List(Vec<Cell>),
}

impl Cells {
    /// The set without a cell.
    pub const NONE: Self = Self(Repr::Bits(0));

    /// Whether there is no cell in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many cells are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Bits(bits) => bits.count_ones() as usize,
            Repr::List(list) => list.len(),
        }
    }

    /// Whether the cell is in it.
    #[must_use]
    pub fn contains(&self, cell: Cell) -> bool {
        match &self.0 {
            Repr::Bits(bits) => bits & Bitboard::bit(cell) != 0,
            Repr::List(list) => list.binary_search(&cell).is_ok(),
        }
    }

    /// The cells, in their order.
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
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
}

impl Frame {
    /// The column indices, from the left.
    pub fn column_range(&self) -> std::ops::Range<i32> {
        self.first.column..self.first.column + i32::try_from(self.columns).unwrap_or(0)
    }

    /// The row numbers, from the top.
    pub fn row_range(&self) -> std::ops::Range<i32> {
        self.first.row..self.first.row + i32::try_from(self.rows).unwrap_or(0)
    }
}

/// Discs on a lattice: a [`Bitboard`] for 8×8, a grid for everything else. Knows how discs
/// outflank each other, and nothing of turns.
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

    /// The general form of the board, whatever its size.
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

    /// Lays a disc on a cell and turns the discs of `flipped`, which [`Board::flips`] gave.
    pub(super) fn put(&mut self, cell: Cell, color: Color, flipped: &Cells) {
        match (self, &flipped.0) {
            (Self::Bits(bits), Repr::Bits(turned)) => bits.put(cell, color, *turned),
            (Self::Grid(grid), Repr::List(turned)) => grid.put(cell, color, turned),
            (Self::Bits(bits), Repr::List(turned)) => {
                bits.put(
                    cell,
                    color,
                    turned.iter().map(|&c| Bitboard::bit(c)).fold(0, |a, b| a | b),
                );
            }
            (Self::Grid(grid), Repr::Bits(_)) => {
                grid.put(cell, color, &flipped.iter().collect::<Vec<_>>());
            }
        }
    }

    /// The cells to draw: the whole rectangle, or the discs on the hex lattice with one empty
    /// cell around them.
    pub(super) fn frame(&self, lattice: Lattice) -> Frame {
        match (lattice, self) {
            (Lattice::Rectangle(size), _) => Frame {
                first: Cell::new(0, 1),
                rows: size.rows().into(),
                columns: size.columns().into(),
            },
            (Lattice::Hex, Self::Grid(grid)) => {
                let (first, rows, columns) = grid.extent();
                Frame { first, rows, columns }
            }
            (Lattice::Hex, Self::Bits(_)) => unreachable!("the hex lattice has no bitboard"),
        }
    }
}
