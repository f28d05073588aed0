//! Settings: the configuration file and the default paths.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use lettre::message::Mailbox;
use rustix::process::getuid;
use serde::Deserialize;

pub use host::HostSettings;
use outflank_model::bot::Bot;
pub use web::{BadNetwork, BadUrl, BaseUrl, Network, WebSettings};

mod host;
mod web;

/// The settings of the configuration file. Without a file, every setting has its default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The file, which may not exist; `None` if the home folder is unknown.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The `[games]` table.
    pub games: GameSettings,
    /// The `[engine]` table: the limits of the program's own engine.
    pub engine: EngineSettings,
    /// The `[bots.NAME]` tables: external programs that play as `bot:NAME`.
    pub bots: BTreeMap<ProgramName, ProgramSettings>,
    /// The `[mail]` table.
    pub mail: MailSettings,
    /// The `[receive]` table. Without it incoming mail is off.
    pub receive: ReceiveSettings,
    /// The `[transport]` table: `kind` and the settings of that transport. `None` means a Maildir
    /// next to the database.
    pub transport: Option<toml::Table>,
    /// The `[host]` table: the address for mails about anything that needs a person.
    pub host: HostSettings,
    /// The `[web]` table: the pages. Without it no mail has a link to them.
    pub web: WebSettings,
}

/// The bytes of a megabyte in settings such as `free_mb`.
pub const MEGABYTE: u64 = 1_000_000;

/// Settings for all games.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameSettings {
    /// How many days of a year each player can be away.
    pub away_days_per_year: u32,
}

impl Default for GameSettings {
    fn default() -> Self {
        Self { away_days_per_year: 30 }
    }
}

/// Settings for the program's own engine.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineSettings {
    /// The most megabytes for the table of a search.
    #[serde(deserialize_with = "whole::<65_535, _>")]
    pub memory_mb: u32,
    /// How many threads a search has.
    #[serde(deserialize_with = "whole::<256, _>")]
    pub threads: u32,
    /// The processor time in seconds within an hour after which the jobs of a player come last.
    #[serde(deserialize_with = "whole::<1_000_000, _>")]
    pub seconds_per_hour: u32,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self { memory_mb: 64, threads: 1, seconds_per_hour: 600 }
    }
}

/// The name of an external program, in lower case: `ntest` plays as `bot:ntest`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct ProgramName(String);

impl ProgramName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ProgramName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProgramName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match format!("bot:{name}").parse() {
            Ok(Bot::Program(program)) if program == name => Ok(Self(name)),
            Ok(Bot::Level(level)) => {
                Err(format!("bots.{name}: bot:{level} is a level; choose another name"))
            }
            _ => Err(format!(
                "bots.{name}: not a name for a program; use a lower-case letter, then up to 31 \
                 lower-case letters, digits, dots, underscores or hyphens"
            )),
        }
    }
}

/// An external program that plays.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramSettings {
    /// The program and its arguments.
    #[serde(deserialize_with = "command")]
    pub command: Vec<String>,
    /// The name of the protocol that it speaks, with its place in the file.
    pub protocol: toml::Spanned<String>,
    /// How many plies deep it may search, where the protocol can say so.
    #[serde(default = "number::<16>", deserialize_with = "whole::<99, _>")]
    pub depth: u32,
    /// How many seconds it may take for a move.
    #[serde(default = "number::<30>", deserialize_with = "whole::<86_400, _>")]
    pub seconds_per_move: u32,
    /// The most megabytes of memory that it may use.
    #[serde(default = "number::<1024>", deserialize_with = "whole::<1_048_576, _>")]
    pub memory_mb: u32,
    /// The most processes and threads that it may have.
    #[serde(default = "number::<64>", deserialize_with = "whole::<65_535, _>")]
    pub processes: u32,
}

/// Returns a default.
const fn number<const NUMBER: u32>() -> u32 {
    NUMBER
}

fn command<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    let words = toml::Value::deserialize(value)?.try_into::<Vec<String>>().ok();
    let words = words.filter(|words| words.first().is_some_and(|program| !program.is_empty()));
    words.ok_or_else(|| {
        let message = "command: no program is named; use one such as [\"ntest\", \"x\"]";
        serde::de::Error::custom(message)
    })
}

/// Reads a whole number from 1 to `MAX`.
fn whole<'de, const MAX: u32, D: serde::Deserializer<'de>>(value: D) -> Result<u32, D::Error> {
    let number = toml::Value::deserialize(value)?.as_integer();
    let number = number.and_then(|number| u32::try_from(number).ok());
    number
        .filter(|number| (1..=MAX).contains(number))
        .ok_or_else(|| serde::de::Error::custom(format!("use a whole number from 1 to {MAX}")))
}

