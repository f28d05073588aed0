//! A Maildir that another program fills: fetchmail, mbsync, getmail, a mail server.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::intake::Fate;
use super::{App, Envelope, Error, Reply, Taken, read};
use crate::store;

#[derive(Serialize)]
struct Json {
    taken: usize,
    quarantined: usize,
}

/// What came of a look into a Maildir.
pub(super) struct Round {
    pub reply: Reply,
    /// Why the first of those mails stayed that cannot be dealt with now.
    pub trouble: Option<Error>,
}

/// Takes in what is new, in the order in which it came. A mail that is dealt with is moved to
/// `cur`, one that went to quarantine is removed, and one that cannot be dealt with now stays, in
/// nobody's way. `goes_on` is asked before each.
///
/// # Errors
/// When the folder is no Maildir.
pub(super) fn take_in(
    app: &App,
    folder: &Path,
    goes_on: &dyn Fn() -> bool,
) -> Result<Round, Error> {
    check(folder)?;
    let mut mails = Vec::new();
    let mut json = Json { taken: 0, quarantined: 0 };
    let mut trouble = None;
    for path in new(folder).map_err(|reason| fault(folder, reason))? {
        if !goes_on() {
            break;
        }
        match take_one(app, folder, &path) {
            Ok(None) => {}
            Ok(Some(taken)) => {
                mails.extend(taken.reply.mails);
                json.taken += 1;
                json.quarantined += usize::from(taken.fate == Fate::Quarantined);
            }
            Err(error) => {
                // The others would wait as long, and fare no better.
                let is_general = matches!(error, Error::Store(store::Error::Locked));
                trouble.get_or_insert(error);
                if is_general {
                    break;
                }
            }
        }
    }
    let Json { taken, quarantined } = json;
    let mut said = format!("{taken} taken in");
    if quarantined > 0 {
        said.push_str(&format!(", {quarantined} of them to quarantine"));
    }
    let reply = Reply::new(&json).text(format!("{said}.")).with_mails(mails);
    Ok(Round { reply, trouble })
}

fn fault(folder: &Path, reason: io::Error) -> Error {
    Error::Maildir { folder: folder.to_owned(), reason }
}

/// Checks that a folder is a Maildir, before anything of it is acted upon.
///
/// # Errors
/// When it is none.
pub(super) fn check(folder: &Path) -> Result<(), Error> {
    for part in ["new", "cur"] {
        if !fs::metadata(folder.join(part)).map_err(|reason| fault(folder, reason))?.is_dir() {
            return Err(fault(folder, io::ErrorKind::NotADirectory.into()));
        }
    }
    Ok(())
}

/// Takes one mail in; `None` when somebody else has done so.
fn take_one(app: &App, folder: &Path, path: &Path) -> Result<Option<Taken>, Error> {
    let fault = |reason| fault(folder, reason);
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(fault)?,
    };
    let taken = app.take_in(&Envelope::default(), &mut file, read::read)?;
    let done = if taken.fate == Fate::Quarantined {
        fs::remove_file(path)
    } else {
        fs::rename(path, folder.join("cur").join(seen(path)))
    };
    match done {
        // Somebody else was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => {}
        other => other.map_err(fault)?,
    }
    Ok(Some(taken))
}

/// The files of `new`, the oldest first.
fn new(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.join("new"))? {
        let entry = entry?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let meta = match entry.metadata() {
            // Somebody else has dealt with it.
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

/// The name that a mail has in `cur`: with the flags that it has, marked as seen.
fn seen(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let base = name.split(":2,").next().unwrap_or_default();
    format!("{base}:2,S")
}
