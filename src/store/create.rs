//! Creates the database in the transaction that first writes to it, so that a refused command
//! leaves nothing behind, however many processes do this at once.

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::{Error, begin, connect, migrate, prepare};
use crate::files;

/// How often to start again because another process removed the file it had created.
const ATTEMPTS: u32 = 100;

/// A database file with an open transaction, in which it has the newest schema.
pub(super) struct Creation<'a> {
    path: &'a Path,
    connection: Connection,
    /// The folders that this process created, outermost first.
    folders: Vec<PathBuf>,
    /// Whether this process created the file, and no other has written to it since.
    is_creator: bool,
}

impl<'a> Creation<'a> {
    pub(super) fn begin(path: &'a Path, creates_folder: bool) -> Result<Self, Error> {
        for _ in 0..ATTEMPTS {
            let folders =
                if creates_folder { create_folders(files::folder_of(path)) } else { Vec::new() };
            // It knows addresses, so only its owner may read it. SQLite gives the files beside it
            // the same mode, and reports what is wrong with the path better than this would.
            let mut options = OpenOptions::new();
            let created = options.write(true).create_new(true).mode(0o600).open(path).is_ok();
            let file = inode(path);
            let connection = connect(path)?;
            let is_current = || inode(path) == file;
            if !is_current() {
                continue;
            }
            let opening = |error| Error::opening(path, error);
            prepare(&connection).map_err(opening)?;
            connection.execute_batch("BEGIN IMMEDIATE").map_err(opening)?;
            if is_current() {
                let is_creator = created && migrate::is_empty(&connection)?;
                migrate::apply(&connection, path)?;
                return Ok(Self { path, connection, folders, is_creator });
            }
        }
        Err(Error::Locked)
    }

    /// Does the work and commits. After an error, removes what this process has created.
    pub(super) fn finish<T, E: From<Error>>(
        self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<(T, Connection), E> {
        let committed =
            work(&self.connection).and_then(|done| self.commit().map(|()| done).map_err(E::from));
        match committed {
            Ok(done) => {
                // If another process is in the way, the next one to open the file does it.
                let _ = migrate::use_write_ahead_log(&self.connection);
                Ok((done, self.connection))
            }
            Err(error) => {
                self.remove();
                Err(error)
            }
        }
    }

    fn commit(&self) -> Result<(), Error> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Removes the file if it is still empty. Another process that has it open waits for the
    /// lock meanwhile, and then finds that it is gone.
    fn remove(self) {
        let Self { path, connection, folders, is_creator } = self;
        let _ = connection.execute_batch("ROLLBACK");
        if !is_creator {
            return;
        }
        if let Ok(_lock) = begin(&connection, TransactionBehavior::Immediate)
            && migrate::is_empty(&connection).unwrap_or(false)
        {
            let _ = fs::remove_file(path);
        }
        for folder in folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Identifies the file of this name.
fn inode(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// Creates a folder and those above it, and returns those that were missing, innermost first. A
/// folder that cannot be created is reported when the file cannot be.
fn create_folders(folder: &Path) -> Vec<PathBuf> {
    let missing = folder.ancestors().take_while(|folder| !folder.exists());
    let missing: Vec<_> = missing.map(Path::to_owned).collect();
    let _ = DirBuilder::new().recursive(true).create(folder);
    missing
}
