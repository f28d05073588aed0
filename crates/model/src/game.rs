use chrono::{DateTime, Utc};

use crate::log::{Game, GameId};
use crate::time_control::{ClockSettings, Clocks, TurnStarts};
use crate::tournament::InTournament;
use crate::{Agreement, Player, PlayerId, Side};
use outflank_rules::Color;

/// A stored game, replayed.
#[derive(Debug, Clone)]
pub struct StoredGame {
    /// Its number.
    pub id: GameId,
    /// What its players have agreed on.
    pub agreement: Agreement,
    /// The start and the events.
    pub game: Game,
    /// Whether `play` began it: at one keyboard, or against a computer player on a board in the
    /// terminal. Nobody is mailed about it.
    pub local: bool,
    /// When it was started.
    pub started: DateTime<Utc>,
    /// When each of the events happened.
    pub times: Vec<DateTime<Utc>>,
    /// When the clocks of turns start.
    pub turn_starts: TurnStarts,
    /// Who has the black discs.
    pub black: Side,
    /// Who has the white discs.
    pub white: Side,
    /// The Message-ID, without angle brackets, that all its mails refer to.
    pub thread: String,
    /// Its place in a tournament; `None` if it belongs to none.
    pub tournament: Option<InTournament>,
}

impl StoredGame {
    /// Returns when the turn began, or when the game ended.
    pub fn since(&self) -> DateTime<Utc> {
        let event = self.game.since_event().checked_sub(1);
        event.and_then(|event| self.times.get(event)).copied().unwrap_or(self.started)
    }

    /// Returns the game after new events, which happened at this time.
    #[must_use]
    pub fn after(&self, game: Game, at: DateTime<Utc>) -> Self {
        let mut after = Self { game, ..self.clone() };
        after.times.resize(after.game.events().len(), at);
        after
    }

    /// Returns who has the discs of this colour.
    pub const fn side(&self, color: Color) -> &Side {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// Returns the person with the discs of this colour; `None` for a computer player and a guest.
    pub fn player(&self, color: Color) -> Option<&Player> {
        self.side(color).person()
    }

    /// Returns the name of the player with the discs of this colour.
    pub fn name(&self, color: Color) -> &str {
        self.side(color).name()
    }

    /// Returns the player's colour; `None` when the player is not in the game.
    pub fn color_of(&self, player: PlayerId) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.side(color).id() == Some(player))
    }

    /// Returns the settings that apply to the clock of this side: the default ones for a computer
    /// player, who has no clock.
    pub fn clock_settings(&self, color: Color) -> ClockSettings {
        self.player(color).map_or_else(ClockSettings::default, |player| player.preferences.clock)
    }

    /// Returns both sides, Black first.
    pub const fn sides(&self) -> [&Side; 2] {
        [&self.black, &self.white]
    }

    /// Returns whether the game was imported: it was played elsewhere, and counts in nobody's record.
    pub const fn is_imported(&self) -> bool {
        matches!(self.sides(), [Side::Guest(_), Side::Guest(_)])
    }

    /// Returns the clocks after the last event.
    pub fn clocks(&self) -> Clocks {
        self.clocks_of(&self.game, None)
    }

    /// Returns the clocks of this game at another moment; events that are not stored yet happen
    /// now.
    pub fn clocks_of(&self, game: &Game, now: Option<DateTime<Utc>>) -> Clocks {
        let more = game.events().len().saturating_sub(self.times.len());
        let more = now.into_iter().flat_map(|now| std::iter::repeat_n(now, more));
        let times: Vec<_> = self.times.iter().copied().chain(more).collect();
        let clocks =
            Clocks::of(&self.agreement.terms, game, self.started, &times, &self.turn_starts);
        clocks.of_people(self.sides().map(|side| side.person().is_some()))
    }
}
