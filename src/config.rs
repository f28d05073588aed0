//! Settings: where the database and the configuration file are, and what the file says.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use lettre::message::Mailbox;
use serde::Deserialize;

/// What the configuration file says. Without a file everything has a default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// `[mail]`.
    pub mail: Mail,
    /// `[receive]`.
    pub receive: Receive,
    /// `[transport]`: `kind` and the settings of that transport. None: a Maildir beside the
    /// database.
    pub transport: Option<toml::Table>,
}

/// What all mail has in common.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mail {
    /// Whom mail comes from.
    #[serde(deserialize_with = "sender")]
    pub from: Mailbox,
    /// A folder with the operator's own templates, which go before the built-in ones.
    pub templates: Option<PathBuf>,
}

/// How mail is taken in.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Receive {
    /// Whether mail is taken in at all: else no mail says that it can be answered.
    pub enabled: bool,
    /// Whether mail to `local+anything@domain` comes in, so that addresses can carry codes.
    pub plus_addressing: bool,
    /// Whether a genuine code is enough, whoever the mail is from.
    pub token_only: bool,
    /// The authserv-id (RFC 8601) of the mail server whose word on a sender is believed. None:
    /// nobody's is.
    pub authserv_id: Option<String>,
    /// A folder for the mails that cannot be processed. None: beside the database.
    pub quarantine: Option<PathBuf>,
}

impl Default for Receive {
    fn default() -> Self {
        Self {
            enabled: true,
            plus_addressing: true,
            token_only: false,
            authserv_id: None,
            quarantine: None,
        }
    }
}

fn sender<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Mailbox, D::Error> {
    let text = String::deserialize(value)?;
    let mailbox = text.parse().ok().filter(|mailbox: &Mailbox| {
        // A name is encoded on its way; an address cannot be.
        mailbox.email.to_string().is_ascii() && !text.contains(char::is_control)
    });
    mailbox.ok_or_else(|| {
        let right = "Outflank <outflank@club.example>";
        serde::de::Error::custom(format!("from is no sender: write it like \"{right}\""))
    })
}

impl Default for Mail {
    #[expect(clippy::expect_used, reason = "the address is a constant")]
    fn default() -> Self {
        let address = lettre::Address::new("outflank", "localhost").expect("an address");
        Self { from: Mailbox::new(None, address), templates: None }
    }
}

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read the configuration {path}: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: std::io::Error,
    },
    /// The file says something that is not understood.
    #[error("in the configuration {path}: {reason}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where and what, on one line.
        reason: String,
    },
    /// There is no home folder to look in.
    #[error("no home folder is known: name the database with --db FILE")]
    NoHome,
}

/// The database that is used when none is named: `outflank/outflank.db` in the XDG data folder.
///
/// # Errors
/// [`Error::NoHome`] when no home folder is known.
pub fn default_database() -> Result<PathBuf, Error> {
    let folders = etcetera::base_strategy::Xdg::new().map_err(|_| Error::NoHome)?;
    Ok(folders.data_dir().join("outflank").join("outflank.db"))
}

/// The Maildir that the mail of this database goes to until a transport is configured: for
/// `outflank.db`, `outflank.maildir` beside it.
#[must_use]
pub fn maildir_beside(database: &Path) -> PathBuf {
    database.with_extension("maildir")
}

/// The folder for the mails that came in for this database and cannot be processed, where none is
/// configured: for `outflank.db`, `outflank.quarantine` beside it.
#[must_use]
pub fn quarantine_beside(database: &Path) -> PathBuf {
    database.with_extension("quarantine")
}

/// The path for people: `~` stands for the home folder.
#[must_use]
pub fn display_path(path: &Path) -> String {
    let home = etcetera::home_dir().ok();
    let inside = home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    match inside {
        Some(inside) => Path::new("~").join(inside).display().to_string(),
        None => path.display().to_string(),
    }
}

impl Config {
    /// Reads this file, or else the one in the XDG config folder, which need not exist.
    ///
    /// # Errors
    /// [`Error`] when the file named is missing, or a file cannot be read or understood.
    pub fn load(named: Option<&Path>) -> Result<Self, Error> {
        let default = || {
            let folders = etcetera::base_strategy::Xdg::new().ok()?;
            let path = folders.config_dir().join("outflank").join("config.toml");
            path.exists().then_some(path)
        };
        match named.map(Path::to_owned).or_else(default) {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|reason| Error::Unreadable { path: path.to_owned(), reason })?;
        let mut config: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
            let message = error.message().replace('\n', " ");
            Error::Invalid { path: path.to_owned(), reason: format!("line {line}: {message}") }
        })?;
        config.resolve(path.parent().unwrap_or(Path::new("")));
        match &config.mail.templates {
            Some(folder) if !folder.is_dir() => Err(Error::Invalid {
                path: path.to_owned(),
                reason: format!("templates: there is no folder {}", folder.display()),
            }),
            _ => Ok(config),
        }
    }

    /// Lets relative file names begin at the folder of the configuration: the templates, the
    /// quarantine, and in
    /// a transport every setting called `path` or `…_file`.
    fn resolve(&mut self, folder: &Path) {
        let folders = [&mut self.mail.templates, &mut self.receive.quarantine];
        for path in folders.into_iter().flatten() {
            *path = folder.join(&*path);
        }
        for (key, value) in self.transport.iter_mut().flatten() {
            if let (true, toml::Value::String(file)) =
                (key == "path" || key.ends_with("_file"), value)
            {
                *file = folder.join(&*file).to_string_lossy().into_owned();
            }
        }
    }

    /// The settings of the transport for the mail of this database: those configured, or a
    /// Maildir beside the database file.
    #[must_use]
    pub fn transport_for(&self, database: &Path) -> toml::Table {
        self.transport.clone().unwrap_or_else(|| {
            let path = maildir_beside(database).to_string_lossy().into_owned();
            toml::Table::from_iter([
                ("kind".to_owned(), "maildir".into()),
                ("path".to_owned(), path.into()),
            ])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_has_a_name_in_any_letters_and_an_address_in_ascii() {
        let of = |from: &str| toml::from_str::<Config>(&format!("mail.from = {from:?}"));
        for from in ["Z\u{fc}rich <o@club.example>", "\u{65e5}\u{672c} <o@club.example>", "o@x"] {
            assert!(of(from).is_ok(), "{from}");
        }
        for from in ["o@z\u{fc}rich.example", "\u{f6}@club.example", "o", "A\nB: <o@x>"] {
            assert!(of(from).is_err(), "{from}");
        }
    }
}
