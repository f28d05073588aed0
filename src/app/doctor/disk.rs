//! The file systems: their space and their kind.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::statfs;

use crate::app::doctor::finding::{Finding, Outcome};
use crate::config::{Config, MEGABYTE, display_path, quarantine_beside};
use crate::files::{folder_of, free_space};

const SPACE: &str = "space";
const FILE_SYSTEM: &str = "file system";

/// Less free space is wrong.
const MIN_FREE_MB: u64 = 50;

/// Where the files of an installation are.
pub(super) struct Places {
    pub database: PathBuf,
    /// The Maildir for outgoing mail, if that is the transport.
    pub maildir: Option<PathBuf>,
    pub quarantine: PathBuf,
}

impl Places {
    /// Returns the places by the configuration, if that could be read.
    pub(super) fn of(database: &Path, config: Option<&Config>) -> Self {
        let default = Config::default();
        let transport = config.unwrap_or(&default).transport_for(database);
        let setting = |key| transport.get(key).and_then(|value| value.as_str());
        let is_maildir = setting("kind") == Some("maildir");
        let maildir = setting("path").filter(|_| is_maildir).map(PathBuf::from);
        let quarantine = config.and_then(|config| config.receive.quarantine.clone());
        Self {
            database: database.to_owned(),
            maildir,
            quarantine: quarantine.unwrap_or_else(|| quarantine_beside(database)),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        folder_of(&self.database)
    }
}

/// Checks the free space of each file system. Less than `free_mb` megabytes are a warning.
pub(super) fn space(places: &Places, free_mb: u32) -> Vec<Finding> {
    let others = places.maildir.iter().chain([&places.quarantine]);
    let folders = others.map(|path| if path.is_dir() { path } else { folder_of(path) });
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for folder in [places.folder()].into_iter().chain(folders) {
        let Ok(meta) = folder.metadata() else { continue };
        if !seen.insert(meta.dev()) {
            continue;
        }
        let shown = display_path(folder);
        findings.push(match free_space(folder) {
            Ok(free) => Finding::judged(
                SPACE,
                judge_space(free, free_mb),
                format!("{} MB are free in {shown}", free / MEGABYTE),
                "make room: a full disk stops all games and all mail",
            ),
            Err(error) => {
                let text = format!("the free space in {shown} is unknown: {error}");
                Finding::warning(SPACE, text, "check the disk")
            }
        });
    }
    findings
}

/// Judges the free bytes of a file system.
fn judge_space(free: u64, free_mb: u32) -> Outcome {
    // Little space is too much of its reverse.
    let megabytes = |number: u64| Reverse(number * MEGABYTE);
    Outcome::of(Reverse(free), megabytes(free_mb.into()), megabytes(MIN_FREE_MB))
}

/// The kinds of file systems on which a database must not lie, by the magic number of statfs(2).
const UNSUITABLE: [(u64, &str, Outcome); 15] = [
    (0x6969, "NFS", Outcome::Wrong),
    (0x517b, "SMB", Outcome::Wrong),
    (0xff53_4d42, "CIFS", Outcome::Wrong),
    (0xfe53_4d42, "SMB", Outcome::Wrong),
    (0x0102_1997, "9P", Outcome::Wrong),
    (0x5346_414f, "AFS", Outcome::Wrong),
    (0x6b41_4653, "AFS", Outcome::Wrong),
    (0x7375_7245, "Coda", Outcome::Wrong),
    (0x564c, "NCP", Outcome::Wrong),
    (0x00c3_6400, "Ceph", Outcome::Wrong),
    (0x0bd0_0bd0, "Lustre", Outcome::Wrong),
    (0x4750_4653, "GPFS", Outcome::Wrong),
    (0x6573_5546, "FUSE", Outcome::Warning),
    (0x0102_1994, "tmpfs", Outcome::Warning),
    (0x8584_58f6, "ramfs", Outcome::Warning),
];

/// Checks the kind of the file system of the database.
pub(super) fn file_system(places: &Places) -> Vec<Finding> {
    let folder = places.folder();
    let shown = display_path(folder);
    let Ok(found) = statfs(folder) else { return Vec::new() };
    // Some machines sign-extend the number.
    let kind = u64::from(found.f_type as u32);
    let (kind, outcome) =
        judge_file_system(kind).unwrap_or(("a file system that suits a database", Outcome::Ok));
    let (problem, advice) = match (kind, outcome) {
        (_, Outcome::Ok) => ("", ""),
        ("FUSE", _) => (
            ", whose locks may not be reliable",
            "keep the database on a local disk unless you know that its locks work",
        ),
        (_, Outcome::Warning) => {
            (", which a restart of the machine empties", "keep the database on a disk")
        }
        (_, Outcome::Wrong) => (
            ", a network file system whose locks are not reliable",
            "move the database to a local disk, or it will be damaged",
        ),
    };
    let text = format!("{shown} is on {kind}{problem}");
    vec![Finding::judged(FILE_SYSTEM, outcome, text, advice)]
}

/// Returns the name of a kind of file system on which a database must not lie, with how bad that is.
fn judge_file_system(kind: u64) -> Option<(&'static str, Outcome)> {
    let found = UNSUITABLE.iter().find(|(magic, ..)| *magic == kind);
    found.map(|&(_, name, outcome)| (name, outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_a_warning_and_almost_none_is_wrong() {
        for (free, outcome) in [
            (0, Outcome::Wrong),
            (49_999_999, Outcome::Wrong),
            (50_000_000, Outcome::Warning),
            (499_999_999, Outcome::Warning),
            (500_000_000, Outcome::Ok),
            (u64::MAX, Outcome::Ok),
        ] {
            assert_eq!(judge_space(free, 500), outcome, "{free}");
        }
    }

    #[test]
    fn network_file_systems_are_wrong() {
        // ext4, Btrfs, XFS, ZFS and an overlay.
        for local in [0xef53, 0x9123_683e, 0x5846_5342, 0x2fc1_2fc1, 0x794c_7630] {
            assert_eq!(judge_file_system(local), None, "{local:x}");
        }
        assert_eq!(judge_file_system(0x6969), Some(("NFS", Outcome::Wrong)));
        assert_eq!(judge_file_system(0xff53_4d42), Some(("CIFS", Outcome::Wrong)));
        assert_eq!(judge_file_system(0x0102_1994), Some(("tmpfs", Outcome::Warning)));
        let proc = Places {
            database: "/proc/outflank.db".into(),
            maildir: None,
            quarantine: "/proc/quarantine".into(),
        };
        assert_eq!(file_system(&proc)[0].outcome, Outcome::Ok);
    }
}
