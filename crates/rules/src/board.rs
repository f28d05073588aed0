use super::bitboard::Bitboard;
use super::grid::Grid;
use super::{Cell, Cells, Color, Frame, Lattice, Size};

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
            Self::Bits(bits) => Cells::of_bits(bits.empty()),
            Self::Grid(grid) => Cells::of_list(grid.empty().collect()),
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
            Self::Bits(bits) => Cells::of_bits(bits.placements(color)),
            Self::Grid(grid) => Cells::of_list(grid.placements(color).collect()),
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
            Self::Bits(bits) => Cells::of_bits(bits.flips(cell, color)),
            Self::Grid(grid) => Cells::of_list(grid.flips(cell, color)),
        }
    }

    /// Places a disc on a cell and flips `flipped`, the result of [`Board::flips`].
    pub(super) fn put(&mut self, cell: Cell, color: Color, flipped: &Cells) {
        match self {
            Self::Bits(bits) => bits.put(cell, color, flipped.bits()),
            Self::Grid(grid) => grid.put(cell, color, flipped),
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
