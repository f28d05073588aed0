//! The patterns of the evaluation: sets of squares, with their discs read as a number in base 3.
//!
//! A digit is 0 for a disc of the other player, 1 for an empty square and 2 for an own disc, so
//! exchanging the colours takes a number to its complement.

/// The squares of each kind of pattern in one place, as `8 · column + row` from 0, the least
/// significant digit first. The other places follow by the symmetries of the board.
const KINDS: [&[usize]; KIND_COUNT] = [
    // An edge with its two X squares.
    &[9, 0, 1, 2, 3, 4, 5, 6, 7, 14],
    // Half of two edges, with the X square between them.
    &[4, 3, 2, 1, 0, 9, 8, 16, 24, 32],
    // The corner, 2×5 and 3×3.
    &[0, 1, 2, 3, 4, 8, 9, 10, 11, 12],
    &[0, 1, 2, 8, 9, 10, 16, 17, 18],
    // The line beside the edge, and the two inside of it.
    &[8, 9, 10, 11, 12, 13, 14, 15],
    &[16, 17, 18, 19, 20, 21, 22, 23],
    &[24, 25, 26, 27, 28, 29, 30, 31],
    // The diagonals of eight to five squares.
    &[0, 9, 18, 27, 36, 45, 54, 63],
    &[1, 10, 19, 28, 37, 46, 55],
    &[2, 11, 20, 29, 38, 47],
    &[3, 12, 21, 30, 39],
];
pub(super) const KIND_COUNT: usize = 11;
/// The number of patterns of all kinds in all places.
pub(super) const COUNT: usize = 46;
/// [`COUNT`] filled up to whole vectors.
const LANES: usize = 48;

/// The kind of each pattern.
pub(super) const KIND_OF: [usize; COUNT] = LAYOUT.kinds;
const LAYOUT: Layout = layout();

struct Layout {
    kinds: [usize; COUNT],
    /// What a disc on a square adds to the number of each pattern.
    powers: [[u16; LANES]; 64],
    /// The number of each pattern if all its squares have own discs.
    full: [u16; LANES],
}

/// Returns where a symmetry of the board takes a square.
const fn image(symmetry: usize, square: usize) -> usize {
    let (mut column, mut row) = (square / 8, square % 8);
    if symmetry & 1 != 0 {
        column = 7 - column;
    }
    if symmetry & 2 != 0 {
        row = 7 - row;
    }
    if symmetry & 4 != 0 { 8 * row + column } else { 8 * column + row }
}

/// Returns where a symmetry of the board takes a set of squares.
pub(super) const fn image_of_set(symmetry: usize, mut squares: u64) -> u64 {
    let mut images = 0;
    while squares != 0 {
        images |= 1 << image(symmetry, squares.trailing_zeros() as usize);
        squares &= squares - 1;
    }
    images
}

/// Returns the squares of a kind of pattern in one of its places.
const fn set_of(kind: usize, symmetry: usize) -> u64 {
    let (mut set, mut i) = (0, 0);
    while i < KINDS[kind].len() {
        set |= 1 << KINDS[kind][i];
        i += 1;
    }
    image_of_set(symmetry, set)
}

const fn layout() -> Layout {
    let mut layout = Layout { kinds: [0; COUNT], powers: [[0; LANES]; 64], full: [0; LANES] };
    let (mut kind, mut pattern) = (0, 0);
    while kind < KIND_COUNT {
        let mut symmetry = 0;
        while symmetry < 8 {
            let mut is_new = true;
            let mut earlier = 0;
            while earlier < symmetry {
                is_new &= set_of(kind, earlier) != set_of(kind, symmetry);
                earlier += 1;
            }
            if is_new {
                layout.kinds[pattern] = kind;
                let (mut i, mut power) = (0, 1);
                while i < KINDS[kind].len() {
                    layout.powers[image(symmetry, KINDS[kind][i])][pattern] = power;
                    layout.full[pattern] += 2 * power;
                    // Ten digits fit, an eleventh power would not.
                    power = power.wrapping_mul(3);
                    i += 1;
                }
                pattern += 1;
            }
            symmetry += 1;
        }
        kind += 1;
    }
    assert!(pattern == COUNT);
    layout
}

