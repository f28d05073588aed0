//! A plain negamax over the rules, and random positions for it.

use fastrand::Rng;
use outflank_rules::{Color, Position, State};

use crate::exhaustive::{final_value, moves};

/// Returns by how many discs the player to move wins; 64 if the opponent gets stuck.
pub fn negamax(position: &Position) -> i32 {
    search(position, -9999, 9999)
}

fn search(position: &Position, mut alpha: i32, beta: i32) -> i32 {
    if let State::Over(outcome) = position.state() {
        return final_value(position, outcome);
    }
    for mv in moves(position) {
        let mut next = position.clone();
        next.play(mv).expect("a legal move");
        alpha = alpha.max(-search(&next, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// Returns the maximum number of discs that can still be placed.
pub fn discs_left(position: &Position) -> u32 {
    let discs = position.count(Color::Black) + position.count(Color::White);
    match position.rules().supply {
        Some(each) => 2 * each - discs,
        None => u32::try_from(position.cells().count()).unwrap() - discs,
    }
}

/// Plays at random until at most `left` discs can be placed. The game may be over earlier.
pub fn random_position(mut position: Position, left: u32, rng: &mut Rng) -> Position {
    while discs_left(&position) > left {
        let Some(mv) = rng.choice(moves(&position)) else { break };
        position.play(mv).expect("a legal move");
    }
    position
}
