use std::fmt;
use std::str::FromStr;

use crate::game::{BadGameId, BadMove, GameId, Move};

/// What was written names no game or no ply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadReference {
    /// Not a game number.
    #[error(transparent)]
    Game(#[from] BadGameId),
    /// Not a ply number.
    #[error("`#{0}` is no ply: write the number of a move, like #4")]
    Ply(String),
    /// Not a move.
    #[error(transparent)]
    Move(#[from] BadMove),
}

/// A game, perhaps at a ply: `12` or `12#4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameAt {
    /// The game.
    pub game: GameId,
    /// The ply.
    pub ply: Option<usize>,
}

/// Writes what it reads.
impl fmt::Display for GameAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.game, Suffix(self.ply))
    }
}

/// Reads `GAME` or `GAME#PLY`.
impl FromStr for GameAt {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Self, BadReference> {
        let (game, ply) = split_ply(text)?;
        Ok(Self { game: game.parse()?, ply })
    }
}

/// A move, perhaps with the ply that it is to be: `d3` or `d3#4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveAt {
    /// The move.
    pub played: Move,
    /// The number it must get, counted from 1.
    pub ply: Option<usize>,
}

/// Writes what it reads, a cell with a capital letter.
impl fmt::Display for MoveAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.played {
            Move::Pass => write!(f, "pass{}", Suffix(self.ply)),
            Move::Place(cell) => write!(f, "{}{}", cell.label(), Suffix(self.ply)),
        }
    }
}

/// `#PLY`, or nothing.
struct Suffix(Option<usize>);

impl fmt::Display for Suffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(ply) => write!(f, "#{ply}"),
            None => Ok(()),
        }
    }
}

/// Reads `MOVE` or `MOVE#PLY`.
impl FromStr for MoveAt {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Self, BadReference> {
        let (played, ply) = split_ply(text)?;
        Ok(Self { played: played.parse()?, ply })
    }
}

fn split_ply(text: &str) -> Result<(&str, Option<usize>), BadReference> {
    let Some((head, ply)) = text.split_once('#') else { return Ok((text, None)) };
    let plain = ply.bytes().all(|b| b.is_ascii_digit());
    match ply.parse() {
        Ok(number) if plain => Ok((head, Some(number))),
        _ => Err(BadReference::Ply(ply.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_may_have_a_ply() {
        assert_eq!("12".parse(), Ok(GameAt { game: GameId(12), ply: None }));
        assert_eq!("12#0".parse(), Ok(GameAt { game: GameId(12), ply: Some(0) }));
        for bad in ["", "0", "-1", "+1", "x", "1.5", "99999999999999999999", "#3"] {
            assert!(matches!(bad.parse::<GameAt>(), Err(BadReference::Game(_))), "{bad}");
        }
        for bad in ["12#", "12#x", "12#-1", "12#1#2"] {
            assert!(matches!(bad.parse::<GameAt>(), Err(BadReference::Ply(_))), "{bad}");
        }
    }

    #[test]
    fn a_move_may_have_a_ply() {
        assert_eq!("PASS#7".parse(), Ok(MoveAt { played: Move::Pass, ply: Some(7) }));
        assert!(matches!("33#7".parse::<MoveAt>(), Err(BadReference::Move(_))));
    }
}
