use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::eight;
use super::ending::Scoring;
use super::evaluated::{Evaluated, Proof};
use super::general;
use super::hash::pick;
use super::level::{Choice, Level};
use super::limits::{Limits, Options};
use super::search::Table;
use super::solve::estimated_nodes;
use super::symmetry::canonical;
use outflank_rules::Position;

/// The search with its transposition table. A value found for one position helps with the next, so
/// one engine should think about a whole game.
///
/// ```
/// # use outflank_engine::{Engine, Limits};
/// # let rules = outflank_rules::Variant::named("mini")?.rules(&Default::default())?;
/// # let start = outflank_rules::Position::start(rules);
/// let mut engine = Engine::new(1 << 20, 1);
/// let limits = Limits { nodes: 10_000, ..Limits::until(&|| false) };
/// let best = engine.best(&start, &limits).expect("the game is not over");
/// let all = engine.all(&start, &limits);
/// assert_eq!((all.len(), all[0].value), (4, best.value));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    max_bytes: usize,
    threads: usize,
    table: Table,
    /// The table for Othello on 8×8.
    eight: eight::ScoredTable,
    winner_takes_empties: bool,
    nodes: u64,
    counter: Arc<AtomicU64>,
}

/// The bytes of the table that a node needs at most.
const BYTES_PER_NODE: u64 = 16;
/// The first level that plays from the opening book.
const MIN_BOOK_LEVEL: u8 = 4;
/// The most nodes for a move without an alternative. The value still serves to answer a draw offer.
const MAX_FORCED_NODES: u64 = 10_000;

impl Engine {
    /// Returns an engine that uses at most this many bytes for its table and this many threads. It
    /// takes the bytes when a search is large enough to use them.
    pub fn new(max_bytes: usize, threads: usize) -> Self {
        Self {
            max_bytes,
            threads: threads.max(1),
            table: Table::new(0),
            eight: eight::ScoredTable::new(0),
            winner_takes_empties: false,
            nodes: 0,
            counter: Arc::default(),
        }
    }

    /// Counts the empty squares at the end of a game for the winner, as in tournaments and in the
    /// usual collections of endings. This holds for Othello on 8×8 only.
    #[must_use]
    pub fn winner_takes_empties(mut self) -> Self {
        self.winner_takes_empties = true;
        self
    }

    /// Returns the number of nodes of the last search.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the number of nodes of all searches, which grows while one runs.
    pub fn counter(&self) -> Arc<AtomicU64> {
        self.counter.clone()
    }

    /// Returns the best move in a position with its value; `None` if the game is over.
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
            let known = (evaluated.value, evaluated.depth, evaluated.proof);
            let known = key.map_or(known, |key| *first.entry(key).or_insert(known));
            (evaluated.value, evaluated.depth, evaluated.proof) = known;
        }
        found.sort_by_key(|evaluated| -evaluated.value);
        found
    }

    /// Returns the move of a computer player with these limits; `None` if the game is over. Where moves
    /// are about as good, the seed decides. A move without an alternative takes little time.
    pub fn choose(&mut self, position: &Position, limits: &Limits, seed: u64) -> Option<Evaluated> {
        let is_forced = position.legal().len() == 1;
        let nodes = if is_forced { limits.nodes.min(MAX_FORCED_NODES) } else { limits.nodes };
        self.search(position, &Limits { nodes, ..*limits }, Some(seed), false).into_iter().next()
    }

    /// Returns the move of a computer player of this level; `None` if the game is over. Where
    /// moves are about as good, the seed decides. Openings of Othello on 8×8 come from a book; its
    /// moves have depth 0.
    ///
    /// ```
    /// # use outflank_engine::{Engine, Level};
    /// # let rules = outflank_rules::Variant::named("othello")?.rules(&Default::default())?;
    /// # let start = outflank_rules::Position::start(rules);
    /// let level = Level::new(1).expect("a level");
    /// let found = Engine::new(1 << 20, 1).play(&start, level, 0, &|| false);
    /// assert!(found.is_some_and(|found| start.legal().contains(&found.mv())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(
        &mut self,
        position: &Position,
        level: Level,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Evaluated> {
        let unsearched =
            |(mv, value)| Evaluated { line: vec![mv], value, depth: 0, proof: Proof::None };
        match level.choice() {
            Choice::Random => {
                let moves: Vec<_> = position.legal().into_iter().map(|mv| (mv, 0)).collect();
                return pick(&moves, 0, seed).map(unsearched);
            }
            Choice::Glance(glance) => {
                return glance.choose(position, seed).map(|mv| unsearched((mv, 0)));
            }
            Choice::Search(_) => {}
        }
        let has_book = level.number() >= Some(MIN_BOOK_LEVEL) && eight::plays(position);
        let bitboards = position.bitboards().filter(|_| has_book);
        let from_book = bitboards.and_then(|(own, other)| eight::book::choose(own, other, seed));
        if let Some((square, value)) = from_book {
            return Some(unsearched((eight::place(square), value)));
        }
        self.choose(
            position,
            &Limits { nodes: level.nodes_for(position), ..Limits::until(stop) },
            seed,
        )
    }

    fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        seed: Option<u64>,
        all: bool,
    ) -> Vec<Evaluated> {
        // A table that no search can fill takes longer to make than a short search.
        let nodes = limits.nodes.min(estimated_nodes(position) as u64);
        let bytes = nodes.saturating_mul(BYTES_PER_NODE);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(self.max_bytes);
        let (threads, counter) = (self.threads, Some(&*self.counter));
        let options = Options { limits: *limits, threads, counter, seed, all };
        let (found, nodes) = if eight::plays(position) {
            let scoring = match self.winner_takes_empties {
                true => Scoring::WinnerTakesEmpties,
                false => Scoring::Discs,
            };
            self.eight.grow(bytes);
            eight::search(position, &mut self.eight, &options, scoring)
        } else {
            self.table.grow(bytes);
            self.table.next_age();
            general::search(position, &self.table, &options)
        };
        self.nodes = nodes;
        found
    }
}
