use std::fmt::Display;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::Backup;

use super::{Error, Store};
use crate::files;

impl Store {
    /// Writes a copy of the database, which may be in use, to a new file. The file gets its name
    /// when it is complete.
    ///
    /// # Errors
    /// [`Error`] when the file exists or cannot be written.
    pub fn backup(&self, target: &Path) -> Result<(), Error> {
        self.must_exist()?;
        let failed = |reason: &dyn Display| Error::Backup {
            path: target.to_owned(),
            reason: reason.to_string(),
        };
        let folder = files::folder_of(target);
        if !folder.is_dir() {
            return Err(failed(&"its folder does not exist"));
        }
        let draft = files::draft(folder, ".outflank-backup-").map_err(|error| failed(&error))?;
        let mut copy = Connection::open(draft.path()).map_err(|error| failed(&error))?;
        Backup::new(&self.connection, &mut copy)
            .and_then(|backup| backup.run_to_completion(i32::MAX, Duration::ZERO, None))
            // In one file, without a log beside it that a later copy could forget.
            .and_then(|()| copy.pragma_update(None, "journal_mode", "DELETE"))
            .map_err(|error| failed(&error))?;
        drop(copy);
        match files::publish(draft, target) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Error::BackupExists(target.to_owned()))
            }
            Err(error) => Err(failed(&error)),
        }
    }
}
