//! Exact values of whole games: who wins, by how many discs, and in how many plies.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::atomic::AtomicU64;

use super::eight;
use super::ending::Scoring;
use super::evaluated::{Evaluated, Proof};
use super::general::{self, Prove, discs_left, score};
use super::limits::{Limits, Options};
use super::search::Table;
use super::symmetry::canonical;
use super::window::Window;
use outflank_rules::{Lattice, Move, Placement, Position, State};

/// The resources of a solver, and its reports.
pub struct Resources<'a> {
    /// The most bytes for its table.
    pub memory: usize,
    /// The number of threads.
    pub threads: usize,
    /// Polled often: must it stop now?
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Counts the positions while they are searched.
    pub counter: Option<&'a AtomicU64>,
    /// Called after each step, and before the first.
    pub progress: &'a dyn Fn(&Progress),
}

impl<'a> Resources<'a> {
    fn options(&self, nodes: u64, all: bool) -> Options<'a> {
        let &Self { threads, stop, counter, .. } = self;
        let limits = Limits { nodes, ..Limits::until(stop) };
        Options { limits, threads, counter, seed: None, all }
    }
}

/// The goals of a solver besides the margin of the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The values of all legal moves.
    pub all: bool,
    /// The remoteness, which takes longer than the margin.
    pub remoteness: bool,
}

/// How far a solver is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The legal moves with a proved margin, or proved to be no better than another.
    pub solved: usize,
    /// All legal moves.
    pub moves: usize,
}

/// The exact value of a position or of a move, for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// By how many discs the player wins, counting those on the board; negative for a loss. In
    /// misère, by how many fewer discs. 64 if the opponent gets stuck and loses.
    pub margin: i32,
    /// The plies to the end, passes included, if the winner hurries and the loser delays; in a tie,
    /// if both delay. `None` if this was not proved. It does not depend on the margin.
    pub remoteness: Option<u32>,
}

/// A legal move with its proved value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolvedMove {
    /// The move.
    pub mv: Move,
    /// Its value for the player who makes it.
    pub value: Value,
}

/// The result of a solver: everything that it has proved about a position.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Solution {
    /// The exact value; `None` if the solver was stopped before.
    pub value: Option<Value>,
    /// Whether the player to move wins, if that is proved. It can be while the margin is not.
    pub result: Option<Ordering>,
    /// The value is at least this margin, if one move is solved.
    pub at_least: Option<i32>,
    /// Moves that keep the margin to the end of the game.
    pub line: Vec<Move>,
    /// The moves with proved margins, the best first.
    pub moves: Vec<SolvedMove>,
    /// The positions that were searched.
    pub nodes: u64,
    /// Whether everything is proved that was wanted.
    pub complete: bool,
}

/// Estimates how many positions must be searched to solve a position: the order of magnitude.
///
/// ```
/// # use outflank_engine::estimated_nodes;
/// # let rules = outflank_rules::Variant::named("othello")?.rules(&Default::default())?;
/// # let start = outflank_rules::Position::start(rules);
/// assert!(estimated_nodes(&start) > 1e20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn estimated_nodes(position: &Position) -> f64 {
    let left = discs_left(position);
    if matches!(position.state(), State::Over(_)) {
        return 0.0;
    }
    if position.rules().placement == Placement::Anywhere {
        // The empty cells can be taken in any order. Good moves first leave about the square root.
        return (1..=left).map(|cells| f64::from(cells).sqrt()).product::<f64>() * 10.0;
    }
    // Measured on boards of 16 to 36 cells, and in endings on 64.
    let growth = match position.rules().lattice {
        Lattice::Rectangle(size) => {
            1.6 + 0.009 * f64::from(size.rows()) * f64::from(size.columns())
        }
        Lattice::Hex => 5.0,
    };
    10.0 * growth.powf(left.into())
}

