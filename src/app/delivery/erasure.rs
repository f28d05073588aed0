//! Erases the addresses of players who have left, from the tables and from the quarantine.

use std::fs;
use std::io::ErrorKind;

use chrono::TimeDelta;

use crate::app::{App, Error};
use crate::command::mailbox;
use crate::store::{SettledFarewell, mentions};

/// How long a farewell can wait for its delivery. Then the address is erased, sent or not.
const FAREWELL_WAITS: TimeDelta = TimeDelta::days(3);

impl App {
    /// Erases the addresses of players who have left and whose farewell was sent, has failed or has
    /// waited for too long. Of an address that a player has again, only the farewell is deleted.
    pub(crate) fn erase_addresses(&mut self) -> Result<(), Error> {
        let before = self.env.now() - FAREWELL_WAITS;
        for SettledFarewell { mail, address } in
            self.store.read(|db| db.settled_farewells(before))?
        {
            let is_in_use = self.store.read(|db| db.player_at(&address))?.is_some();
            if !is_in_use {
                // Before the tables, so that it is done again if the process is killed between.
                self.erase_from_quarantine(&address)?;
            }
            self.store.write(|tx| {
                tx.delete_farewell(mail)?;
                match tx.player_at(&address)? {
                    Some(_) => Ok(()),
                    None => tx.erase_address(&address, &mailbox(&address)),
                }
            })?;
        }
        Ok(())
    }

    /// Deletes the mails in the quarantine that have this address.
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
        Ok(())
    }
}
