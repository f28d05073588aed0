//! What holds of the records of players.

use std::collections::BTreeMap;

use super::{Change, violated};
use crate::simulator::Violation;

/// A player's record counts the active games.
pub fn active_games_are_counted(change: &Change) -> Result<(), Violation> {
    let tables = change.after;
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for [black, white, turn] in tables.columns("game", ["black", "white", "turn"]) {
        for player in [black, white].into_iter().flatten().filter(|_| turn.is_some()) {
            *counts.entry(player).or_default() += 1;
        }
    }
    for [id, name, active] in tables.columns("player", ["id", "name", "active"]) {
        let counted = id.and_then(|id| counts.get(id)).copied().unwrap_or_default().to_string();
        if active != Some(&counted) {
            let found = format!("{name:?} plays {counted} games, and the record says {active:?}");
            return violated("active_games_are_counted", found);
        }
    }
    Ok(())
}
