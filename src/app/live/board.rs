//! A game as a board shows it that stays open.

use crate::log::{Game, GameId};
use crate::render::words::Names;
use crate::store::Moment;
use outflank_rules::Color;

/// A game as it stands, for one reader.
#[derive(Debug, Clone)]
pub struct LiveGame {
    /// Its number.
    pub id: GameId,
    /// Its variant and size: `Othello 10x10 misère`.
    pub title: String,
    /// The game.
    pub game: Game,
    /// The names of the players, Black first.
    pub names: [String; 2],
    /// Whether the reader plays Black, and White: both at one keyboard, neither where others play.
    pub own: [bool; 2],
    /// Whether Black, and White, is a computer player.
    pub bots: [bool; 2],
    /// Lines about clocks, absences and pauses.
    pub time: Vec<String>,
    /// What was said lately, the latest last, as lines.
    pub words: Vec<String>,
    /// The open offer in a sentence.
    pub offer: Option<String>,
    /// The colour of who made the open offer.
    pub offered_by: Option<Color>,
    /// The result in a sentence.
    pub result: Option<String>,
    /// The words of the commands that would not be refused now: `takeback`, `hint` and so on.
    pub possible: Vec<&'static str>,
    /// Whether a computer player must act now.
    pub bot_is_due: bool,
    /// How many other games wait for the reader.
    pub others_waiting: usize,
    /// What a line that is typed now refers to.
    pub moment: Moment,
}

impl LiveGame {
    /// Returns the names of the players.
    pub fn names(&self) -> Names<'_> {
        Names { black: &self.names[0], white: &self.names[1] }
    }

    /// Returns whether the reader plays this colour.
    pub const fn owns(&self, color: Color) -> bool {
        match color {
            Color::Black => self.own[0],
            Color::White => self.own[1],
        }
    }

    /// Returns whether the command with this word would not be refused now.
    pub fn can(&self, word: &str) -> bool {
        self.possible.contains(&word)
    }
}
