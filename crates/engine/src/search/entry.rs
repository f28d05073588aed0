use super::board::INFINITY;
use crate::transposition_table::{self, TranspositionTable};

/// The transposition table of the search.
pub(crate) type Table = TranspositionTable<Entry>;

/// The greatest depth of an entry.
pub(super) const MAX_DEPTH: u32 = 250;

/// The findings of a search about a position. On 8×8, where values are small, there is room for a second move
/// and a degree of selectivity: [`ending`](crate::ending) has an entry of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The value is at least this.
    pub(super) lower: i16,
    /// The value is at most this.
    pub(super) upper: i16,
    /// How many discs ahead the search looked.
    pub(super) depth: u8,
    /// Whether the bounds are proved by searches to the end of the game, at any depth.
    pub(super) exact: bool,
    /// The move that proves the lower bound, or the best of bad ones; [`PASS`](crate::root::PASS) if no
    /// move is known.
    pub(super) mv: u16,
}

impl Entry {
    /// Returns this entry, with bounds narrowed by those of an equally good earlier search. The move is the
    /// one that proves the greater lower bound.
    pub(super) fn merged(self, old: Self) -> Self {
        let mv = if self.lower >= old.lower { self.mv } else { old.mv };
        if old.exact && !self.exact {
            return Self { mv: if old.has_move() { old.mv } else { self.mv }, ..old };
        }
        if old.exact != self.exact || (old.depth != self.depth && !self.exact) {
            return self;
        }
        let (lower, upper) = (self.lower.max(old.lower), self.upper.min(old.upper));
        if lower <= upper { Self { lower, upper, mv, ..self } } else { self }
    }

    /// Returns whether the move proves the lower bound. Otherwise it was the best of bad ones.
    fn has_move(self) -> bool {
        i32::from(self.lower) > -INFINITY
    }
}

impl transposition_table::Entry for Entry {
    fn packed(self) -> u64 {
        let Self { lower, upper, depth, exact, mv } = self;
        let [l0, l1] = lower.to_le_bytes();
        let [u0, u1] = upper.to_le_bytes();
        let [m0, m1] = mv.to_le_bytes();
        u64::from_le_bytes([l0, l1, u0, u1, m0, m1, depth, exact.into()])
    }

    fn unpacked(data: u64) -> Self {
        let [l0, l1, u0, u1, m0, m1, depth, exact] = data.to_le_bytes();
        Self {
            lower: i16::from_le_bytes([l0, l1]),
            upper: i16::from_le_bytes([u0, u1]),
            mv: u16::from_le_bytes([m0, m1]),
            depth,
            exact: exact & 1 == 1,
        }
    }

    fn worth(self) -> u32 {
        self.depth.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transposition_table::Entry as _;

    fn entry(depth: u8) -> Entry {
        Entry { lower: -3, upper: 512, depth, exact: false, mv: 65_535 }
    }

    #[test]
    fn an_entry_is_packed_and_unpacked() {
        for entry in [entry(9), Entry { exact: true, ..entry(250) }] {
            assert!(entry.packed() < 1 << 57);
            assert_eq!(Entry::unpacked(entry.packed() | u64::MAX << 57), entry);
        }
    }

    #[test]
    fn bounds_of_the_same_depth_are_combined() {
        let upper = Entry { upper: 20, ..entry(3) };
        let both = upper.merged(Entry { lower: -10, ..entry(3) });
        assert_eq!(both, Entry { lower: -3, upper: 20, ..entry(3) });
        assert_eq!(entry(4).merged(both), entry(4));
        let exact = Entry { exact: true, ..entry(1) };
        assert_eq!(exact.merged(entry(4)), exact);
        assert_eq!(entry(5).merged(exact), exact, "a proof replaces a deeper estimate");
    }
}