/// Returns the exact value of a position, and the other proofs in `wanted`.
///
/// ```
/// # use outflank_engine::{Resources, Wanted, solve};
/// # let rules = outflank_rules::Variant::named("mini")?.rules(&Default::default())?;
/// # let start = outflank_rules::Position::start(rules);
/// let resources = Resources {
///     memory: 1 << 20,
///     threads: 1,
///     stop: &|| false,
///     counter: None,
///     progress: &|_| {},
/// };
/// let solution = solve(&start, Wanted { all: false, remoteness: true }, &resources);
/// assert!(solution.complete);
/// assert_eq!(solution.value.map(|value| value.margin), Some(-8), "White wins by 8 discs");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(position: &Position, wanted: Wanted, resources: &Resources) -> Solution {
    let bytes = (estimated_nodes(position) * 32.0).min(resources.memory as f64 / 2.0);
    let bytes = (bytes as usize).max(1 << 20);
    let eight = eight::plays(position).then(|| eight::ScoredTable::new(bytes));
    let mut solver = Solver { resources, wanted, table: Table::new(bytes), eight, nodes: 0 };
    if let Some(margin) = ended(position) {
        let value = Some(Value { margin, remoteness: Some(0) });
        let (at_least, result) = (Some(margin), Some(margin.cmp(&0)));
        return Solution { value, at_least, result, complete: true, ..Solution::default() };
    }
    let mut solution = Solution::default();
    solution.complete = solver.solve(position, &mut solution).is_some();
    solution.nodes = solver.nodes;
    solution.at_least = solution.moves.iter().map(|solved| solved.value.margin).max();
    // The first of equal moves has the line.
    solution.moves.sort_by_key(|solved| -solved.value.margin);
    if !solution.complete {
        solution.value = solution.value.filter(|_| solution.line.len() > 1);
    }
    let margin = solution.value.map(|value| value.margin);
    // A solved move that wins proves a win.
    let wins = solution.at_least.filter(|&margin| margin > 0);
    solution.result = margin.or(wins).map(|margin| margin.cmp(&0)).or(solution.result);
    solution
}

struct Solver<'a> {
    resources: &'a Resources<'a>,
    wanted: Wanted,
    table: Table,
    /// For margins of Othello on 8×8, which has a faster search.
    eight: Option<eight::ScoredTable>,
    nodes: u64,
}

/// More than any margin in discs or score of a remoteness.
const INFINITE: i32 = 29_000;
/// The window with all margins.
const ALL: Window = Window::new(-INFINITE, INFINITE);
/// The most nodes of the search that sorts the moves.
const MAX_SORTING_NODES: u64 = 20_000;

/// The kinds of moves that were solved: the canonical form of the position after each, and its value.
/// The value is `None` for moves that are only known to be no better than another.
type Kinds = Vec<(Option<Vec<u8>>, Option<Value>)>;

