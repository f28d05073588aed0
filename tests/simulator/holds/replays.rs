//! What `replay` shows.

use serde_json::{Value, json};

use super::game_json::shown_move;
use super::games::word;
use super::views::Asked;

impl Asked<'_> {
    /// Returns the position after each move that no automatic pass follows.
    fn positions(&self) -> Option<Vec<Option<String>>> {
        let replayed = self.replayed()?;
        let mut board = replayed.begun();
        let mut positions = Vec::new();
        for (at, ply) in replayed.plies.iter().enumerate() {
            if !ply.auto {
                board.play(ply.mv);
            }
            let is_followed = replayed.plies.get(at + 1).is_some_and(|next| next.auto);
            positions.push((!is_followed).then(|| board.position_string()));
        }
        Some(positions)
    }

    pub(super) fn replay(&self) -> Option<Value> {
        let it = self.replayed()?;
        let boards = it.plies.iter().enumerate().zip(self.positions()?);
        let boards = boards.map(|((at, ply), position)| {
            let mut shown = match shown_move(at, ply, &it) {
                Some(shown) => shown,
                None => json!({ "ply": at + 1, "by": word(ply.by) }),
            };
            if let Some(position) = position {
                shown["position"] = position.into();
            }
            shown
        });
        Some(json!({ "game": self.game, "boards": boards.collect::<Vec<_>>() }))
    }

    /// Returns some of the boards of a game; 0 is the start.
    pub(super) fn part_of_replay(&self) -> Option<Value> {
        let mut shown = self.replay()?;
        let ([from, to], boards) = (self.plies, shown["boards"].as_array()?);
        let start = json!({ "ply": 0, "move": null });
        let boards = std::slice::from_ref(&start)
            .iter()
            .chain(boards)
            .skip(from)
            .take(to + 1 - from)
            .cloned();
        shown["boards"] = boards.collect::<Vec<_>>().into();
        Some(shown)
    }
}
