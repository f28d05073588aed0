//! Files that get their name when they are complete and on disk.

use std::fs::File;
use std::io;
use std::path::{self, Path, PathBuf};

use tempfile::NamedTempFile;

/// Creates a file with a unique name and mode 0600, which is removed unless it is published.
pub(crate) fn draft(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(prefix).tempfile_in(folder).map_err(|error| {
        // The error names the draft, which means nothing to the reader.
        let text = error.to_string();
        let cause = text.split(" at path ").next().unwrap_or_default();
        io::Error::new(error.kind(), cause)
    })
}

/// Syncs a draft and gives it the name `target`, on the same file system. The name is on disk when
/// this returns, even with the error `AlreadyExists`, which leaves the existing file as it is.
pub(crate) fn publish(draft: NamedTempFile, target: &Path) -> io::Result<()> {
    let published = publish_unsynced(draft, target);
    if published.as_ref().err().is_none_or(|error| error.kind() == io::ErrorKind::AlreadyExists) {
        sync(folder_of(target))?;
    }
    published
}

/// Syncs a draft and gives it the name `target`, on the same file system. The caller must [`sync`]
/// the folder of `target`.
pub(crate) fn publish_unsynced(draft: NamedTempFile, target: &Path) -> io::Result<()> {
    draft.as_file().sync_all()?;
    draft.persist_noclobber(target).map(drop).map_err(|failed| failed.error)
}

/// Syncs the names in a folder to disk, if it can be read.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        folder => folder?.sync_all(),
    }
}

/// Syncs all folders above a file or folder. A name is on disk only after its folder was synced, and
/// the process that created a folder may have been killed before that.
pub(crate) fn sync_above(path: &Path) -> io::Result<()> {
    folders_above(path)?.iter().try_for_each(|folder| match sync(folder) {
        // A read-only or special file system has nothing to sync.
        Err(error) if is_unsyncable(&error) => Ok(()),
        other => other,
    })
}

/// Returns the folders above a file or folder, the innermost first.
fn folders_above(path: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(path::absolute(path)?.ancestors().skip(1).map(Path::to_owned).collect())
}

fn is_unsyncable(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, ReadOnlyFilesystem, Unsupported};
    matches!(error.kind(), InvalidInput | ReadOnlyFilesystem | Unsupported)
}

/// Returns the space that this user can still use on the file system of a path, in bytes.
///
/// # Errors
/// When the path does not exist or cannot be reached.
pub(crate) fn free_space(path: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(path)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Returns the folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    or_current(path.parent().unwrap_or(Path::new("")))
}

/// Returns the folder, or `.` for an empty path.
pub(crate) fn or_current(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_space_of_a_file_system_is_known() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_space(folder.path()).unwrap() > 0);
        // This file system has no space at all.
        assert_eq!(free_space(Path::new("/proc")).unwrap(), 0);
        let missing = free_space(&folder.path().join("missing")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn all_folders_above_are_synced() {
        let above = folders_above(Path::new("/srv/games/outflank.db")).unwrap();
        assert_eq!(above, ["/srv/games", "/srv", "/"].map(PathBuf::from));
        let current = std::env::current_dir().unwrap();
        assert_eq!(folders_above(Path::new("outflank.db")).unwrap()[0], current);
        let folder = tempfile::tempdir().unwrap();
        sync_above(&folder.path().join("outflank.db")).unwrap();
        let missing = sync_above(&folder.path().join("missing/outflank.db")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        sync_above(Path::new("/proc/self/status")).unwrap();
    }
}
