//! Mails that cannot be processed, kept whole for the host to look at.

use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};

use super::super::{App, Error};
use crate::config;

impl App {
    /// Where mails go that cannot be processed.
    pub(in super::super) fn quarantine_folder(&self) -> PathBuf {
        let configured = self.config.receive.quarantine.clone();
        configured.unwrap_or_else(|| config::quarantine_beside(self.store.path()))
    }

    /// Writes a mail, of which the beginning is read already, to the quarantine. The same mail gets
    /// the same name, so it is there once however often it comes.
    pub(super) fn quarantine(&self, beginning: &[u8], rest: &mut dyn Read) -> Result<(), Error> {
        let configured = self.config.receive.quarantine.clone();
        let folder = configured.unwrap_or_else(|| config::quarantine_beside(self.store.path()));
        keep(&folder, beginning, rest).map_err(|reason| Error::Quarantine { folder, reason })
    }
}

fn keep(folder: &Path, beginning: &[u8], rest: &mut dyn Read) -> io::Result<()> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // Nobody else may read it, and it has its name only when it is whole.
    let mut file = tempfile::Builder::new().prefix(".").tempfile_in(folder)?;
    let mut mail = Hashed { input: beginning.chain(rest), context: Context::new(&SHA256) };
    io::copy(&mut mail, &mut file)?;
    file.as_file().sync_all()?;
    let digest = mail.context.finish();
    let name: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    file.persist(folder.join(format!("{}.eml", &name[..32])))?;
    File::open(folder)?.sync_all()
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
