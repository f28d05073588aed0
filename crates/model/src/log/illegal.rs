use outflank_rules::{Color, Illegal};

/// Why an event cannot happen in a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalEvent {
    /// The rules do not allow the move.
    #[error(transparent)]
    Move(Illegal),
    /// An event of the player who is not on turn.
    #[error("it is not {0}'s turn")]
    NotOnTurn(Color),
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// The game has not ended.
    #[error("the game is not over")]
    NotOver,
    /// There is no open offer to answer.
    #[error("there is no open offer")]
    NoOffer,
    /// An offer is open already.
    #[error("an offer is open already")]
    OpenOffer,
    /// There is no own move to take back.
    #[error("{0} has no move to take back")]
    NoMove(Color),
    /// The clocks run.
    #[error("the game is not paused")]
    NotPaused,
    /// The clocks stand still.
    #[error("the game is paused")]
    Paused,
    /// A move of an opening is only the first of a game.
    #[error("a move of an opening comes before all others")]
    NotFirst,
    /// Only the host does this, or only a player.
    #[error("this event has the wrong author")]
    WrongAuthor,
}

/// The end of a game is the same error however it came about.
impl From<Illegal> for IllegalEvent {
    fn from(illegal: Illegal) -> Self {
        match illegal {
            Illegal::Over => Self::Over,
            illegal => Self::Move(illegal),
        }
    }
}
