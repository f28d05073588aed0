//! The values of positions by an exhaustive search, which only uses the rules.

use std::collections::HashMap;

use outflank_rules::{Color, Goal, Move, Outcome, Position, Reason, State};

/// The value of a position with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// The margin by which the player to move wins; see [`final_value`].
    pub margin: i32,
    /// Plies to the end, passes included, if the winner hurries and the loser delays.
    pub remoteness: u32,
}

/// Searches every reachable position and stores its value, including positions where the player can
/// only pass or the game is over.
#[derive(Default)]
pub struct Exhaustive {
    pub known: HashMap<String, Value>,
}

impl Exhaustive {
    pub fn value(&mut self, position: &Position) -> Value {
        let key = position.to_string();
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let value = match position.state() {
            State::Over(outcome) => Value { margin: final_value(position, outcome), remoteness: 0 },
            State::Placing | State::Passing => self.best(position),
        };
        self.known.insert(key, value);
        value
    }

    fn best(&mut self, position: &Position) -> Value {
        let values = moves(position).into_iter().map(|mv| {
            let mut after = position.clone();
            after.play(mv).expect("a legal move");
            let Value { margin, remoteness } = self.value(&after);
            Value { margin: -margin, remoteness: remoteness + 1 }
        });
        let values: Vec<_> = values.collect();
        let margin = values.iter().map(|value| value.margin).max().expect("a legal move");
        let same = values.iter().filter(|value| value.margin.signum() == margin.signum());
        let plies = same.map(|value| value.remoteness);
        let plies = if margin > 0 { plies.min() } else { plies.max() };
        Value { margin, remoteness: plies.expect("a move that keeps the value") }
    }
}

/// Returns the legal moves.
pub fn moves(position: &Position) -> Vec<Move> {
    match position.state() {
        State::Placing => position.placements().iter().map(Move::Place).collect(),
        State::Passing => vec![Move::Pass],
        State::Over(_) => Vec::new(),
    }
}

/// Returns the margin in discs by which the player to move has won, in misère with fewer discs; 64
/// if the opponent is stuck.
pub fn final_value(position: &Position, outcome: Outcome) -> i32 {
    let sign = if position.turn() == Color::Black { 1 } else { -1 };
    if outcome.reason == Reason::Stuck {
        return if outcome.winner == Some(position.turn()) { 64 } else { -64 };
    }
    let margin = sign * (outcome.black.cast_signed() - outcome.white.cast_signed());
    if position.rules().goal == Goal::Fewer { -margin } else { margin }
}