/// The numbers of all patterns, from the view of one player. A move changes them in a few vector
/// additions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub(super) struct Indices([u16; LANES]);

impl Indices {
    /// Returns the numbers for a position from the view of the player who owns `own`.
    pub(super) fn new(own: u64, other: u64) -> Self {
        let mut indices = Self([0; LANES]);
        for square in 0..64 {
            let digit = match (own >> square & 1, other >> square & 1) {
                (1, _) => 2,
                (_, 1) => 0,
                _ => 1,
            };
            for (index, power) in indices.0.iter_mut().zip(LAYOUT.powers[square]) {
                *index += digit * power;
            }
        }
        indices
    }

    /// Returns the numbers after a move of the player who has this view.
    #[inline(always)]
    pub(super) fn after_own(&self, square: usize, flipped: u64) -> Self {
        let change = Self::change(square, flipped);
        let mut after = *self;
        for (index, change) in after.0.iter_mut().zip(change) {
            *index = index.wrapping_add(change);
        }
        after
    }

    /// Returns the numbers after a move of the other player.
    #[inline(always)]
    pub(super) fn after_other(&self, square: usize, flipped: u64) -> Self {
        let change = Self::change(square, flipped);
        let mut after = *self;
        for (index, change) in after.0.iter_mut().zip(change) {
            *index = index.wrapping_sub(change);
        }
        after
    }

    #[inline(always)]
    fn change(square: usize, mut flipped: u64) -> [u16; LANES] {
        let mut change = POWERS[square & 63];
        while flipped != 0 {
            let powers = &POWERS[flipped.trailing_zeros() as usize & 63];
            for (change, power) in change.iter_mut().zip(powers) {
                *change = change.wrapping_add(power.wrapping_mul(2));
            }
            flipped &= flipped - 1;
        }
        change
    }

    /// Returns the numbers from the view of the other player.
    #[inline(always)]
    pub(super) fn swapped(&self) -> Self {
        let mut swapped = LAYOUT.full;
        for (index, own) in swapped.iter_mut().zip(self.0) {
            *index = index.wrapping_sub(own);
        }
        Self(swapped)
    }

    /// Returns the number of each pattern.
    #[inline(always)]
    pub(super) fn numbers(&self) -> &[u16; LANES] {
        &self.0
    }
}

static POWERS: [[u16; LANES]; 64] = LAYOUT.powers;

/// Returns how many numbers a pattern of this kind has.
pub(super) const fn numbers_of(kind: usize) -> usize {
    3_usize.pow(KINDS[kind].len() as u32)
}

/// Returns for each number of a kind of pattern the number of its weight. A pattern and its mirror
/// image have the same weight, if a symmetry of the board takes its place to itself. Also returns
/// how many weights there are.
pub(super) fn weight_numbers(kind: usize) -> (Vec<u32>, u32) {
    let squares = KINDS[kind];
    let mirror = (1..8).find(|&symmetry| set_of(kind, symmetry) == set_of(kind, 0));
    // Where each digit goes in the mirror image.
    let places: Vec<u32> = squares
        .iter()
        .map(|&square| {
            let image = mirror.map_or(square, |symmetry| image(symmetry, square));
            let place = squares.iter().position(|&other| other == image);
            place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0)
        })
        .collect();
    let mut weights = vec![0; numbers_of(kind)];
    let mut count = 0;
    for number in 0..weights.len() {
        let (mut rest, mut mirrored) = (number, 0);
        for &place in &places {
            mirrored += rest % 3 * 3_usize.pow(place);
            rest /= 3;
        }
        weights[number] = if mirrored < number {
            weights[mirrored]
        } else {
            count += 1;
            count - 1
        };
    }
    (weights, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_updated_by_a_move_are_those_of_the_new_position() {
        let (own, other) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
        let (square, flipped) = (26, 1 << 27);
        let after = (own | 1 << square | flipped, other & !flipped);
        let indices = Indices::new(own, other);
        assert_eq!(indices.after_own(square, flipped), Indices::new(after.0, after.1));
        assert_eq!(indices.swapped(), Indices::new(other, own));
        let seen = indices.swapped().after_other(square, flipped);
        assert_eq!(seen.swapped(), indices.after_own(square, flipped));
    }
}
