//! The quarantine: mails that cannot be processed, kept for the host to look at.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::panic;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};

use crate::app::receive::inbound::{Disposition, Unprocessable};
use crate::app::receive::record::{Findings, record};
use crate::app::{App, Error, host_items};
use crate::mail::read::{self, Summary};
use crate::store::{HostItemKind, Quarantined};
use crate::{config, files};

/// The most bytes of one mail that are kept.
const MAX_KEPT_BYTES: u64 = 1_000_000;
/// The bytes of a mail's digest that its file name has.
const NAME_BYTES: usize = 8;
/// A file takes at least so much space.
const MIN_COUNTED_BYTES: u64 = 4096;

impl App {
    /// Returns the folder of the quarantine.
    pub(crate) fn quarantine_folder(&self) -> PathBuf {
        let configured = self.env.config.receive.quarantine.clone();
        configured.unwrap_or_else(|| config::quarantine_beside(&self.env.database))
    }

    /// Keeps a mail in the quarantine, lists it there and counts it. `beginning` was read already,
    /// `rest` was not. Copies of a mail have the same file name and are kept once.
    pub(crate) fn quarantine(
        &mut self,
        beginning: &[u8],
        rest: &mut dyn Read,
        why: Unprocessable,
    ) -> Result<Disposition, Error> {
        let folder = self.quarantine_folder();
        let max_bytes = u64::from(self.env.config.receive.quarantine_mb) * config::MEGABYTE;
        let kept = keep(&folder, beginning, rest, max_bytes).map_err(|reason| {
            let folder = folder.display();
            Error::fault(format!("cannot write to the quarantine {folder}: {reason}"))
        })?;
        // The program may have failed on the header.
        let summary = panic::catch_unwind(|| read::summary(beginning)).unwrap_or_default();
        let now = self.env.now();
        let (disposition, reason) = match kept {
            Some(_) => (Disposition::Quarantined, why.to_string()),
            None => (Disposition::Flood, format!("the quarantine is full, and {why}")),
        };
        let env = &self.env;
        let item = reason.clone();
        let author = summary.from.clone().unwrap_or_default();
        let findings = Findings { reasons: vec![reason], ..Findings::default() };
        self.store.write(|tx| {
            if let Some(Kept { file, bytes }) = kept {
                tx.add_quarantined(&listed(file, why.to_string(), summary, bytes, now))?;
            }
            host_items::add(env, tx, HostItemKind::Quarantine, 0, &item)?;
            tx.count_inbound(&disposition.word(), now)?;
            record(tx, &author, findings, disposition, now).map(drop)
        })?;
        Ok(disposition)
    }

    /// Returns the mails that are in the quarantine, oldest first.
    pub(crate) fn quarantined(&self) -> Result<Vec<Quarantined>, Error> {
        let mut listed = self.store.read(|db| db.quarantined())?;
        let folder = self.quarantine_folder();
        let Some(mut files) = file_names(&folder) else { return Ok(listed) };
        listed.retain(|mail| files.remove(&mail.file));
        files.retain(|file| file.ends_with(".eml"));
        let others = files.into_iter().filter_map(|file| unlisted(&folder, file).ok());
        Ok(others.chain(listed).collect())
    }

    /// Removes the mails from the list that the host has deleted.
    pub(crate) fn tidy_quarantine(&mut self) -> Result<(), Error> {
        let listed = self.store.read(|db| db.quarantined())?;
        let Some(files) = file_names(&self.quarantine_folder()) else { return Ok(()) };
        let gone: Vec<_> = listed.iter().filter(|mail| !files.contains(&mail.file)).collect();
        if gone.is_empty() {
            return Ok(());
        }
        Ok(self
            .store
            .write(|tx| gone.iter().try_for_each(|mail| tx.delete_quarantined(&mail.file)))?)
    }
}

/// Returns how many bytes of a mail of this size are kept.
pub(crate) fn kept_of(bytes: u64) -> u64 {
    bytes.min(MAX_KEPT_BYTES)
}

/// Describes a mail that an earlier version put into the quarantine without listing it.
fn unlisted(folder: &Path, file: String) -> io::Result<Quarantined> {
    let opened = File::open(folder.join(&file))?;
    let meta = opened.metadata()?;
    let mut beginning = Vec::new();
    opened.take(MAX_KEPT_BYTES).read_to_end(&mut beginning)?;
    let summary = panic::catch_unwind(|| read::summary(&beginning)).unwrap_or_default();
    let reason = "not known, since an earlier version kept it".to_owned();
    Ok(listed(file, reason, summary, meta.len(), meta.modified()?.into()))
}

fn listed(
    file: String,
    reason: String,
    summary: Summary,
    bytes: u64,
    came_at: DateTime<Utc>,
) -> Quarantined {
    let Summary { from: sender, subject, message_id, date } = summary;
    Quarantined { file, reason, sender, subject, message_id, date, bytes, came_at }
}

/// Returns the names of the files in a folder; `None` if it cannot be read.
fn file_names(folder: &Path) -> Option<BTreeSet<String>> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(BTreeSet::new()),
        entries => entries.ok()?,
    };
    Some(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// A mail that was written to the quarantine.
struct Kept {
    file: String,
    /// The size of the whole mail.
    bytes: u64,
}

/// Writes the beginning of a mail to the quarantine; `None` if its files would then take more than
/// `max_bytes`.
fn keep(
    folder: &Path,
    beginning: &[u8],
    rest: &mut dyn Read,
    max_bytes: u64,
) -> io::Result<Option<Kept>> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // Another process may have created it and been killed.
    files::sync_above(folder)?;
    let mut used = 0;
    for entry in folder.read_dir()? {
        // Another process may remove its draft meanwhile.
        used += entry?.metadata().map_or(0, |meta| meta.len().max(MIN_COUNTED_BYTES));
    }
    let mut file = files::draft(folder, ".")?;
    let mut mail = Hashed { input: beginning.chain(rest), context: Context::new(&SHA256) };
    let kept = io::copy(&mut (&mut mail).take(MAX_KEPT_BYTES), &mut file)?;
    let bytes = kept + io::copy(&mut mail, &mut io::sink())?;
    if used + kept.max(MIN_COUNTED_BYTES) > max_bytes {
        return Ok(None);
    }
    let digest = mail.context.finish();
    let name = HEXLOWER.encode(digest.as_ref().get(..NAME_BYTES).unwrap_or_default());
    let name = format!("{name}.eml");
    match files::publish(file, &folder.join(&name)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(Some(Kept { file: name, bytes })),
    }
}

/// A reader that computes the digest of its bytes.
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
