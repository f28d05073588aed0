//! Evaluates the moves of a position.

use outflank_engine::{Engine, Evaluated, Limits};
use outflank_model::StoredGame;

/// The most nodes of a search for a hint.
pub(crate) const MAX_NODES: u64 = 3_000_000;

/// Computes a hint of the queue: the moves after this event, with a fixed budget.
pub(crate) fn think(
    engine: &mut Engine,
    stored: &StoredGame,
    event: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Evaluated> {
    let Some(at) = stored.game.after(event) else { return Vec::new() };
    let limits = Limits { nodes: MAX_NODES, ..Limits::until(stop) };
    engine.all(at.position(), &limits)
}
