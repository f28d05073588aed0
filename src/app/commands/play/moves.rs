use clap::Args;

use crate::app::effects::change::{Change, Decision, change, refuse_finished};
use crate::app::views::reply::Drawing;
use crate::app::{Concerns, Error, Heading, Kind, Place, Reply, Session, Shown, Traits, UseCase};
use crate::command::{MoveAt, Play};
use outflank_model::StoredGame;
use outflank_model::log::{Game, TakenBack};
use outflank_model::render::words;
use outflank_model::words::joined;
use outflank_rules::{Color, Lattice, Move as GameMove};

/// Make a move, or several that alternate by turn
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: move 12 d3")]
pub struct Move {
    #[command(flatten)]
    play: Play,
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for Move {
    const TRAITS: Traits = Traits {
        done: Some("Your move was made."),
        is_shown_by_board: true,
        ..Traits::new("move", Heading::Play).button(Place::Squares, "Play", "")
    };

    fn concerns(&self) -> Concerns {
        Concerns::Plays(self.play.clone())
    }

    fn bind(&mut self, to: Shown) {
        if let Some(first) = self.play.moves.first_mut()
            && let Some(at) = to.position_for(first.ply)
        {
            first.ply = Some(at.ply.saturating_add(1));
            self.play.position = Some(at.events);
        }
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        Ok(self.play.run(session)?.drawn(self.drawing))
    }
}

impl Play {
    /// Makes the moves, all or none, and notifies the player to move.
    pub(crate) fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        change(session, self.game, self.receipt, |change| self.decide(change))
    }

    /// Decides on the moves, all or none.
    pub(crate) fn decide(&self, change: &Change) -> Result<Decision, Error> {
        let &Change { names, own, stored, .. } = change;
        let (id, mut game) = (stored.id, stored.game.clone());
        let what = self.labels(game.lattice());
        check_position(stored, own, self.position, &what)?;
        self.refuse_repetition(own, &game)?;
        refuse_finished(id, names, &game)?;
        let plies = game.plies().len();
        let made = make_all(&mut game, plies, &self.moves, |game| match (own, game.turn()) {
            (Some(own), Some(turn)) if own != turn => {
                let (on_turn, name) = (names.of(turn), names.of(own));
                let error = Error::refused(format!("it is {on_turn}'s turn in game {id}"));
                let has_address = stored.player(own).is_some_and(|own| own.address.is_some());
                Err(match has_address && !stored.local {
                    true => error.with_hint(format!("{name} will be mailed when it is {name}'s")),
                    false => error.with_hint(format!("see `outflank show {id}`")),
                })
            }
            (None, Some(turn)) if stored.side(turn).bot().is_some() => {
                let message = format!("it is {}'s turn in game {id}", names.of(turn));
                Err(Error::refused(message).with_hint("`outflank send` lets it move"))
            }
            _ => Ok(()),
        });
        made.map_err(|error| match (error.kind(), error.hint()) {
            (Kind::Stale, None) => error.with_hint(format!("see `outflank show {id}`")),
            _ => error,
        })?;
        Ok(game.into())
    }

    /// Returns the labels of the moves.
    pub(crate) fn labels(&self, lattice: Lattice) -> String {
        let labels = self.moves.iter().map(|mv| lattice.move_label(mv.mv));
        labels.collect::<Vec<_>>().join(" ")
    }

    /// Returns whether the player of this colour could make the moves now.
    pub(crate) fn is_possible(&self, own: Color, game: &Game) -> bool {
        let mut then = game.clone();
        let is_own_turn = |game: &Game| match game.turn() {
            Some(turn) if turn == own => Ok(()),
            _ => Err(Error::refused("it is not the player's turn")),
        };
        self.position.is_none_or(|event| has_position(game, event))
            && make_all(&mut then, game.plies().len(), &self.moves, is_own_turn).is_ok()
    }

