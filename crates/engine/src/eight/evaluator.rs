use super::features::Inputs;
use super::node::Node;
use super::search::{Search, in_discs};
use super::threads::ThreadPool;
use super::weights::Weights;
use crate::ending::{Scoring, Table};
use crate::window::Window;
use outflank_rules::kernel::{self, Kernel, Portable, Task};

/// Evaluates positions of Othello on 8×8 with any weights: at once, or by searches of a fixed depth.
/// Empty squares at the end count for the winner. What it finds out about one position helps with the
/// next.
///
/// A position is given by its bitboards: the discs of the player to move, bit `8 · column + row` from
/// 0, and those of the other player.
pub struct Evaluator<'a> {
    weights: &'a Weights,
    table: Table,
    pool: ThreadPool,
}

impl<'a> Evaluator<'a> {
    /// Returns an evaluator with a transposition table of at most this many bytes.
    pub fn new(weights: &'a Weights, bytes: usize) -> Self {
        Self { weights, table: Table::new(bytes), pool: ThreadPool::new(1) }
    }

    /// Returns the evaluation of a position for the player to move, in discs.
    pub fn evaluate(&self, own: u64, other: u64) -> i32 {
        let inputs = Inputs::new(own, other);
        in_discs(self.weights.sum(&inputs) + self.weights.network().correction::<Portable>(&inputs))
    }

    /// Returns the value of a position by a search of this depth, in plies. A search as deep as there
    /// are empty squares is exact.
    pub fn value(&mut self, own: u64, other: u64, depth: u32) -> i32 {
        self.search(own, other, Question::Value { depth })
    }

    /// Returns the same as [`Evaluator::value`], faster if the guess is good.
    pub fn value_near(&mut self, own: u64, other: u64, depth: u32, guess: i32) -> i32 {
        self.search(own, other, Question::ValueNear { depth, guess })
    }

    /// Returns the square of the best move by a search of this depth; 0 if there is no move.
    pub fn best_move(&mut self, own: u64, other: u64, depth: u32) -> usize {
        self.search(own, other, Question::BestMove { depth }).unsigned_abs() as usize
    }

    fn search(&self, own: u64, other: u64, question: Question) -> i32 {
        kernel::fastest(Answer { evaluator: self, node: Node::new(own, other), question })
    }
}

#[derive(Clone, Copy)]
enum Question {
    Value {
        depth: u32,
    },
    ValueNear {
        depth: u32,
        guess: i32,
    },
    /// The answer is a square.
    BestMove {
        depth: u32,
    },
}

struct Answer<'a> {
    evaluator: &'a Evaluator<'a>,
    node: Node,
    question: Question,
}

impl Task for Answer<'_> {
    type Output = i32;

    fn run<K: Kernel>(self) -> i32 {
        let Self { evaluator: Evaluator { weights, table, pool }, node, question } = self;
        let mut search = Search::new(table, weights, pool, Scoring::WinnerTakesEmpties, &|| false);
        let answer = match question {
            Question::Value { depth } => search.value::<K>(&node, Window::ALL, depth, 0),
            Question::ValueNear { depth, guess } => search.value_near::<K>(&node, depth, guess),
            Question::BestMove { depth } => search.best_move::<K>(&node, depth) as i32,
        };
        pool.give_back_table(search.end.near);
        answer
    }
}
