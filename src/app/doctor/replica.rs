//! The replica of the database, which Litestream makes.

use std::io::{self, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use crate::app::Zone;
use crate::app::doctor::finding::Finding;
use crate::app::views::time::span;
use crate::clock::Deadline;
use crate::config::{Config, MEGABYTE, display_path};
use crate::store::{self, MAX_REPLICATED_LOG, Store, files_beside};

const REPLICA: &str = "replica";
/// How long Litestream may take to list its files.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// How long the replica may lack a change.
const MAX_BEHIND: TimeDelta = TimeDelta::minutes(5);
const START: &str = "start Litestream, and look at its log: docs/standby.md";

/// A file of a replica, as `litestream ltx -json` lists it.
#[derive(Deserialize)]
struct ReplicaFile {
    /// When it was made, as in RFC 3339.
    timestamp: String,
}

/// Checks that Litestream runs, and that the replica has the last changes; nothing if no replica is made.
pub(super) fn all(
    store: &Store,
    config: Option<&Config>,
    now: DateTime<Utc>,
) -> Result<Vec<Finding>, store::Error> {
    let Some(settings) = store.read(|db| db.replica())? else {
        let text = "the database does not know yet that it has a replica";
        let unknown = || Finding::warning(REPLICA, text, "run `outflank send`");
        let is_configured = config.is_some_and(|config| config.host.replica.is_some());
        return Ok(is_configured.then(unknown).into_iter().collect());
    };
    let log = store.log_length();
    if log > MAX_REPLICATED_LOG {
        let megabytes = log / MEGABYTE;
        let text = format!("Litestream seems to be stopped: the log has {megabytes} MB");
        return Ok(vec![Finding::wrong(REPLICA, text, START)]);
    }
    let newest = match newest_file(&settings, store.path()) {
        Ok(newest) => newest,
        Err(error) => {
            let text = format!("Litestream cannot be asked: {error}");
            let advice = format!("run `litestream ltx -config {}`", display_path(&settings));
            return Ok(vec![Finding::warning(REPLICA, text, advice)]);
        }
    };
    let changed = changed_at(store.path()).unwrap_or(now);
    let Some(newest) = newest else {
        return Ok(vec![Finding::wrong(REPLICA, "the replica has no files yet", START)]);
    };
    let (text, behind) =
        (format!("its newest file is from {}", Zone::Local.shown(newest)), changed - newest);
    Ok(vec![match behind > MAX_BEHIND {
        true => {
            let text = format!("{text}; the database has changed {} later", span(behind));
            Finding::warning(REPLICA, text, START)
        }
        false => Finding::ok(REPLICA, text),
    }])
}

/// Asks Litestream for the time of its newest file of a database; `None` if it has none.
fn newest_file(settings: &Path, database: &Path) -> io::Result<Option<DateTime<Utc>>> {
    let (mut listed, mut said) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = Command::new("litestream");
    command.args(["ltx", "-level", "all", "-json", "-config"]).arg(settings).arg(database);
    command.stdin(Stdio::null()).stdout(listed.try_clone()?).stderr(said.try_clone()?);
    let mut child = command.spawn()?;
    let Some(status) = Deadline::after(MAX_WAIT).poll(|| child.try_wait().transpose()) else {
        child.kill()?;
        child.wait()?;
        return Err(io::Error::other(format!("no answer in {} s", MAX_WAIT.as_secs())));
    };
    if !status?.success() {
        said.rewind()?;
        let text = io::read_to_string(said)?;
        return Err(io::Error::other(text.lines().next().unwrap_or("it failed").to_owned()));
    }
    listed.rewind()?;
    let files: Option<Vec<ReplicaFile>> = serde_json::from_reader(listed)?;
    let times = files.unwrap_or_default().into_iter().map(|file| file.timestamp.parse());
    let times: Result<Vec<DateTime<Utc>>, _> = times.collect();
    Ok(times.map_err(io::Error::other)?.into_iter().max())
}

/// Returns when the database or its log was last written.
fn changed_at(database: &Path) -> Option<DateTime<Utc>> {
    let [log, ..] = files_beside(database);
    let changed =
        [database, &log].into_iter().filter_map(|file| file.metadata().ok()?.modified().ok());
    changed.max().map(DateTime::from)
}
