//! What a search remembers about positions.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::game::kernel::Kernel;

/// What is known about a position: its value lies between the bounds, as far as a search of this
/// depth can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Entry {
    pub(super) lower: i8,
    pub(super) upper: i8,
    /// How deep the search was, in plies; the number of empty squares for a search to the end.
    pub(super) depth: u8,
    /// How sure the search was: 0 for one that left nothing out.
    pub(super) selectivity: u8,
    /// The best move and the second best, as squares; [`NO_MOVE`] if there is none.
    pub(super) moves: [u8; 2],
    /// The search that wrote this.
    age: u8,
}

/// Stands for a move that is not known.
pub(super) const NO_MOVE: u8 = 64;

impl Entry {
    const NONE: Self =
        Self { lower: -64, upper: 64, depth: 0, selectivity: u8::MAX, moves: [NO_MOVE; 2], age: 0 };

    /// Returns whether the bounds hold for a search of this depth and selectivity.
    #[inline(always)]
    pub(super) fn is_enough(&self, (depth, selectivity): (u8, u8)) -> bool {
        self.depth >= depth && self.selectivity <= selectivity
    }

    fn pack(self) -> u64 {
        let [first, second] = self.moves;
        u64::from_le_bytes([
            self.lower.cast_unsigned(),
            self.upper.cast_unsigned(),
            self.depth,
            self.selectivity,
            first,
            second,
            self.age,
            1,
        ])
    }

    fn unpack(data: u64) -> Self {
        let [lower, upper, depth, selectivity, first, second, age, _] = data.to_le_bytes();
        Self {
            lower: lower.cast_signed(),
            upper: upper.cast_signed(),
            depth,
            selectivity,
            moves: [first, second],
            age,
        }
    }
}

/// The entries that a hash may be stored in: one cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// The hash, combined with the data, and the data. Two threads that write at the same time leave
/// a pair that fits no hash.
#[derive(Default)]
struct Slot(AtomicU64, AtomicU64);

/// A table of a fixed size that several threads use at the same time.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    age: u8,
}

impl Table {
    /// Returns an empty table of about this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Bucket>()).max(1).next_power_of_two();
        let count = if count * size_of::<Bucket>() > bytes.max(64) { count / 2 } else { count };
        Self { buckets: (0..count).map(|_| Bucket::default()).collect(), age: 0 }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// Makes all entries older, so that new ones replace them first.
    pub(super) fn next_search(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        &self.buckets[(hash >> 20) as usize & (self.buckets.len() - 1)]
    }

    /// Brings the entries of a hash closer to the processor.
    #[inline(always)]
    pub(super) fn prefetch<K: Kernel>(&self, hash: u64) {
        K::prefetch(self.bucket(hash));
    }

    /// Returns what is known about the position with this hash.
    #[inline(always)]
    pub(super) fn get(&self, hash: u64) -> Option<Entry> {
        for slot in &self.bucket(hash).0 {
            let data = slot.1.load(Relaxed);
            if slot.0.load(Relaxed) ^ data == hash && data != 0 {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Stores that a search with this window found this value. Bounds of an equal search of the
    /// same position are kept.
    #[inline(always)]
    pub(super) fn put(
        &self,
        hash: u64,
        (depth, selectivity): (u8, u8),
        (alpha, beta): (i32, i32),
        value: i32,
        best: u8,
    ) {
        let bucket = self.bucket(hash);
        let mut worst = 0;
        let mut worst_worth = u32::MAX;
        let mut entry = Entry::NONE;
        for (number, slot) in bucket.0.iter().enumerate() {
            let data = slot.1.load(Relaxed);
            if slot.0.load(Relaxed) ^ data == hash && data != 0 {
                worst = number;
                entry = Entry::unpack(data);
                break;
            }
            let old = Entry::unpack(data);
            let fresh = u32::from(data != 0 && old.age == self.age);
            let worth =
                fresh << 16 | u32::from(old.depth) << 8 | u32::from(u8::MAX - old.selectivity);
            if worth < worst_worth {
                (worst, worst_worth) = (number, worth);
            }
        }
        if (entry.depth, entry.selectivity) != (depth, selectivity) {
            if entry.depth > depth && entry.selectivity <= selectivity && entry.age == self.age {
                // The old entry knows more.
                return;
            }
            (entry.lower, entry.upper, entry.depth, entry.selectivity) =
                (-64, 64, depth, selectivity);
        }
        entry.age = self.age;
        let bound = i8::try_from(value).unwrap_or(0);
        if value < beta {
            entry.upper = entry.upper.min(bound);
        }
        if value > alpha {
            entry.lower = entry.lower.max(bound);
        }
        if entry.lower > entry.upper {
            // Searches that leave out moves may contradict each other; the newer one counts.
            entry.lower = if value > alpha { bound } else { -64 };
            entry.upper = if value < beta { bound } else { 64 };
        }
        if best != NO_MOVE && best != entry.moves[0] {
            entry.moves = [best, entry.moves[0]];
        }
        let data = entry.pack();
        bucket.0[worst].0.store(hash ^ data, Relaxed);
        bucket.0[worst].1.store(data, Relaxed);
    }
}

/// Returns a hash of a position for the player to move.
#[inline(always)]
pub(super) fn hash(own: u64, other: u64) -> u64 {
    let mut hash = (own ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 32) ^ other).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 29)
}
