//! What can be done: a file per command, with its arguments and its use case, and what they
//! share. Each checks who may do it, and does it in one transaction; the clock and chance are
//! handed in.
//!
//! [`PlayerCommand`] and [`HostCommand`] register the commands: a new one is a file and a line.

mod address;
mod backup;
mod change;
mod codes;
mod deliver;
mod dice;
mod disarm;
mod error;
mod games;
mod help;
mod history;
mod inbox;
mod line;
mod look_up;
mod new;
mod notify;
mod outbox;
mod pass;
mod play;
mod players;
mod receipt;
mod receive;
mod reply;
mod resign;
mod rotate;
mod send;
mod show;
mod signup;
mod subscribe;
mod suggest;
mod table;
mod view;
mod watch;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chrono::{DateTime, Utc};

pub use dice::{Dice, SEEDED_BY};
pub use disarm::disarm;
pub use error::{Error, Kind};
pub use line::{At, Line};
pub use reply::{Block, Reply, wrapped};
pub use table::{Column, Entry, Table, Zone};

use crate::clock::Clock;
use crate::command::PlayerRef;
use crate::config::Config;
use crate::store::{Answered, Db, Store};
use notify::Post;

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

    /// Says whether there is such a player.
    ///
    /// # Errors
    /// [`Error::NoPlayer`], or a fault of the database.
    pub fn check_player(&self, player: &PlayerRef) -> Result<(), Error> {
        self.store.read(|db| look_up::player(db, player)).map(drop)
    }

    /// Does something in one transaction, in which mail can be posted. The answer names the mails
    /// that were. Within another act it is a part of that one, undone alone when it errs.
    fn act(
        &self,
        work: impl FnOnce(&Db, &mut Post) -> Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        self.store.write(|db| {
            let mut post = Post::new(self, db);
            let reply = work(db, &mut post)?;
            Ok(reply.with_mails(post.posted))
        })
    }
}

/// In whose name a command is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// Who holds the database: acts for whoever is on turn.
    Host,
    /// This player and nobody else.
    Player(PlayerRef),
}

impl Actor {
    /// The player, if it is one.
    #[must_use]
    pub const fn player(&self) -> Option<&PlayerRef> {
        match self {
            Self::Host => None,
            Self::Player(player) => Some(player),
        }
    }
}

/// What a door has for those who come in by it.
pub struct Door<'a> {
    /// All commands that can be given there, for `help`.
    pub program: fn() -> clap::Command,
    /// What comes in besides the command: a message.
    pub input: &'a mut dyn Read,
    /// Set when a command that goes on for ever is to end.
    pub stop: Arc<AtomicBool>,
    /// Tells the host of trouble while a command goes on.
    pub report: &'a mut dyn FnMut(&str),
}

/// Somebody who gives a command.
pub struct Session<'a> {
    /// The application.
    pub app: &'a App,
    /// In whose name.
    pub actor: Actor,
    /// Where they came in.
    pub door: Door<'a>,
    /// The mail that gives the command, if one does.
    answered: Option<Answered<'a>>,
}

impl<'a> Session<'a> {
    /// Somebody who came in by this door.
    pub const fn new(app: &'a App, actor: Actor, door: Door<'a>) -> Self {
        Self { app, actor, door, answered: None }
    }
}

/// A command with its arguments.
pub trait UseCase {
    /// Whether something is missing that can be told before the database is opened.
    ///
    /// # Errors
    /// [`Error`] of kind [`Kind::Usage`].
    fn check(&self, _actor: &Actor) -> Result<(), Error> {
        Ok(())
    }

    /// The answer, if it can be given without a database. `program` is all commands that can be
    /// given by this door.
    fn at_once(&self, _program: fn() -> clap::Command) -> Option<Result<Reply, Error>> {
        None
    }

    /// Whether it goes on until it is stopped.
    fn goes_on(&self) -> bool {
        false
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
            fn check(&self, actor: &Actor) -> Result<(), Error> {
                match self { $(Self::$command(command) => command.check(actor)),* }
            }

            fn at_once(&self, program: fn() -> clap::Command) -> Option<Result<Reply, Error>> {
                match self { $(Self::$command(command) => command.at_once(program)),* }
            }

            fn goes_on(&self) -> bool {
                match self { $(Self::$command(command) => command.goes_on()),* }
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
        subscribe::Subscribe,
        subscribe::Unsubscribe,
        receipt::Receipt,
        help::Help,
    }
}

commands! {
    /// What only the host may say, in the shell.
    HostCommand {
        new::New,
        signup::Signup,
        address::Address,
        rotate::Rotate,
        send::Send,
        receive::Receive,
        inbox::Inbox,
        outbox::Mail,
        backup::Backup,
    }
}
