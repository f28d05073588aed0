use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

use crate::game::GameId;

/// What is wrong with the database, in words for the host.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or made.
    #[error("cannot open the database {path}: {reason}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// There is no such file.
    #[error("there is no database {0}")]
    Missing(PathBuf),
    /// The file is something else.
    #[error("{0} is no Outflank database")]
    Foreign(PathBuf),
    /// The file was written by a newer version.
    #[error("{path} has schema {found}, this version of outflank knows up to {known}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: usize,
        /// The newest schema known here.
        known: usize,
    },
    /// Another process did not let go of it in time.
    #[error("the database is locked by another process")]
    Locked,
    /// It may not be written.
    #[error("the database is read-only")]
    ReadOnly,
    /// No room is left.
    #[error("the disk is full")]
    DiskFull,
    /// The disk does not do what it should.
    #[error("the disk failed: {0}")]
    Disk(rusqlite::Error),
    /// It is damaged.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The stored moves of a game are not those of a game.
    #[error("the stored game {game} makes no sense: {reason}")]
    Nonsense {
        /// The game.
        game: GameId,
        /// Why.
        reason: String,
    },
    /// The copy cannot be written.
    #[error("cannot write the backup {path}: {reason}")]
    Backup {
        /// The copy.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// There is a file of that name.
    #[error("{0} exists already: a backup overwrites nothing")]
    BackupExists(PathBuf),
    /// Anything else that SQLite says.
    #[error("the database failed: {0}")]
    Other(rusqlite::Error),
}

impl Error {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Open { .. } => "name a file that can be made and written with --db FILE",
            Self::Missing(_) | Self::Foreign(_) => "name another file with --db FILE",
            Self::Newer { .. } => "use the version that wrote it, or a newer one",
            Self::Locked => "try again in a moment",
            Self::ReadOnly => "the file and its folder must be writable",
            Self::DiskFull => "make room and try again; nothing was changed",
            Self::Disk(_) => "look whether it is full, over its quota or broken",
            Self::Damaged(_) | Self::Nonsense { .. } => "go back to a backup",
            Self::BackupExists(_) => "name another file",
            Self::Backup { .. } | Self::Other(_) => return None,
        })
    }

    /// The error of opening this file.
    pub(super) fn opening(path: &Path, error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign(path.to_owned()),
            Some(ErrorCode::CannotOpen) => {
                Self::Open { path: path.to_owned(), reason: why_not(path).to_owned() }
            }
            _ => error.into(),
        }
    }
}

/// SQLite says no more than "unable to open": the file system knows why.
fn why_not(path: &Path) -> &'static str {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        "it is a folder"
    } else if folder.is_some_and(|folder| !folder.exists()) {
        "its folder does not exist"
    } else if folder.is_some_and(|folder| !folder.is_dir()) {
        "its folder is a file"
    } else if path.exists() {
        "it or its folder is read-only or not yours"
    } else {
        "permission denied"
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            // No room for the index of the log.
            Some(ErrorCode::SystemIoFailure)
                if error.sqlite_extended_error_code() == Some(SQLITE_IOERR_SHMSIZE) =>
            {
                Self::DiskFull
            }
            Some(ErrorCode::SystemIoFailure) => Self::Disk(error),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(error.to_string())
            }
            _ => Self::Other(error),
        }
    }
}
