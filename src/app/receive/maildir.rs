//! A Maildir that another program fills: fetchmail, mbsync, getmail, a mail server.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::intake::Disposition;
use super::{App, Envelope, Error, Kind, Processed, Reply, read};

#[derive(Serialize)]
struct MaildirJson {
    processed: usize,
    quarantined: usize,
}

/// The result of processing the new mails of a Maildir.
pub(super) struct Round {
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
pub(super) fn receive(
    app: &mut App,
    folder: &Path,
    is_active: &dyn Fn() -> bool,
) -> Result<Round, Error> {
    check(folder)?;
    let mut mails = Vec::new();
    let mut json = MaildirJson { processed: 0, quarantined: 0 };
    let mut first_error = None;
    for path in new(folder).map_err(|reason| fault(folder, &reason))? {
        if !is_active() {
            break;
        }
        match receive_one(app, folder, &path) {
            Ok(None) => {}
            Ok(Some(processed)) => {
                mails.extend(processed.reply.mails);
                json.processed += 1;
                json.quarantined += usize::from(processed.disposition == Disposition::Quarantined);
            }
            Err(error) => {
                let is_locked = error.kind() == Kind::Locked;
                first_error.get_or_insert(error);
                if is_locked {
                    // The others would wait as long, and fail too.
                    break;
                }
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
pub(super) fn check(folder: &Path) -> Result<(), Error> {
    for part in ["new", "cur"] {
        if !fs::metadata(folder.join(part)).map_err(|reason| fault(folder, &reason))?.is_dir() {
            return Err(fault(folder, &io::ErrorKind::NotADirectory.into()));
        }
    }
    Ok(())
}

/// Processes one mail; `None` when another process has done so.
fn receive_one(app: &mut App, folder: &Path, path: &Path) -> Result<Option<Processed>, Error> {
    let fault = |reason: io::Error| fault(folder, &reason);
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(fault)?,
    };
    let processed = app.process(&Envelope::default(), &mut file, read::read)?;
    let done = if processed.disposition == Disposition::Quarantined {
        fs::remove_file(path)
    } else {
        fs::rename(path, folder.join("cur").join(seen(path)))
    };
    match done {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => {}
        other => other.map_err(fault)?,
    }
    Ok(Some(processed))
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
