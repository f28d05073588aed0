//! A Maildir that another program fills: fetchmail, mbsync, getmail, a mail server.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::app::receive::batch;
use crate::app::receive::batch::Incoming;
use crate::app::receive::intake::Disposition;
use crate::app::receive::{App, Envelope, Error, Kind, Reply, read};

#[derive(Serialize)]
struct MaildirJson {
    processed: usize,
    quarantined: usize,
}

/// The result of processing the new mails of a Maildir.
pub(crate) struct Round {
    pub reply: Reply,
    /// Why the first of the mails that stay could not be processed.
    pub error: Option<Error>,
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
    let mut mails = Vec::new();
    let mut json = MaildirJson { processed: 0, quarantined: 0 };
    let mut first_error = None;
    let mut paths = VecDeque::from(new(folder).map_err(|reason| fault(folder, &reason))?);
    // Mails that were read, with their files. They are read once, even if they wait for the next
    // transaction.
    let (mut files, mut batch) = (Vec::new(), Vec::new());
    while (!paths.is_empty() || !files.is_empty()) && is_active() {
        if let Err(error) = read_more(&mut paths, &mut files, &mut batch) {
            first_error.get_or_insert(error);
        }
        if batch.is_empty() {
            continue;
        }
        let results = match app.process(&mut batch) {
            Ok(results) => results,
            Err(error) => {
                let is_locked = error.kind() == Kind::Locked;
                first_error.get_or_insert(error);
                if is_locked {
                    // The others would wait as long, and fail too.
                    break;
                }
                files.clear();
                batch.clear();
                continue;
            }
        };
        batch.drain(..results.len());
        for (file, result) in files.drain(..results.len()).zip(results) {
            let moved = result.and_then(|processed| {
                settle(folder, &file, processed.disposition)?;
                Ok(processed)
            });
            match moved {
                Ok(processed) => {
                    mails.extend(processed.reply.mails);
                    json.processed += 1;
                    json.quarantined +=
                        usize::from(processed.disposition == Disposition::Quarantined);
                }
                Err(error) => _ = first_error.get_or_insert(error),
            }
        }
    }
    let MaildirJson { processed, quarantined } = json;
    let mut text = format!("{processed} processed");
    if quarantined > 0 {
        text.push_str(&format!(", {quarantined} of them quarantined"));
    }
    let reply = Reply::new(&json).text(format!("{text}.")).with_mails(mails);
    Ok(Round { reply, error: first_error })
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

/// Reads mails until there are enough for a batch. Those that another process has moved meanwhile are
/// left out.
///
/// # Errors
/// When one cannot be read; it is left out, and those behind it are not read yet.
fn read_more(
    paths: &mut VecDeque<PathBuf>,
    files: &mut Vec<PathBuf>,
    batch: &mut Vec<Incoming>,
) -> Result<(), Error> {
    const ENVELOPE: &Envelope = &Envelope { recipient: None, sender: None, extension: None };
    let mut bytes: usize = batch.iter().map(|mail| mail.bytes.len()).sum();
    while batch.len() < batch::MOST_MAILS
        && bytes < batch::MOST_BYTES
        && let Some(path) = paths.pop_front()
    {
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file.map_err(|error| {
                Error::fault(format!("cannot read {}: {error}", path.display()))
            })?,
        };
        let mail = Incoming::read(ENVELOPE, file, read::read)?;
        bytes += mail.bytes.len();
        batch.push(mail);
        files.push(path);
    }
    Ok(())
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
