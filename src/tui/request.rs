//! What the screen asks for, and what it is told.

use crate::app::{Error, LiveGame, PlayerCommand, Reply, Zone};
use outflank_model::log::GameId;

/// What the screen asks for.
#[derive(Debug)]
pub enum Request {
    /// To run a command, with the word that it begins with.
    Run(&'static str, Box<PlayerCommand>),
    /// To go to the game with this number.
    Open(GameId),
    /// To go to the next game that waits.
    Next,
    /// The list of the player's games.
    List,
    /// To leave.
    Leave,
    /// To stop the program until the user lets it go on.
    Suspend,
}

/// What the screen is told.
#[derive(Debug)]
pub enum Update {
    /// A game as it stands: the one on the screen, or another one that was asked for.
    Game(Box<LiveGame>),
    /// The reply to the command with this word, and the zone of its times.
    Reply(&'static str, Reply, Zone),
    /// The list of the player's games, and the zone of its times.
    List(Reply, Zone),
    /// A request was refused, or something outside fails.
    Refused(Error),
    /// No other game waits.
    NoneWaits,
}
