use std::hash::{DefaultHasher, Hash, Hasher};

use super::node::DISC;
use crate::search::{self, Turn};
use outflank_rules::{Cell, Color, Move, Position, State};

/// The board of positions that no word has room for: on the hex lattice, discs can be far apart.
/// It plays by the rules themselves, slowly.
pub(super) struct Sparse;

/// A position with its legal placements. The number of a move is its index.
#[derive(Clone)]
pub(super) struct Node {
    position: Position,
    moves: Vec<Cell>,
}

impl Node {
    pub(super) fn new(position: Position) -> Self {
        let moves = position.placements().iter().collect();
        Self { position, moves }
    }

    /// Returns the move with this number.
    pub(super) fn mv(&self, mv: u16) -> Move {
        self.moves.get(usize::from(mv)).map_or(Move::Pass, |&cell| Move::Place(cell))
    }

    pub(super) fn after(&self, mv: Move) -> Self {
        let mut position = self.position.clone();
        // The moves are legal.
        let _ = position.play(mv);
        Self::new(position)
    }
}

impl search::Board for Sparse {
    type Node = Node;
    const DISC: i32 = DISC;

    fn turn(&self, Node { position, .. }: &Node) -> Turn {
        match position.state() {
            State::Placing => Turn::Place,
            State::Passing => Turn::Pass,
            State::Over(outcome) => {
                Turn::Over(DISC * position.rules().margin(&outcome, position.turn()))
            }
        }
    }

    fn moves(&self, node: &Node) -> impl Iterator<Item = u16> {
        (0..u16::MAX).take(node.moves.len())
    }

    fn play(&self, node: &Node, mv: u16) -> Node {
        node.after(node.mv(mv))
    }

    fn pass(&self, node: &Node) -> Node {
        node.after(Move::Pass)
    }

    fn key(&self, Node { position, .. }: &Node) -> u64 {
        let mut hasher = DefaultHasher::new();
        let discs = position.cells().filter_map(|cell| Some((cell, position.disc(cell)?)));
        (position.turn(), discs.collect::<Vec<_>>()).hash(&mut hasher);
        hasher.finish()
    }

    fn evaluate(&self, node: &Node) -> i32 {
        DISC * i32::try_from(node.moves.len()).unwrap_or(0)
    }

    fn discs_left(&self, Node { position, .. }: &Node) -> u32 {
        let discs = Color::BOTH.iter().map(|&color| position.count(color)).sum();
        position.rules().supply.map_or(u32::MAX, |each| (2 * each).saturating_sub(discs))
    }

    fn move_score(&self, _mv: u16, after: &Node) -> i32 {
        -i32::try_from(after.moves.len()).unwrap_or(0)
    }

    fn cost(&self) -> u64 {
        64
    }
}
