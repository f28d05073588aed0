use serde::Serialize;

use crate::store::{Difference, Wrong};
use outflank_model::log::GameId;

/// Something that is wrong in a database.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Fault {
    game: Option<i64>,
    /// The table, and the column if it is one value.
    column: Option<String>,
    stored: Option<String>,
    expected: Option<String>,
    /// All of it, for people.
    #[serde(rename = "fault")]
    pub line: String,
}

impl Fault {
    /// Returns a fault in something, such as `mail 12`.
    pub(super) fn new(what: &str, problem: &str) -> Self {
        let line = format!("{what}: {problem}");
        Self { game: None, column: None, stored: None, expected: None, line }
    }

    /// Returns a fault in a game's column or table.
    pub(super) fn of_game(id: GameId, column: &str, problem: &str) -> Self {
        Self::new(&format!("game {id}"), problem).in_column(column).in_game(Some(id))
    }

    /// Returns a fault in something that has a wrong value.
    pub(super) fn of_value(what: &str, difference: Difference) -> Self {
        let Difference { column, stored, expected } = difference;
        let show =
            |it: &Option<String>| it.as_ref().map_or("empty".to_owned(), |it| format!("\"{it}\""));
        let name = column.rsplit_once('.').map_or(&*column, |(_, name)| name);
        let problem = format!("{name} is {}, should be {}", show(&stored), show(&expected));
        Self { stored, expected, ..Self::new(what, &problem).in_column(&column) }
    }

    /// Names the column that the fault is in.
    pub(super) fn in_column(self, column: &str) -> Self {
        Self { column: Some(column.to_owned()), ..self }
    }

    /// Names the game that the fault is in.
    pub(super) fn in_game(self, game: Option<GameId>) -> Self {
        Self { game: game.map(|id| id.0), ..self }
    }
}

impl From<Wrong> for Fault {
    fn from(Wrong { game, column, what, problem }: Wrong) -> Self {
        Self { column: column.map(str::to_owned), ..Self::new(&what, &problem).in_game(game) }
    }
}
