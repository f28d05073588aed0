//! Examines an installation: its files, its settings, its database and its mail. Nothing is created,
//! migrated or written.

mod database;
mod disk;
mod files;
mod finding;
mod mail;
mod settings;

pub(crate) use finding::{Finding, reply};

use crate::app::Surroundings;
use disk::Places;

/// Checks everything.
pub(crate) fn examine(surroundings: &Surroundings) -> Vec<Finding> {
    let Surroundings { database, config, clock } = surroundings;
    let now = clock.now();
    // Other files lie beside the file that a symbolic link leads to.
    let file = database.canonicalize().unwrap_or_else(|_| database.clone());
    let (mut findings, config) = settings::configuration(config);
    let places = Places::of(&file, config);
    findings.extend(files::modes(&places));
    findings.extend(files::secrets(config));
    findings.extend(disk::space(&places));
    findings.extend(disk::file_system(&places));
    let (of_file, inspection) = database::open(&file);
    findings.extend(of_file);
    if let Some(inspection) = &inspection {
        findings.extend(inspection.read(|db| database::clock(db, now)).unwrap_or_else(database::unreadable));
    }
    if let Some(config) = config {
        findings.extend(settings::sender(config));
        findings.extend(settings::privileges(config));
        findings.extend(mail::server(config, &file));
    }
    if let Some(inspection) = &inspection {
        let of_club = inspection.read(|db| mail::club(db, config, now));
        findings.extend(of_club.unwrap_or_else(database::unreadable));
    }
    findings
}
