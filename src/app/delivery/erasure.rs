//! Erases the addresses of players who have left, from the tables and from the quarantine.

use std::fs;
use std::io::ErrorKind;

use chrono::TimeDelta;

use crate::app::{App, Error};
use crate::command::mailbox;
use crate::files;
use crate::store::{Db, mentions};

/// How long a farewell can wait for its delivery. Then the address is erased, sent or not.
const FAREWELL_WAITS: TimeDelta = TimeDelta::days(3);

/// The most rows that are erased in one transaction.
const MAX_ERASED: usize = 500;

impl App {
    /// Erases the address of each player who has left, once the farewell was sent, has failed or has waited
    /// for too long. If a player has the address again, only the farewell is deleted.
    pub(crate) fn erase_addresses(&mut self) -> Result<(), Error> {
        let before = self.env.now() - FAREWELL_WAITS;
        for (mail, address) in self.store.read(|db| db.settled_farewells(before))? {
            let is_in_use = |db: &Db| db.player_at(&address).map(|player| player.is_some());
            if !self.store.read(is_in_use)? {
                // The farewell goes last, so that all is done again if the process is killed before.
                self.erase_from_quarantine(&address)?;
                let rows = self.store.read(|db| db.rows_mentioning(&address))?;
                for rows in rows.chunks(MAX_ERASED) {
                    self.store.write(|tx| match is_in_use(tx)? {
                        true => Ok(()),
                        false => tx.erase_rows(rows, &address, &mailbox(&address)),
                    })?;
                }
            }
            self.store.write(|tx| {
                tx.delete_farewell(mail)?;
                match is_in_use(tx)? {
                    true => Ok(()),
                    false => tx.erase_address(&address, &mailbox(&address)),
                }
            })?;
            // The write-ahead log still has the erased rows.
            self.store.checkpoint()?;
        }
        Ok(())
    }

    /// Deletes the mails in the quarantine that have this address. They are gone from the disk when this
    /// returns, also those that a process has deleted that was killed then.
    fn erase_from_quarantine(&self, address: &str) -> Result<(), Error> {
        let folder = self.quarantine_folder();
        let fault =
            |error| Error::fault(format!("cannot erase from {}: {error}", folder.display()));
        let entries = match folder.read_dir() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(fault)?,
        };
        for entry in entries {
            let path = entry.map_err(fault)?.path();
            // Another process may have removed it.
            let Ok(mail) = fs::read(&path) else { continue };
            if mentions(&mail, address) {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(fault(error)),
                    _ => {}
                }
            }
        }
        files::sync(&folder).map_err(fault)
    }
}
