use crate::bot::Bot;
use crate::{Player, PlayerId};

/// The player of one colour in a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// A person who has signed up.
    Person(Box<Player>),
    /// A computer player. It has no row in the table of players, no address and no clock.
    Bot {
        /// Its level or program.
        bot: Bot,
        /// Its name, such as `bot:5`.
        name: String,
    },
    /// The player of an imported game, who is known by name only and is nobody of the club.
    Guest(String),
}

impl Side {
    /// Returns the name that people see.
    pub fn name(&self) -> &str {
        match self {
            Self::Person(player) => &player.name,
            Self::Bot { name, .. } | Self::Guest(name) => name,
        }
    }

    /// Returns the person; `None` for a computer player and a guest.
    pub fn person(&self) -> Option<&Player> {
        match self {
            Self::Person(player) => Some(player),
            Self::Bot { .. } | Self::Guest(_) => None,
        }
    }

    /// Returns the computer player; `None` for a person and a guest.
    pub const fn bot(&self) -> Option<&Bot> {
        match self {
            Self::Person(_) | Self::Guest(_) => None,
            Self::Bot { bot, .. } => Some(bot),
        }
    }

    /// Returns the key of the person; `None` for a computer player and a guest.
    pub fn id(&self) -> Option<PlayerId> {
        self.person().map(|player| player.id)
    }
}

impl From<Player> for Side {
    fn from(player: Player) -> Self {
        Self::Person(Box::new(player))
    }
}

impl From<Bot> for Side {
    fn from(bot: Bot) -> Self {
        let name = bot.to_string();
        Self::Bot { bot, name }
    }
}
