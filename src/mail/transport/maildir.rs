//! Delivery into a Maildir on this machine: one for all players, told apart by `Delivered-To`.
//!
//! A message becomes a file of `new/` whose name follows from its Message-ID, so that handing
//! it over again after a crash leaves one mail, not two.

use std::fmt::Write as _;
use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{BadSettings, DeliveryError, Message, Transport};
use crate::clock::Deadline;

/// The longest name that is used as it is. Most file systems stop at 255 bytes, and readers
/// append flags such as `:2,S`.
const LONGEST_NAME: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    path: PathBuf,
}

/// A Maildir, made when the first message comes.
struct Maildir {
    path: PathBuf,
}

/// Makes the transport of `path`. Touches no file yet.
///
/// # Errors
/// [`BadSettings`] when `path` is missing, empty or no string, or another setting is given.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let Settings { path } = settings.try_into()?;
    if path.as_os_str().is_empty() {
        return Err(BadSettings(
            "[transport] path is empty: give the folder of the Maildir".into(),
        ));
    }
    Ok(Box::new(Maildir { path }))
}

impl Transport for Maildir {
    fn deliver(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError> {
        if deadline.has_passed() {
            return Err(DeliveryError::Temporary("the time for sending was used up".into()));
        }
        if message.to.is_empty() || message.to.chars().any(char::is_control) {
            return Err(DeliveryError::Permanent(format!(
                "{:?} is no address for a Delivered-To line",
                message.to
            )));
        }
        if message.message_id.is_empty() {
            // All such messages would share one file name, and all but the first be lost.
            return Err(DeliveryError::Permanent("the message has no Message-ID".into()));
        }
        self.create()?;
        self.store(&file_name(&message.message_id), &stored_form(message))
    }
}

impl Maildir {
    /// Makes what is missing of the Maildir and its three folders, but not its parent.
    fn create(&self) -> Result<(), DeliveryError> {
        let mut made = create_folder(&self.path).map_err(|e| cannot("make", &self.path, &e))?;
        if made {
            // `Path::parent` of a bare name is empty, which means the working directory.
            let parent = match self.path.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent,
                _ => Path::new("."),
            };
            sync_folder(parent)?;
        }
        for name in ["tmp", "new", "cur"] {
            let folder = self.path.join(name);
            made |= create_folder(&folder).map_err(|e| cannot("make", &folder, &e))?;
        }
        if made {
            sync_folder(&self.path)?;
        }
        Ok(())
    }

    /// Puts `bytes` into `new/` under `name`, on disk when this returns. A file that bears the
    /// name already is this message, delivered earlier.
    fn store(&self, name: &str, bytes: &[u8]) -> Result<(), DeliveryError> {
        let new = self.path.join("new");
        let target = new.join(name);
        let tmp = self.path.join("tmp");
        // Mode 0600 and a name of its own, so that two processes never write the same file;
        // removed again by its destructor unless it is moved to `new`.
        let mut draft = tempfile::Builder::new()
            .prefix("outflank.")
            .tempfile_in(&tmp)
            .map_err(|e| cannot("write into", &tmp, &e))?;
        draft
            .write_all(bytes)
            .and_then(|()| draft.as_file().sync_all())
            .map_err(|e| cannot("write into", &tmp, &e))?;
        match draft.persist_noclobber(&target) {
            Ok(_) => {}
            Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(refused) => return Err(cannot("write", &target, &refused.error)),
        }
        // Also for a file that was there: what put it there may have died before this line.
        sync_folder(&new)
    }
}

/// Makes one folder for its owner only; tells whether it was missing.
fn create_folder(path: &Path) -> io::Result<bool> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts the entries of a folder on disk.
fn sync_folder(path: &Path) -> Result<(), DeliveryError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|e| cannot("sync", path, &e))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> DeliveryError {
    DeliveryError::Unavailable(format!("cannot {what} {}: {error}", path.display()))
}

/// The message as it is stored: `Delivered-To` on top, lines ended by LF.
fn stored_form(message: &Message) -> Vec<u8> {
    let mut stored = format!("Delivered-To: {}\n", message.to).into_bytes();
    stored.extend(message.with_lf());
    stored
}

/// The file name of a message: different for different Message-IDs, and only of characters
/// that neither a file system nor a Maildir reader gives a meaning.
fn file_name(message_id: &str) -> String {
    let mut name = String::new();
    for (at, byte) in message_id.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric()
            || matches!(byte, b'@' | b'-' | b'_' | b'+')
            || (byte == b'.' && at > 0);
        if plain {
            name.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(name, "={byte:02X}");
        }
    }
    if name.len() > LONGEST_NAME {
        let hash = fnv1a(name.as_bytes());
        name.truncate(LONGEST_NAME);
        // `~` occurs in no other name.
        let _ = write!(name, "~{hash:016x}");
    }
    name
}

