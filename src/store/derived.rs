//! The columns of a game that follow from its log.

use chrono::{DateTime, Utc};
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::{Result, Tx, seconds};
use outflank_model::Side;
use outflank_model::log::{Game, GameId};
use outflank_rules::Color;

/// Returns the columns for a game of these players, each with its value.
pub(super) fn columns(game: &Game, [black, white]: [&Side; 2]) -> [(&'static str, Value); 12] {
    let player = |color| if color == Color::Black { black } else { white }.id().map(|id| id.0);
    let (turn, outcome, position) = (game.turn(), game.outcome(), game.position());
    let winner = outcome.and_then(|outcome| outcome.winner);
    [
        ("ply", integer(game.plies().len())),
        ("events", integer(game.events().len())),
        ("position_event", integer(game.position_event())),
        ("turn", turn.map(|color| color.to_string()).into()),
        ("to_move", turn.and_then(player).into()),
        ("to_wait", turn.and_then(|color| player(!color)).into()),
        ("black_discs", position.count(Color::Black).into()),
        ("white_discs", position.count(Color::White).into()),
        ("winner", winner.map(|color| color.to_string()).into()),
        ("reason", outcome.map(|outcome| outcome.reason.word().to_owned()).into()),
        ("offer_event", game.offer_event().map(integer).into()),
        ("paused", game.is_paused().into()),
    ]
}

fn integer(number: usize) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

impl Tx<'_> {
    /// Stores the columns that follow from the log of a game, and since when it is as it is, if that has
    /// changed.
    pub(super) fn set_derived(
        &self,
        id: GameId,
        game: &Game,
        sides: [&Side; 2],
        since: Option<DateTime<Utc>>,
    ) -> Result<()> {
        let columns = columns(game, sides).into_iter();
        let (names, mut values): (Vec<_>, Vec<_>) =
            columns.map(|(name, value)| (format!("{name} = ?"), value)).unzip();
        values.extend([since.map(seconds).into(), id.0.into()]);
        let names = names.join(", ");
        let sql = format!("UPDATE game SET {names}, since = coalesce(?, since) WHERE id = ?");
        self.run(&sql, params_from_iter(values))
    }
}
