use serde::Serialize;

use crate::log::GameId;
use crate::store::Difference;

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
    /// Returns the fault of a value that is not what it should be. `what` is what has the value, such as
    /// `game 12`.
    pub(super) fn of_value(game: Option<GameId>, what: &str, difference: Difference) -> Self {
        let Difference { column, stored, expected } = difference;
        let show = |value: &Option<String>| match value {
            Some(value) => format!("\"{value}\""),
            None => "empty".to_owned(),
        };
        let name = column.rsplit_once('.').map_or(&*column, |(_, name)| name);
        let line = format!("{what}: {name} is {}, should be {}", show(&stored), show(&expected));
        Self { game: game.map(|id| id.0), column: Some(column), stored, expected, line }
    }

    /// Returns a fault in what is stored for a game in a column, or in a whole table.
    pub(super) fn of_game(id: GameId, column: &str, problem: String) -> Self {
        let line = format!("game {id}: {problem}");
        Self {
            game: Some(id.0),
            column: Some(column.to_owned()),
            stored: None,
            expected: None,
            line,
        }
    }

    /// Returns a fault of something else.
    pub(super) fn other(what: &str, problem: String) -> Self {
        let line = format!("{what}: {problem}");
        Self { game: None, column: None, stored: None, expected: None, line }
    }

    /// Returns it with the column that it is in.
    pub(super) fn in_column(self, column: &str) -> Self {
        Self { column: Some(column.to_owned()), ..self }
    }

    /// Returns it with the game that it is in.
    pub(super) fn in_game(self, game: Option<GameId>) -> Self {
        Self { game: game.map(|id| id.0), ..self }
    }
}

/// Returns the difference between two values of a column, if there is one.
pub(super) fn difference<T: PartialEq + ToString>(
    column: &str,
    stored: Option<T>,
    expected: Option<T>,
) -> Option<Difference> {
    let differs = stored != expected;
    let (stored, expected) = (stored.map(|it| it.to_string()), expected.map(|it| it.to_string()));
    differs.then(|| Difference { column: column.to_owned(), stored, expected })
}
