use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use outflank_rules::kernel::Kernel;

/// The findings of a search about a position.
pub(super) trait Entry: Copy {
    /// Returns the entry as a number below 2^57.
    fn packed(self) -> u64;

    /// Returns the entry that was packed into the lowest 57 bits of a word.
    fn unpacked(data: u64) -> Self;

    /// Returns how much is lost if the entry is replaced, as a number below 2^16.
    fn worth(self) -> u32;
}

/// A table of fixed size with known bounds of positions, which threads share without locks.
///
/// A slot is two words: the data, and the key xored with the data. When two threads write to a slot
/// at once, the words do not fit together, and the slot counts as empty.
pub(super) struct TranspositionTable<E> {
    buckets: Vec<Bucket>,
    age: u64,
    entries: PhantomData<fn(E) -> E>,
}

const SLOTS: usize = 2;

/// The slots that one key can use, in one line of the processor's cache.
#[derive(Default)]
#[repr(align(32))]
struct Bucket([Slot; SLOTS]);

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// The age of an entry stands above its data.
const AGE_SHIFT: u32 = 57;
const AGES: u64 = 1 << (u64::BITS - AGE_SHIFT);

impl<E: Entry> TranspositionTable<E> {
    /// Returns an empty table of at most this many bytes, but of one bucket at least.
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).clamp(1, u32::MAX as usize);
        let buckets = (0..buckets).map(|_| Bucket::default()).collect();
        Self { buckets, age: 1, entries: PhantomData }
    }

    /// Replaces the table by an empty one of this many bytes, if it is smaller.
    pub(super) fn grow(&mut self, bytes: usize) {
        if self.buckets.len() < bytes / size_of::<Bucket>() {
            *self = Self::new(bytes);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.buckets.len() * size_of::<Bucket>());
    }

    /// Begins a new search. Entries of earlier ones are replaced first.
    pub(super) fn next_age(&mut self) {
        // Age 0 is that of empty slots.
        self.age = self.age % (AGES - 1) + 1;
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[(((key >> 32) * self.buckets.len() as u64) >> 32) as usize]
    }

    /// Brings the entries of a key closer to the processor.
    #[inline(always)]
    pub(super) fn prefetch<K: Kernel>(&self, key: u64) {
        K::prefetch(self.bucket(key));
    }

    /// Returns the entry of the position with this key.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<E> {
        self.bucket(key).0.iter().find_map(|slot| slot.read(key)).map(E::unpacked)
    }

    /// Replaces the entry of a position with the result of a function, unless that is `None`. The function
    /// gets the old entry, if there is one, and whether it is of the current search. An entry of a new
    /// position replaces the least valuable one of the bucket.
    #[inline(always)]
    pub(super) fn update(&self, key: u64, change: impl FnOnce(Option<(E, bool)>) -> Option<E>) {
        let bucket = self.bucket(key);
        let is_current = |data: u64| data >> AGE_SHIFT == self.age;
        let (mut chosen, mut least, mut known) = (0, u32::MAX, None);
        for (number, slot) in bucket.0.iter().enumerate() {
            if let Some(data) = slot.read(key) {
                (chosen, known) = (number, Some((E::unpacked(data), is_current(data))));
                break;
            }
            let data = slot.data.load(Relaxed);
            let worth = E::unpacked(data).worth() | u32::from(is_current(data)) << 16;
            if worth < least {
                (chosen, least) = (number, worth);
            }
        }
        if let Some(entry) = change(known) {
            let data = entry.packed() | self.age << AGE_SHIFT;
            bucket.0[chosen].data.store(data, Relaxed);
            bucket.0[chosen].check.store(key ^ data, Relaxed);
        }
    }
}

impl Slot {
    /// Returns the data, if it belongs to this key.
    #[inline(always)]
    fn read(&self, key: u64) -> Option<u64> {
        let data = self.data.load(Relaxed);
        (self.check.load(Relaxed) ^ data == key && data != 0).then_some(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number and its worth.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Number(u64, u32);

    impl Entry for Number {
        fn packed(self) -> u64 {
            self.0 | u64::from(self.1) << 41
        }

        fn unpacked(data: u64) -> Self {
            Self(data & ((1 << 41) - 1), (data >> 41) as u32 & 0xffff)
        }

        fn worth(self) -> u32 {
            self.1
        }
    }

    fn put(table: &TranspositionTable<Number>, key: u64, entry: Number) {
        table.update(key, |_| Some(entry));
    }

    #[test]
    fn an_entry_is_found_by_its_key() {
        let table = TranspositionTable::new(1 << 16);
        assert_eq!(table.get(0), None);
        for key in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
            let entry = Number(key >> 30, 0xffff);
            put(&table, key, entry);
            assert_eq!(table.get(key), Some(entry));
            assert_eq!(table.get(key ^ 2), None);
        }
    }

    #[test]
    fn an_update_gets_the_entry_of_its_position() {
        let mut table = TranspositionTable::new(0);
        table.update(7, |known| {
            assert_eq!(known, None);
            Some(Number(1, 1))
        });
        table.update(7, |known| {
            assert_eq!(known, Some((Number(1, 1), true)));
            None
        });
        assert_eq!(table.get(7), Some(Number(1, 1)));
        table.next_age();
        table.update(7, |known| {
            assert_eq!(known, Some((Number(1, 1), false)));
            Some(Number(2, 1))
        });
        assert_eq!(table.get(7), Some(Number(2, 1)));
    }

    #[test]
    fn old_entries_and_those_of_little_worth_are_replaced_first() {
        let mut table = TranspositionTable::new(0);
        put(&table, 1, Number(1, 11));
        put(&table, 2, Number(2, 12));
        put(&table, 3, Number(3, 2));
        assert_eq!(table.get(1), None);
        assert_eq!(table.get(2), Some(Number(2, 12)));
        table.next_age();
        put(&table, 4, Number(4, 1));
        assert_eq!((table.get(4), table.get(3)), (Some(Number(4, 1)), None));
        assert_eq!(table.get(2), Some(Number(2, 12)));
        put(&table, 5, Number(5, 1));
        assert_eq!((table.get(5), table.get(2)), (Some(Number(5, 1)), None));
    }

    #[test]
    fn a_table_grows_but_does_not_shrink() {
        let mut table = TranspositionTable::new(0);
        put(&table, 1, Number(1, 1));
        table.grow(32);
        assert_eq!(table.get(1), Some(Number(1, 1)));
        table.grow(1 << 10);
        assert_eq!((table.buckets.len(), table.get(1)), (32, None));
        table.grow(64);
        assert_eq!(table.buckets.len(), 32);
    }
}
