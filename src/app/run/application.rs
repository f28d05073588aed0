use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::app::{Error, Rng};
use crate::clock::Clock;
use crate::config::{self, Config};
use crate::mail::transport;
use crate::protocol::Protocol;
use crate::store::Store;

/// The application: a database and its environment.
pub struct App {
    pub(in crate::app) store: Store,
    pub(in crate::app) env: Env,
    /// Whether commands that create nothing refuse a database that does not exist yet.
    must_exist: bool,
}

/// What commands need besides the database.
pub(crate) struct Env {
    /// The file of the database.
    pub(in crate::app) database: PathBuf,
    pub(in crate::app) config: Config,
    clock: Box<dyn Clock>,
    /// The time of the work that is done [at one time](Env::at_one_time) now.
    time: Cell<Option<DateTime<Utc>>>,
    pub(in crate::app) rng: Rng,
}

/// Reads the configuration from this file, or from the default file if it exists.
///
/// # Errors
/// When the file cannot be read or is invalid.
pub fn load_config(file: Option<&Path>) -> Result<Config, Error> {
    let check_protocol =
        |name: &str| name.parse::<Protocol>().map(drop).map_err(|unknown| unknown.to_string());
    let config = Config::load(file, check_protocol)?;
    if let Some(settings) = &config.transport {
        transport::check_settings(settings.clone())?;
    }
    Ok(config)
}

impl App {
    /// Opens the database in this file. The first command that begins something creates a missing file, and
    /// with `creates_folder` its folder too.
    pub fn open(
        database: &Path,
        creates_folder: bool,
        config: Config,
        clock: Box<dyn Clock>,
        rng: Rng,
    ) -> Result<Self, Error> {
        Ok(Self::new(Store::open(database, creates_folder)?, database, config, clock, rng))
    }

    /// Opens an existing database or backup in this file only to read it.
    ///
    /// # Errors
    /// Those of [`Store::open_to_read`].
    pub fn open_to_read(
        database: &Path,
        config: Config,
        clock: Box<dyn Clock>,
        rng: Rng,
    ) -> Result<Self, Error> {
        Ok(Self::new(Store::open_to_read(database)?, database, config, clock, rng))
    }

    /// Opens a replica in this file that another program may be changing, only to read it for a moment.
    ///
    /// # Errors
    /// Those of [`Store::follow`].
    pub fn follow(
        database: &Path,
        config: Config,
        clock: Box<dyn Clock>,
        rng: Rng,
    ) -> Result<Self, Error> {
        Ok(Self::new(Store::follow(database)?, database, config, clock, rng))
    }

    fn new(store: Store, database: &Path, config: Config, clock: Box<dyn Clock>, rng: Rng) -> Self {
        let (database, time) = (database.to_owned(), Cell::new(None));
        Self { store, env: Env { database, config, clock, time, rng }, must_exist: false }
    }

    /// Sets whether commands that create nothing refuse a database that does not exist yet. Otherwise
    /// it counts as empty.
    #[must_use]
    pub fn expecting_database(self, must_exist: bool) -> Self {
        Self { must_exist, ..self }
    }

    /// Refuses a database that does not exist yet, if it must exist.
    ///
    /// # Errors
    /// When it is missing.
    pub fn check_database(&self) -> Result<(), Error> {
        if !self.must_exist || self.store.must_exist().is_ok() {
            return Ok(());
        }
        let file = config::display_path(self.store.path());
        let error = Error::refused(format!("there is no database {file}"));
        Err(error.with_hint("check --db; `outflank new` creates a database"))
    }

    /// Refuses a database that does not exist yet: for work that would go wrong with an empty one.
    ///
    /// # Errors
    /// A fault if it is missing.
    pub fn must_exist(&self) -> Result<(), Error> {
        Ok(self.store.must_exist()?)
    }

    /// Returns whether it is a replica that another program may be changing, which must wait while this is open.
    pub const fn is_followed(&self) -> bool {
        self.store.is_followed()
    }

    /// Limits how long to wait for another process that writes.
    pub fn limit_waiting(&self, limit: Duration) {
        self.store.limit_waiting(limit);
    }

    /// Returns whether a command has changed anything.
    pub const fn has_written(&self) -> bool {
        self.store.has_written()
    }
}

impl Env {
    /// Returns the current time.
    pub(in crate::app) fn now(&self) -> DateTime<Utc> {
        self.time.get().unwrap_or_else(|| self.clock.now())
    }

    /// Does the work of a transaction, for which the time stands still: all that a command stores has one
    /// time. Work within it has the same.
    pub(in crate::app) fn at_one_time<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Ends the time even if the work panics.
        struct End<'a>(&'a Cell<Option<DateTime<Utc>>>);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.set(None);
            }
        }
        if self.time.get().is_some() {
            return work();
        }
        self.time.set(Some(self.clock.now()));
        let _end = End(&self.time);
        work()
    }
}
