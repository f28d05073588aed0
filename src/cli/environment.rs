//! The environment of a command: options, or else environment variables, or else defaults.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anstream::ColorChoice;
use rustix::process::getuid;

use super::args::Global;
use crate::app::{Actor, App, Error, Rng, SEED_VARIABLE, Surroundings, User, load_config};
use crate::clock::{Clock, FixedClock, NOW_VARIABLE, SystemClock};
use crate::command::PlayerRef;
use crate::config::{self, Config};
use outflank_model::render::Colors;

/// The environment variables for the database, the configuration and the actor.
const DB: &str = "OUTFLANK_DB";
const CONFIG: &str = "OUTFLANK_CONFIG";
/// The configuration of the club that the services of the package run.
const PACKAGED_CLUB: &str = "/etc/outflank.toml";
/// The variable with the level of the log.
pub(super) const LOG: &str = "OUTFLANK_LOG";
const AS: &str = "OUTFLANK_AS";
/// In this variable, sshd passes the command that was given to ssh.
const SSH: &str = "SSH_ORIGINAL_COMMAND";

/// Returns a variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    let text = env::var_os(name)?.to_string_lossy().into_owned();
    Some(text).filter(|text| !text.is_empty())
}

/// Returns a path that is not empty.
fn given(path: Option<PathBuf>) -> Option<PathBuf> {
    path.filter(|path| !path.as_os_str().is_empty())
}

/// Returns the file that an option names, or else a variable.
fn file(option: Option<&PathBuf>, variable: &str) -> Option<PathBuf> {
    given(option.cloned().or_else(|| env::var_os(variable).map(PathBuf::from)))
}

/// Returns the actor: the host when nobody is named. `--as ''` is an unknown player, not the host.
pub(super) fn actor(option: Option<&PlayerRef>) -> Actor {
    let named = option.cloned().or_else(|| PlayerRef::from_str(&variable(AS)?).ok());
    named.map_or(Actor::Host, Actor::Player)
}

/// Returns the user of the system who runs the program.
pub(super) fn user() -> User {
    let name = variable("USER").or_else(|| variable("LOGNAME"));
    User { id: getuid().as_raw(), name: name.unwrap_or_else(|| "guest".to_owned()) }
}

/// Returns the user of the system, if the user alone gives the commands here and has not said that the host
/// acts: not root, not over ssh, where people can share a user, and not with an empty `OUTFLANK_AS`.
pub(super) fn own_user() -> Option<User> {
    let is_remote =
        [SSH, "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].iter().any(|it| env::var_os(it).is_some());
    let is_own = !is_remote && !getuid().is_root() && env::var_os(AS).is_none();
    is_own.then(user)
}

/// Returns whether programs can move the cursor of the terminal, as far as `TERM` says.
#[cfg(feature = "tui")]
pub(super) fn has_cursor() -> bool {
    variable("TERM").is_some_and(|kind| kind != "dumb")
}

/// Returns the colours of the output with this choice, as far as `TERM` and `COLORTERM` say.
pub(super) fn colors(choice: ColorChoice) -> Colors {
    let kind = variable("TERM").unwrap_or_default();
    // These have 16 colours even if a terminal that shows them, or a login from one, sets COLORTERM.
    let is_basic = ["linux", "ansi", "screen"].contains(&&*kind) || kind.starts_with("vt");
    let has_many = ["256color", "direct"].iter().any(|many| kind.contains(many))
        || variable("COLORTERM").is_some() && !is_basic;
    match choice {
        ColorChoice::Never => Colors::None,
        _ if has_many => Colors::Many,
        _ => Colors::Sixteen,
    }
}

/// Returns whether standard output is a terminal with a locale that is not UTF-8.
pub(super) fn shows_only_ascii() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    let locale = locale.unwrap_or_default().to_lowercase();
    io::stdout().is_terminal() && !locale.contains("utf-8") && !locale.contains("utf8")
}

/// Opens the application with the database and the configuration of these options.
pub(super) fn open(options: &Global) -> Result<App, Error> {
    refuse_root_beside_a_club(options)?;
    open_for_play(options)
}

/// Opens the application as [`open`] does, for games of the user's own.
pub(super) fn open_for_play(options: &Global) -> Result<App, Error> {
    let config = config(options.config.as_ref())?;
    let DatabasePath { path, is_default, is_option } = DatabasePath::named(options.db.as_ref())?;
    let (clock, rng) = (clock()?, rng()?);
    Ok(App::open(&path, is_default, config, clock, rng)?.expecting_database(is_option))
}

