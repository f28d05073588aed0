use std::fmt::Display;

use crate::{config, mail, store};

/// Why a command was not carried out. Nothing has changed then.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The command asks for something impossible.
    Refused,
    /// The command gives a number that the next move does not have.
    Stale,
    /// The command is incomplete or unknown.
    Usage,
    /// Something outside fails: database, disk, configuration, mail.
    Fault,
    /// Another process keeps the database locked.
    Locked,
    /// The club has moved to another machine.
    Moved,
}

impl Error {
    const fn new(kind: Kind, message: String) -> Self {
        Self { kind, message, hint: None }
    }

    pub(crate) fn refused(message: impl Display) -> Self {
        Self::new(Kind::Refused, message.to_string())
    }

    pub(crate) fn stale(message: impl Display) -> Self {
        Self::new(Kind::Stale, message.to_string())
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(Kind::Usage, message.to_string())
    }

    pub(crate) fn fault(message: impl Display) -> Self {
        Self::new(Kind::Fault, message.to_string())
    }

    /// Adds a hint on what to type or do instead. Commands are written as in a shell, beginning with
    /// `outflank`.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Puts text before the message and after the hint.
    pub(crate) fn within(self, place: &str, consequence: &str) -> Self {
        let message = format!("{place}: {}", self.message);
        let hint = self.hint.map_or(String::new(), |hint| format!("{hint}; ")) + consequence;
        Self { kind: self.kind, message, hint: Some(hint) }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns whether something outside fails, so that the command could succeed later.
    pub const fn is_fault(&self) -> bool {
        matches!(self.kind, Kind::Fault | Kind::Locked | Kind::Moved)
    }

    /// Returns the error and its hint as one text.
    pub(crate) fn in_full(&self) -> String {
        self.hint.as_ref().map_or_else(|| self.message.clone(), |hint| format!("{self}; {hint}"))
    }

    /// Returns the hint on what to type or do instead.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        use store::Error as E;
        let kind = match error {
            E::BackupExists(_) | E::BackupNotInFolder(_) => Kind::Refused,
            E::Locked => Kind::Locked,
            E::Moved(_) => Kind::Moved,
            E::Open { .. }
            | E::Missing(_)
            | E::StrayLog { .. }
            | E::Foreign(_)
            | E::Newer { .. }
            | E::Older { .. }
            | E::Unreleased { .. }
            | E::ReadOnly
            | E::DiskFull
            | E::Disk(_)
            | E::Commit(_)
            | E::Damaged(_)
            | E::Inconsistent { .. }
            | E::InconsistentTournament { .. }
            | E::Backup { .. }
            | E::BackupFolderMissing(_)
            | E::Other(_) => Kind::Fault,
        };
        Self { kind, message: error.to_string(), hint: error.hint().map(str::to_owned) }
    }
}

impl From<outflank_rules::FixedRules> for Error {
    fn from(error: outflank_rules::FixedRules) -> Self {
        Self::refused(format!("{error}; leave out --size, --misere, --anywhere and --pass"))
    }
}

/// Converts errors that need no hint.
macro_rules! convert {
    ($($source:ty => $kind:ident),* $(,)?) => {
        $(impl From<$source> for Error {
            fn from(error: $source) -> Self {
                Self::$kind(error)
            }
        })*
    };
}

convert! {
    config::Error => fault,
    mail::transport::BadSettings => fault,
    crate::command::BadAddress => refused,
}
