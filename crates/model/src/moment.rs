use crate::log::{Game, GameId};

/// A moment in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The game.
    pub game: GameId,
    /// How many moves it had.
    pub ply: usize,
    /// How many events its log had.
    pub events: usize,
}

impl Moment {
    /// Returns the present moment of a game.
    pub fn of(id: GameId, game: &Game) -> Self {
        Self { game: id, ply: game.plies().len(), events: game.events().len() }
    }

    /// Returns the moment of the last change of the position.
    pub fn of_position(id: GameId, game: &Game) -> Self {
        Self { events: game.position_event(), ..Self::of(id, game) }
    }
}
