use std::fmt;
use std::str::FromStr;

use crate::game::{BadMove, Move};

/// The number of a game: a positive integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub i64);

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What was written names no game or no ply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadReference {
    /// Not a game number.
    #[error("`{0}` is no game number: games are numbered 1, 2, 3, ...")]
    Game(String),
    /// Not a ply number.
    #[error("`#{0}` is no ply: write the number of a move, like #4")]
    Ply(String),
    /// Not a move.
    #[error(transparent)]
    Move(#[from] BadMove),
}

/// Reads a positive integer.
impl FromStr for GameId {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Self, BadReference> {
        match number(text) {
            Some(id) if id > 0 => Ok(Self(i64::from(id))),
            _ => Err(BadReference::Game(text.to_owned())),
        }
    }
}

/// A game, perhaps at a ply: `12` or `12#4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameAt {
    /// The game.
    pub game: GameId,
    /// The ply.
    pub ply: Option<usize>,
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
    match number(ply).and_then(|ply| usize::try_from(ply).ok()) {
        Some(ply) => Ok((head, Some(ply))),
        None => Err(BadReference::Ply(ply.to_owned())),
    }
}

fn number(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
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
