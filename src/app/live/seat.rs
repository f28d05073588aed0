//! A seat at a board: who acts there, and a connection to the database.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::app::live::board::LiveGame;
use crate::app::live::open::{Play, User};
use crate::app::{App, Error, PlayerCommand, Reply, Zone};
use crate::command::PlayerRef;
use crate::log::GameId;

/// Opens the application once more, for a thread.
pub type OpenApp = Arc<dyn Fn() -> Result<App, Error> + Send + Sync>;

/// A seat at a board.
pub struct Seat {
    #[expect(dead_code, reason = "not yet")]
    open: OpenApp,
    #[expect(dead_code, reason = "not yet")]
    app: Option<App>,
}

impl Seat {
    /// Takes the seat that the arguments of `play` ask for, and begins a game where none is open.
    /// Returns it with the number of the game. `named` is the player of `--as`.
    ///
    /// # Errors
    /// [`Error`] that says why there is nothing to play.
    pub fn take(
        _open: OpenApp,
        _play: &Play,
        _named: Option<&PlayerRef>,
        _user: &User,
    ) -> Result<(Self, GameId), Error> {
        Err(Error::fault("not yet"))
    }

    /// Takes the seat of a player who comes over ssh: at the most urgent game that waits, or else as
    /// `play` without arguments does.
    pub fn take_over_ssh(_open: OpenApp, _player: &PlayerRef) -> Result<(Self, GameId), Error> {
        Err(Error::fault("not yet"))
    }

    /// Takes the same seat with another connection, for a thread.
    pub fn another(&self) -> Result<Self, Error> {
        Err(Error::fault("not yet"))
    }

    /// Returns a game as it stands.
    pub fn game(&mut self, _id: GameId) -> Result<LiveGame, Error> {
        Err(Error::fault("not yet"))
    }

    /// Runs a command as the player who acts here; at one keyboard, as the one to move in this game.
    /// `stop` ends a search of the engine.
    pub fn run(
        &mut self,
        _game: GameId,
        _command: &PlayerCommand,
        _stop: &Arc<AtomicBool>,
    ) -> Result<Reply, Error> {
        Err(Error::fault("not yet"))
    }

    /// Gives the boards of a reply the player's style, and returns the zone of its times.
    pub fn styled(&mut self, _reply: &mut Reply) -> Result<Zone, Error> {
        Err(Error::fault("not yet"))
    }

    /// Returns the next game that waits for the player, after this one in the order of urgency.
    pub fn next_waiting(&mut self, _after: GameId) -> Result<Option<GameId>, Error> {
        Err(Error::fault("not yet"))
    }

    /// Returns whether another connection has changed the database since this was last asked.
    pub fn has_changed(&mut self) -> Result<bool, Error> {
        Err(Error::fault("not yet"))
    }

    /// Does what a computer player must do in this game, until it is done or `stop` is set. Returns
    /// the reply with the mails that it queued, if anything was done.
    ///
    /// # Errors
    /// When the computer player fails: `send` tries again.
    pub fn think(&mut self, _game: GameId, _stop: &AtomicBool) -> Result<Option<Reply>, Error> {
        Err(Error::fault("not yet"))
    }

    /// Delivers the mails of a reply, for two seconds at most; `send` delivers the rest.
    pub fn deliver(&mut self, _reply: &Reply) {}
}
