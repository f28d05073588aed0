//! A Maildir that another program fills: fetchmail, mbsync, getmail, a mail server.

use std::collections::VecDeque;
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

/// Mails that were read, with their files. They are read once, even if they wait for the next
/// transaction.
#[derive(Default)]
struct Batch {
    mails: Vec<Incoming<'static>>,
    files: Vec<PathBuf>,
}

/// Processes new mails in the order in which they came. A processed mail is moved to `cur`, a
/// quarantined one is removed, and one that cannot be processed now stays and does not stop the
/// others. Stops before the next mail when `is_active` returns false.
///
/// # Errors
/// When the folder is not a Maildir.
pub(crate) fn receive(
    app: &mut App,
    folder: &Path,
    is_active: &dyn Fn() -> bool,
) -> Result<Round, Error> {
    check(folder)?;
    let mut round = Round::default();
    let mut paths = VecDeque::from(new(folder).map_err(|reason| fault(folder, &reason))?);
    let mut batch = Batch::default();
    while (!paths.is_empty() || !batch.mails.is_empty()) && is_active() {
        if let Err(error) = batch.read_more(&mut paths) {
            round.error.get_or_insert(error);
        }
        if batch.mails.is_empty() {
            continue;
        }
        match app.process(&mut batch.mails) {
            Ok(results) => {
                batch.mails.drain(..results.len());
                for (file, result) in batch.files.drain(..results.len()).zip(results) {
                    let settled = result.and_then(|processed| {
                        let disposition = processed.disposition;
                        round.processed.push(processed);
                        settle(folder, &file, disposition)
                    });
                    if let Err(error) = settled {
                        round.error.get_or_insert(error);
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
    let done = if disposition == Disposition::Quarantined {
        fs::remove_file(path)
    } else {
        fs::rename(path, folder.join("cur").join(seen(path)))
    };
    match done {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => Ok(()),
        other => other.map_err(|reason| fault(folder, &reason)),
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
