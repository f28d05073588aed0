//! Measures the cost of statements, for tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, StatementStatus};

/// The statements that were run, each with the steps of all its runs and of its longest run.
#[derive(Clone, Default)]
pub(super) struct Watch(Arc<Mutex<BTreeMap<String, (i32, i32)>>>);

impl Watch {
    pub(super) fn begin(&self, connection: &mut Connection) {
        let seen = Arc::clone(&self.0);
        let note = move |event: TraceEvent| {
            if let TraceEvent::Profile(run, _) = event {
                // The status has the steps of all runs of the statement.
                let steps = run.get_status(StatementStatus::VmStep);
                let mut seen = seen.lock().unwrap();
                let (before, longest) = seen.entry(run.sql().into_owned()).or_default();
                *longest = (*longest).max(if steps > *before { steps - *before } else { steps });
                *before = steps;
            }
        };
        connection.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(note)).unwrap();
    }

    pub(super) fn seen(&self) -> BTreeMap<String, i32> {
        let seen = std::mem::take(&mut *self.0.lock().unwrap());
        seen.into_iter().map(|(sql, (_, longest))| (sql, longest)).collect()
    }
}

/// Returns how SQLite runs a statement.
pub(super) fn plan(connection: &Connection, sql: &str) -> String {
    let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let nothing = vec![rusqlite::types::Null; explained.parameter_count()];
    let lines = explained.query_map(rusqlite::params_from_iter(nothing), |row| row.get(3));
    lines.unwrap().collect::<Result<Vec<String>, _>>().unwrap().join("\n")
}
