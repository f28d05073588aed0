//! Examines an installation: its files, its settings, its database and its mail. Nothing is created,
//! migrated or written.

mod database;
mod disk;
mod files;
mod finding;
mod mail;
mod probes;
mod replica;
mod settings;

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::app::Surroundings;
use crate::config::Config;
use disk::Places;
use finding::Finding;
pub(crate) use finding::reply;
pub(crate) use probes::{Station, station, why_lost};

/// Checks everything.
pub(crate) fn examine(surroundings: &Surroundings) -> Vec<Finding> {
    let Surroundings { database, creates_folder, config, clock } = surroundings;
    let now = clock.now();
    // Other files lie beside the file that a symbolic link leads to.
    let file = database.canonicalize().unwrap_or_else(|_| database.clone());
    let (mut findings, config) = settings::configuration(config);
    let places = Places::of(&file, config);
    let has_folder = places.folder().exists();
    if has_folder || !creates_folder {
        findings.extend(files::modes(&places));
    }
    findings.extend(files::secrets(config));
    let free_mb = config.map_or_else(|| Config::default().host.free_mb, |it| it.host.free_mb);
    findings.extend(disk::space(&places, free_mb));
    findings.extend(disk::file_system(&places));
    let (of_file, of_club) = read(&file, config, now);
    findings.extend(of_file);
    if let Some(config) = config {
        findings.extend(settings::sender(config));
        findings.extend(settings::privileges(config));
        // The default Maildir is created in the folder of the database, when that exists.
        if has_folder || config.transport.is_some() {
            findings.extend(mail::server(config, &file));
        }
    }
    findings.extend(of_club);
    findings
}

/// How often a database is read that other processes begin to use meanwhile.
const MAX_READINGS: usize = 3;

/// Checks the database, and then its contents.
fn read(file: &Path, config: Option<&Config>, now: DateTime<Utc>) -> (Vec<Finding>, Vec<Finding>) {
    let mut found = Default::default();
    for _ in 0..MAX_READINGS {
        let (mut of_file, inspection, is_usable) = database::open(file);
        let mut of_club = Vec::new();
        let Some(inspection) = inspection else { return (of_file, of_club) };
        if is_usable {
            let unreadable = database::unreadable;
            let clock = inspection.read(|db| database::clock(db, now));
            of_file.extend(clock.unwrap_or_else(unreadable));
            of_file.extend(replica::all(&inspection, config, now).unwrap_or_else(unreadable));
            let club = inspection.read(|db| mail::club(db, config, file, now));
            of_club.extend(club.unwrap_or_else(unreadable));
            let probes = inspection.read(|db| probes::all(db, config, now));
            of_club.extend(probes.unwrap_or_else(unreadable));
        }
        found = (of_file, of_club);
        if !inspection.is_overtaken() {
            break;
        }
    }
    found
}
