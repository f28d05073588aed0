use super::kernel::{self, Kernel, Task};
use super::{Move, Placement, Position, State};

/// Counts the leaves of the game tree of this depth. A pass counts as a ply; a game that ends
/// earlier is one leaf. The 8×8 board with outflanking placement uses two words and allocates
/// nothing.
///
/// ```
/// # use outflank_rules::{Position, Variant, perft};
/// let rules = Variant::named("othello")?.rules(&Default::default())?;
/// let leaves = [1, 2, 3, 4].map(|depth| perft(&Position::start(rules), depth));
/// assert_eq!(leaves, [4, 12, 56, 244]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match (position.bitboards(), position.rules().placement) {
        (Some((own, other)), Placement::Outflanking) => {
            kernel::fastest(Leaves { own, other, depth })
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

struct Leaves {
    own: u64,
    other: u64,
    depth: u32,
}

impl Task for Leaves {
    type Output = u64;

    fn run<K: Kernel>(self) -> u64 {
        match self.depth {
            0 => 1,
            _ => bitboard_leaves::<K>(
                self.own,
                self.other,
                K::placements(self.own, self.other),
                self.depth,
            ),
        }
    }
}

/// Counts the leaves below a position in which the player to move can place a disc on `cells`.
/// The depth is at least 1.
fn bitboard_leaves<K: Kernel>(own: u64, other: u64, mut cells: u64, depth: u32) -> u64 {
    K::run(
        #[inline(always)]
        || {
            if cells == 0 {
                // A pass or the end of the game; on the last ply, either is one leaf.
                let replies = K::placements(other, own);
                return if depth == 1 || replies == 0 {
                    1
                } else {
                    bitboard_leaves::<K>(other, own, replies, depth - 1)
                };
            }
            if depth == 1 {
                return cells.count_ones().into();
            }
            let mut leaves = 0;
            while cells != 0 {
                let square = cells.trailing_zeros() as usize;
                let flipped = K::flips(own, other, square);
                let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                cells &= cells - 1;
                let replies = K::placements(theirs, mine);
                leaves += if depth == 2 && replies != 0 {
                    u64::from(replies.count_ones())
                } else {
                    bitboard_leaves::<K>(theirs, mine, replies, depth - 1)
                };
            }
            leaves
        },
    )
}
