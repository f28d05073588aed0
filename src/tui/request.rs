//! Requests to the worker threads, and their updates.

use crate::app::{Error, LiveGame, Play, PlayerCommand, Reply, Zone};
use outflank_model::bot::Bot;
use outflank_model::log::GameId;

/// A request of the screen.
#[derive(Debug)]
pub enum Request {
    /// To run a command, with the word that it begins with.
    Run(&'static str, Box<PlayerCommand>),
    /// To open the game with this number.
    Open(GameId),
    /// To open the game that the words behind `play` ask for.
    Play(Box<Play>),
    /// To play the game on the screen again, against this computer player.
    PlayAgainst(Bot),
    /// To open the next game that waits.
    Next,
    /// The list of the player's games.
    List,
    /// To leave.
    Leave,
    /// To stop the program until the user lets it go on.
    Suspend,
}

/// An update for the screen.
#[derive(Debug)]
pub enum Update {
    /// A game as it stands: the one on the screen, or another one that was asked for.
    Game(Box<LiveGame>),
    /// The reply to the command with this word, and the zone of its times.
    Reply(&'static str, Reply, Zone),
    /// How far the search is that a command has asked for.
    Progress(String),
    /// The list of the player's games, and the zone of its times.
    List(Reply, Zone),
    /// A request was refused, or something outside fails.
    Refused(Error),
    /// No other game waits.
    NoneWaits,
}
