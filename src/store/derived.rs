//! The columns of a game that follow from its log.

use std::sync::LazyLock;

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::{Error, Tx};
use outflank_model::Side;
use outflank_model::log::{Game, GameId};
use outflank_rules::Color;

/// Their names, in the order of [`values`].
pub(super) const COLUMNS: [&str; 12] = [
    "ply",
    "events",
    "position_event",
    "turn",
    "to_move",
    "to_wait",
    "black_discs",
    "white_discs",
    "winner",
    "reason",
    "offer_event",
    "paused",
];

/// Returns what is stored in [`COLUMNS`] for a game of these players.
pub(super) fn values(game: &Game, [black, white]: [&Side; 2]) -> [Value; COLUMNS.len()] {
    let player = |color| {
        let side = if color == Color::Black { black } else { white };
        optional(side.id().map(|id| id.0))
    };
    let (turn, outcome, position) = (game.turn(), game.outcome(), game.position());
    let winner = outcome.and_then(|outcome| outcome.winner);
    [
        integer(game.plies().len()),
        integer(game.events().len()),
        integer(game.position_event()),
        optional(turn.map(|color| color.to_string())),
        turn.map_or(Value::Null, player),
        turn.map_or(Value::Null, |color| player(!color)),
        position.count(Color::Black).into(),
        position.count(Color::White).into(),
        optional(winner.map(|color| color.to_string())),
        optional(outcome.map(|outcome| outcome.reason.word().to_owned())),
        game.offer_event().map_or(Value::Null, integer),
        game.is_paused().into(),
    ]
}

fn integer(number: usize) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

fn optional(value: Option<impl Into<Value>>) -> Value {
    value.map_or(Value::Null, Into::into)
}

/// Sets [`COLUMNS`] of a game.
static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let columns: Vec<_> = COLUMNS.iter().map(|column| format!("{column} = ?")).collect();
    format!("UPDATE game SET {} WHERE id = ?", columns.join(", "))
});

impl Tx<'_> {
    /// Stores the columns that follow from the log of a game.
    pub(super) fn set_derived(
        &self,
        id: GameId,
        game: &Game,
        sides: [&Side; 2],
    ) -> Result<(), Error> {
        let values = values(game, sides).into_iter().chain([id.0.into()]);
        self.run(&UPDATE, params_from_iter(values))
    }
}
