use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_ABORT_ROLLBACK, SQLITE_IOERR_SHMSIZE};

use outflank_model::log::GameId;

/// A fault of the database, in words for the host.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or created.
    #[error("cannot open the database {path}: {reason}")]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file does not exist.
    #[error("there is no database {0}")]
    Missing(PathBuf),
    /// The file does not exist, but its log or the index of its log does.
    #[error("there is no database {path}, but {log} lies there, which belongs to one")]
    StrayLog {
        /// The file.
        path: PathBuf,
        /// The log, or its index.
        log: PathBuf,
    },
    /// The file is not a database of this program.
    #[error("{0} is not an Outflank database")]
    Foreign(PathBuf),
    /// The file was written by a newer version.
    #[error("{path} has schema {found}, this version of outflank knows up to {known}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema known here.
        known: u32,
    },
    /// The file was written by an older version, and is only to be read.
    #[error("{path} has schema {found}; this version of outflank reads schema {known} only")]
    Older {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema.
        known: u32,
    },
    /// The file was written before the first release.
    #[error(
        "{path} has schema {found} of a version before the first release, which cannot be read"
    )]
    Unreleased {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
    },
    /// Another process kept it locked for too long.
    #[error("the database is locked by another process")]
    Locked,
    /// The file cannot be written.
    #[error("the database is read-only")]
    ReadOnly,
    /// The club was handed over to the machine of this name, or this is the copy for it.
    #[error("this club has moved to {0}")]
    Moved(String),
    /// The disk is full.
    #[error("the disk is full")]
    DiskFull,
    /// The disk fails.
    #[error("the disk failed: {0}")]
    Disk(rusqlite::Error),
    /// The disk fails while a change is saved.
    #[error("the disk failed while saving: {0}; the change may have been saved")]
    Commit(rusqlite::Error),
    /// The file is damaged, or the disk could not be read once, which SQLite does not distinguish.
    #[error("the disk could not be read, or the database is damaged: {0}")]
    Damaged(String),
    /// A stored game breaks its own rules.
    #[error("the stored game {game} is inconsistent: {reason}")]
    Inconsistent {
        /// The game.
        game: GameId,
        /// Why.
        reason: String,
    },
    /// A stored tournament cannot be read.
    #[error("the stored tournament {name} is inconsistent: {reason}")]
    InconsistentTournament {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// The backup cannot be written.
    #[error("cannot write the backup {path}: {reason}")]
    Backup {
        /// The backup.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The backup's file exists.
    #[error("{0} exists already; a backup never overwrites a file")]
    BackupExists(PathBuf),
    /// The folder for dated backups is something else.
    #[error("{0} is not a folder")]
    BackupNotInFolder(PathBuf),
    /// The folder for dated backups does not exist.
    #[error("there is no folder {0}")]
    BackupFolderMissing(PathBuf),
    /// Any other error of SQLite.
    #[error("the database failed: {}", without_sql(.0))]
    Other(rusqlite::Error),
}

/// A result of the database.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns a hint for the host on how to fix it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Open { .. } => {
                "check its permissions and those of its folder, or give another file with --db"
            }
            Self::Missing(_) | Self::Foreign(_) => "give another file with --db",
            Self::StrayLog { .. } => {
                "move that database back beside it; to begin a new one, move the two files whose names end \
                 in -wal and -shm away"
            }
            Self::Newer { .. } => "use the version that wrote it, or a newer one",
            Self::Older { .. } => "copy it, and update the copy with `outflank --db COPY games`",
            Self::Unreleased { .. } => {
                "finish its games with the version that wrote it, or give another file with --db"
            }
            Self::Locked => "try again in a moment",
            Self::ReadOnly => "make the file and its folder writable",
            Self::Moved(_) => "nothing can be changed here any more; do it there",
            Self::DiskFull => "make room and try again; nothing was changed",
            Self::Disk(_) => "check whether it is full, over quota or failing",
            Self::Commit(_) => {
                "look with `outflank show GAME` whether it was, and check whether the disk is full, \
                 over quota or failing"
            }
            Self::Damaged(_) | Self::Inconsistent { .. } | Self::InconsistentTournament { .. } => {
                "run `outflank verify` before you restore a backup"
            }
            Self::BackupExists(_) => "give another file name",
            Self::BackupNotInFolder(_) => {
                "with --keep, give a folder; leave out --keep to write one file"
            }
            Self::BackupFolderMissing(_) => "create it with `mkdir`, or give another folder",
            Self::Backup { .. } | Self::Other(_) => return None,
        })
    }

    /// Converts an error of opening this file.
    pub(super) fn opening(path: &Path, error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign(path.to_owned()),
            Some(ErrorCode::CannotOpen) => Self::unopenable(path),
            _ => error.into(),
        }
    }

    /// Converts an error of committing a transaction.
    pub(super) fn committing(error: rusqlite::Error) -> Self {
        match error.into() {
            Self::Disk(error) => Self::Commit(error),
            other => other,
        }
    }

    /// Returns the error of a transaction that an earlier fault has undone.
    pub(super) fn undone() -> Self {
        let code = rusqlite::ffi::Error::new(SQLITE_ABORT_ROLLBACK);
        let message = "a fault undid the transaction".to_owned();
        Self::Other(rusqlite::Error::SqliteFailure(code, Some(message)))
    }

    /// Returns a function that makes a reason an error of this stored game.
    pub(super) fn inconsistent<E: ToString>(game: GameId) -> impl Fn(E) -> Self {
        move |reason| Self::Inconsistent { game, reason: reason.to_string() }
    }

    /// Returns whether only one game or one tournament cannot be read. The others are not concerned.
    pub const fn is_of_one(&self) -> bool {
        matches!(self, Self::Inconsistent { .. } | Self::InconsistentTournament { .. })
    }

    /// Returns the error for a file that cannot be opened.
    pub(super) fn unopenable(path: &Path) -> Self {
        Self::Open { path: path.to_owned(), reason: why_unopenable(path).to_owned() }
    }
}

/// Returns the message of SQLite without the statement.
fn without_sql(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}

/// Returns why a file cannot be opened; SQLite does not report it.
fn why_unopenable(path: &Path) -> &'static str {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        "it is a folder"
    } else if folder.is_some_and(|folder| !folder.exists()) {
        "its folder does not exist"
    } else if folder.is_some_and(|folder| !folder.is_dir()) {
        "its folder is a file"
    } else if path.exists() && !path.is_file() {
        "it is not a file"
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
            // There is no space for the index of the log.
            Some(ErrorCode::SystemIoFailure)
                if error.sqlite_extended_error_code() == Some(SQLITE_IOERR_SHMSIZE) =>
            {
                Self::DiskFull
            }
            Some(ErrorCode::SystemIoFailure) => Self::Disk(error),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(without_sql(&error))
            }
            _ => Self::Other(error),
        }
    }
}