/// Settings for all outgoing mail.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MailSettings {
    /// The sender.
    #[serde(deserialize_with = "sender")]
    pub from: Mailbox,
    /// A folder with templates that replace built-in ones.
    pub templates: Option<PathBuf>,
    /// The Subject of mails about a game.
    pub subject: SubjectStyle,
}

/// The Subject of mails about a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubjectStyle {
    /// The same in all mails of a game.
    #[default]
    Constant,
    /// With "(your move)" when it is the recipient's turn.
    Turn,
}

/// Settings for incoming mail.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReceiveSettings {
    /// Whether incoming mail is processed. If not, no mail offers to reply. A `[receive]` table
    /// without this key enables it.
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// Whether mail to `local+anything@domain` arrives, so addresses can carry reply tokens.
    pub plus_addressing: bool,
    /// Whether a valid reply token is sufficient for any sender.
    pub token_only: bool,
    /// The authserv-id (RFC 8601) of the mail server that is trusted for authentication results. `None`
    /// means that none are.
    pub authserv_id: Option<String>,
    /// The folder for mails that cannot be processed. `None` means next to the database.
    pub quarantine: Option<PathBuf>,
    /// The most megabytes of mail that are kept there.
    pub quarantine_mb: u32,
}

const fn enabled() -> bool {
    true
}

/// The settings without a `[receive]` table.
impl Default for ReceiveSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            plus_addressing: true,
            token_only: false,
            authserv_id: None,
            quarantine: None,
            quarantine_mb: 100,
        }
    }
}

fn sender<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Mailbox, D::Error> {
    let text = String::deserialize(value)?;
    let mailbox = text.parse().ok().filter(|mailbox: &Mailbox| {
        // A display name can be encoded for transport, an address cannot.
        mailbox.email.to_string().is_ascii() && !text.contains(char::is_control)
    });
    mailbox.ok_or_else(|| {
        serde::de::Error::custom(format!(
            "from: {text:?} is not a sender; use one such as Outflank <outflank@club.example>"
        ))
    })
}

impl Default for MailSettings {
    #[expect(clippy::expect_used, reason = "the address is a constant")]
    fn default() -> Self {
        let address = lettre::Address::new("outflank", "localhost").expect("an address");
        Self {
            from: Mailbox::new(None, address),
            templates: None,
            subject: SubjectStyle::default(),
        }
    }
}

/// Returns why there is no protocol with this name, if there is none.
pub type ProtocolCheck = fn(&str) -> Result<(), String>;

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read the configuration file {0:?}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The file has an invalid setting; the text gives the line and the problem.
    #[error("invalid configuration file {0:?}: {1}")]
    Invalid(PathBuf, String),
    /// The home folder is unknown.
    #[error("the home folder is unknown; give the database file with --db")]
    NoHome,
}

/// Returns the default database, `outflank/outflank.db` in the XDG data folder, or
/// [`Error::NoHome`].
pub fn default_database() -> Result<PathBuf, Error> {
    let folders = etcetera::base_strategy::Xdg::new().map_err(|_| Error::NoHome)?;
    Ok(folders.data_dir().join("outflank").join("outflank.db"))
}

/// Returns the Maildir for outgoing mail if no transport is configured: for `outflank.db`,
/// `outflank.maildir` next to it.
pub fn maildir_beside(database: &Path) -> PathBuf {
    database.with_extension("maildir")
}

/// Returns the default folder for mails that cannot be processed: for `outflank.db`,
/// `outflank.quarantine` next to it.
pub fn quarantine_beside(database: &Path) -> PathBuf {
    database.with_extension("quarantine")
}

/// The accounts of services. The reader of a message is somebody else there, with another `~`.
const SERVICE_USERS: RangeInclusive<u32> = 1..=999;

/// Returns a path for messages, with `~` for the home folder of a person.
pub fn display_path(path: &Path) -> String {
    let is_person = !SERVICE_USERS.contains(&getuid().as_raw());
    let home = etcetera::home_dir().ok().filter(|_| is_person);
    let inside = home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    match inside {
        Some(inside) => Path::new("~").join(inside).display().to_string(),
        None => path.display().to_string(),
    }
}

