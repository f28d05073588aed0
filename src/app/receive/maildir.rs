//! A Maildir that another program fills: fetchmail, mbsync, getmail, a mail server.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::app::receive::batch::{MAX_BATCH_BYTES, MAX_BATCH_MAILS};
use crate::app::receive::inbound::{Disposition, Envelope, Processed};
use crate::app::receive::read::Incoming;
use crate::app::{App, Error, Kind};
use crate::mail::read;

/// The envelope of every mail in a Maildir.
const NO_ENVELOPE: &Envelope = &Envelope { recipient: None, sender: None, extension: None };

/// The result of processing the new mails of a Maildir.
#[derive(Default)]
pub(crate) struct Round {
    pub processed: Vec<Processed>,
    /// Why the first of the mails that stay could not be processed.
    pub error: Option<Error>,
}

/// Mails that were processed, but could not be moved or removed. They are not processed again.
pub(crate) type Stuck = BTreeMap<PathBuf, Disposition>;

/// Mails that were read, with their files. They are read once, even if they wait for the next
/// transaction.
#[derive(Default)]
struct Batch {
    mails: Vec<Incoming<'static>>,
    files: Vec<PathBuf>,
}

/// Processes new mails, oldest first. A processed mail is moved to `cur`, a quarantined one is removed. If
/// this fails, the mail goes into `stuck`, and the next call tries again.
/// A mail that cannot be processed now stays and does not stop the others. Stops before the next mail
/// when `is_active` returns false.
///
/// # Errors
/// When the folder is not a Maildir.
pub(crate) fn receive(
    app: &mut App,
    folder: &Path,
    stuck: &mut Stuck,
    is_active: &dyn Fn() -> bool,
) -> Result<Round, Error> {
    check(folder)?;
    let mut round = Round::default();
    // A fault that concerns only some mails is reported if nothing else is wrong.
    let mut of_mail = None;
    stuck.retain(|path, disposition| match settle(folder, path, *disposition) {
        Ok(()) => false,
        Err(error) => {
            of_mail.get_or_insert(error);
            true
        }
    });
    let mut paths = VecDeque::from(new(folder).map_err(|reason| fault(folder, &reason))?);
    paths.retain(|path| !stuck.contains_key(path));
    let mut batch = Batch::default();
    while (!paths.is_empty() || !batch.mails.is_empty()) && is_active() {
        if let Err(error) = batch.read_more(&mut paths) {
            of_mail.get_or_insert(error);
        }
        if batch.mails.is_empty() {
            continue;
        }
        match app.process(&mut batch.mails, None) {
            Ok(results) => {
                batch.mails.drain(..results.len());
                for (file, result) in batch.files.drain(..results.len()).zip(results) {
                    match result {
                        Ok(processed) => {
                            let disposition = processed.disposition;
                            round.processed.push(processed);
                            if let Err(error) = settle(folder, &file, disposition) {
                                of_mail.get_or_insert(error);
                                stuck.insert(file, disposition);
                            }
                        }
                        Err(error) => {
                            round.error.get_or_insert(error);
                        }
                    }
                }
            }
            Err(error) => {
                let is_locked = error.kind() == Kind::Locked;
                round.error.get_or_insert(error);
                if is_locked {
                    // The others would wait as long, and fail too.
                    break;
                }
                batch = Batch::default();
            }
        }
    }
    round.error = round.error.or(of_mail);
    Ok(round)
}

fn fault(folder: &Path, reason: &io::Error) -> Error {
    Error::fault(format!("cannot read the Maildir {}: {reason}", folder.display()))
        .with_hint("give a folder that contains `new` and `cur`")
}

/// Checks that a folder is a Maildir.
pub(crate) fn check(folder: &Path) -> Result<(), Error> {
    for part in ["new", "cur"] {
        if !fs::metadata(folder.join(part)).map_err(|reason| fault(folder, &reason))?.is_dir() {
            return Err(fault(folder, &io::ErrorKind::NotADirectory.into()));
        }
    }
    Ok(())
}

impl Batch {
    /// Reads mails until there are enough. Those that another process has moved meanwhile are left
    /// out.
    ///
    /// # Errors
    /// When one cannot be read; it is left out, and those behind it are not read yet.
    fn read_more(&mut self, paths: &mut VecDeque<PathBuf>) -> Result<(), Error> {
        let mut bytes: usize = self.mails.iter().map(|mail| mail.bytes.len()).sum();
        while self.mails.len() < MAX_BATCH_MAILS
            && bytes < MAX_BATCH_BYTES
            && let Some(path) = paths.pop_front()
        {
            let file = match File::open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                file => file.map_err(|error| {
                    Error::fault(format!("cannot read {}: {error}", path.display()))
                })?,
            };
            let mail = Incoming::read(NO_ENVELOPE, file, read::read)?;
            bytes += mail.bytes.len();
            self.mails.push(mail);
            self.files.push(path);
        }
        Ok(())
    }
}

/// Moves a mail that was processed out of `new`.
fn settle(folder: &Path, path: &Path, disposition: Disposition) -> Result<(), Error> {
    let mail = path.display();
    let (done, what) = if disposition == Disposition::Quarantined {
        (fs::remove_file(path), format!("remove {mail}"))
    } else {
        let moved = fs::rename(path, folder.join("cur").join(seen(path)));
        (moved, format!("move {mail} to `cur`"))
    };
    match done {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => Ok(()),
        other => other.map_err(|reason| {
            Error::fault(format!("cannot {what}: {reason}"))
                .with_hint("the mail was processed; make the Maildir writable")
        }),
    }
}

/// Returns the files of `new`, oldest first.
fn new(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.join("new"))? {
        let entry = entry?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let meta = match entry.metadata() {
            // Another process has moved it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        if meta.is_file() && !hidden {
            found.push((meta.modified()?, entry.path()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Returns the name of a mail in `cur`, marked as seen.
fn seen(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let base = name.split(":2,").next().unwrap_or_default();
    format!("{base}:2,S")
}
