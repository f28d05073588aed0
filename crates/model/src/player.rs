use chrono::{DateTime, Utc};

use crate::preferences::Preferences;

/// The key of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlayerId(pub i64);

/// A player who has signed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// The key.
    pub id: PlayerId,
    /// The name, as it was signed up.
    pub name: String,
    /// The address that mail goes to; `None` for a player who gets no mail.
    pub address: Option<String>,
    /// When the player has left; `None` for a member.
    pub left_at: Option<DateTime<Utc>>,
    /// The settings.
    pub preferences: Preferences,
    /// How often mail to the player failed within a month and since the last sign of life.
    pub failures: u32,
    /// Since when mail to the player is held back; `None` when it is not.
    pub paused_at: Option<DateTime<Utc>>,
}

impl Player {
    /// Returns whether mail to the player has failed since the last sign of life.
    pub const fn has_failed(&self) -> bool {
        self.failures > 0 || self.paused_at.is_some()
    }

    /// Returns whether this is the player's address, without regard to case.
    pub fn is_at(&self, address: &str) -> bool {
        self.address.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(address))
    }
}
