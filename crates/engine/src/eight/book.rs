//! The opening book of Othello on 8×8: values of positions that the engine found in long searches.
//!
//! The book is a list of entries of nine bytes, sorted by the first eight, which are the little-endian
//! [`key`] of a position. The ninth is its value in discs for the player to move, with a sign.

use super::pattern::image_of_set;
use crate::hash::{mix, pick};
use outflank_rules::kernel::{Kernel, Portable};

static EMBEDDED: &[u8] = include_bytes!("book.bin");
/// How many discs worse than the best a move from the book may be.
const MAX_LOSS: i32 = 1;

/// Returns the square of a move from the book and its value, if the book knows the position. Where
/// several moves are good, the seed decides.
pub(crate) fn choose(own: u64, other: u64, seed: u64) -> Option<(usize, i32)> {
    let known = children(own, other)
        .into_iter()
        .filter_map(|(square, own, other)| Some((square, -value(EMBEDDED, key(own, other))?)));
    pick(&known.collect::<Vec<_>>(), MAX_LOSS, seed)
}

/// Returns the legal moves as squares with the positions after them: the discs of the player to move
/// then, and of the other.
pub fn children(own: u64, other: u64) -> Vec<(usize, u64, u64)> {
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

/// Returns the key of a position in the book: a hash that all its images under the symmetries of the
/// board share.
pub fn key(own: u64, other: u64) -> u64 {
    let image = |symmetry| [own, other].map(|squares| image_of_set(symmetry, squares));
    let [own, other] = (0..8).map(image).min().unwrap_or([own, other]);
    mix(own, other)
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
            (image_of_set(4, own), image_of_set(4, other)),
        ];
        for (own_image, other_image) in images {
            assert_ne!((own_image, other_image), (own, other));
            assert_eq!(key(own_image, other_image), key(own, other));
        }
        assert_ne!(key(other, own), key(own, other));
    }

    #[test]
    fn the_book_has_several_first_moves() {
        let (own, other) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);
        let squares: Vec<_> = (0..20).filter_map(|seed| choose(own, other, seed)).collect();
        assert_eq!(squares.len(), 20);
        assert!(squares.iter().any(|square| square.0 != squares[0].0));
        assert!(EMBEDDED.len() <= 200_000);
    }
}
