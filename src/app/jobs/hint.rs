//! Computes what the moves of a position are worth.

use crate::app::Env;
use crate::app::jobs::study;
use crate::store::StoredGame;
use outflank_engine::{Evaluated, Limits};

/// The most nodes of a search for a hint.
pub(crate) const MAX_NODES: u64 = 3_000_000;
/// Computes a hint of the queue: the moves after this event, with a fixed budget.
pub(crate) fn think(
    env: &Env,
    stored: &StoredGame,
    event: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Evaluated> {
    let Some(at) = stored.game.after(event) else { return Vec::new() };
    let limits = Limits { nodes: MAX_NODES, ..Limits::until(stop) };
    study::engine(env).all(at.position(), &limits)
}
