use super::{Cell, Color, Direction, Lattice};

/// The board of any lattice: a rectangle of cells that has an empty border one cell wide, so
/// that a ray always ends inside it. On the hex lattice it grows with the discs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    lattice: Lattice,
    /// The cell at index 0: the border's upper left corner.
    corner: Cell,
    /// Cells in a row, border included.
    width: usize,
    cells: Vec<Option<Color>>,
}

impl Grid {
    /// A board without discs. On the hex lattice, one that can hold none until it has grown.
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

    /// The border's upper left corner, and rows and columns, border included.
    pub(super) fn extent(&self) -> (Cell, usize, usize) {
        (self.corner, self.height(), self.width)
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

    /// The empty cells of the lattice within the border (rectangle) or on it (hex).
    pub(super) fn empty(&self) -> impl Iterator<Item = Cell> {
        self.empty_indices().map(|index| self.cell(index))
    }

    fn empty_indices(&self) -> impl Iterator<Item = usize> {
        let (width, height) = (self.width, self.height());
        let border = usize::from(matches!(self.lattice, Lattice::Rectangle(_)));
        // Column by column, which is the order of `Cell`.
        (border..width - border)
            .flat_map(move |column| (border..height - border).map(move |row| row * width + column))
            .filter(|&index| self.cells[index].is_none())
    }

    /// The distance of indices that a step in this direction covers.
    fn stride(&self, (columns, rows): Direction) -> isize {
        columns as isize + rows as isize * self.width.cast_signed()
    }

    /// How many discs in a row a disc of this colour, placed here, flips in one direction.
    fn outflanked(&self, from: usize, stride: isize, color: Color) -> usize {
        let mut count = 0;
        let mut index = from;
        loop {
            // Only the first step can leave the grid or come out at its other side, where the
            // border is as well, since a cell on the border is empty.
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

    /// The discs that a disc of this colour flips when it is placed on an empty cell, in the
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

    /// The cells on which a disc of this colour flips at least one, in the order of [`Cell`].
    pub(super) fn placements(&self, color: Color) -> impl Iterator<Item = Cell> {
        self.empty_indices()
            .filter(move |&from| {
                self.strides().any(|stride| self.outflanked(from, stride, color) > 0)
            })
            .map(|index| self.cell(index))
    }

    /// Lays a disc on a cell and turns the discs of `flipped` to its colour.
    pub(super) fn put(&mut self, cell: Cell, color: Color, flipped: &[Cell]) {
        self.grow_around(cell);
        for &turned in flipped.iter().chain([&cell]) {
            if let Some(index) = self.index(turned) {
                self.cells[index] = Some(color);
            }
        }
    }

    /// Makes room for a disc here on the hex lattice, with an empty border around it.
    fn grow_around(&mut self, cell: Cell) {
        if self.lattice != Lattice::Hex {
            return;
        }
        let (corner, old_width) = (self.corner, self.width);
        let far = self.cell(self.cells.len() - 1);
        let first_disc = self.cells.iter().all(Option::is_none);
        let span = |near: i32, far: i32, at: i32| {
            if first_disc { (at - 1, at + 1) } else { (near.min(at - 1), far.max(at + 1)) }
        };
        let (left, right) = span(corner.column, far.column, cell.column);
        let (top, bottom) = span(corner.row, far.row, cell.row);
        if (left, top, right, bottom) == (corner.column, corner.row, far.column, far.row) {
            return;
        }
        let length = |from: i32, to: i32| usize::try_from(to - from + 1).unwrap_or(0);
        let old = std::mem::take(&mut self.cells);
        self.corner = Cell::new(left, top);
        self.width = length(left, right);
        self.cells = vec![None; self.width * length(top, bottom)];
        for (index, disc) in old.into_iter().enumerate().filter(|(_, disc)| disc.is_some()) {
            let offset = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
            let place = Cell::new(
                corner.column + offset(index % old_width),
                corner.row + offset(index / old_width),
            );
            if let Some(new) = self.index(place) {
                self.cells[new] = disc;
            }
        }
    }
}