    /// Refuses a single numbered move that the same player has already made.
    fn refuse_repetition(&self, own: Option<Color>, game: &Game) -> Result<(), Error> {
        let [MoveAt { mv, ply: Some(ply) }] = self.moves[..] else { return Ok(()) };
        let made = ply.checked_sub(1).and_then(|before| game.plies().get(before));
        match made {
            Some(made) if made.mv == mv && !made.auto && own.is_none_or(|own| own == made.by) => {
                let label = game.lattice().move_label(mv);
                let place = format!("as move #{ply} of game {}", self.game);
                Err(Error::refused(format!("{label} was already played {place}"))
                    .with_hint("there is nothing left to do"))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses a move for the position of this event if it was taken back, or if a restored backup lacks it.
pub(crate) fn check_position(
    stored: &StoredGame,
    own: Option<Color>,
    position: Option<usize>,
    what: &str,
) -> Result<(), Error> {
    let (id, game) = (stored.id, &stored.game);
    let Some(event) = position.filter(|&event| !has_position(game, event)) else { return Ok(()) };
    if let Some(taken) = game.taken_back().iter().find(|taken| taken.event > event) {
        return Err(taken_back(stored, own, taken, what));
    }
    let message = format!("game {id} does not have that position any more");
    Err(Error::stale(message).with_hint(format!("see `outflank show {id}`")))
}

/// Returns whether the position of this event was not taken back since.
fn has_position(game: &Game, event: usize) -> bool {
    game.taken_back().iter().all(|taken| taken.event <= event)
        && game.after(event).is_some_and(|then| then.position_event() == event)
}

/// Returns the error for a move in a position that was taken back.
pub(crate) fn taken_back(
    stored: &StoredGame,
    own: Option<Color>,
    taken: &TakenBack,
    what: &str,
) -> Error {
    let lattice = stored.game.lattice();
    let who = match own {
        Some(own) if own == taken.by => "you have".to_owned(),
        _ => format!("{} has", stored.name(taken.by)),
    };
    let gone = taken.plies.iter().filter(|ply| !ply.auto).map(|ply| lattice.move_label(ply.mv));
    let gone = joined(&gone.collect::<Vec<_>>(), "and");
    Error::refused(format!(
        "{who} taken back {gone}, so your {what} was not made. This is the position now"
    ))
}

/// Makes moves one after the other, each if `may_move` allows it. An automatic pass may be
/// written among them or left out, except among the first `known` plies.
///
/// # Errors
/// The reason why one of them cannot be made; those before it have been made then.
pub(crate) fn make_all(
    game: &mut Game,
    mut known: usize,
    moves: &[MoveAt],
    may_move: impl Fn(&Game) -> Result<(), Error>,
) -> Result<(), Error> {
    for (number, mv) in (1..).zip(moves) {
        known = make(game, known, *mv, &may_move).map_err(|error| match moves {
            [_] => error,
            _ => {
                let label = game.lattice().move_label(mv.mv);
                let place = format!("move {number} of {}, {label}", moves.len());
                error.within(&place, "none of the moves was made")
            }
        })?;
    }
    Ok(())
}

/// Makes one move, and returns the number of plies up to it.
fn make(
    game: &mut Game,
    known: usize,
    MoveAt { mv, ply }: MoveAt,
    may_move: impl Fn(&Game) -> Result<(), Error>,
) -> Result<usize, Error> {
    let was_automatic = mv == GameMove::Pass
        && game.plies().len() == known + 1
        && game.plies().last().is_some_and(|last| last.auto);
    let next = if was_automatic { known } else { game.plies().len() } + 1;
    if let Some(ply) = ply.filter(|&ply| ply != next) {
        return Err(Error::stale(format!("the next move is #{next}, not #{ply}")));
    }
    if !was_automatic {
        may_move(game)?;
        game.play(mv).map_err(|illegal| {
            Error::refused(illegal).with_hint(format!("legal: {}", words::legal(game)))
        })?;
    }
    Ok(next)
}
