use super::bits::Bits;
use outflank_rules::{Cell, Frame, Lattice, Position};

/// The cells of a board as the bits of a word, row by row, and the lines through them.
pub(super) struct Geometry<B> {
    frame: Frame,
    /// Every cell.
    pub(super) all: B,
    /// The cells at the edges.
    pub(super) edge: B,
    axes: [Axis<B>; 4],
    /// How many of the axes the lattice has.
    count: usize,
}

/// Two opposite directions.
#[derive(Clone, Copy)]
struct Axis<B> {
    /// The distance of neighbours in the word.
    stride: u32,
    /// The cells that a line may cross without wrapping around an edge.
    crossed: B,
    /// The cells that a step up can reach, and a step down.
    reached: [B; 2],
    /// How often the reach of a ray must double to cross the board.
    rounds: u32,
}

impl<B: Bits> Geometry<B> {
    /// Returns the geometry of a lattice, or of this part of the hex lattice. The frame must have
    /// at most `B::CAPACITY` cells.
    pub(super) fn new(lattice: Lattice, frame: Frame) -> Self {
        let Frame { rows, columns, .. } = frame;
        let cells_where = |is_in: &dyn Fn(usize, usize) -> bool| {
            let mut set = B::NONE;
            for (bit, index) in (0..).zip(0..rows * columns) {
                if is_in(index / columns, index % columns) {
                    set.insert(bit);
                }
            }
            set
        };
        let all = cells_where(&|_, _| true);
        let (last_row, last_column) = (rows - 1, columns - 1);
        let edge = cells_where(&|row, column| {
            row == 0 || row == last_row || column == 0 || column == last_column
        });
        let right_of_first = cells_where(&|_, column| column > 0);
        let left_of_last = cells_where(&|_, column| column < last_column);
        let axis = |right: i32, down: i32| {
            let stride = down * i32::try_from(columns).unwrap_or(0) + right;
            let length = match (right, down) {
                (_, 0) => columns,
                (0, _) => rows,
                _ => rows.min(columns),
            };
            let reached = match right {
                0 => [all, all],
                1 => [right_of_first, left_of_last],
                _ => [left_of_last, right_of_first],
            };
            Axis {
                stride: stride.unsigned_abs(),
                crossed: reached[0] & reached[1],
                reached,
                rounds: length.saturating_sub(2).max(1).next_power_of_two().trailing_zeros(),
            }
        };
        // Every second direction is the opposite of another.
        let mut axes = [axis(1, 0); 4];
        let downwards =
            lattice.directions().iter().filter(|&&(right, down)| (down, right) > (0, 0));
        let count = downwards.clone().count().min(axes.len());
        for (slot, &(right, down)) in axes.iter_mut().zip(downwards) {
            *slot = axis(right, down);
        }
        Self { frame, all, edge, axes, count }
    }

    fn axes(&self) -> &[Axis<B>] {
        &self.axes[..self.count]
    }

    /// Returns the number of cells.
    pub(super) fn cells(&self) -> usize {
        self.frame.rows * self.frame.columns
    }

    /// Returns the sets of discs of the player to move and of the opponent.
    pub(super) fn discs(&self, position: &Position) -> (B, B) {
        let (mut own, mut other) = (B::NONE, B::NONE);
        for index in 0..u16::try_from(self.cells()).unwrap_or(u16::MAX) {
            match position.disc(self.cell(index)) {
                Some(color) if color == position.turn() => own.insert(index.into()),
                Some(_) => other.insert(index.into()),
                None => {}
            }
        }
        (own, other)
    }

    /// Returns the cell with this number.
    pub(super) fn cell(&self, index: u16) -> Cell {
        let offset = |n: usize| i32::try_from(n).unwrap_or(0);
        let (index, Frame { first, columns, .. }) = (usize::from(index), self.frame);
        Cell::new(first.column + offset(index % columns), first.row + offset(index / columns))
    }

    /// Returns the four corners; none on the hex lattice.
    pub(super) fn corners(&self) -> B {
        if self.count < self.axes.len() {
            return B::NONE;
        }
        let Frame { rows, columns, .. } = self.frame;
        let corners = [0, columns - 1, (rows - 1) * columns, rows * columns - 1];
        corners.iter().fold(B::NONE, |set, &at| set | B::bit(u32::try_from(at).unwrap_or(0)))
    }

    /// Returns the cells next to a set, and those of them inside it.
    #[inline]
    pub(super) fn around(&self, set: B) -> B {
        self.axes().iter().fold(B::NONE, |around, axis| {
            let [up, down] = axis.reached;
            around | (set.up(axis.stride) & up) | (set.down(axis.stride) & down)
        })
    }

    /// Returns the empty cells on which a disc of `own` flips at least one disc of `other`.
    #[inline]
    pub(super) fn placements(&self, own: B, other: B) -> B {
        let reached = self.axes().iter().fold(B::NONE, |reached, axis| {
            let (up, down) = axis.rays(own, other & axis.crossed);
            reached | up.up(axis.stride) | down.down(axis.stride)
        });
        reached & self.all & !(own | other)
    }

    /// Returns the discs of `other` that a disc of `own` on the cell `placed` flips.
    #[inline]
    pub(super) fn flips(&self, own: B, other: B, placed: B) -> B {
        self.axes().iter().fold(B::NONE, |mut flipped, axis| {
            let (up, down) = axis.rays(placed, other & axis.crossed);
            if !(up.up(axis.stride) & own).is_empty() {
                flipped = flipped | up;
            }
            if !(down.down(axis.stride) & own).is_empty() {
                flipped = flipped | down;
            }
            flipped
        })
    }

    /// Returns the cells of `line` that are connected with `from` along an axis by cells of `line`.
    pub(super) fn connected(&self, from: B, line: B) -> B {
        let mut found = from & line;
        loop {
            let more = found | (self.around(found) & line);
            if more == found {
                return found;
            }
            found = more;
        }
    }
}

impl<B: Bits> Axis<B> {
    /// Returns the unbroken lines of cells of `crossed` next to `from`, in both directions.
    #[inline]
    fn rays(&self, from: B, crossed: B) -> (B, B) {
        let mut step = self.stride;
        let mut up = crossed & from.up(step);
        let mut down = crossed & from.down(step);
        if B::CAPACITY > 128 && (up | down).is_empty() {
            return (up, down);
        }
        let (mut crossed_up, mut crossed_down) = (crossed, crossed);
        for _ in 0..self.rounds {
            up = up | (crossed_up & up.up(step));
            down = down | (crossed_down & down.down(step));
            crossed_up = crossed_up & crossed_up.up(step);
            crossed_down = crossed_down & crossed_down.down(step);
            if B::CAPACITY > 128 && (crossed_up | crossed_down).is_empty() {
                break;
            }
            step *= 2;
        }
        (up, down)
    }
}
