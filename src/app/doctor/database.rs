//! The database: its schema, its integrity, and the times in it.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::doctor::finding::{Finding, Outcome};
use crate::app::effects::outages;
use crate::app::views::time::span;
use crate::app::{Error, Zone};
use crate::config::display_path;
use crate::store::{self, Db, Store};

const SCHEMA: &str = "schema";
const INTEGRITY: &str = "integrity";
const CLOCK: &str = "clock";
const DATABASE: &str = "database";

/// How far the newest event may be ahead of the clock, which a time server sets back a little.
const MAX_AHEAD: TimeDelta = TimeDelta::minutes(2);
/// How many parts of a schema are named.
const MAX_NAMED: usize = 3;

/// Checks the schema and the integrity. Returns the database, and whether its tables can be read.
pub(super) fn open(file: &Path) -> (Vec<Finding>, Option<Store>, bool) {
    let (inspection, found) = match Store::inspect(file) {
        Ok(Some(inspected)) => inspected,
        Ok(None) => {
            let text = format!("there is no database {} yet", display_path(file));
            let advice = "`outflank new` and `outflank signup` create it; or check --db";
            return (vec![Finding::warning(DATABASE, text, advice)], None, false);
        }
        Err(error) => return (vec![fault(SCHEMA, error)], None, false),
    };
    let newest = Store::newest_schema();
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
    let newest = db.newest_event()?;
    let ahead = newest.map_or(TimeDelta::zero(), |(_, at)| at - now);
    let recorded = db.recorded_after(now + MAX_AHEAD)?;
    let shown = Zone::Local.shown(now);
    let later =
        |what: String, by| format!("it is {shown} by this machine, but {what} {} later", span(by));
    let (outcome, text) = match (Outcome::of(ahead, TimeDelta::zero(), MAX_AHEAD), newest) {
        (outcome @ (Outcome::Warning | Outcome::Wrong), Some((game, _))) => {
            (outcome, later(format!("game {game} has an event"), ahead))
        }
        _ => match (recorded.first(), outages::doubted(db, now)?) {
            (Some((table, at)), _) => {
                (Outcome::Warning, later(format!("the table {table} has a row"), *at - now))
            }
            (None, Some(text)) => (Outcome::Wrong, text),
            (None, None) => (Outcome::Ok, format!("it is {shown}, and nothing was recorded later")),
        },
    };
    let advice = "compare with `date`, and set the clock; docs/operating.md says what to do after \
                  a wrong clock";
    Ok(vec![Finding::judged(CLOCK, outcome, text, advice)])
}
