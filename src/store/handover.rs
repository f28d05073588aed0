//! The handover of a club to another machine: a mark in the database, which from then on is only read, and
//! in its copy.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path};
use std::{fs, io};

use rusqlite::Connection;

use super::connection::{connect, handover_of};
use super::copy::{CopyError, DRAFT_PREFIX, copy_to, draft_folder};
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

/// A try to mark the database and to copy it.
pub type Attempt<'a> = &'a mut dyn FnMut() -> Option<Result<()>>;

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
    /// then gets its name; if this process is killed before, from the next one that wants to write. A database with
    /// the mark is copied again.
    ///
    /// `poll` repeats an attempt until it returns something: it returns nothing while a mail is being sent.
    /// Returns false, and changes nothing, if `poll` gives up.
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
        poll: impl FnOnce(Attempt) -> Option<Result<()>>,
    ) -> Result<bool> {
        let failed = |error: io::Error| CopyError::Io(error).at(folder);
        self.must_exist()?;
        self.must_be_sound()?;
        if folder.symlink_metadata().is_ok() {
            return Err(CopyError::Exists.at(folder));
        }
        let (draft, _lock) = draft_folder(folder)?;
        add(draft.path()).map_err(failed)?;
        let copy = draft.path().join(self.path().file_name().unwrap_or_default());
        let names = [draft.path(), folder];
        let mut attempt = || {
            let done = self.mark_and_copy(to, &copy, names, request);
            done.map(|is_done| is_done.then_some(())).transpose()
        };
        let Some(done) = poll(&mut attempt) else { return Ok(false) };
        done?;
        publish(&draft.keep(), folder).map_err(failed)?;
        // Without its file, there is nothing left to finish.
        let _ = fs::remove_file(handover_of(self.path()));
        Ok(true)
    }

    /// Gives the folder of a killed process its name, if the database has the mark. What fails is tried again by
    /// the next process that wants to write.
    pub(super) fn finish_handover(&self) {
        let file = handover_of(self.path());
        let Ok(names) = fs::read(&file) else { return };
        let mut names = names.split(|byte| *byte == 0).map(|it| Path::new(OsStr::from_bytes(it)));
        if let (Some(draft), Some(folder)) = (names.next(), names.next())
            && publish(draft, folder).is_ok()
        {
            let _ = fs::remove_file(file);
        }
    }

    /// Marks the database and copies it, unless a mail is being sent, and stores the names that the folder has
    /// now and is to get. Returns whether it was done.
    fn mark_and_copy(
        &self,
        to: &str,
        copy: &Path,
        names: [&Path; 2],
        request: &ClaimRequest,
    ) -> Result<bool> {
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
            store_names(&handover_of(self.path()), names)
                .map_err(|error| CopyError::Io(error).at(copy))?;
            Ok(true)
        })
    }

    /// Removes the mark, so that the club works with this database: the copy for this machine or, with `back`,
    /// the database that was handed over. Returns the mark that was there, if any. That of the other one stays.
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

/// Stores two paths in a file, with a zero byte between them.
fn store_names(file: &Path, names: [&Path; 2]) -> io::Result<()> {
    let [draft, folder] = [path::absolute(names[0])?, path::absolute(names[1])?];
    let bytes = [draft.as_os_str().as_bytes(), &[0], folder.as_os_str().as_bytes()].concat();
    let mut new = files::draft(files::folder_of(file), ".handover-")?;
    new.write_all(&bytes)?;
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => files::publish(new, file),
    }
}

/// Gives a complete folder its name, unless another process has done so.
fn publish(draft: &Path, folder: &Path) -> io::Result<()> {
    match fs::rename(draft, folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => {}
        renamed => renamed?,
    }
    files::sync(files::folder_of(folder))
}
