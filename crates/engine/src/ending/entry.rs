use crate::transposition_table::{self, TranspositionTable};
use crate::window::{Bound, Window};

/// The transposition table of the searches on the 8×8 board.
pub(crate) type Table = TranspositionTable<Entry>;

/// The known bounds of a position's value, by a search of this depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// How deep the search was, in plies; the number of empty squares for a search to the end.
    pub(crate) depth: u8,
    /// The ProbCut selectivity of the search; 0 is exact.
    pub(crate) selectivity: u8,
    /// The best move and the second best, as squares; [`NO_MOVE`] if there is none.
    pub(crate) moves: [u8; 2],
}

/// Stands for a move that is not known.
pub(crate) const NO_MOVE: u8 = 64;

impl Entry {
    const NONE: Self =
        Self { lower: -64, upper: 64, depth: 0, selectivity: u8::MAX, moves: [NO_MOVE; 2] };

    /// Returns whether the bounds hold for a search of this depth and selectivity.
    #[inline(always)]
    pub(crate) fn is_enough(&self, (depth, selectivity): (u8, u8)) -> bool {
        self.depth >= depth && self.selectivity <= selectivity
    }
}

impl transposition_table::Entry for Entry {
    #[inline(always)]
    fn packed(self) -> u64 {
        let Self { lower, upper, depth, selectivity, moves: [first, second] } = self;
        let (lower, upper) = (lower.cast_unsigned(), upper.cast_unsigned());
        u64::from_le_bytes([lower, upper, depth, selectivity, first, second, 0, 0])
    }

    #[inline(always)]
    fn unpacked(data: u64) -> Self {
        let [lower, upper, depth, selectivity, first, second, ..] = data.to_le_bytes();
        Self {
            lower: lower.cast_signed(),
            upper: upper.cast_signed(),
            depth,
            selectivity,
            moves: [first, second],
        }
    }

    #[inline(always)]
    fn worth(self) -> u32 {
        u32::from(self.depth) << 8 | u32::from(u8::MAX - self.selectivity)
    }
}

impl Table {
    /// Stores that a search with this window found this value. Bounds of an equal search of the
    /// same position are kept.
    #[inline(always)]
    pub(crate) fn put(
        &self,
        hash: u64,
        (depth, selectivity): (u8, u8),
        window: Window,
        value: i32,
        best: u8,
    ) {
        self.update(hash, |known| {
            let (mut entry, is_current) = known.unwrap_or((Entry::NONE, false));
            if (entry.depth, entry.selectivity) != (depth, selectivity) {
                if entry.depth > depth && entry.selectivity <= selectivity && is_current {
                    // The old entry knows more.
                    return None;
                }
                entry = Entry { depth, selectivity, moves: entry.moves, ..Entry::NONE };
            }
            let value = i8::try_from(value).unwrap_or(0);
            let (lower, upper) = match window.bound(value.into()) {
                Bound::Lower => (value, Entry::NONE.upper),
                Bound::Exact => (value, value),
                Bound::Upper => (Entry::NONE.lower, value),
            };
            (entry.lower, entry.upper) = (entry.lower.max(lower), entry.upper.min(upper));
            if entry.lower > entry.upper {
                // Searches that leave out moves may contradict each other; the newer one counts.
                (entry.lower, entry.upper) = (lower, upper);
            }
            if best != NO_MOVE && best != entry.moves[0] {
                entry.moves = [best, entry.moves[0]];
            }
            Some(entry)
        });
    }
}
