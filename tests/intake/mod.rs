//! Incoming mail, from a mail server or from a program that fetches mail.

mod addresses;
pub mod bounces;
mod damaged;
mod failures;
mod flood;
mod killed;
mod loops;
pub mod maildir;
mod pipe;
mod quarantined;
mod quota;
mod received;
mod rotation;
mod slow;

use std::fs;
use std::path::PathBuf;

use crate::harness::TestEnvironment;

/// Returns the messages in the quarantine.
fn quarantine(env: &TestEnvironment) -> Vec<Vec<u8>> {
    let Ok(folder) = fs::read_dir(env.path("outflank.quarantine")) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}
