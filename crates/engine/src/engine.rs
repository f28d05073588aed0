use std::collections::HashMap;

use super::ending::Scoring;
use super::search::{self, Options, Table};
use super::symmetry::canonical;
use super::{eight, general};
use crate::Level;
use outflank_rules::{Move, Position};

/// What ends a search.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// The most nodes; the first ply is always searched.
    pub nodes: u64,
    /// The greatest depth in plies.
    pub depth: u32,
    /// Asked often during the search: must it stop now?
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Limits<'a> {
    /// Returns limits that only this function sets.
    pub fn until(stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { nodes: u64::MAX, depth: u32::MAX, stop }
    }
}

/// A move with what the search found out about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// The main line: this move, then the best replies as far as they are known.
    pub line: Vec<Move>,
    /// By how many discs the player to move wins if both play well; negative for a loss. In misère,
    /// by how many fewer discs. Where a player without a move loses at once, that counts as 64.
    pub value: i32,
    /// How many plies deep the search looked.
    pub depth: u32,
    /// Whether the value is proved by a search to the end of the game.
    pub exact: bool,
}

impl Evaluated {
    /// Returns the move.
    pub fn mv(&self) -> Move {
        self.line.first().copied().unwrap_or(Move::Pass)
    }
}

/// The search with its memory. A value found for one position helps with the next, so one engine
/// should think about a whole game.
pub struct Engine {
    memory: usize,
    threads: usize,
    table: Table,
    /// The memory of the engine for 8×8.
    eight: eight::Memory,
}

/// The bytes of the table that a node needs at most.
const BYTES_PER_NODE: u64 = 16;

impl Engine {
    /// Returns an engine that uses at most this many bytes for its table and this many threads. It
    /// takes the bytes when a search is large enough to use them.
    pub fn new(memory: usize, threads: usize) -> Self {
        Self { memory, threads: threads.max(1), table: Table::new(0), eight: eight::Memory::new(0) }
    }

    /// Returns the best move in a position with what is known about it; `None` if the game is over.
    pub fn best(&mut self, position: &Position, limits: &Limits) -> Option<Evaluated> {
        self.search(position, limits, None, false).into_iter().next()
    }

    /// Returns each legal move with its value, the best first; nothing if the game is over. Moves
    /// that are equal by symmetry have the same value.
    pub fn all(&mut self, position: &Position, limits: &Limits) -> Vec<Evaluated> {
        let mut found = self.search(position, limits, None, true);
        let mut first = HashMap::new();
        for evaluated in &mut found {
            let mut after = position.clone();
            let key = after.play(evaluated.mv()).ok().and_then(|_| canonical(&after));
            let known = (evaluated.value, evaluated.depth, evaluated.exact);
            let known = key.map_or(known, |key| *first.entry(key).or_insert(known));
            (evaluated.value, evaluated.depth, evaluated.exact) = known;
        }
        found.sort_by_key(|evaluated| -evaluated.value);
        found
    }

    /// Returns the best move of Othello on 8×8 where empty squares at the end count for the winner,
    /// as in tournaments and in the usual collections of endings, and the number of nodes searched.
    /// Returns `None` if the game is over or has other rules.
    pub fn best_in_tournament(
        &mut self,
        position: &Position,
        limits: &Limits,
    ) -> Option<(Evaluated, u64)> {
        if !eight::plays(position) {
            return None;
        }
        let options = self.prepared(position, limits, None, false);
        let (found, nodes) =
            eight::run(position, &mut self.eight, &options, Scoring::WinnerTakesEmpties);
        Some((found.into_iter().next()?, nodes))
    }

    /// Returns the move of a computer player of this level; `None` if the game is over. Where
    /// moves are about as good, the seed decides. Openings of Othello on 8×8 come from a book, whose
    /// moves have depth 0.
    pub fn play(
        &mut self,
        position: &Position,
        level: Level,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Evaluated> {
        let words = position.words().filter(|_| level.number() >= BOOK && eight::plays(position));
        let from_book = words.and_then(|(own, other)| eight::book::choose(own, other, seed));
        match from_book {
            Some((square, value)) => {
                let line = vec![eight::place(square)];
                Some(Evaluated { line, value, depth: 0, exact: false })
            }
            None => self.play_scaled(position, level, 1.0, seed, stop),
        }
    }

    /// Plays like [`Engine::play`] with a part of the level's nodes and without the opening book, for
    /// measurements.
    pub fn play_scaled(
        &mut self,
        position: &Position,
        level: Level,
        scale: f64,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Evaluated> {
        let moves = position.legal();
        let random = moves.len().checked_sub(1)? as u64 + 1;
        if level.nodes() == 0 {
            let index = usize::try_from(search::mixed(seed) % random).unwrap_or(0);
            let line = vec![*moves.get(index)?];
            return Some(Evaluated { line, value: 0, depth: 0, exact: false });
        }
        let mut nodes = (level.nodes() as f64 * scale) as u64;
        if moves.len() == 1 {
            nodes = nodes.min(FORCED);
        }
        let limits = Limits { nodes, depth: u32::MAX, stop };
        self.search(position, &limits, Some(seed), false).into_iter().next()
    }

    fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        seed: Option<u64>,
        all: bool,
    ) -> Vec<Evaluated> {
        let options = self.prepared(position, limits, seed, all);
        if eight::plays(position) {
            return eight::search(position, &mut self.eight, &options);
        }
        self.table.next_age();
        general::search(position, &self.table, &options)
    }

    /// Returns the options of a search, and makes the table large enough for it.
    fn prepared<'a>(
        &mut self,
        position: &Position,
        limits: &Limits<'a>,
        seed: Option<u64>,
        all: bool,
    ) -> Options<'a> {
        let Limits { nodes, depth, stop } = *limits;
        let bytes = usize::try_from(nodes.saturating_mul(BYTES_PER_NODE)).unwrap_or(usize::MAX);
        let bytes = bytes.min(self.memory);
        if eight::plays(position) {
            self.eight.grow(bytes)
        } else {
            self.table.grow(bytes)
        }
        Options { nodes, depth, stop, threads: self.threads, seed, all }
    }
}

/// The first level that plays from the opening book.
const BOOK: u8 = 4;

/// The most nodes for a move without an alternative. The value still serves to answer a draw offer.
const FORCED: u64 = 10_000;
