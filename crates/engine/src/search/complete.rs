use super::board::{Board, Turn};
use super::entry::MAX_DEPTH;
use super::worker::Worker;
use crate::root::PASS;
use crate::window::Window;

/// With this many discs left or fewer, a move that keeps a proved value is searched for.
const MAX_SEARCHED_AGAIN: u32 = 10;

impl<B: Board> Worker<'_, B> {
    /// Continues a line with moves from the table. The node is that after the first `from` moves, and
    /// `proved` is its value for the player to move, if that is proved.
    pub(super) fn complete_line(
        &mut self,
        first: &B::Node,
        mut proved: Option<i32>,
        from: usize,
        line: &mut Vec<u16>,
    ) {
        let board = self.board;
        let mut node = first.clone();
        for ply in from..MAX_DEPTH as usize {
            let mv = match (line.get(ply), board.turn(&node)) {
                (_, Turn::Over(_)) => break,
                (_, Turn::Pass) => PASS,
                (Some(&mv), Turn::Place) => mv,
                (None, Turn::Place) => match self.known_move(&node, proved) {
                    Some(mv) => mv,
                    None => break,
                },
            };
            // The table may know the move of another position with the same key.
            if mv != PASS && !board.moves(&node).any(|legal| legal == mv) {
                line.truncate(ply);
                break;
            }
            if ply == line.len() {
                line.push(mv);
            }
            node = if mv == PASS { board.pass(&node) } else { board.play(&node, mv) };
            proved = proved.map(|value| -value);
        }
    }

    /// Returns the only move of a node, or a best one: if the value of the node is proved, one that
    /// keeps it.
    fn known_move(&mut self, node: &B::Node, proved: Option<i32>) -> Option<u16> {
        let board = self.board;
        let moves: Vec<_> = board.moves(node).collect();
        if let [only] = moves[..] {
            return Some(only);
        }
        let left = board.discs_left(node);
        if let Some(value) = proved
            && left <= MAX_SEARCHED_AGAIN
        {
            // The special search of endings proves values without their moves.
            let keeps_value = |&mv: &u16| {
                let after = board.play(node, mv);
                -self.negamax(&after, left - 1, Window::null(-value), 0) >= value
            };
            return moves.into_iter().find(keeps_value).filter(|_| !self.stopped);
        }
        let entry = self.table.get(board.key(node))?;
        let is_known = entry.lower == entry.upper && (entry.exact || proved.is_none());
        (is_known && entry.mv != PASS).then_some(entry.mv)
    }
}
