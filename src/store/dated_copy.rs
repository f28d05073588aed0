//! Keeps the newest dated copies of a database in one folder.

use std::cmp::Reverse;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDateTime, Utc};
use rusqlite::Connection;

use super::copy::{CopyError, copy_to, forgetting, remove_leftovers};
use super::mark::MarkId;

/// How the time is written in a name.
const TIME: &str = "%Y-%m-%dT%H%M%SZ";

/// What [`keep`] did.
#[derive(Debug)]
pub struct KeptCopies {
    /// The new copy.
    pub made: PathBuf,
    /// The old copies that were removed, the oldest first.
    pub removed: Vec<PathBuf>,
    /// An old copy that could not be removed, and why.
    pub stuck: Option<(PathBuf, io::Error)>,
}

/// The names of the copies of one database, such as `outflank-2026-11-21T100000Z.db`. A second copy of the
/// same second is `outflank-2026-11-21T100000Z-2.db`.
struct Names {
    stem: OsString,
    /// With its dot; empty without one.
    extension: OsString,
}

/// A copy by its name: the time, and its place among those of the same second.
type Dated = (NaiveDateTime, u32);

impl Names {
    fn of(database: &Path) -> Self {
        let extension = database.extension().map(|it| OsString::from_iter([OsStr::new("."), it]));
        let stem = database.file_stem().unwrap_or_default().to_owned();
        Self { stem, extension: extension.unwrap_or_default() }
    }

    fn name(&self, (time, place): Dated) -> OsString {
        let place = if place > 1 { format!("-{place}") } else { String::new() };
        let time = format!("-{}{place}", time.format(TIME));
        OsString::from_iter([&self.stem, OsStr::new(&time), &self.extension])
    }

    /// Parses exactly the names that [`Names::name`] returns.
    fn parse(&self, name: &OsString) -> Option<Dated> {
        let bytes = name.as_encoded_bytes();
        let bytes = bytes.strip_prefix(self.stem.as_encoded_bytes())?.strip_prefix(b"-")?;
        let text = str::from_utf8(bytes.strip_suffix(self.extension.as_encoded_bytes())?).ok()?;
        let (time, place) = match text.split_once("Z-") {
            Some((time, place)) => (format!("{time}Z"), place.parse().ok()?),
            None => (text.to_owned(), 1),
        };
        let dated = (NaiveDateTime::parse_from_str(&time, TIME).ok()?, place);
        (self.name(dated) == *name).then_some(dated)
    }

    /// Returns how the names of incomplete copies begin. No copy has such a name.
    fn draft_prefix(&self) -> OsString {
        let [before, after] = [".", "-keep-"].map(OsStr::new);
        OsString::from_iter([before, &self.stem, &self.extension, after])
    }
}

/// Writes a copy into the folder, under a name with this time, and then removes all but the newest
/// `most` copies. One process at a time does this in a folder.
pub(super) fn keep(
    from: &Connection,
    database: &Path,
    folder: &Path,
    most: usize,
    next_mark: Option<MarkId>,
    now: DateTime<Utc>,
) -> Result<KeptCopies, CopyError> {
    let names = Names::of(database);
    // The lock ends with the process. Where folders cannot be locked, only leftovers stay.
    let lock = File::open(folder)?;
    if lock.lock().is_ok() {
        remove_leftovers(folder, &names.draft_prefix())?;
    }
    let time = now.naive_utc();
    let last = listed(&names, folder)?.into_iter().filter(|(dated, _)| dated.0 == time).max();
    let new = (time, last.map_or(1, |((_, place), _)| place.saturating_add(1)));
    let made = folder.join(names.name(new));
    copy_to(from, &made, &names.draft_prefix(), forgetting(next_mark))?;
    // From here on the new copy is on disk under its name.
    let mut copies = listed(&names, folder)?;
    copies.retain(|(_, path)| path.symlink_metadata().is_ok_and(|file| file.is_file()));
    // A clock that was ahead made those that are dated later, so they are older than this one.
    copies.sort_by_key(|&(dated, _)| (dated > new, Reverse(dated)));
    let (mut removed, mut stuck) = (Vec::new(), None);
    for (_, path) in copies.into_iter().skip(most).rev() {
        match fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => stuck = stuck.or(Some((path, error))),
        }
    }
    Ok(KeptCopies { made, removed, stuck })
}

/// Returns everything in the folder that has the name of a copy.
fn listed(names: &Names, folder: &Path) -> io::Result<Vec<(Dated, PathBuf)>> {
    let mut copies = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        copies.extend(names.parse(&entry.file_name()).map(|dated| (dated, entry.path())));
    }
    Ok(copies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_of_copies_of_this_database_are_parsed() {
        let names = Names::of(Path::new("/srv/outflank.db"));
        let time: NaiveDateTime = "2026-11-21T10:00:00".parse().unwrap();
        for (dated, name) in [
            ((time, 1), "outflank-2026-11-21T100000Z.db"),
            ((time, 12), "outflank-2026-11-21T100000Z-12.db"),
        ] {
            assert_eq!(names.name(dated), name);
            assert_eq!(names.parse(&name.into()), Some(dated));
        }
        for name in [
            "outflank.db",
            "outflank-2026-11-21.db",
            "outflank-2026-11-21T100000Z",
            "outflank-2026-11-21T100000Z.db-wal",
            "outflank-2026-11-21T100000Z-1.db",
            "outflank-2026-11-21T100000Z-02.db",
            "outflank-2026-11-21T100000Z-x.db",
            "outflank-2026-02-30T100000Z.db",
            "outflank-club-2026-11-21T100000Z.db",
            "club-2026-11-21T100000Z.db",
            ".outflank-2026-11-21T100000Z.db",
        ] {
            assert_eq!(names.parse(&name.into()), None, "{name}");
        }
        let plain = Names::of(Path::new("club"));
        assert_eq!(plain.name((time, 2)), "club-2026-11-21T100000Z-2");
        assert_eq!(plain.parse(&"club-2026-11-21T100000Z-2".into()), Some((time, 2)));
        assert_eq!(plain.parse(&"club-2026-11-21T100000Z.db".into()), None);
    }
}
