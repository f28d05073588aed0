use std::sync::atomic::{AtomicU64, Ordering};

/// What a search has found out about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The value is at least this.
    pub(super) lower: i16,
    /// The value is at most this.
    pub(super) upper: i16,
    /// How many discs ahead the search looked.
    pub(super) depth: u8,
    /// Whether the bounds are proved by searches to the end of the game, at any depth.
    pub(super) exact: bool,
    /// The best move, or the one that refuted the position.
    pub(super) mv: u16,
}

/// A memory of searched positions with a fixed size, which threads share.
///
/// A slot is two words: the data, and the key xored with the data. When two threads write to a slot
/// at once, the words do not fit together, and the slot counts as empty.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    age: u8,
}

const SLOTS: usize = 4;

/// The slots that one key can use: a line of the processor's cache.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

const AGES: u8 = 128;

impl Table {
    /// Returns an empty table of at most this many bytes, but of one bucket at least.
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).clamp(1, u32::MAX as usize);
        Self { buckets: (0..buckets).map(|_| Bucket::default()).collect(), age: 1 }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// Lets entries of earlier searches be replaced first.
    pub(super) fn next_age(&mut self) {
        // Age 0 is that of empty slots.
        self.age = self.age % (AGES - 1) + 1;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        let index = ((key >> 32) * self.buckets.len() as u64) >> 32;
        &self.buckets[usize::try_from(index).unwrap_or(0)]
    }

    /// Returns the entry of the position with this key.
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).0.iter().find_map(|slot| slot.read(key)).map(|data| data.entry)
    }

    /// Stores an entry. It replaces the one of the same position, else the least valuable one.
    pub(super) fn put(&self, key: u64, mut entry: Entry) {
        let bucket = self.bucket(key);
        let mut chosen = (&bucket.0[0], i32::MAX);
        for slot in &bucket.0 {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) ^ data == key && data != 0 {
                entry = entry.merged(Data::unpacked(data).entry);
                chosen.0 = slot;
                break;
            }
            let Data { entry: old, age } = Data::unpacked(data);
            let worth = i32::from(old.depth) + if age == self.age { 256 } else { 0 };
            if worth < chosen.1 {
                chosen = (slot, worth);
            }
        }
        let data = Data { entry, age: self.age }.packed();
        chosen.0.data.store(data, Ordering::Relaxed);
        chosen.0.check.store(key ^ data, Ordering::Relaxed);
    }
}

impl Slot {
    fn read(&self, key: u64) -> Option<Data> {
        let data = self.data.load(Ordering::Relaxed);
        let is_it = self.check.load(Ordering::Relaxed) ^ data == key && data != 0;
        is_it.then(|| Data::unpacked(data))
    }
}

impl Entry {
    /// Returns this entry, with bounds narrowed by what an equally good search found out before.
    fn merged(self, old: Self) -> Self {
        if old.exact && !self.exact {
            return Self { mv: self.mv, ..old };
        }
        if old.exact != self.exact || (old.depth != self.depth && !self.exact) {
            return self;
        }
        let (lower, upper) = (self.lower.max(old.lower), self.upper.min(old.upper));
        if lower <= upper { Self { lower, upper, ..self } } else { self }
    }
}

/// An entry with the age of its search.
struct Data {
    entry: Entry,
    age: u8,
}

impl Data {
    fn packed(&self) -> u64 {
        let Entry { lower, upper, depth, exact, mv } = self.entry;
        let [l0, l1] = lower.to_le_bytes();
        let [u0, u1] = upper.to_le_bytes();
        let [m0, m1] = mv.to_le_bytes();
        u64::from_le_bytes([l0, l1, u0, u1, m0, m1, depth, self.age | (u8::from(exact) << 7)])
    }

    fn unpacked(data: u64) -> Self {
        let [l0, l1, u0, u1, m0, m1, depth, age] = data.to_le_bytes();
        let entry = Entry {
            lower: i16::from_le_bytes([l0, l1]),
            upper: i16::from_le_bytes([u0, u1]),
            mv: u16::from_le_bytes([m0, m1]),
            depth,
            exact: age >= AGES,
        };
        Self { entry, age: age % AGES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: u8) -> Entry {
        Entry { lower: -3, upper: 512, depth, exact: false, mv: 65_535 }
    }

    #[test]
    fn an_entry_is_found_by_its_key() {
        let table = Table::new(1 << 16);
        assert_eq!(table.bytes(), 1 << 16);
        assert_eq!(table.get(0), None);
        for key in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
            table.put(key, entry(9));
            assert_eq!(table.get(key), Some(entry(9)));
            assert_eq!(table.get(key ^ 2), None);
        }
    }

    #[test]
    fn bounds_of_the_same_depth_are_combined() {
        let table = Table::new(0);
        table.put(7, Entry { lower: -10, ..entry(3) });
        table.put(7, Entry { upper: 20, ..entry(3) });
        assert_eq!(table.get(7), Some(Entry { lower: -3, upper: 20, ..entry(3) }));
        table.put(7, entry(4));
        assert_eq!(table.get(7), Some(entry(4)));
        let exact = Entry { exact: true, ..entry(1) };
        table.put(7, exact);
        table.put(7, entry(5));
        assert_eq!(table.get(7), Some(exact), "a proof outlasts a deeper guess");
    }

    #[test]
    fn old_and_shallow_entries_are_replaced_first() {
        let mut table = Table::new(0);
        for key in 1..=4 {
            table.put(key, entry(10 + u8::try_from(key).unwrap()));
        }
        table.put(5, entry(2));
        assert_eq!(table.get(1), None);
        assert_eq!(table.get(4), Some(entry(14)));
        table.next_age();
        table.put(6, entry(1));
        table.put(7, entry(1));
        assert_eq!((table.get(6), table.get(5)), (Some(entry(1)), None));
        assert_eq!(table.get(4), Some(entry(14)));
    }
}
