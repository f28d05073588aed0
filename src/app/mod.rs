//! The application layer: a file per command, with its arguments and what it does, and the parts
//! that commands share. A command checks who may do it and does it in one transaction. The clock
//! and randomness are passed in.
//!
//! [`PlayerCommand`] and [`HostCommand`] register the commands: a new command is a file and a
//! line.

mod commands;
mod delivery;
mod disarm;
mod echo;
mod effects;
mod error;
mod find;
mod jobs;
mod line;
mod progress;
mod receive;
mod retry;
mod rng;
mod session;
mod similar;
mod tokens;
mod unknown;
mod views;
mod watch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};

pub use commands::view::games::RestOfGames;
pub use commands::view::help::terminal_help;
pub use delivery::mailed::{Mailed, Reader};
pub use disarm::disarm;
pub use echo::{clap_text, one_line, refused_value};
pub use error::{Error, Kind};
pub use line::{At, Line};
pub use rng::{Rng, SEED_VARIABLE};
pub use session::{Actor, FrontEnd, LinePrinter, LineReader, Session};
pub use unknown::unknown_command;
pub use views::reply::{Block, Reply, fitting, wrapped};
pub use views::table::{Column, Emphasis, Entry, Table, Zone};

use crate::clock::Clock;
use crate::config::{self, Config};
use crate::log::GameId;
use crate::store::{Moment, Store};
use commands::play::moves::Play;

/// The application: a database and its environment.
pub struct App {
    store: Store,
    env: Env,
    /// Whether commands that create nothing refuse a database that does not exist yet.
    must_exist: bool,
}

/// What commands need besides the database.
pub(crate) struct Env {
    /// The file of the database.
    database: PathBuf,
    config: Config,
    clock: Box<dyn Clock>,
    rng: Rng,
}

impl App {
    /// Opens the database in this file. The first command that writes creates a missing file, and
    /// with `creates_folder` its folder too.
    pub fn open(
        database: &Path,
        creates_folder: bool,
        config: Config,
        clock: Box<dyn Clock>,
        rng: Rng,
    ) -> Result<Self, Error> {
        let store = Store::open(database, creates_folder)?;
        let database = database.to_owned();
        Ok(Self { store, env: Env { database, config, clock, rng }, must_exist: false })
    }

    /// Sets whether commands that create nothing refuse a database that does not exist yet. Otherwise
    /// it counts as empty.
    #[must_use]
    pub fn expecting_database(self, must_exist: bool) -> Self {
        Self { must_exist, ..self }
    }

    /// Refuses a database that does not exist yet, if it must exist.
    fn check_database(&self) -> Result<(), Error> {
        if !self.must_exist || self.store.must_exist().is_ok() {
            return Ok(());
        }
        let file = config::display_path(self.store.path());
        let error = Error::refused(format!("there is no database {file}"));
        Err(error.with_hint("check --db; `outflank new` creates a database"))
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
    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }
}

/// A command with its arguments.
pub trait UseCase {
    /// Returns which game the command concerns, and how.
    fn concerns(&self) -> Concerns {
        Concerns::NoGame
    }

    /// Returns whether the command acts for a player or the host; then an unknown player is refused.
    fn has_actor(&self) -> bool {
        true
    }

    /// Lets the command's moves, if they have no number, be only for the position of this moment.
    fn bind(&mut self, _at: Moment) {}

    /// Runs the command. After an error nothing has changed.
    ///
    /// # Errors
    /// [`Error`] that says why it was not carried out.
    fn run(&self, session: &mut Session) -> Result<Reply, Error>;
}

/// Which game a command concerns, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concerns {
    /// None in particular.
    NoGame,
    /// It reads the game, or changes which mails a player gets about it.
    Reads(GameId),
    /// It changes the game, but not by moves.
    Changes(GameId),
    /// It makes or answers an offer, or adds words.
    Tells(GameId),
    /// It makes moves in the game.
    Plays(Play),
}

impl Concerns {
    /// Returns the game.
    pub const fn game(&self) -> Option<GameId> {
        match self {
            Self::NoGame => None,
            Self::Reads(game) | Self::Changes(game) | Self::Tells(game) => Some(*game),
            Self::Plays(play) => Some(play.game),
        }
    }

    /// Returns whether the game changes, which its mails report to both players.
    pub const fn is_change(&self) -> bool {
        matches!(self, Self::Changes(_) | Self::Plays(_))
    }