/// The FNV-1a hash. That of `std` may change with the compiler, and with it the file name.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(20))
    }

    fn transport(path: &Path) -> Box<dyn Transport> {
        let mut settings = toml::Table::new();
        settings.insert("path".into(), path.to_str().unwrap().into());
        open(settings).unwrap()
    }

    fn message(id: &str) -> Message {
        Message {
            from: "outflank@localhost".into(),
            to: "alice@example.org".into(),
            message_id: id.into(),
            bytes: b"Subject: your move\r\n\r\none\r\ntwo\r\n".to_vec(),
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn refused(settings: &str) -> String {
        open(settings.parse().unwrap()).err().unwrap().0
    }

    #[test]
    fn stores_one_private_file_with_lf() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("box");
        transport(&path).deliver(&message("1.a@host"), soon()).unwrap();
        for folder in ["", "tmp", "new", "cur"] {
            assert_eq!(mode(&path.join(folder)), 0o700, "{folder}");
        }
        assert_eq!(names(&path.join("new")), ["1.a@host"]);
        assert!(names(&path.join("tmp")).is_empty());
        let file = path.join("new/1.a@host");
        assert_eq!(mode(&file), 0o600);
        assert_eq!(
            fs::read_to_string(file).unwrap(),
            "Delivered-To: alice@example.org\nSubject: your move\n\none\ntwo\n"
        );
    }

    #[test]
    fn twice_delivered_is_one_mail() {
        let home = tempfile::tempdir().unwrap();
        let mut first = message("1@host");
        transport(home.path()).deliver(&first, soon()).unwrap();
        first.bytes = b"Subject: other\r\n\r\n".to_vec();
        transport(home.path()).deliver(&first, soon()).unwrap();
        transport(home.path()).deliver(&message("2@host"), soon()).unwrap();
        assert_eq!(names(&home.path().join("new")), ["1@host", "2@host"]);
        assert!(names(&home.path().join("tmp")).is_empty());
        let kept = fs::read_to_string(home.path().join("new/1@host")).unwrap();
        assert!(kept.contains("your move"), "the first one stays: {kept}");
    }

    #[test]
    fn bare_line_ends_and_bytes_stay() {
        let mut odd = message("1@host");
        odd.bytes = b"a\rb\n\r\r\n\xff\r".to_vec();
        assert_eq!(stored_form(&odd), b"Delivered-To: alice@example.org\na\rb\n\r\n\xff\r");
    }

    #[test]
    fn names_are_safe_and_differ() {
        assert_eq!(file_name("12.f5-3@games.example"), "12.f5-3@games.example");
        assert_eq!(file_name(".hidden"), "=2Ehidden");
        assert_eq!(file_name("../a:b\0=é"), "=2E.=2Fa=3Ab=00=3D=C3=A9");
        let long = |end: char| file_name(&format!("{}{end}", "x".repeat(400)));
        assert_eq!(long('a').len(), LONGEST_NAME + 17);
        assert_eq!(long('a'), long('a'));
        assert_ne!(long('a'), long('b'));
    }

    #[test]
    fn faults_name_the_path() {
        let home = tempfile::tempdir().unwrap();
        let no_parent = home.path().join("missing/box");
        let no_folder = home.path().join("file");
        fs::write(&no_folder, "").unwrap();
        for path in [no_parent, no_folder] {
            match transport(&path).deliver(&message("1@host"), soon()) {
                Err(DeliveryError::Unavailable(why)) => {
                    assert!(why.contains(path.to_str().unwrap()), "{why}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn what_cannot_be_stored_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let mut bad = message("1@host");
        bad.to = "a@b\nBcc: c@d".into();
        let mut nameless = message("");
        nameless.to = "a@b".into();
        for message in [bad, nameless] {
            let end = transport(home.path()).deliver(&message, soon());
            assert!(matches!(end, Err(DeliveryError::Permanent(_))), "{end:?}");
        }
        let late =
            transport(home.path()).deliver(&message("1@host"), Deadline::after(Duration::ZERO));
        assert!(matches!(late, Err(DeliveryError::Temporary(_))), "{late:?}");
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn wrong_settings_are_named() {
        assert_eq!(refused(""), "[transport] missing field `path`");
        assert!(refused("path = 3").starts_with("[transport] path: "));
        assert!(refused("path = ''").starts_with("[transport] path is empty"));
        assert!(refused("path = 'x'\nport = 3").contains("`port`"));
    }
}
