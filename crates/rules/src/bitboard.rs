use super::kernel::{Kernel, Portable};
use super::{Cell, Color};

/// The 8×8 board as two words of 64 bits.
///
/// Bit `8 · column + row − 1` stands for a cell, so bits follow the order of [`Cell`]: down the
/// a-file, then down the b-file. Nothing here allocates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bitboard {
    black: u64,
    white: u64,
}

impl Bitboard {
    /// Returns the bit of a cell; 0 for a cell outside the board.
    pub(super) fn bit(cell: Cell) -> u64 {
        match (u32::try_from(cell.column), u32::try_from(cell.row)) {
            (Ok(column @ 0..8), Ok(row @ 1..=8)) => 1 << (8 * column + row - 1),
            _ => 0,
        }
    }

    /// Returns the cell of the lowest bit of a nonzero word.
    pub(super) const fn lowest(bits: u64) -> Cell {
        let index = (bits.trailing_zeros() & 63).cast_signed();
        Cell::new(index / 8, index % 8 + 1)
    }

    /// Returns the discs of one colour.
    pub(super) const fn discs(&self, color: Color) -> u64 {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// Returns the empty cells.
    pub(super) const fn empty(&self) -> u64 {
        !(self.black | self.white)
    }

    /// Returns the colour of the disc on a cell; `None` if the cell is empty or outside the board.
    pub(super) fn disc(&self, cell: Cell) -> Option<Color> {
        let bit = Self::bit(cell);
        Color::BOTH.into_iter().find(|&color| self.discs(color) & bit != 0)
    }

    /// Returns the cells on which a disc of this colour flips at least one other.
    pub(super) fn placements(&self, color: Color) -> u64 {
        Portable::placements(self.discs(color), self.discs(!color))
    }

    /// Returns the discs that a disc of this colour flips when placed on an empty cell.
    pub(super) fn flips(&self, cell: Cell, color: Color) -> u64 {
        let square = Self::bit(cell).trailing_zeros() as usize;
        Portable::flips(self.discs(color), self.discs(!color), square)
    }

    /// Places a disc on a cell and flips the discs of `flipped` to its colour.
    pub(super) fn put(&mut self, cell: Cell, color: Color, flipped: u64) {
        let changed = Self::bit(cell) | flipped;
        let (own, other) = match color {
            Color::Black => (&mut self.black, &mut self.white),
            Color::White => (&mut self.white, &mut self.black),
        };
        *own |= changed;
        *other &= !changed;
    }
}