/// Opens the application with the database and the configuration of these options, only to read the
/// database.
pub(super) fn open_to_read(options: &Global) -> Result<App, Error> {
    open_by(options, App::open_to_read)
}

/// Opens the application with a replica and the configuration of these options, only to read it for a moment.
#[cfg(feature = "web")]
pub(super) fn follow(options: &Global) -> Result<App, Error> {
    open_by(options, App::follow)
}

/// Opens the application in this way.
fn open_by(
    options: &Global,
    open: impl FnOnce(&Path, Config, Box<dyn Clock>, Rng) -> Result<App, Error>,
) -> Result<App, Error> {
    refuse_root_beside_a_club(options)?;
    let config = config(options.config.as_ref())?;
    let DatabasePath { path, .. } = DatabasePath::named(options.db.as_ref())?;
    open(&path, config, clock()?, rng()?)
}

/// Returns the database, configuration and clock for the application. Opens nothing.
pub(super) fn surroundings(options: &Global) -> Result<Surroundings, Error> {
    refuse_root_beside_a_club(options)?;
    let DatabasePath { path, is_default, .. } = DatabasePath::named(options.db.as_ref())?;
    let config = config(options.config.as_ref());
    Ok(Surroundings { database: path, creates_folder: is_default, config, clock: clock()? })
}

/// Refuses root, who names no database and has none, on a machine where the package runs a club: root most
/// likely means that club.
fn refuse_root_beside_a_club(options: &Global) -> Result<(), Error> {
    let DatabasePath { path, is_default, .. } = DatabasePath::named(options.db.as_ref())?;
    if !is_default || !getuid().is_root() || path.exists() || !Path::new(PACKAGED_CLUB).exists() {
        return Ok(());
    }
    let error = Error::fault("the club of this machine belongs to another user");
    Err(error
        .with_hint("type `outflank-club` in place of `outflank`, or name a database with --db"))
}

/// Returns the command that the player gave to ssh; empty without one.
pub(super) fn ssh_command() -> String {
    variable(SSH).unwrap_or_default()
}

/// Returns the level of the log, if one is given.
pub(super) fn log_level() -> Option<String> {
    variable(LOG)
}

/// Returns the file of the database.
pub(super) fn database(option: Option<&PathBuf>) -> Result<PathBuf, Error> {
    Ok(DatabasePath::named(option)?.path)
}

/// Returns the settings.
fn config(option: Option<&PathBuf>) -> Result<Config, Error> {
    load_config(file(option, CONFIG).as_deref())
}

/// The file of the database.
struct DatabasePath {
    path: PathBuf,
    /// Whether this is the default path; only then is its folder created.
    is_default: bool,
    /// Whether the option `--db` names it.
    is_option: bool,
}

impl DatabasePath {
    /// Returns the file that an option names, or the environment, or else the default.
    fn named(option: Option<&PathBuf>) -> Result<Self, Error> {
        let is_option = given(option.cloned()).is_some();
        match file(option, DB) {
            Some(path) => Ok(Self { path, is_default: false, is_option }),
            None => Ok(Self { path: config::default_database()?, is_default: true, is_option }),
        }
    }
}

/// Returns the machine's clock, or one that is fixed by the environment.
pub(super) fn clock() -> Result<Box<dyn Clock>, Error> {
    Ok(match parsed(NOW_VARIABLE, "an RFC 3339 time")? {
        Some(time) => Box::new(FixedClock(time)),
        None => Box::new(SystemClock),
    })
}

/// Returns a source of randomness, repeatable if the environment seeds it.
fn rng() -> Result<Rng, Error> {
    match parsed(SEED_VARIABLE, "a number")? {
        Some(seed) => Ok(Rng::seeded(seed)),
        None => Ok(Rng::from_os()?),
    }
}

/// Parses a variable, if it is set.
fn parsed<T: FromStr>(name: &str, kind: &str) -> Result<Option<T>, Error> {
    let Some(text) = variable(name) else { return Ok(None) };
    let value = text.parse().map_err(|_| Error::fault(format!("{name}=\"{text}\" is not {kind}")));
    value.map(Some)
}
