use crate::command::PlayerRef;

/// Who gives a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The host, who can act for the player to move.
    Host,
    /// This player only.
    Player(PlayerRef),
}

impl Actor {
    /// Returns the player with this name.
    pub(crate) fn named(name: &str) -> Self {
        Self::Player(PlayerRef::Name(name.to_owned()))
    }

    /// Returns the player, if it is one.
    pub const fn player(&self) -> Option<&PlayerRef> {
        match self {
            Self::Host => None,
            Self::Player(player) => Some(player),
        }
    }
}