impl Solver<'_> {
    /// Fills in the solution step by step; `None` if it was stopped.
    fn solve(&mut self, position: &Position, solution: &mut Solution) -> Option<()> {
        let moves = self.sorted_moves(position);
        self.report(0, &moves);
        let Wanted { all, remoteness } = self.wanted;
        // Who wins takes less than by how much, and shortens the rest.
        let best = if self.eight.is_some() {
            // One search compares all moves.
            let best = self.search_eight(position)?;
            if best.proof >= Proof::Winner {
                solution.result = Some(best.value.cmp(&0));
            }
            if !best.is_exact() {
                return None;
            }
            Some(best)
        } else {
            let (margin, _) = self.prove(position, false, Window::new(-1, 1))?;
            solution.result = Some(margin.cmp(&0));
            None
        };
        self.report(0, &moves);
        let (margin, kinds) = match best.filter(|_| !all) {
            Some(Evaluated { value: margin, line, .. }) => {
                let value = Value { margin, remoteness: None };
                solution.moves.extend(line.first().map(|&mv| SolvedMove { mv, value }));
                solution.line = line;
                self.report(moves.len(), &moves);
                (margin, Kinds::new())
            }
            None => self.solve_moves(position, &moves, solution)?,
        };
        solution.value = Some(Value { margin, remoteness: None });
        self.complete(position, &mut solution.line)?;
        if remoteness {
            let plies = self.solve_remoteness(position, margin, kinds.len() == 1, solution)?;
            solution.value = Some(Value { margin, remoteness: Some(plies) });
        }
        Some(())
    }

    fn report(&self, solved: usize, moves: &[Move]) {
        (self.resources.progress)(&Progress { solved, moves: moves.len() });
    }

    /// Finds the margin of each move, or, unless all are wanted, which one is best. Moves that are
    /// equal by symmetry are solved once. Returns the best margin and the kinds of moves.
    fn solve_moves(
        &mut self,
        position: &Position,
        moves: &[Move],
        solution: &mut Solution,
    ) -> Option<(i32, Kinds)> {
        let all = self.wanted.all;
        // The best margin is above the first and at most the second.
        let (mut best, most) = match solution.result.filter(|_| !all) {
            Some(Ordering::Greater) => (0, INFINITE),
            Some(Ordering::Equal) => (-1, 0),
            Some(Ordering::Less) => (-INFINITE, -1),
            None => (-INFINITE, INFINITE),
        };
        let mut kinds = Kinds::new();
        for (index, &mv) in moves.iter().enumerate() {
            let after = played(position, mv);
            let key = canonical(&after);
            let known = kinds.iter().find(|(kind, _)| key.is_some() && *kind == key);
            if let Some(&(_, value)) = known {
                solution.moves.extend(value.map(|value| SolvedMove { mv, value }));
            } else if !all && self.is_at_most(&after, best, most)? {
                kinds.push((key, None));
            } else {
                let window = if all { ALL } else { Window::new(best, most + 1) };
                let (margin, line) = self.margin(&after, window.negated())?;
                let value = Value { margin: -margin, remoteness: None };
                solution.moves.push(SolvedMove { mv, value });
                kinds.push((key, Some(value)));
                if value.margin > best {
                    best = value.margin;
                    solution.line = [mv].into_iter().chain(line).collect();
                }
            }
            self.report(index + 1, moves);
        }
        Some((best, kinds))
    }

    /// Returns whether the move to this position is no better than the best, which has at most the margin
    /// `most`.
    fn is_at_most(&mut self, after: &Position, best: i32, most: i32) -> Option<bool> {
        if best == -INFINITE || best == most {
            return Some(best == most);
        }
        Some(-self.margin(after, Window::null(best).negated())?.0 <= best)
    }

    /// Returns the remoteness of a position with this margin, and fills in that of its moves, if all
    /// are wanted.
    fn solve_remoteness(
        &mut self,
        position: &Position,
        margin: i32,
        has_one_kind: bool,
        solution: &mut Solution,
    ) -> Option<u32> {
        if !self.wanted.all && !has_one_kind {
            return self.remoteness(position, margin);
        }
        // If all moves are equal by symmetry, one stands for the position.
        let count = if self.wanted.all { usize::MAX } else { 1 };
        let mut known = HashMap::new();
        for solved in solution.moves.iter_mut().take(count) {
            let after = played(position, solved.mv);
            let key = canonical(&after).unwrap_or_else(|| after.to_string().into_bytes());
            let plies = match known.get(&key) {
                Some(&plies) => plies,
                None => self.remoteness(&after, -solved.value.margin)?,
            };
            known.insert(key, plies);
            solved.value.remoteness = Some(plies + 1);
        }
        let first = solution.moves.first().filter(|_| has_one_kind);
        match first.and_then(|solved| solved.value.remoteness) {
            Some(plies) => Some(plies),
            None => self.remoteness(position, margin),
        }
    }

    /// Returns the legal moves, those first that look best.
    fn sorted_moves(&self, position: &Position) -> Vec<Move> {
        let options = self.resources.options(MAX_SORTING_NODES, true);
        let (found, _) = general::search(position, &self.table, &options);
        found.iter().map(Evaluated::mv).collect()
    }

    /// Returns the margin of a position with its principal variation, if it is inside the window, else
    /// a bound.
    fn margin(&mut self, position: &Position, window: Window) -> Option<(i32, Vec<Move>)> {
        if self.eight.is_none() {
            return self.prove(position, false, window);
        }
        if let Some(margin) = ended(position) {
            return Some((margin, Vec::new()));
        }
        let best = self.search_eight(position).filter(Evaluated::is_exact)?;
        Some((best.value, best.line))
    }

    /// Returns the best move of a position of Othello on 8×8, with what is proved about it.
    fn search_eight(&mut self, position: &Position) -> Option<Evaluated> {
        let options = self.resources.options(u64::MAX, false);
        let (found, nodes) =
            eight::search(position, self.eight.as_mut()?, &options, Scoring::Discs);
        self.nodes += nodes;
        found.into_iter().next()
    }

    /// Returns the margin or the remoteness of a position with its principal variation.
    fn prove(
        &mut self,
        position: &Position,
        remoteness: bool,
        window: Window,
    ) -> Option<(i32, Vec<Move>)> {
        let options = self.resources.options(u64::MAX, false);
        let prove = Prove { table: &self.table, options: &options, remoteness, window };
        let (proved, nodes) = prove.run(position);
        self.nodes += nodes;
        proved
    }

    /// Continues a line of best moves to the end of the game.
    fn complete(&mut self, position: &Position, line: &mut Vec<Move>) -> Option<()> {
        let mut after = position.clone();
        let mut ply = 0;
        loop {
            while let Some(&mv) = line.get(ply) {
                after = played(&after, mv);
                ply += 1;
            }
            if matches!(after.state(), State::Over(_)) {
                return Some(());
            }
            let (_, more) = self.margin(&after, ALL)?;
            match (more.is_empty(), &after.legal()[..]) {
                (false, _) => line.extend(more),
                // The last moves are not stored; search one ply deeper.
                (true, moves) => {
                    let mut best = None;
                    for &mv in moves {
                        let (value, _) = self.margin(&played(&after, mv), ALL)?;
                        if best.is_none_or(|(least, _)| value < least) {
                            best = Some((value, mv));
                        }
                    }
                    line.push(best?.1);
                }
            }
        }
    }

    /// Returns the remoteness of a position with this margin.
    fn remoteness(&mut self, position: &Position, margin: i32) -> Option<u32> {
        let window = match margin.signum() {
            0 => return self.longest_tie(position, &mut HashMap::new()),
            1 => Window::new(0, INFINITE),
            _ => Window::new(-INFINITE, 0),
        };
        let (found, _) = self.prove(position, true, window)?;
        u32::try_from(score(0) - found.abs()).ok()
    }

    /// Returns how long a tie takes if both players delay the end.
    fn longest_tie(
        &mut self,
        position: &Position,
        known: &mut HashMap<String, u32>,
    ) -> Option<u32> {
        if matches!(position.state(), State::Over(_)) {
            return Some(0);
        }
        let key = position.to_string();
        if let Some(&plies) = known.get(&key) {
            return Some(plies);
        }
        let mut longest = 0;
        for mv in position.legal() {
            let after = played(position, mv);
            let (value, _) = self.margin(&after, Window::new(-1, 1))?;
            if value == 0 {
                longest = longest.max(1 + self.longest_tie(&after, known)?);
            }
        }
        known.insert(key, longest);
        Some(longest)
    }
}

/// Returns the margin of a game that is over.
pub(super) fn ended(position: &Position) -> Option<i32> {
    match position.state() {
        State::Over(outcome) => Some(position.rules().margin(&outcome, position.turn())),
        State::Placing | State::Passing => None,
    }
}

/// Returns the position after a legal move.
pub(super) fn played(position: &Position, mv: Move) -> Position {
    let mut after = position.clone();
    let _ = after.play(mv);
    after
}
