//! A small file system that a test can fill.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::harness::{run, skipped};

/// The variable with the folder of the small file system, for the repeated test.
const SMALL: &str = "OUTFLANK_TEST_SMALL";

/// Repeats the test with this name in a process with a small file system for all temporary files,
/// where it does `work`. Reports a skipped test if none can be mounted.
pub fn within(test: &str, work: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(SMALL) {
        return work(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let mount = |then: &[&OsStr]| {
        let mount = "mount -t tmpfs -o size=8m none \"$0\" && exec \"$@\"";
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", mount])
            .arg(folder.path())
            .args(then)
            .env("TMPDIR", folder.path())
            .env(SMALL, folder.path());
        command
    };
    if !mount(&["true".as_ref()]).output().is_ok_and(|output| output.status.success()) {
        return skipped(test, "no file system can be mounted here");
    }
    let this = std::env::current_exe().unwrap();
    let again = ["--exact", test, "--nocapture"];
    let arguments: Vec<_> =
        [this.as_os_str()].into_iter().chain(again.map(AsRef::as_ref)).collect();
    let ran = run(mount(&arguments));
    assert_eq!(ran.status, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 passed"), "{}", ran.stdout);
}

/// Fills the file system except for some bytes.
pub fn fill(folder: &Path, free: u64) {
    let mut ballast = File::create(folder.join("ballast")).unwrap();
    while ballast.write_all(&[0; 4096]).is_ok() {}
    let length = ballast.metadata().unwrap().len();
    ballast.set_len(length.saturating_sub(free)).unwrap();
}
