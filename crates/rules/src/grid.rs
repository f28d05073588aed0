use super::{Cell, Cells, Color, Direction, Frame, Lattice};

/// The board of any lattice: a rectangle of cells with an empty border one cell wide, where every
/// ray ends. On the hex lattice, it grows with the discs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    lattice: Lattice,
    /// The cell at index 0: the upper left corner of the border.
    corner: Cell,
    /// The cells in a row, including the border.
    width: usize,
    cells: Vec<Option<Color>>,
}

impl Grid {
    /// Returns a board without discs. On the hex lattice, it has no room for discs yet.
    pub(super) fn new(lattice: Lattice) -> Self {
        let (rows, columns) = match lattice {
            Lattice::Rectangle(size) => (usize::from(size.rows()), usize::from(size.columns())),
            Lattice::Hex => (0, 0),
        };
        Self {
            lattice,
            corner: Cell::new(-1, 0),
            width: columns + 2,
            cells: vec![None; (columns + 2) * (rows + 2)],
        }
    }

    /// Returns the cells to draw: a rectangle without its border, the hex lattice with it.
    pub(super) fn frame(&self) -> Frame {
        let hidden = self.hidden_border();
        Frame {
            first: self.cell(hidden * self.width + hidden),
            rows: self.height() - 2 * hidden,
            columns: self.width - 2 * hidden,
        }
    }

    /// Returns the width of the border that is not part of the lattice.
    fn hidden_border(&self) -> usize {
        usize::from(self.lattice != Lattice::Hex)
    }

    fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        let column = usize::try_from(cell.column.checked_sub(self.corner.column)?).ok()?;
        let row = usize::try_from(cell.row.checked_sub(self.corner.row)?).ok()?;
        (column < self.width && row < self.height()).then(|| row * self.width + column)
    }

    fn cell(&self, index: usize) -> Cell {
        let offset = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        Cell::new(
            self.corner.column + offset(index % self.width),
            self.corner.row + offset(index / self.width),
        )
    }

    pub(super) fn disc(&self, cell: Cell) -> Option<Color> {
        self.index(cell).and_then(|index| self.cells[index])
    }

    pub(super) fn count(&self, color: Color) -> u32 {
        let discs = self.cells.iter().filter(|&&disc| disc == Some(color));
        u32::try_from(discs.count()).unwrap_or(u32::MAX)
    }

    /// Returns the empty cells of [`Grid::frame`].
    pub(super) fn empty(&self) -> impl Iterator<Item = Cell> {
        self.empty_indices().map(|index| self.cell(index))
    }

    fn empty_indices(&self) -> impl Iterator<Item = usize> {
        let (width, height) = (self.width, self.height());
        let hidden = self.hidden_border();
        // Column by column: the order of `Cell`.
        (hidden..width - hidden)
            .flat_map(move |column| (hidden..height - hidden).map(move |row| row * width + column))
            .filter(|&index| self.cells[index].is_none())
    }

    /// Returns the difference of indices for a step in this direction.
    fn stride(&self, (columns, rows): Direction) -> isize {
        columns as isize + rows as isize * self.width.cast_signed()
    }

    /// Returns how many discs a disc of this colour, placed here, flips in one direction.
    fn outflanked(&self, from: usize, stride: isize, color: Color) -> usize {
        let mut count = 0;
        let mut index = from;
        loop {
            // The first step may leave the grid or wrap around to the border on the other side.
            // Later steps cannot, because cells of the border are empty.
            let Some(next) = index.checked_add_signed(stride) else { return 0 };
            index = next;
            match self.cells.get(index) {
                Some(&Some(disc)) if disc == color => return count,
                Some(Some(_)) => count += 1,
                _ => return 0,
            }
        }
    }

    fn strides(&self) -> impl Iterator<Item = isize> {
        self.lattice.directions().iter().map(|&direction| self.stride(direction))
    }

    /// Returns the discs that a disc of this colour flips when placed on an empty cell, in the
    /// order of [`Cell`].
    pub(super) fn flips(&self, cell: Cell, color: Color) -> Vec<Cell> {
        let Some(from) = self.index(cell) else { return Vec::new() };
        let mut flipped = Vec::new();
        for stride in self.strides() {
            let mut index = from;
            for _ in 0..self.outflanked(from, stride, color) {
                index = index.wrapping_add_signed(stride);
                flipped.push(self.cell(index));
            }
        }
        flipped.sort_unstable();
        flipped
    }

    /// Returns the cells on which a disc of this colour flips at least one other, in the order of
    /// [`Cell`].
    pub(super) fn placements(&self, color: Color) -> impl Iterator<Item = Cell> {
        self.empty_indices()
            .filter(move |&from| {
                self.strides().any(|stride| self.outflanked(from, stride, color) > 0)
            })
            .map(|index| self.cell(index))
    }

    /// Places a disc on a cell and flips the discs of `flipped` to its colour.
    pub(super) fn put(&mut self, cell: Cell, color: Color, flipped: &Cells) {
        self.grow_around(cell);
        for changed in flipped.iter().chain([cell]) {
            if let Some(index) = self.index(changed) {
                self.cells[index] = Some(color);
            }
        }
    }

    /// On the hex lattice, makes room for a disc with an empty border around it.
    fn grow_around(&mut self, cell: Cell) {
        if self.lattice != Lattice::Hex {
            return;
        }
        let (near, far) = (self.corner, self.cell(self.cells.len() - 1));
        let discs: Vec<_> = (0..self.cells.len())
            .filter_map(|index| Some((self.cell(index), self.cells[index]?)))
            .collect();
        let span = |near: i32, far: i32, at: i32| match discs.is_empty() {
            true => (at - 1, at + 1),
            false => (near.min(at - 1), far.max(at + 1)),
        };
        let (left, right) = span(near.column, far.column, cell.column);
        let (top, bottom) = span(near.row, far.row, cell.row);
        if (left, top, right, bottom) == (near.column, near.row, far.column, far.row) {
            return;
        }
        let length = |from: i32, to: i32| usize::try_from(to - from + 1).unwrap_or(0);
        self.corner = Cell::new(left, top);
        self.width = length(left, right);
        self.cells = vec![None; self.width * length(top, bottom)];
        for (cell, color) in discs {
            if let Some(index) = self.index(cell) {
                self.cells[index] = Some(color);
            }
        }
    }
}
