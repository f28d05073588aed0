//! Delivery into a Maildir on this machine, one for all players: `Delivered-To` names the player.
//!
//! The name of a file in `new/` follows from the Message-ID, so a message that is delivered again
//! after a crash is there once.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use rustix::fs::{Access, access};
use serde::Deserialize;

use super::kind::{BadSettings, Delivered, Readiness, Report, Transport, one_by_one};
use super::message::{DeliveryError, Message};
use crate::clock::Deadline;
use crate::files;

/// The longest file name that is not shortened. Most file systems allow 255 bytes, and mail readers
/// append flags such as `:2,S`.
const MAX_NAME_BYTES: usize = 200;

/// A Maildir, created with the first message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Maildir {
    path: PathBuf,
    /// Whether the drafts of killed processes were removed.
    #[serde(skip)]
    is_clean: bool,
}

/// A draft of this age is from a killed process, as Maildir prescribes.
const MIN_STALE_AGE: Duration = Duration::from_secs(36 * 60 * 60);
/// The beginning of the names of drafts.
const DRAFT: &str = "outflank.";

/// Opens the transport with the setting `path`. Touches no file yet.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let maildir: Maildir = settings.try_into()?;
    if maildir.path.as_os_str().is_empty() {
        return Err(BadSettings(
            "[transport] path is empty; give the folder of the Maildir".into(),
        ));
    }
    Ok(Box::new(maildir))
}

impl Transport for Maildir {
    /// Writes a message to its file in `new/`. The name of the file is not on disk yet.
    fn send(&mut self, message: &Message, _: bool, _: Deadline) -> Delivered {
        if message.to.is_empty() || message.to.chars().any(char::is_control) {
            return Err(DeliveryError::Recipient(format!(
                "{:?} is not a valid address for a Delivered-To line",
                message.to
            )));
        }
        if message.message_id.is_empty() {
            // All such messages would have the same file name, and only the first would be kept.
            return Err(DeliveryError::Permanent("the message has no Message-ID".into()));
        }
        self.create()?;
        self.store(&file_name(&message.message_id), &stored_form(message))
    }

    fn deliver(&mut self, messages: &[Message], deadline: Deadline, report: &mut Report) {
        let mut results = Vec::new();
        one_by_one(self, messages, deadline, &mut |result| results.push(result));
        // The names of all messages are on disk after one sync of the folder.
        let synced = match results.iter().any(Result::is_ok) {
            true => self.sync_new(),
            false => Ok(()),
        };
        for result in results {
            report(result.and_then(|()| synced.clone()));
        }
    }

    fn check(&mut self, _: Deadline) -> Result<Readiness, DeliveryError> {
        let path = self.path.display();
        if !self.path.exists() {
            let parent = files::folder_of(&self.path);
            must_be_writable(parent)?;
            return Ok(Readiness::good(format!(
                "the Maildir {path} will be created with the first mail"
            )));
        }
        for name in ["tmp", "new", "cur"] {
            let folder = self.path.join(name);
            must_be_writable(if folder.exists() { &folder } else { &self.path })?;
        }
        Ok(Readiness::good(format!("the Maildir {path} can be written")))
    }

    fn is_local(&self) -> bool {
        true
    }
}

impl Maildir {
    fn sync_new(&self) -> Delivered {
        let new = self.path.join("new");
        files::sync(&new).map_err(|e| cannot("sync", &new, &e))
    }

    /// Creates the Maildir and its three folders if they are missing, but not its parent. `cur` is
    /// created when the names of the others are on disk. So once it exists they are, even if a
    /// process was killed here.
    fn create(&self) -> Delivered {
        let cur = self.path.join("cur");
        if cur.is_dir() && ["tmp", "new"].iter().all(|name| self.path.join(name).is_dir()) {
            return Ok(());
        }
        for name in ["", "tmp", "new"] {
            self.create_folder(&self.path.join(name))?;
        }
        for folder in [&self.path, files::folder_of(&self.path)] {
            files::sync(folder).map_err(|e| cannot("sync", folder, &e))?;
        }
        self.create_folder(&cur)?;
        files::sync(&self.path).map_err(|e| cannot("sync", &self.path, &e))
    }

    fn create_folder(&self, folder: &Path) -> Delivered {
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
            created => created.map_err(|e| cannot("create", folder, &e)),
        }
    }

    /// Removes the drafts that killed processes have left behind. `now` is a file that was just
    /// written, so that ages are measured by the clock of the file system.
    fn remove_old_drafts(&self, tmp: &Path, now: &File) -> io::Result<()> {
        let now = now.metadata()?.modified()?;
        for entry in tmp.read_dir()? {
            let entry = entry?;
            let is_draft = entry.file_name().as_encoded_bytes().starts_with(DRAFT.as_bytes());
            // Another process may have removed it.
            let Ok(file) = entry.metadata() else { continue };
            let age = now.duration_since(file.modified()?).unwrap_or_default();
            if is_draft && file.is_file() && age > MIN_STALE_AGE {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Writes `bytes` to the file `name` in `new/` and syncs it, but not the folder. An existing
    /// file of this name is the same message, delivered earlier.
    fn store(&mut self, name: &str, bytes: &[u8]) -> Delivered {
        let (tmp, new) = (self.path.join("tmp"), self.path.join("new"));
        let draft = files::draft(&tmp, DRAFT).and_then(|mut draft| {
            draft.write_all(bytes)?;
            Ok(draft)
        });
        let draft = draft.map_err(|e| cannot("write to", &tmp, &e))?;
        if !self.is_clean {
            // A failure is ignored, since old drafts do no harm.
            let _ = self.remove_old_drafts(&tmp, draft.as_file());
            self.is_clean = true;
        }
        match files::publish_unsynced(draft, &new.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(cannot("write to", &new, &e)),
            _ => Ok(()),
        }
    }
}

/// Refuses a path unless it is a folder where this user can create files.
fn must_be_writable(folder: &Path) -> Delivered {
    if folder.exists() && !folder.is_dir() {
        let why = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(cannot("write to", folder, &why));
    }
    access(folder, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| cannot("write to", folder, &error.into()))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> DeliveryError {
    DeliveryError::Unavailable(format!("cannot {what} {}: {error}", path.display()))
}

/// Returns the stored form of a message: `Delivered-To` on top, LF line ends.
fn stored_form(message: &Message) -> Vec<u8> {
    let mut stored = format!("Delivered-To: {}\n", message.to).into_bytes();
    stored.extend(message.with_lf());
    stored
}

/// Returns the file name of a message: unique for its Message-ID, and without characters that have
/// a meaning to a file system or a mail reader.
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
    if name.len() > MAX_NAME_BYTES {
        let hash = digest(&SHA256, name.as_bytes());
        name.truncate(MAX_NAME_BYTES);
        // `~` occurs in no other name.
        let _ = write!(name, "~{}", HEXLOWER.encode(&hash.as_ref()[..8]));
    }
    name
}
