use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::ending::{Ending, Table};

/// The threads of a search besides its own.
pub(super) struct ThreadPool {
    free: AtomicUsize,
    /// Small tables that no thread uses now.
    tables: Mutex<Vec<Table>>,
}

impl ThreadPool {
    /// Returns the pool for a search with this many threads.
    pub(super) fn new(threads: usize) -> Self {
        Self { free: AtomicUsize::new(threads.saturating_sub(1)), tables: Mutex::default() }
    }

    /// Takes a free thread, if there is one.
    pub(super) fn take(&self) -> bool {
        let one_less = |free: usize| free.checked_sub(1);
        self.free.load(Ordering::Relaxed) > 0
            && self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Gives a thread back.
    pub(super) fn give_back(&self) {
        self.free.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a table for positions near the end: one that was given back, with its entries, or else a new
    /// one.
    pub(super) fn take_table(&self) -> Table {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.pop().unwrap_or_else(Ending::near_table)
    }

    /// Gives a table back.
    pub(super) fn give_back_table(&self, table: Table) {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).push(table);
    }
}
