//! Chooses the board for a position and runs the search on it.

use super::bits::{Bits, Wide};
use super::board::Board;
use super::remoteness::Remoteness;
use super::sparse::{self, Sparse};
use crate::evaluated::Evaluated;
use crate::limits::Options;
use crate::root::{PASS, RootMove};
use crate::search::{self, Table};
use crate::window::Window;
use outflank_rules::{Color, Frame, Lattice, Move, Position};

/// The margin of empty cells around the discs of the hex lattice in the first search, in cells.
const MAX_FIRST_MARGIN: u32 = 7;

/// A function over boards, since a closure cannot be generic.
trait Task {
    type Output;

    /// Calls the function. `line` translates a line of moves from the position.
    fn run<B: search::Board>(
        &self,
        board: &B,
        node: &B::Node,
        line: impl Fn(&[u16]) -> Vec<Move>,
    ) -> Self::Output;
}

/// Returns the legal moves with their values, as [`search::search`] does.
pub(crate) fn search(
    position: &Position,
    table: &Table,
    options: &Options,
) -> (Vec<Evaluated>, u64) {
    let left = discs_left(position);
    let (found, nodes) =
        with_board(position, left.min(MAX_FIRST_MARGIN), &Search { table, options });
    let is_cut_off = |found: &Evaluated| !found.is_exact() && found.depth >= left;
    if left > MAX_FIRST_MARGIN && found.first().is_some_and(is_cut_off) {
        // Beyond the margin, nothing could be proved on the hex lattice.
        let (found, more) = with_board(position, left, &Search { table, options });
        return (found, nodes + more);
    }
    (found, nodes)
}

struct Search<'a> {
    table: &'a Table,
    options: &'a Options<'a>,
}

impl Task for Search<'_> {
    type Output = (Vec<Evaluated>, u64);

    fn run<B: search::Board>(
        &self,
        board: &B,
        node: &B::Node,
        line: impl Fn(&[u16]) -> Vec<Move>,
    ) -> Self::Output {
        let (found, nodes) = search::search(board, node, self.table, self.options);
        let evaluated = |found: RootMove<_>| Evaluated {
            line: line(&found.line),
            // The nearest number of discs.
            value: (found.value + B::DISC / 2).div_euclid(B::DISC),
            depth: found.depth,
            proof: found.proof,
        };
        (found.into_iter().map(evaluated).collect(), nodes)
    }
}

/// Proves the value of a position in discs, or its remoteness, as [`search::prove`] does.
pub(crate) struct Prove<'a> {
    pub(crate) table: &'a Table,
    pub(crate) options: &'a Options<'a>,
    /// Whether to find the remoteness, in the form of [`remoteness::score`], instead of the value.
    pub(crate) remoteness: bool,
    /// In discs, or in the form of a remoteness.
    pub(crate) window: Window,
}

/// A value or a remoteness with the principal variation.
pub(crate) type Proved = (i32, Vec<Move>);

impl Prove<'_> {
    /// Returns the proof, unless the search was stopped, and the number of nodes.
    pub(crate) fn run(&self, position: &Position) -> (Option<Proved>, u64) {
        with_board(position, discs_left(position), self)
    }
}

impl Task for Prove<'_> {
    type Output = (Option<Proved>, u64);

    fn run<B: search::Board>(
        &self,
        board: &B,
        node: &B::Node,
        line: impl Fn(&[u16]) -> Vec<Move>,
    ) -> Self::Output {
        let &Self { table, options, remoteness, window } = self;
        let ((proof, nodes), unit) = if remoteness {
            let (board, node) = (Remoteness(board), Remoteness::<B>::node(node));
            (search::prove(&board, &node, table, options, window), 1)
        } else {
            let [alpha, beta] = [window.alpha, window.beta].map(|end| end.saturating_mul(B::DISC));
            let window = Window::new(alpha, beta);
            (search::prove(board, node, table, options, window), B::DISC)
        };
        (proof.map(|(value, moves)| (value / unit, line(&moves))), nodes)
    }
}

/// Returns how many more discs can be placed at most.
pub(crate) fn discs_left(position: &Position) -> u32 {
    let count = |color| position.count(color);
    let discs = count(Color::Black) + count(Color::White);
    match (position.rules().supply, position.rules().lattice) {
        (Some(each), _) => (2 * each).saturating_sub(discs),
        (None, Lattice::Rectangle(size)) => {
            u32::from(size.rows()) * u32::from(size.columns()) - discs
        }
        (None, Lattice::Hex) => u32::MAX,
    }
}

/// Runs a task on the smallest board for a position. On the hex lattice, the board has a margin of
/// this many cells around the discs.
fn with_board<T: Task>(position: &Position, margin: u32, task: &T) -> T::Output {
    let mut frame = position.frame();
    if position.rules().lattice == Lattice::Hex {
        // It has one empty cell around the discs already.
        frame = widened(frame, margin.max(1) - 1);
    }
    match frame.rows * frame.columns {
        0..=64 => on_bits::<u64, T>(position, frame, task),
        65..=128 => on_bits::<u128, T>(position, frame, task),
        129..=256 => on_bits::<Wide<4>, T>(position, frame, task),
        257..=640 => on_bits::<Wide<10>, T>(position, frame, task),
        641..=1280 => on_bits::<Wide<20>, T>(position, frame, task),
        1281..=2688 => on_bits::<Wide<42>, T>(position, frame, task),
        _ => {
            let root = sparse::Node::new(position.clone());
            task.run(&Sparse, &root, |line| sparse_line(&root, line))
        }
    }
}

fn on_bits<B: Bits, T: Task>(position: &Position, frame: Frame, task: &T) -> T::Output {
    let board = Board::<B>::new(*position.rules(), frame);
    let mv = |&mv: &u16| match mv {
        PASS => Move::Pass,
        mv => Move::Place(board.geometry.cell(mv)),
    };
    task.run(&board, &board.node(position), |line| line.iter().map(mv).collect())
}

fn sparse_line(root: &sparse::Node, line: &[u16]) -> Vec<Move> {
    let mut node = root.clone();
    let play = |&number: &u16| {
        let mv = node.mv(number);
        node = node.after(mv);
        mv
    };
    line.iter().map(play).collect()
}

/// Returns the frame with this many more cells on each side.
fn widened(frame: Frame, margin: u32) -> Frame {
    let Frame { mut first, rows, columns } = frame;
    first.column -= margin.cast_signed();
    first.row -= margin.cast_signed();
    Frame { first, rows: rows + 2 * margin as usize, columns: columns + 2 * margin as usize }
}
