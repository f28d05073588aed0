//! What a command finds around it: options, or else variables of the environment, or else what is
//! usual.

use std::path::PathBuf;
use std::str::FromStr;
use std::{env, fs};

use super::shell::Stop;
use crate::app::{Actor, Dice, Error, SEEDED_BY};
use crate::clock::{Clock, FixedClock, NOW_VARIABLE, SystemClock};
use crate::command::PlayerRef;
use crate::config::{self, Config};

/// The environment's names for the database, the configuration and who acts.
const DB: &str = "OUTFLANK_DB";
const CONFIG: &str = "OUTFLANK_CONFIG";
const AS: &str = "OUTFLANK_AS";
/// What sshd calls the command that was given to ssh.
const SSH: &str = "SSH_ORIGINAL_COMMAND";

/// A terminal is not taken to be narrower than this.
const NARROWEST: usize = 20;

/// A variable that is set to something.
fn variable(name: &str) -> Option<String> {
    let text = env::var_os(name)?.to_string_lossy().into_owned();
    Some(text).filter(|text| !text.is_empty())
}

/// The file that an option names, or else a variable.
fn given(option: Option<&PathBuf>, variable: &str) -> Option<PathBuf> {
    let named = option.cloned().or_else(|| env::var_os(variable).map(PathBuf::from));
    named.filter(|path| !path.as_os_str().is_empty())
}

/// Who acts: the host when nobody is named. An option that names nobody is nobody's name, and
/// not the host.
pub(super) fn actor(option: Option<&PlayerRef>) -> Actor {
    let named = option.cloned().or_else(|| PlayerRef::from_str(&variable(AS)?).ok());
    named.map_or(Actor::Host, Actor::Player)
}

/// The command that somebody gave to ssh, where sshd forces another one.
pub(super) fn ssh_command() -> String {
    variable(SSH).unwrap_or_default()
}

/// The settings.
pub(super) fn config(option: Option<&PathBuf>) -> Result<Config, Stop> {
    Ok(Config::load(given(option, CONFIG).as_deref())?)
}

/// The width of the terminal where it says nothing of it: what `COLUMNS` says.
pub(super) fn columns() -> Option<usize> {
    variable("COLUMNS")?.parse().ok().filter(|&columns| columns >= NARROWEST)
}

/// The file of the database.
pub(super) struct Database {
    pub path: PathBuf,
    /// Whether it is where it is when nobody says where: its folder is made with it.
    by_default: bool,
}

impl Database {
    /// The one that an option names, or the environment, or else that of the data folder.
    pub(super) fn named(option: Option<&PathBuf>) -> Result<Self, Stop> {
        match given(option, DB) {
            Some(path) => Ok(Self { path, by_default: false }),
            None => Ok(Self { path: config::default_database()?, by_default: true }),
        }
    }

    /// Whether there is none, but could be.
    pub(super) fn is_missing(&self) -> bool {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let has_folder = folder.is_none_or(|folder| folder.is_dir());
        (self.by_default || has_folder) && matches!(self.path.try_exists(), Ok(false))
    }

    /// Makes the data folder, if that is where it is to be.
    pub(super) fn make_folder(&self) -> Result<(), Stop> {
        match self.path.parent().filter(|_| self.by_default) {
            Some(folder) => fs::create_dir_all(folder).map_err(|error| {
                Stop::fault(format!("cannot make the folder {}: {error}", folder.display()))
            }),
            None => Ok(()),
        }
    }
}

/// The clock of this machine, or one that stands still.
pub(super) fn clock() -> Result<Box<dyn Clock>, Stop> {
    match variable(NOW_VARIABLE) {
        Some(text) => match text.parse() {
            Ok(time) => Ok(Box::new(FixedClock(time))),
            Err(_) => Err(Stop::fault(format!("{} is no RFC 3339 time", NOW_VARIABLE))),
        },
        None => Ok(Box::new(SystemClock)),
    }
}

/// Chance, or chance that can be repeated.
pub(super) fn dice() -> Result<Dice, Stop> {
    match variable(SEEDED_BY) {
        Some(text) => match text.parse() {
            Ok(seed) => Ok(Dice::seeded(seed)),
            Err(_) => Err(Stop::fault(format!("{SEEDED_BY} is no number"))),
        },
        None => Ok(Dice::from_os().map_err(Error::from)?),
    }
}
