//! A Maildir that another program fills: fetchmail, mbsync, getmail, a mail server.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::intake::Fate;
use super::quarantine::moved;
use super::{App, Envelope, Error, Reply, read};

#[derive(Serialize)]
struct Json {
    taken: usize,
    quarantined: usize,
}

/// Takes in what is new, in the order in which it came. A mail that is dealt with is moved to
/// `cur`, one that went to quarantine is removed, and one that cannot be dealt with now stays.
/// `goes_on` is asked before each.
///
/// # Errors
/// When the folder is no Maildir or cannot be changed, or a mail cannot be dealt with now. What was
/// dealt with before is.
pub(super) fn take_in(
    app: &App,
    folder: &Path,
    goes_on: &dyn Fn() -> bool,
) -> Result<Reply, Error> {
    let fault = |reason: io::Error| Error::Maildir { folder: folder.to_owned(), reason };
    let mut mails = Vec::new();
    let mut json = Json { taken: 0, quarantined: 0 };
    for path in new(folder).map_err(fault)? {
        if !goes_on() {
            break;
        }
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(fault)?,
        };
        let taken = app.take_in(&Envelope::default(), &mut file, read::read)?;
        mails.extend(taken.reply.mails);
        json.taken += 1;
        if taken.fate == Fate::Quarantined {
            json.quarantined += 1;
            fs::remove_file(&path).map_err(fault)?;
        } else {
            moved(&path, &folder.join("cur").join(seen(&path))).map_err(fault)?;
        }
    }
    let Json { taken, quarantined } = json;
    let mut said = format!("{taken} taken in");
    if quarantined > 0 {
        said.push_str(&format!(", {quarantined} of them to quarantine"));
    }
    Ok(Reply::new(&json).text(format!("{said}.")).with_mails(mails))
}

/// The files of `new`, the oldest first.
fn new(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.join("new"))? {
        let entry = entry?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let meta = entry.metadata()?;
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
