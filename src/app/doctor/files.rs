//! The files and folders: their modes and owners.

use std::fs::Metadata;
use std::iter;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::app::doctor::disk::Places;
use crate::app::doctor::finding::{Finding, Outcome};
use crate::config::{Config, display_path};
use crate::store::files_beside;

const FILES: &str = "files";

/// What a file is for, which decides who else may read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A file with addresses and secrets.
    Data,
    /// A folder with mails.
    Mails,
    /// The folder of the database, with files that others cannot read.
    Folder,
}

/// Checks the modes and owners of the database, the files and folders beside it, and the folders with
/// mails.
pub(super) fn modes(places: &Places) -> Vec<Finding> {
    let database = &places.database;
    let folder = places.folder();
    let Ok(owner) = database.metadata() else {
        return match folder.metadata() {
            Ok(meta) => judge(folder, &meta, Use::Folder),
            Err(error) => {
                let text = format!("the folder {} cannot be used: {error}", display_path(folder));
                vec![Finding::wrong(FILES, text, "create it, or give another file with --db")]
            }
        };
    };
    if !owner.is_file() {
        let text = format!("{} is not a file", display_path(database));
        return vec![Finding::wrong(FILES, text, "give another file with --db")];
    }
    let mut checked = 0;
    let mut findings = access_by(places, &owner);
    let data = iter::once(database.clone()).chain(files_beside(database));
    let data = data.map(|file| (file, Use::Data));
    let folders = [(folder.to_owned(), Use::Folder), (places.quarantine.clone(), Use::Mails)];
    let maildir = places.maildir.clone().map(|maildir| (maildir, Use::Mails));
    for (path, of) in data.chain(folders).chain(maildir) {
        let Ok(meta) = path.metadata() else { continue };
        if of == Use::Mails && !meta.is_dir() {
            let text = format!("{} is not a folder", display_path(&path));
            let advice = "move the file away, or set another folder for mails in the configuration";
            findings.push(Finding::wrong(FILES, text, advice));
            continue;
        }
        checked += 1;
        findings.extend(judge(&path, &meta, of));
        if meta.uid() != owner.uid() {
            let shown = display_path(&path);
            let (uid, of_database) = (meta.uid(), owner.uid());
            let text =
                format!("{shown} belongs to user {uid}, but the database to user {of_database}");
            // The folder of the database may be root's, if its owner can write there.
            let outcome = if of == Use::Folder { Outcome::Warning } else { Outcome::Wrong };
            let advice = format!("chown {of_database} {}", path.display());
            findings.push(Finding::judged(FILES, outcome, text, advice));
        }
    }
    if findings.is_empty() {
        let others = checked - 1;
        let shown = display_path(database);
        let text =
            format!("{shown} and {others} files and folders around it are closed to other users");
        findings.push(Finding::ok(FILES, text));
    }
    findings
}

/// Checks that the user who runs this can write the database, its folder and the quarantine.
fn access_by(places: &Places, owner: &Metadata) -> Vec<Finding> {
    let Places { database, quarantine, .. } = places;
    let user = geteuid().as_raw();
    let needed = [
        (database.as_path(), Access::READ_OK | Access::WRITE_OK, "u+rw"),
        (places.folder(), Access::WRITE_OK | Access::EXEC_OK, "u+rwx"),
        (quarantine, Access::WRITE_OK | Access::EXEC_OK, "u+rwx"),
    ];
    let denied = needed.into_iter().find_map(|(path, how, mode)| {
        // Without a quarantine there is nothing to check: the first mail creates it.
        let of_path = path.metadata().ok()?;
        Some((path, of_path.uid(), mode, access(path, how).err()?))
    });
    if let Some((path, of_path, mode, why)) = denied {
        let text = format!("user {user} cannot read and write {}", display_path(path));
        let shown = path.display();
        let advice = if why == Errno::ROFS {
            "its file system is read-only: mount it writable, or check the disk".to_owned()
        } else if user != owner.uid() {
            format!("run outflank as user {}, who owns the database", owner.uid())
        } else if user == of_path {
            format!("chmod {mode} {shown}")
        } else {
            format!("as root, chown {user} {shown}")
        };
        return vec![Finding::wrong(FILES, text, advice)];
    }
    if user != owner.uid() && user != 0 {
        let shown = display_path(database);
        let text = format!("{shown} belongs to user {}, not to user {user}", owner.uid());
        return vec![Finding::warning(FILES, text, "run all commands as the same user")];
    }
    Vec::new()
}

