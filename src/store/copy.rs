//! Copies of a database.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::Backup;
use tempfile::TempDir;

use super::Error;
use super::mark::{self, MarkId};
use crate::files;

/// Why a copy could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum CopyError {
    #[error("there is a file of this name")]
    Exists,
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl CopyError {
    /// Returns the error for this copy.
    pub(super) fn at(self, path: &Path) -> Error {
        let path = path.to_owned();
        match self {
            Self::Exists => Error::BackupExists(path),
            Self::Sqlite(error) => Error::Backup { path, reason: Error::from(error).to_string() },
            Self::Io(error) => Error::Backup { path, reason: error.to_string() },
        }
    }
}

/// How the names of incomplete copies begin.
pub(super) const DRAFT_PREFIX: &str = ".outflank-copy-";

/// Writes a copy to a new file, which gets its name when it is complete. It lacks the marks of the
/// installation from this one on, if it is a backup. Changes nothing when there is a file of this name.
pub(super) fn copy(
    from: &Connection,
    target: &Path,
    next_mark: Option<MarkId>,
) -> Result<(), CopyError> {
    copy_to(from, target, DRAFT_PREFIX.as_ref(), forgetting(next_mark)).map_err(|error| match error
    {
        CopyError::Io(error) if error.kind() == io::ErrorKind::AlreadyExists => CopyError::Exists,
        other => other,
    })
}

/// Returns what makes a copy a backup: it lacks the marks of the installation from this one on.
pub(super) fn forgetting(
    next_mark: Option<MarkId>,
) -> impl FnOnce(&Connection) -> rusqlite::Result<()> {
    move |copy| next_mark.map_or(Ok(()), |first| mark::forget_from(copy, first))
}

/// Removes the incomplete copies that killed processes have left in a folder. Returns the lock under which
/// the next copy can be made there: all who make one share it. `None` where folders cannot be locked;
/// only leftovers stay then.
pub(super) fn lock_for_copy(folder: &Path) -> Option<File> {
    let lock = File::open(folder).ok()?;
    if lock.try_lock().is_ok() {
        remove_leftovers(folder, DRAFT_PREFIX.as_ref()).ok()?;
    }
    lock.lock_shared().ok()?;
    Some(lock)
}

/// Returns a folder for the draft of something new beside its place, for this user only, and the lock under
/// which it is there.
///
/// # Errors
/// [`Error`] if the place is in no folder, or that cannot be written.
pub(super) fn draft_folder(target: &Path) -> Result<(TempDir, Option<File>), Error> {
    let above = files::folder_of(target);
    if !above.is_dir() {
        return Err(Error::BackupFolderMissing(above.to_owned()));
    }
    let lock = lock_for_copy(above);
    let folder = tempfile::Builder::new()
        .prefix(DRAFT_PREFIX)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(above);
    // The error of the library names this folder.
    let folder = folder.map_err(|error| CopyError::Io(error.kind().into()).at(target))?;
    Ok((folder, lock))
}

/// Removes the incomplete copies of processes that were killed. No other process may be making one whose
/// name begins like this.
pub(super) fn remove_leftovers(folder: &Path, prefix: &OsStr) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_draft = entry.file_name().as_encoded_bytes().starts_with(prefix.as_encoded_bytes());
        if is_draft && entry.file_type()?.is_dir() {
            // What stays is tried again by the next copy, and harms none.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// Writes a copy to a new file, changes it, and gives it its name when it is complete and on disk. Until then
/// it is in a folder beside it whose name has this prefix.
pub(super) fn copy_to(
    from: &Connection,
    target: &Path,
    prefix: &OsStr,
    change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<(), CopyError> {
    // SQLite may leave a journal beside an incomplete copy. It is removed with this folder.
    let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(files::folder_of(target));
    // The error of the library names this folder.
    let folder = folder.map_err(|error| io::Error::from(error.kind()))?;
    let draft = files::draft(folder.path(), "")?;
    let mut copy = Connection::open(draft.path())?;
    Backup::new(from, &mut copy)?.run_to_completion(i32::MAX, Duration::ZERO, None)?;
    // In one file, without a log beside it that a later copy could forget.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    change(&copy)?;
    drop(copy);
    // Otherwise a power failure could leave the final name without what it names.
    files::sync(folder.path())?;
    Ok(files::publish(draft, target)?)
}
