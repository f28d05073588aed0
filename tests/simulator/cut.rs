//! Kills and power cuts. The files of the database are copied before a step, whenever the mail server accepts a
//! mail, when the command is acknowledged and after the step. A kill leaves a prefix of the writes between two
//! copies, a power cut any of their sectors.

use std::fs;
use std::path::{Path, PathBuf};

use super::step::Cut;

const SECTOR: usize = 512;

/// The files of a database, and how many mails the server had accepted then.
#[derive(Debug, Clone)]
pub struct Copy {
    pub database: Vec<u8>,
    pub log: Vec<u8>,
    pub accepted: usize,
}

/// The write-ahead log of a database.
pub fn log_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

impl Copy {
    pub fn of(database: &Path, accepted: usize) -> Self {
        let read = |path: &Path| fs::read(path).unwrap_or_default();
        Self { database: read(database), log: read(&log_of(database)), accepted }
    }

    /// Puts the files back, in place of those that are there.
    pub fn put(&self, database: &Path) {
        let mut shared = database.as_os_str().to_owned();
        shared.push("-shm");
        for file in [database.to_owned(), log_of(database), shared.into()] {
            let _ = fs::remove_file(file);
        }
        if self.database.is_empty() {
            return;
        }
        fs::write(database, &self.database).expect("the database can be written");
        if !self.log.is_empty() {
            fs::write(log_of(database), &self.log).expect("the log can be written");
        }
    }

    /// Returns the files after a fault on the way from these to `later`.
    pub fn cut(&self, later: &Self, cut: Cut, rng: &mut fastrand::Rng) -> Self {
        if self.database != later.database {
            // Pages went from the log to the database, or it was created: the log has them until all are there.
            return self.clone();
        }
        let same = self.log.iter().zip(&later.log).take_while(|(one, other)| one == other).count();
        let mut log = self.log.clone();
        log.resize(log.len().max(later.log.len()), 0);
        match cut {
            Cut::Kill => {
                let end = rng.usize(same..=later.log.len().max(same));
                log[..end.min(later.log.len())]
                    .copy_from_slice(&later.log[..end.min(later.log.len())]);
                log.truncate(end.max(self.log.len()));
            }
            Cut::Power => {
                for from in (same / SECTOR * SECTOR..later.log.len()).step_by(SECTOR) {
                    let until = (from + SECTOR).min(later.log.len());
                    if rng.bool() {
                        log[from..until].copy_from_slice(&later.log[from..until]);
                    }
                }
            }
        }
        Self { log, ..self.clone() }
    }
}