/// Checks who else can read or write a file.
fn judge(path: &Path, meta: &Metadata, of: Use) -> Vec<Finding> {
    let (outcome, what) = match judge_mode(meta.mode(), of) {
        Outcome::Ok => return Vec::new(),
        Outcome::Warning if of == Use::Folder => (Outcome::Warning, "create files in"),
        Outcome::Warning => (Outcome::Warning, "read"),
        Outcome::Wrong => (Outcome::Wrong, "change"),
    };
    let mode = if of == Use::Data { 600 } else { 700 };
    let text =
        format!("others can {what} {} (mode {:03o})", display_path(path), meta.mode() & 0o7777);
    vec![Finding::judged(FILES, outcome, text, format!("chmod {mode} {}", path.display()))]
}

/// Judges the mode of a file or folder.
const fn judge_mode(mode: u32, of: Use) -> Outcome {
    const STICKY: u32 = 0o1000;
    match of {
        // Whoever can write a folder can replace the files in it, unless it is sticky.
        Use::Folder if mode & 0o002 != 0 && mode & STICKY == 0 => Outcome::Wrong,
        Use::Folder if mode & 0o022 != 0 => Outcome::Warning,
        Use::Folder => Outcome::Ok,
        Use::Data | Use::Mails if mode & 0o022 != 0 => Outcome::Wrong,
        Use::Data | Use::Mails if mode & 0o044 != 0 => Outcome::Warning,
        Use::Data | Use::Mails => Outcome::Ok,
    }
}

/// Checks that others cannot read the password for the mail server.
pub(super) fn secrets(config: Option<&Config>) -> Vec<Finding> {
    let Some((config, settings)) = config.and_then(|it| Some((it, it.transport.as_ref()?))) else {
        return Vec::new();
    };
    let file = config.file.as_ref().filter(|_| settings.contains_key("password")).cloned();
    let password_file = settings.get("password_file").and_then(|file| file.as_str());
    let files = file.into_iter().chain(password_file.map(PathBuf::from));
    let is_readable = |file: &PathBuf| file.metadata().is_ok_and(|meta| meta.mode() & 0o004 != 0);
    let warning = |file: PathBuf| {
        let text = format!("others can read the password in {}", display_path(&file));
        Finding::warning(FILES, text, format!("chmod o-r {}", file.display()))
    };
    files.filter(is_readable).map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_judged_by_what_others_can_do() {
        for (mode, of, outcome) in [
            (0o600, Use::Data, Outcome::Ok),
            (0o640, Use::Data, Outcome::Warning),
            (0o604, Use::Data, Outcome::Warning),
            (0o620, Use::Data, Outcome::Wrong),
            (0o666, Use::Data, Outcome::Wrong),
            (0o700, Use::Mails, Outcome::Ok),
            (0o711, Use::Mails, Outcome::Ok),
            (0o755, Use::Mails, Outcome::Warning),
            (0o770, Use::Mails, Outcome::Wrong),
            (0o755, Use::Folder, Outcome::Ok),
            (0o775, Use::Folder, Outcome::Warning),
            (0o1777, Use::Folder, Outcome::Warning),
            (0o777, Use::Folder, Outcome::Wrong),
        ] {
            assert_eq!(judge_mode(mode, of), outcome, "{mode:o} {of:?}");
        }
    }
}
