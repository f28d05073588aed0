//! Mails that cannot be processed, kept whole for the host to look at.

use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};

use super::super::{App, Error};
use crate::config;

impl App {
    /// Where mails go that cannot be processed.
    pub(in super::super) fn quarantine_folder(&self) -> PathBuf {
        let configured = self.config.receive.quarantine.clone();
        configured.unwrap_or_else(|| config::quarantine_beside(self.store.path()))
    }

    /// Writes a mail, of which the beginning is read already, to the quarantine, unless that is
    /// full. The same mail gets the same name, so it is there once however often it comes. Whether
    /// it is kept.
    pub(super) fn quarantine(&self, beginning: &[u8], rest: &mut dyn Read) -> Result<bool, Error> {
        let folder = self.quarantine_folder();
        keep(&folder, beginning, rest).map_err(|reason| Error::Quarantine { folder, reason })
    }
}

/// So many mails are kept: nobody can fill the disk with them.
const MOST: usize = 1000;

fn keep(folder: &Path, beginning: &[u8], rest: &mut dyn Read) -> io::Result<bool> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    if folder.read_dir()?.take(MOST).count() == MOST {
        return Ok(false);
    }
    // Nobody else may read it, and it has its name only when it is whole.
    let mut file = tempfile::Builder::new().prefix(".").tempfile_in(folder)?;
    let mut mail = Hashed { input: beginning.chain(rest), context: Context::new(&SHA256) };
    io::copy(&mut mail, &mut file)?;
    file.as_file().sync_all()?;
    let digest = mail.context.finish();
    let name = HEXLOWER.encode(digest.as_ref().get(..16).unwrap_or_default());
    file.persist(folder.join(format!("{name}.eml")))?;
    File::open(folder)?.sync_all()?;
    Ok(true)
}

/// Something that is read, and the digest of what was read of it.
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
