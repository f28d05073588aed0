//! What can be done: a file per command, with its arguments and its use case, and what they
//! share. Each checks who may do it, and does it in one transaction; the clock and chance are
//! handed in.
//!
//! [`PlayerCommand`] and [`HostCommand`] register the commands: a new one is a file and a line.

mod address;
mod backup;
mod change;
mod deliver;
mod dice;
mod error;
mod games;
mod history;
mod look_up;
mod new;
mod notify;
mod outbox;
mod pass;
mod play;
mod players;
mod reply;
mod resign;
mod send;
mod show;
mod signup;
mod suggest;
mod view;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chrono::{DateTime, Utc};

pub use dice::{Dice, SEEDED_BY};
pub use error::{Error, Kind};
pub use reply::{Block, Column, Entry, Reply, Table};

use crate::clock::Clock;
use crate::command::PlayerRef;
use crate::config::Config;
use crate::store::Store;

/// The application: an open database and everything it needs to act on it.
pub struct App {
    store: Store,
    config: Config,
    clock: Box<dyn Clock>,
    dice: Dice,
}

impl App {
    /// Opens the database in this file.
    ///
    /// # Errors
    /// [`Error`] when it cannot be opened.
    pub fn open(
        database: &Path,
        config: Config,
        clock: Box<dyn Clock>,
        dice: Dice,
    ) -> Result<Self, Error> {
        Ok(Self { store: Store::open(database)?, config, clock, dice })
    }

    /// What [`App::open`] would give for a file that does not exist yet, without making it: what
    /// is done here is not kept.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn unfounded(
        database: &Path,
        config: Config,
        clock: Box<dyn Clock>,
        dice: Dice,
    ) -> Result<Self, Error> {
        Ok(Self { store: Store::unfounded(database)?, config, clock, dice })
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }
}

/// Somebody who gives commands, and how to talk to the door they came in by.
pub struct Session<'a> {
    /// The application.
    pub app: &'a mut App,
    /// Who acts; `None` is the host, for whoever is on turn.
    pub actor: Option<PlayerRef>,
    /// Set by the door when a command that goes on for ever is to end.
    pub stop: Arc<AtomicBool>,
    /// Tells the host of trouble while a command goes on.
    pub report: &'a mut dyn FnMut(&str),
}

/// A command with its arguments.
pub trait UseCase {
    /// Whether something is missing that can be told before the database is opened.
    ///
    /// # Errors
    /// [`Error`] of kind [`Kind::Usage`].
    fn check(&self, _actor: Option<&PlayerRef>) -> Result<(), Error> {
        Ok(())
    }

    /// Whether it makes a database where there is none. Any other command meets an empty one there
    /// and makes nothing.
    fn founds(&self) -> bool {
        false
    }

    /// Does it. After an error nothing has changed.
    ///
    /// # Errors
    /// [`Error`] that says why it was not done.
    fn run(&self, session: &mut Session) -> Result<Reply, Error>;
}

/// Registers commands: makes an enum of them that is a [`UseCase`] itself.
macro_rules! commands {
    ($(#[$meta:meta])* $name:ident { $($file:ident::$command:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, clap::Subcommand)]
        pub enum $name {
            $(
                #[allow(missing_docs, reason = "clap takes the help from the arguments' own")]
                $command($file::$command),
            )*
        }

        impl UseCase for $name {
            fn check(&self, actor: Option<&PlayerRef>) -> Result<(), Error> {
                match self { $(Self::$command(command) => command.check(actor)),* }
            }

            fn founds(&self) -> bool {
                match self { $(Self::$command(command) => command.founds()),* }
            }

            fn run(&self, session: &mut Session) -> Result<Reply, Error> {
                match self { $(Self::$command(command) => command.run(session)),* }
            }
        }
    };
}

commands! {
    /// What a player may say, from any door.
    PlayerCommand {
        play::Move,
        pass::Pass,
        resign::Resign,
        show::Show,
        history::History,
        games::Games,
        players::Players,
    }
}

commands! {
    /// What only the host may say, in the shell.
    HostCommand {
        new::New,
        signup::Signup,
        address::Address,
        send::Send,
        outbox::Mail,
        backup::Backup,
    }
}
