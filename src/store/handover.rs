//! The handover of a club to another machine: a mark in the database, which from then on is only read, and
//! in its copy.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::{fs, io};

use rusqlite::Connection;

use super::connection::connect;
use super::copy::{CopyError, DRAFT_PREFIX, copy_to, lock_for_copy};
use super::outbox::ClaimRequest;
use super::queue::Turn;
use super::{Db, Error, Result, Store, transaction};
use crate::files;

/// The mark of a database that was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// The name of the other machine.
    pub to: String,
    /// Whether this is the database for the other machine.
    pub is_copy: bool,
}

impl Db<'_> {
    /// Returns the mark; `None` if the club works with this database.
    pub fn handover(&self) -> Result<Option<Handover>> {
        self.first("SELECT name, is_copy FROM handover WHERE id = 1", [], |row| {
            Ok(Handover { to: row.get("name")?, is_copy: row.get("is_copy")? })
        })
    }

    /// Refuses a database with a mark.
    pub(super) fn refuse_moved(&self) -> Result<()> {
        self.handover()?.map_or(Ok(()), |handover| Err(Error::Moved(handover.to)))
    }
}

impl Store {
    /// Writes a folder with a copy of the database for the machine of this name, and marks the database as
    /// handed over, in one turn of the writers: the copy has all that was ever confirmed here. `add` puts
    /// other files into the folder. The folder is complete and on disk before the database has the mark, and
    /// then gets its name. A database with the mark is copied again.
    ///
    /// While a mail is being sent, calls `waits`, and returns false, and changes nothing, when that returns
    /// false.
    ///
    /// # Errors
    /// [`Error::Moved`] if this is the copy for another machine, and [`Error`] when there is something of the
    /// folder's name, it cannot be written, or the database is damaged.
    pub fn hand_over(
        &self,
        to: &str,
        folder: &Path,
        request: &ClaimRequest,
        add: impl FnOnce(&Path) -> io::Result<()>,
        waits: impl Fn() -> bool,
    ) -> Result<bool> {
        let failed = |error: io::Error| CopyError::Io(error).at(folder);
        self.must_exist()?;
        self.must_be_sound()?;
        if folder.symlink_metadata().is_ok() {
            return Err(CopyError::Exists.at(folder));
        }
        let above = files::folder_of(folder);
        if !above.is_dir() {
            return Err(Error::BackupFolderMissing(above.to_owned()));
        }
        let _lock = lock_for_copy(above);
        let draft = tempfile::Builder::new()
            .prefix(DRAFT_PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(above);
        let draft = draft.map_err(|error| failed(error.kind().into()))?;
        add(draft.path()).map_err(failed)?;
        let copy = draft.path().join(self.path().file_name().unwrap_or_default());
        while !self.mark_and_copy(to, &copy, request)? {
            if !waits() {
                return Ok(false);
            }
        }
        fs::rename(draft.keep(), folder).map_err(failed)?;
        files::sync(above).map_err(failed)?;
        Ok(true)
    }

    /// Marks the database and copies it, unless a mail is being sent. Returns whether it was done.
    fn mark_and_copy(&self, to: &str, copy: &Path, request: &ClaimRequest) -> Result<bool> {
        let turn = Turn::wait(self.path(), None)?;
        transaction::write(&self.connection, |tx| {
            turn.sync_new_names(self.path());
            if tx.handover()?.is_some_and(|handover| handover.is_copy) {
                tx.refuse_moved()?;
            }
            if tx.is_any_mail_claimed(request)? {
                return Ok(false);
            }
            let sql = "INSERT OR REPLACE INTO handover (id, name, is_copy) VALUES (1, ?1, ?2)";
            tx.run(sql, (to, false))?;
            let mark = |copy: &Connection| copy.execute(sql, (to, true)).map(drop);
            // SQLite copies nothing from a connection that writes. Another one reads what it found.
            let before = connect(self.path())?;
            copy_to(&before, copy, DRAFT_PREFIX.as_ref(), mark).map_err(|error| error.at(copy))?;
            Ok(true)
        })
    }

    /// Removes the mark, so that the club works with this database: the copy for this machine or, with `back`,
    /// the database that was handed over. Returns the mark that was there; `None`, and changes nothing, if
    /// there is none or it is that of the other one.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn take_over(&self, back: bool) -> Result<Option<Handover>> {
        let turn = Turn::wait(self.path(), None)?;
        transaction::write(&self.connection, |tx| {
            turn.sync_new_names(self.path());
            let handover = tx.handover()?;
            if handover.as_ref().is_some_and(|it| it.is_copy != back) {
                tx.run("DELETE FROM handover WHERE id = 1", [])?;
            }
            Ok(handover)
        })
    }
}
