use super::bitboard::{flips, placements};
use super::{Move, Placement, Position, State};

/// Counts the leaves of the game tree of this depth. A pass counts as a ply; a game that ends
/// earlier is one leaf. The 8×8 board with outflanking placement uses two words and allocates
/// nothing.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match (position.bits(), position.rules().placement) {
        (Some(bits), Placement::Outflanking) => {
            let turn = position.turn();
            bitboard_leaves(bits.discs(turn), bits.discs(!turn), depth)
        }
        _ => general_leaves(position, depth),
    }
}

fn general_leaves(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    match position.state() {
        State::Over(_) => 1,
        State::Passing => {
            let mut next = position.clone();
            next.make(Move::Pass, &super::Cells::NONE);
            general_leaves(&next, depth - 1)
        }
        State::Placing => {
            let placements = position.placements();
            if depth == 1 {
                return placements.len() as u64;
            }
            let leaves = placements.iter().map(|cell| {
                let mut next = position.clone();
                next.make(Move::Place(cell), &position.flips(cell));
                general_leaves(&next, depth - 1)
            });
            leaves.sum()
        }
    }
}

fn bitboard_leaves(own: u64, other: u64, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut cells = placements(own, other);
    if cells == 0 {
        // A pass or the end of the game; on the last ply, either is one leaf.
        return if depth == 1 || placements(other, own) == 0 {
            1
        } else {
            bitboard_leaves(other, own, depth - 1)
        };
    }
    if depth == 1 {
        return cells.count_ones().into();
    }
    let mut leaves = 0;
    while cells != 0 {
        let placed = cells & cells.wrapping_neg();
        cells ^= placed;
        let flipped = flips(own, other, placed);
        leaves += bitboard_leaves(other ^ flipped, own ^ flipped ^ placed, depth - 1);
    }
    leaves
}
