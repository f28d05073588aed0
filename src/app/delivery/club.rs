//! The club that a database belongs to: only a process with its configuration delivers its mail.

use std::path::{self, Path, PathBuf};

use ring::digest::{SHA256, digest};

use crate::app::{App, Env, Error};
use crate::config::{Config, MailSettings, ReceiveSettings, display_path, maildir_beside};
use crate::store::{Club, Db};
use outflank_model::words::joined;

/// The settings of a transport that say where mail goes. The others say how, and may hold a password.
const PLACE: [&str; 4] = ["kind", "host", "path", "command"];

/// A part of a configuration, by its name in the file.
type Part = (&'static str, fn(&Club) -> [u8; 32]);

/// The parts that make a club.
const PARTS: [Part; 4] = [
    ("from", |club| club.sender),
    ("[transport]", |club| club.transport),
    ("[receive]", |club| club.receive),
    ("[web] url", |club| club.web),
];

impl App {
    /// Refuses to deliver mail with another configuration than that of the club.
    ///
    /// # Errors
    /// A fault that names the differences.
    pub(crate) fn check_club(&self) -> Result<(), Error> {
        self.store.read(|db| self.env.check_club(db))
    }

    /// Makes this configuration the club's if none is recorded yet, and refuses another. Records whether the
    /// database has a replica.
    ///
    /// # Errors
    /// As [`check`].
    pub(crate) fn join_club(&mut self) -> Result<(), Error> {
        let own = club_of(&self.env.config, &self.env.database);
        if let Some(own) = &own
            && self.store.read(|db| db.club())?.is_none()
        {
            // Another process may have been faster.
            self.store.write(|tx| match tx.club()? {
                None => tx.set_club(own),
                Some(_) => Ok(()),
            })?;
        }
        self.check_club()?;
        let replica = self.env.config.host.replica.as_deref();
        if (own.is_some() || replica.is_some())
            && self.store.read(|db| db.replica())?.as_deref() != replica
        {
            self.store.write(|tx| tx.set_replica(replica))?;
        }
        Ok(())
    }

    /// Makes this configuration the club's, whatever it was before. Returns which parts have changed.
    ///
    /// # Errors
    /// When nothing is configured.
    pub(crate) fn adopt_club(&mut self) -> Result<Vec<&'static str>, Error> {
        let Some(own) = club_of(&self.env.config, &self.env.database) else {
            let error = Error::refused("there is no configuration that could be the club's");
            return Err(error.with_hint("give its file with --config FILE"));
        };
        self.store.write(|tx| {
            let changed = match tx.club()? {
                Some(club) => differing(&club, &own),
                None => PARTS.map(|(name, _)| name).to_vec(),
            };
            tx.set_club(&own)?;
            Ok(changed)
        })
    }
}

impl Env {
    /// Refuses to deliver mail with another configuration than that of the club in this database.
    ///
    /// # Errors
    /// As [`check`].
    pub(crate) fn check_club(&self, db: &Db) -> Result<(), Error> {
        check(db, &self.config, &self.database)
    }
}

/// Refuses to deliver mail with another configuration than that of the club in this database. Before one is
/// recorded, every configuration may, and none too.
///
/// # Errors
/// A fault that names the differences.
pub(crate) fn check(db: &Db, config: &Config, database: &Path) -> Result<(), Error> {
    let Some(club) = db.club()? else { return Ok(()) };
    let (what, hint) = match club_of(config, database) {
        Some(own) if own == club => return Ok(()),
        Some(own) => (
            format!(
                "{} is not the configuration of this club: it differs in {}",
                config.file.as_deref().map(display_path).unwrap_or_default(),
                joined(&differing(&club, &own), "and")
            ),
            "give the club's with --config FILE, or make this one the club's with \
             `outflank mail adopt`",
        ),
        None => (
            "this process does not have the configuration of the club".to_owned(),
            "give its file with --config FILE",
        ),
    };
    Err(Error::fault(what).with_hint(hint))
}

/// Returns the club that this configuration describes; `None` if none of its parts is configured.
fn club_of(config: &Config, database: &Path) -> Option<Club> {
    let Config { mail, transport, receive, web, .. } = config;
    let is_default = mail.from == MailSettings::default().from
        && transport.is_none()
        && !receive.enabled
        && web.url.is_none();
    (!is_default).then(|| Club {
        sender: hash(&mail.from.to_string()),
        transport: transport_of(config, database),
        receive: hash(&receive_text(receive)),
        web: hash(&web.url.as_ref().map(ToString::to_string).unwrap_or_default()),
    })
}

/// Returns the digest of a configuration's transport.
pub(crate) fn transport_of(config: &Config, database: &Path) -> [u8; 32] {
    let settings = config.transport_for(database);
    let absolute = |path: PathBuf| path::absolute(&path).unwrap_or(path);
    let beside = absolute(maildir_beside(database));
    let values = PLACE.iter().filter_map(|&key| {
        let value = match settings.get(key)? {
            toml::Value::String(path) if key == "path" => match absolute(path.into()) {
                // A database that is moved takes this Maildir with it.
                path if path == beside => String::new(),
                path => path.display().to_string(),
            },
            toml::Value::String(value) => value.to_ascii_lowercase(),
            toml::Value::Array(words) => {
                words.iter().filter_map(|word| word.as_str()).collect::<Vec<_>>().join("\0")
            }
            _ => return None,
        };
        Some(format!("{key}={value}"))
    });
    hash(&values.collect::<Vec<_>>().join("\n"))
}

fn receive_text(settings: &ReceiveSettings) -> String {
    let ReceiveSettings {
        enabled,
        plus_addressing,
        token_only,
        authserv_id,
        quarantine: _,
        quarantine_mb: _,
    } = settings;
    match enabled {
        true => format!("{plus_addressing}\n{token_only}\n{authserv_id:?}"),
        false => String::new(),
    }
}

fn hash(text: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    hash
}

/// Returns the names of the parts that differ between two clubs.
fn differing(club: &Club, other: &Club) -> Vec<&'static str> {
    let differing = PARTS.iter().filter(|(_, part)| part(club) != part(other));
    differing.map(|(name, _)| *name).collect()
}
