//! The database: its schema, its integrity, and the times in it.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::doctor::finding::{Finding, Outcome};
use crate::app::effects::outages;
use crate::app::views::time::span;
use crate::app::{Error, Zone};
use crate::config::display_path;
use crate::store::{self, Db, Inspection};

const SCHEMA: &str = "schema";
const INTEGRITY: &str = "integrity";
const CLOCK: &str = "clock";
const DATABASE: &str = "database";

/// How far the newest event may be ahead of the clock, which a time server sets back a little.
const MAX_AHEAD: TimeDelta = TimeDelta::minutes(2);
/// How many parts of a schema are named.
const MAX_NAMED: usize = 3;

/// Checks the schema and the integrity. Returns the database, and whether its tables can be read.
pub(super) fn open(file: &Path) -> (Vec<Finding>, Option<Inspection>, bool) {
    let inspection = match Inspection::open(file) {
        Ok(Some(inspection)) => inspection,
        Ok(None) => {
            let text = format!("there is no database {} yet", display_path(file));
            let advice = "`outflank new` and `outflank signup` create it; or check --db";
            return (vec![Finding::warning(DATABASE, text, advice)], None, false);
        }
        Err(error) => return (vec![fault(SCHEMA, error)], None, false),
    };
    let (found, newest) = (inspection.schema(), Inspection::newest_schema());
    let of_schema = if found < newest {
        let text = format!("{} has the older schema {found}", display_path(file));
        let advice = format!(
            "make a backup with the version that wrote it; the next command, such as \
             `outflank send`, updates it to {newest}. The checks of its contents follow then"
        );
        Finding::warning(SCHEMA, text, advice)
    } else {
        match inspection.read(|db| db.wrong_parts()) {
            Ok(wrong) if wrong.is_empty() => Finding::ok(SCHEMA, format!("version {found}")),
            Ok(wrong) => {
                let names = wrong.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
                let text = format!("missing, changed or unknown in version {found}: {names}");
                Finding::wrong(SCHEMA, text, "restore a backup, or undo the change by hand")
            }
            Err(error) => fault(SCHEMA, error),
        }
    };
    let integrity = match inspection.read(|db| db.first_faults()) {
        Ok(faults) if faults.is_empty() => {
            Finding::ok(INTEGRITY, "SQLite finds no fault in the file")
        }
        Ok(faults) => {
            Finding::wrong(INTEGRITY, faults.join("; "), "restore a backup (docs/operating.md)")
        }
        Err(error) => fault(INTEGRITY, error),
    };
    let is_usable = of_schema.outcome == Outcome::Ok && integrity.outcome == Outcome::Ok;
    (vec![of_schema, integrity], Some(inspection), is_usable)
}

fn fault(check: &'static str, error: store::Error) -> Finding {
    let error = Error::from(error);
    let advice = error.hint().unwrap_or("check the disk, and restore a backup").to_owned();
    Finding::wrong(check, error.to_string(), advice)
}

/// Returns the finding about tables that cannot be read.
pub(super) fn unreadable(error: store::Error) -> Vec<Finding> {
    vec![fault(INTEGRITY, error)]
}

/// Checks that nothing was recorded in the future.
pub(super) fn clock(db: &Db, now: DateTime<Utc>) -> Result<Vec<Finding>, store::Error> {
    let event = db.newest_event()?;
    let (game, at) = match event {
        Some((game, at)) => (Some(game), at),
        None => (None, now),
    };
    let recorded = db.recorded_after(now + MAX_AHEAD)?;
    let shown = Zone::Local.shown(now);
    let advice = "compare with `date`, and set the clock; docs/operating.md says what to do after \
                  a wrong clock";
    Ok(vec![match (judge_event(at, now), game) {
        (outcome @ (Outcome::Warning | Outcome::Wrong), Some(game)) => {
            let text = format!(
                "it is {shown} by this machine, but game {game} has an event {} later",
                span(at - now)
            );
            Finding::bad(CLOCK, outcome, text, advice)
        }
        _ => match recorded.first() {
            Some((table, at)) => {
                let text = format!(
                    "it is {shown} by this machine, but the table {table} has a row {} later",
                    span(*at - now)
                );
                Finding::warning(CLOCK, text, advice)
            }
            None => match outages::doubted(db, now)? {
                Some(text) => Finding::bad(CLOCK, Outcome::Wrong, text, advice),
                None => {
                    Finding::ok(CLOCK, format!("it is {shown}, and nothing was recorded later"))
                }
            },
        },
    }])
}

/// Judges the time of the newest event.
fn judge_event(at: DateTime<Utc>, now: DateTime<Utc>) -> Outcome {
    if at <= now {
        Outcome::Ok
    } else if at <= now + MAX_AHEAD {
        Outcome::Warning
    } else {
        Outcome::Wrong
    }
}
