//! Backups, and a copy of the database in which something is wrong. All of it is done with a copy of the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::{World, new_folder};
use crate::simulator::Violation;
use crate::simulator::cut::Copy;
use crate::simulator::holds::{self, Backup};
use crate::simulator::process::{Machine, WorldClock};
use crate::simulator::tables::{self, Tables};

/// How many backups are made.
const BACKUPS: u64 = 4;

impl World {
    /// Makes backups of a copy of the database, and falsifies a value in it.
    pub(super) fn check_copies(&self, seed: u64) -> Result<(), Violation> {
        if !self.database().exists() {
            return Ok(());
        }
        let (folder, mut rng) = (new_folder(), fastrand::Rng::with_seed(seed));
        let clock = WorldClock(Arc::new(AtomicI64::new(self.now().timestamp())));
        let machine = Machine { folder: folder.path().to_owned(), clock, ..self.machine.clone() };
        let database = machine.database();
        Copy::of(&self.database(), 0).put(&database);
        let (kept, target) = (rng.usize(1..4), folder.path().join("backups"));
        fs::create_dir(&target).expect("a folder can be made");
        let (kept_word, target_word) = (kept.to_string(), target.to_string_lossy());
        let mut made = Vec::new();
        for seed in 0..BACKUPS {
            // Some are of the same second.
            machine.clock.0.fetch_add(rng.i64(0..3) * rng.i64(0..9_999), Ordering::Relaxed);
            let ran =
                machine.run_host(&["backup", "--keep", &kept_word, &target_word], Vec::new(), seed);
            let backup = Backup { ran: &ran, kept, made: &made, files: files(&target) };
            holds::newest_backups_are_kept(&backup)?;
            made.extend(backup.new_file());
        }
        if let Some(last) = made.last() {
            let copy = Tables::read(Path::new(last));
            holds::backups_are_complete(&Tables::read(&database), &copy)?;
        }
        let Some(name) = holds::falsify(&tables::open(&database), &mut rng) else { return Ok(()) };
        let ran = machine.run_host(&["verify"], Vec::new(), 0);
        holds::verify_finds_what_is_wrong(name, &ran)
    }
}

/// Returns the files in a folder, with their paths.
fn files(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    entries.filter_map(|entry| Some(entry.ok()?.path().to_string_lossy().into_owned())).collect()
}
