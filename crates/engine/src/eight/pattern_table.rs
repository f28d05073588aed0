use super::features::Features;
use super::pattern::{COUNT, Indices, KIND_COUNT, KIND_OF, numbers_of};

/// The kinds of pattern with more than eight squares; they come first.
const LARGE: usize = 4;
/// The number of patterns of these kinds.
const LARGE_COUNT: usize = {
    let mut count = 0;
    while KIND_OF[count] < LARGE {
        count += 1;
    }
    count
};
/// No number of a pattern has more bits.
const BITS: usize = 16;
/// Where the entries of each of the small kinds begin; all of them together have indices of 16 bits too.
const FIRST_SMALL: [u16; KIND_COUNT] = {
    let mut first = [0; KIND_COUNT];
    let mut kind = LARGE + 1;
    while kind < KIND_COUNT {
        first[kind] = first[kind - 1] + numbers_of(kind - 1) as u16;
        kind += 1;
    }
    first
};

/// An entry for each number of each kind of pattern, so laid out that a number needs no check.
pub(super) struct PatternTable<T> {
    large: Box<[T; LARGE << BITS]>,
    small: Box<[T; 1 << BITS]>,
}

impl<T: Copy> PatternTable<T> {
    /// Returns the table of these entries, which have the places of [`Features`]. `none` is for numbers that do not
    /// occur.
    pub(super) fn new(features: &Features, entries: &[T], none: T) -> Self {
        let mut large = filled(none);
        let mut small = filled(none);
        for (kind, places) in features.of_patterns.iter().enumerate() {
            let table = if kind < LARGE {
                &mut large[kind << BITS..]
            } else {
                &mut small[usize::from(FIRST_SMALL[kind])..]
            };
            for (entry, &place) in table.iter_mut().zip(places) {
                *entry = entries[place as usize];
            }
        }
        Self { large, small }
    }

    /// Adds the entries of all patterns of a position.
    #[inline(always)]
    pub(super) fn fold<S>(&self, indices: &Indices, start: S, add: impl Fn(S, T) -> S) -> S {
        let numbers = indices.numbers();
        let mut sum = start;
        // Two loops of fixed length over arrays of fixed length, because they become straight code that way.
        for pattern in 0..LARGE_COUNT {
            let first = KIND_OF[pattern] << BITS;
            sum = add(sum, self.large[first | usize::from(numbers[pattern])]);
        }
        for pattern in LARGE_COUNT..COUNT {
            let index = FIRST_SMALL[KIND_OF[pattern]].wrapping_add(numbers[pattern]);
            sum = add(sum, self.small[usize::from(index)]);
        }
        sum
    }
}

/// Returns an array on the heap, which would be too large for the stack of a thread.
fn filled<T: Copy, const SIZE: usize>(with: T) -> Box<[T; SIZE]> {
    match vec![with; SIZE].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice has this length"),
    }
}
