//! The two lines of play that a reason compares.

use crate::analysis::Judgement;
use outflank_rules::{Color, Move, Position};

/// How many plies of a line are compared, and shown to players: the move itself and those that follow.
pub const MAX_COMPARED: usize = 8;

/// A line of play.
pub(super) struct Line {
    /// Its moves.
    pub moves: Vec<Move>,
    /// The positions after each move.
    pub positions: Vec<Position>,
}

impl Line {
    /// Returns the line of these moves from a position, as far as they are legal.
    fn new(before: &Position, moves: impl Iterator<Item = Move>) -> Self {
        let mut line = Self { moves: Vec::new(), positions: Vec::new() };
        for mv in moves.take(MAX_COMPARED) {
            let mut next = line.positions.last().unwrap_or(before).clone();
            if next.play(mv).is_err() {
                break;
            }
            line.moves.push(mv);
            line.positions.push(next);
        }
        line
    }

    fn shorten(&mut self, plies: usize) {
        self.moves.truncate(plies);
        self.positions.truncate(plies);
    }
}

/// A move that cost discs and the best play after it, and the better move with the best play after that, for
/// the same number of plies.
pub(super) struct Lines<'a> {
    pub before: &'a Position,
    pub made: Line,
    pub better: Line,
}

impl<'a> Lines<'a> {
    /// Returns the lines for the first of these moves; `None` if it was not judged worse than another one.
    pub fn of(before: &'a Position, judged: &[Judgement]) -> Option<Self> {
        let [it, next @ ..] = judged else { return None };
        let mut made = Line::new(before, [it.mv].into_iter().chain(best_play(next)));
        let mut better = Line::new(before, it.line.iter().copied());
        let plies = made.moves.len().min(better.moves.len());
        made.shorten(plies);
        better.shorten(plies);
        (plies > 0).then_some(Self { before, made, better })
    }

    /// Returns who makes the move that cost discs.
    pub fn player(&self) -> Color {
        self.before.turn()
    }

    /// Returns the positions before each move of a line.
    pub fn before_each<'b>(&'b self, line: &'b Line) -> impl Iterator<Item = &'b Position> + 'b {
        [self.before].into_iter().chain(&line.positions).take(line.moves.len())
    }

    /// Returns when this player first makes this move in a line.
    pub fn ply(&self, line: &Line, by: Color, mv: Move) -> Option<usize> {
        let turns = self.before_each(line).map(Position::turn);
        turns.zip(&line.moves).position(|it| it == (by, &mv))
    }
}

/// Returns the moves of the game up to the first that cost discs, and the better line in its place.
fn best_play(judged: &[Judgement]) -> impl Iterator<Item = Move> + '_ {
    let good = judged.iter().take_while(|it| it.loss() == 0);
    let good = good.map(|it| it.mv);
    let better = judged.iter().find(|it| it.loss() > 0).map(|it| it.line.iter().copied());
    good.chain(better.into_iter().flatten())
}