    const fn play(&self) -> Option<&Play> {
        match self {
            Self::Plays(play) => Some(play),
            _ => None,
        }
    }
}

/// Registers commands: defines an enum of them that is a [`UseCase`] itself.
macro_rules! commands {
    ($(#[$meta:meta])* $name:ident { $($word:literal $(| $alias:literal)*: $command:ident in $($module:ident)::+),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, clap::Subcommand)]
        pub enum $name {
            $(
                #[allow(missing_docs, reason = "clap takes the help from the arguments")]
                #[command(name = $word)]
                $command($($module)::+::$command),
            )*
        }

        impl $name {
            /// The words of the commands, and other words for them.
            pub const WORDS: &[&str] = &[$($word $(, $alias)*),*];

            /// Returns the parser of one command. It is built in less time than that of all.
            pub fn parser(word: &str) -> Option<clap::Command> {
                match word {
                    $($word $(| $alias)* => {
                        let command = clap::Command::new($word);
                        Some(<$($module)::+::$command as clap::Args>::augment_args(command))
                    })*
                    _ => None,
                }
            }
        }

        impl UseCase for $name {
            fn concerns(&self) -> Concerns {
                match self { $(Self::$command(command) => command.concerns()),* }
            }

            fn has_actor(&self) -> bool {
                match self { $(Self::$command(command) => command.has_actor()),* }
            }

            fn bind(&mut self, at: Moment) {
                match self { $(Self::$command(command) => command.bind(at)),* }
            }

            fn run(&self, session: &mut Session) -> Result<Reply, Error> {
                match self { $(Self::$command(command) => command.run(session)),* }
            }
        }
    };
}

commands! {
    /// The commands of players, from any front end.
    PlayerCommand {
        "move": Move in commands::play::moves,
        "pass": Pass in commands::play::pass,
        "resign": Resign in commands::play::resign,
        "takeback": Takeback in commands::offers::takeback,
        "draw": Draw in commands::offers::draw,
        "rematch": Rematch in commands::offers::rematch,
        "pause": Pause in commands::offers::pause,
        "unpause": Unpause in commands::offers::pause,
        "accept": Accept in commands::offers::answer,
        "decline": Decline in commands::offers::answer,
        "note": Note in commands::words::note,
        "plan": Plan in commands::play::plan,
        "claim": Claim in commands::time::claim,
        "away": Away in commands::time::away,
        "show": Show in commands::view::show,
        "history": History in commands::view::history,
        "hint": Hint in commands::view::hint,
        "analyze" | "analyse": Analyze in commands::view::analyze,
        "preview": Preview in commands::view::preview,
        "replay": Replay in commands::view::replay,
        "games": Games in commands::view::games,
        "next": Next in commands::view::next,
        "players": Players in commands::view::players,
        "say": Say in commands::words::say,
        "block": Block in commands::words::block,
        "unblock": Unblock in commands::words::block,
        "mute" | "unsubscribe": Mute in commands::settings::mute,
        "unmute" | "subscribe": Unmute in commands::settings::mute,
        "set": Set in commands::settings::set,
        "receipt": Receipt in commands::settings::receipt,
        "help": Help in commands::view::help,
    }
}

commands! {
    /// The commands of the host, in the shell only.
    HostCommand {
        "new": New in commands::host::new,
        "bots": Bots in commands::host::bots,
        "solve": Solve in commands::host::solve,
        "annul": Annul in commands::host::annul,
        "forfeit": Forfeit in commands::host::forfeit,
        "extend": Extend in commands::host::extend,
        "signup": Signup in commands::host::signup,
        "address": Address in commands::host::address,
        "rotate": Rotate in commands::host::rotate,
        "engine": Engine in commands::host::engine,
        "send": Send in commands::host::send,
        "receive": Receive in receive,
        "inbox": Inbox in commands::host::inbox,
        "mail": Mail in commands::host::mail,
        "backup": Backup in commands::host::backup,
    }
}

/// A command of a player or of the host.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum AnyCommand {
    #[allow(missing_docs, reason = "clap takes the help from the commands")]
    #[command(flatten)]
    Player(PlayerCommand),
    #[allow(missing_docs, reason = "clap takes the help from the commands")]
    #[command(flatten)]
    Host(Box<HostCommand>),
}

impl AnyCommand {
    /// Returns the command, whosever it is.
    pub fn use_case(&self) -> &dyn UseCase {
        match self {
            Self::Player(command) => command,
            Self::Host(command) => &**command,
        }
    }
}
