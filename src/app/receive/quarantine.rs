//! The quarantine: mails that cannot be processed, kept for the host to look at.

use std::fs::DirBuilder;
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};

use super::super::{App, Error};
use crate::{config, files};

impl App {
    /// Returns the folder of the quarantine.
    pub(in super::super) fn quarantine_folder(&self) -> PathBuf {
        let configured = self.env.config.receive.quarantine.clone();
        configured.unwrap_or_else(|| config::quarantine_beside(&self.env.database))
    }

    /// Writes a mail, of which the beginning was read already, to the quarantine, and returns
    /// false when that is full. Copies of a mail have the same name and are kept once.
    pub(super) fn quarantine(&self, beginning: &[u8], rest: &mut dyn Read) -> Result<bool, Error> {
        let folder = self.quarantine_folder();
        keep(&folder, beginning, rest).map_err(|reason| {
            let folder = folder.display();
            Error::fault(format!("cannot write to the quarantine {folder}: {reason}"))
        })
    }
}

/// The most mails in the quarantine.
const MOST: usize = 1000;

fn keep(folder: &Path, beginning: &[u8], rest: &mut dyn Read) -> io::Result<bool> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // Another process may have created it and been killed.
    files::sync_above(folder)?;
    if folder.read_dir()?.take(MOST).count() == MOST {
        return Ok(false);
    }
    let mut file = files::draft(folder, ".")?;
    let mut mail = Hashed { input: beginning.chain(rest), context: Context::new(&SHA256) };
    io::copy(&mut mail, &mut file)?;
    let digest = mail.context.finish();
    let name = HEXLOWER.encode(digest.as_ref().get(..16).unwrap_or_default());
    match files::publish(file, &folder.join(format!("{name}.eml"))) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(true),
    }
}

/// A reader, and the digest of what was read from it.
struct Hashed<R> {
    input: R,
    context: Context,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.context.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
