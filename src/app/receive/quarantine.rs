//! Mails that cannot be processed, kept whole for the host to look at.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::super::{App, Error};
use super::intake::digest;
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
    file.write_all(beginning)?;
    io::copy(rest, &mut file)?;
    file.as_file().sync_all()?;
    let name: String = digest(&[beginning]).iter().map(|byte| format!("{byte:02x}")).collect();
    file.persist(folder.join(format!("{}.eml", &name[..32])))?;
    File::open(folder)?.sync_all()
}

/// Moves a mail that is a file to another place on the same file system.
pub(super) fn moved(file: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(file, to) {
        // Somebody else has dealt with it.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.exists() => Ok(()),
        other => other,
    }
}