impl Config {
    /// Reads this file, or the default file in the XDG config folder if it exists. `check_protocol`
    /// refuses the name of an unknown protocol.
    ///
    /// # Errors
    /// [`Error`] if the given file is missing, or a file cannot be read or is invalid.
    pub fn load(named: Option<&Path>, check_protocol: ProtocolCheck) -> Result<Self, Error> {
        let default = || {
            let folders = etcetera::base_strategy::Xdg::new().ok()?;
            Some(folders.config_dir().join("outflank").join("config.toml"))
        };
        let file = named.map(Path::to_owned).or_else(default);
        let config = match &file {
            Some(path) if named.is_some() || path.exists() => Self::read(path, check_protocol)?,
            _ => Self::default(),
        };
        Ok(Self { file, ..config })
    }

    fn read(path: &Path, check_protocol: ProtocolCheck) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::Unreadable(path.to_owned(), error))?;
        let invalid = |start: usize, message: &str| {
            let line = 1 + text[..start].matches('\n').count();
            let message = message.replace('\n', " ");
            Error::Invalid(path.to_owned(), format!("line {line}: {message}"))
        };
        let invalid_toml = |error: toml::de::Error| {
            invalid(error.span().map_or(0, |it| it.start), error.message())
        };
        let mut config: Self = toml::from_str(&text).map_err(invalid_toml)?;
        for ProgramSettings { protocol, .. } in config.bots.values() {
            check_protocol(protocol.get_ref())
                .map_err(|why| invalid(protocol.span().start, &why))?;
        }
        config.resolve(path.parent().unwrap_or(Path::new("")));
        let own = &config.mail.from.email;
        let is_own = |address: &lettre::Address| {
            let user = address.user().split('+').next().unwrap_or_default();
            user.eq_ignore_ascii_case(own.user())
                && address.domain().eq_ignore_ascii_case(own.domain())
        };
        if let Some(address) = config.host.mail.as_ref().filter(|address| is_own(address)) {
            let message =
                format!("mail: {address} is the address of this server; give the host's own");
            return Err(Error::Invalid(path.to_owned(), message));
        }
        match &config.mail.templates {
            Some(folder) if !folder.is_dir() => Err(Error::Invalid(
                path.to_owned(),
                format!("templates: {folder:?} is not a folder; give an existing one"),
            )),
            _ => Ok(config),
        }
    }

    /// Makes relative paths start at the folder of the configuration file: the templates, the
    /// quarantine, the configuration of Litestream, external programs, and each setting of the
    /// transport named `path` or `…_file`.
    fn resolve(&mut self, folder: &Path) {
        let paths =
            [&mut self.mail.templates, &mut self.receive.quarantine, &mut self.host.replica];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&*path);
        }
        for program in self.bots.values_mut().filter_map(|bot| bot.command.first_mut()) {
            // A name without a folder is looked up in PATH.
            if program.contains('/') {
                *program = folder.join(&*program).to_string_lossy().into_owned();
            }
        }
        for (key, value) in self.transport.iter_mut().flatten() {
            if let (true, toml::Value::String(file)) = (is_file(key), value) {
                *file = folder.join(&*file).to_string_lossy().into_owned();
            }
        }
    }

    /// Returns the files and folders that the settings name.
    pub fn named_files(&self) -> Vec<PathBuf> {
        let folders = [&self.mail.templates, &self.receive.quarantine, &self.host.replica];
        let of_transport = self.transport.iter().flatten().filter(|(key, _)| is_file(key));
        let of_transport = of_transport.filter_map(|(_, value)| value.as_str());
        let programs = self.bots.values().filter_map(|bot| bot.command.first());
        let programs = programs.map(String::as_str).filter(|program| program.contains('/'));
        let paths = folders.into_iter().flatten().map(PathBuf::as_path);
        paths.chain(of_transport.chain(programs).map(Path::new)).map(Path::to_owned).collect()
    }

    /// Returns the settings of the transport: the configured ones, or a Maildir next to the
    /// database file.
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

/// Returns whether this setting of a transport names a file or folder.
fn is_file(key: &str) -> bool {
    key == "path" || key.ends_with("_file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_has_any_display_name_and_an_ascii_address() {
        let of = |from: &str| toml::from_str::<Config>(&format!("mail.from = {from:?}"));
        for from in ["Z\u{fc}rich <o@club.example>", "\u{65e5}\u{672c} <o@club.example>", "o@x"] {
            assert!(of(from).is_ok(), "{from}");
        }
        for from in ["o@z\u{fc}rich.example", "\u{f6}@club.example", "o", "A\nB: <o@x>"] {
            assert!(of(from).is_err(), "{from}");
        }
    }
}
