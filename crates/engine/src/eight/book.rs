//! The opening book: values of positions that the engine found in long searches.
//!
//! The book is a list of entries of nine bytes, sorted by the first eight: the hash of a position, or
//! of its image under a symmetry of the board, and its value in discs for the player to move.

use std::collections::HashMap;

use crate::ending::hash;
use crate::search::mixed;
use outflank_rules::kernel::{Kernel, Portable};

static EMBEDDED: &[u8] = include_bytes!("book.bin");
/// How many discs worse than the best a move may be that the book plays.
const MARGIN: i32 = 1;

/// Returns the square of a move from the book and its value, if the book knows the position. Where
/// several moves are good, the seed decides.
pub(crate) fn choose(own: u64, other: u64, seed: u64) -> Option<(usize, i32)> {
    let known = children(own, other)
        .into_iter()
        .filter_map(|(square, own, other)| Some((square, -value(EMBEDDED, key(own, other))?)));
    let known: Vec<_> = known.collect();
    let best = known.iter().map(|&(_, value)| value).max()?;
    let good: Vec<_> = known.into_iter().filter(|&(_, value)| value >= best - MARGIN).collect();
    let choice = mixed(seed) % good.len() as u64;
    good.get(usize::try_from(choice).ok()?).copied()
}

/// Returns the legal moves with the positions after them.
fn children(own: u64, other: u64) -> Vec<(usize, u64, u64)> {
    let moves = Portable::placements(own, other);
    let squares = (0..64).filter(|square| moves >> square & 1 == 1);
    let child = |square| {
        let flipped = Portable::flips(own, other, square);
        (square, other ^ flipped, own ^ flipped ^ 1 << square)
    };
    squares.map(child).collect()
}

fn value(book: &[u8], key: u64) -> Option<i32> {
    let entries = book.as_chunks::<9>().0;
    let split = |entry: &[u8; 9]| {
        let (&key, value) = entry.split_first_chunk().unwrap_or((&[0; 8], &[]));
        (u64::from_le_bytes(key), value.first().map_or(0, |&value| value.cast_signed()))
    };
    let found = entries.binary_search_by_key(&key, |entry| split(entry).0).ok()?;
    Some(split(&entries[found]).1.into())
}

/// Returns a hash that all images of a position under the symmetries of the board share.
fn key(own: u64, other: u64) -> u64 {
    let image = |symmetry: u32| {
        let image = |mut word: u64| {
            if symmetry & 1 != 0 {
                word = word.swap_bytes();
            }
            if symmetry & 2 != 0 {
                word = word.swap_bytes().reverse_bits();
            }
            if symmetry & 4 != 0 { transposed(word) } else { word }
        };
        (image(own), image(other))
    };
    let (own, other) = (0..8).map(image).min().unwrap_or((own, other));
    hash(own, other)
}

/// Exchanges rows and columns.
const fn transposed(mut word: u64) -> u64 {
    let mut swap = (word ^ (word >> 7)) & 0x00aa_00aa_00aa_00aa;
    word ^= swap ^ (swap << 7);
    swap = (word ^ (word >> 14)) & 0x0000_cccc_0000_cccc;
    word ^= swap ^ (swap << 14);
    swap = (word ^ (word >> 28)) & 0x0000_0000_f0f0_f0f0;
    word ^ swap ^ (swap << 28)
}

/// A position that a book may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// The discs of the player to move, bit `8 · column + row` from 0.
    pub own: u64,
    /// The discs of the other player.
    pub other: u64,
}

/// How much worse than the best a move may be whose position the book follows further, in discs.
const FOLLOWED: i32 = 2;

/// Makes a book. From the start on, ply by ply, it evaluates the moves of all positions that good
/// moves lead to, until it has evaluated so many. `evaluate` returns the value in discs of each
/// position, for the player to move there.
pub fn make(count: usize, evaluate: &dyn Fn(&[Opening]) -> Vec<i32>) -> Vec<u8> {
    let start = Opening { own: 1 << 28 | 1 << 35, other: 1 << 27 | 1 << 36 };
    let mut values: HashMap<u64, i32> = HashMap::new();
    let mut plies: Vec<Vec<Opening>> = vec![vec![start]];
    let mut known = HashMap::from([(key(start.own, start.other), ())]);
    while let Some(ply) = plies.last().filter(|ply| !ply.is_empty() && values.len() < count) {
        let mut new: Vec<Opening> = Vec::new();
        for opening in ply {
            for (_, own, other) in children(opening.own, opening.other) {
                if known.insert(key(own, other), ()).is_none() {
                    new.push(Opening { own, other });
                }
            }
        }
        let found = evaluate(&new);
        values.extend(new.iter().zip(found).map(|(new, value)| (key(new.own, new.other), value)));
        let mut next = Vec::new();
        for opening in ply {
            let value = |own, other| values.get(&key(own, other)).map(|value| -value);
            let moves = children(opening.own, opening.other);
            let best = moves.iter().filter_map(|&(_, own, other)| value(own, other)).max();
            let is_good = |&&(_, own, other): &&(usize, u64, u64)| {
                value(own, other) >= best.map(|best| best - FOLLOWED)
            };
            for &(_, own, other) in moves.iter().filter(is_good) {
                if !next.contains(&Opening { own, other }) {
                    next.push(Opening { own, other });
                }
            }
        }
        plies.push(next);
    }
    // From the last ply back, a position is worth what its best move is worth.
    for opening in plies.iter().rev().flatten() {
        let moves = children(opening.own, opening.other);
        let value = |&(_, own, other): &(usize, u64, u64)| values.get(&key(own, other)).map(|v| -v);
        if moves.iter().all(|child| value(child).is_some())
            && let Some(best) = moves.iter().filter_map(value).max()
        {
            values.insert(key(opening.own, opening.other), best);
        }
    }
    let mut entries: Vec<_> = values.into_iter().collect();
    entries.sort_unstable();
    let bytes = |(key, value): (u64, i32)| {
        let value = i8::try_from(value).unwrap_or(0).cast_unsigned();
        key.to_le_bytes().into_iter().chain([value])
    };
    entries.into_iter().flat_map(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_images_of_a_position_have_one_key() {
        let (own, other): (u64, u64) = (0x0000_0038_1000_0000, 0x0000_0004_0810_0000);
        let images = [
            (own.swap_bytes(), other.swap_bytes()),
            (own.reverse_bits(), other.reverse_bits()),
            (transposed(own), transposed(other)),
        ];
        for (own_image, other_image) in images {
            assert_ne!((own_image, other_image), (own, other));
            assert_eq!(key(own_image, other_image), key(own, other));
        }
        assert_ne!(key(other, own), key(own, other));
    }

    #[test]
    fn the_book_knows_the_first_moves_and_varies_them() {
        let (own, other) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);
        let squares: Vec<_> = (0..20).filter_map(|seed| choose(own, other, seed)).collect();
        assert_eq!(squares.len(), 20);
        assert!(squares.iter().any(|square| square.0 != squares[0].0));
        assert!(EMBEDDED.len() <= 200_000);
    }
}
