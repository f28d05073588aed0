use clap::Args;

use super::change::{change, goes_on};
use super::{Error, Reply, Session, UseCase};
use crate::command::MoveAt;
use crate::game::{Color, Game, GameId, Move as Played};
use crate::render::words::{self, Names};

/// Make a move, or several that alternate by turn
#[derive(Debug, Clone, Args)]
pub struct Move {
    /// The number of the game
    pub(super) game: GameId,
    /// A cell like d3, or pass; with #PLY only if it is move number PLY
    #[arg(required = true, value_name = "MOVE[#PLY]")]
    pub(super) moves: Vec<MoveAt>,
    /// Send a copy to the player who moves, too
    #[arg(long)]
    pub(super) receipt: bool,
}

impl UseCase for Move {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        play(session, self.game, &self.moves, self.receipt)
    }
}

/// Makes these moves in a game, all or none, and tells who is on turn then.
pub(super) fn play(
    session: &mut Session,
    id: GameId,
    moves: &[MoveAt],
    receipt: bool,
) -> Result<Reply, Error> {
    let make = |names: Names, own: Option<Color>, game: &mut Game| {
        let told = game.plies().len();
        if let [MoveAt { mv, ply: Some(ply) }] = *moves
            && was_made(game, own, mv, ply)
        {
            let label = game.start().rules().lattice.move_label(mv);
            return Err(Error::AlreadyPlayed { game: id, ply, label });
        }
        goes_on(id, names, game)?;
        all(game, told, moves, |game| match (own, game.turn()) {
            (Some(own), Some(turn)) if own != turn => Err(Error::NotYourTurn {
                player: names.of(own).to_owned(),
                game: id,
                turn: words::turn(game, names).unwrap_or_default(),
            }),
            _ => Ok(()),
        })?;
        let last = game.plies().iter().rev().find(|ply| !ply.auto);
        Ok(own.or_else(|| last.map(|ply| ply.by)))
    };
    change(session, id, make, receipt)
}

/// Whether this move is the one of that number already, made by whoever asks for it again.
fn was_made(game: &Game, own: Option<Color>, played: Played, ply: usize) -> bool {
    let made = ply.checked_sub(1).and_then(|before| game.plies().get(before));
    made.is_some_and(|made| {
        made.played == played && !made.auto && own.is_none_or(|own| own == made.by)
    })
}

/// Makes these moves one after the other, each if `may_move` has nothing against it. A pass that
/// happened by itself may be written among them or left out, behind the first `told` moves, of
/// which they know already.
///
/// # Errors
/// The reason for which one of them cannot be made; those before it have been made then.
pub(super) fn all(
    game: &mut Game,
    mut told: usize,
    moves: &[MoveAt],
    may_move: impl Fn(&Game) -> Result<(), Error>,
) -> Result<(), Error> {
    for (number, asked) in (1..).zip(moves) {
        told = one(game, told, asked, &may_move).map_err(|error| match moves {
            [_] => error,
            _ => Error::InSequence {
                number,
                of: moves.len(),
                label: game.start().rules().lattice.move_label(asked.mv),
                error: Box::new(error),
            },
        })?;
    }
    Ok(())
}

/// Makes one move, and returns how many moves are told of then.
fn one(
    game: &mut Game,
    told: usize,
    asked: &MoveAt,
    may_move: impl Fn(&Game) -> Result<(), Error>,
) -> Result<usize, Error> {
    let happened = asked.mv == Played::Pass
        && game.plies().len() == told + 1
        && game.plies().last().is_some_and(|last| last.auto);
    let next = if happened { told } else { game.plies().len() } + 1;
    if let Some(asked) = asked.ply.filter(|&ply| ply != next) {
        return Err(Error::OtherPly { asked, next });
    }
    if !happened {
        may_move(game)?;
        game.play(asked.mv).map_err(|reason| Error::Illegal {
            reason,
            legal: words::list(game.start().rules().lattice, game.legal()),
        })?;
    }
    Ok(next)
}
