//! The services of a front end for the commands given there.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::app::run::claimed::ClaimMails;
use crate::app::{App, Error, Searched, find, one_line, redacted};
use crate::clock::Clock;
use crate::command::PlayerRef;
use crate::config::Config;

/// The services of every front end.
pub struct FrontEnd<'a> {
    /// Returns its help for all commands, or for the command with these words.
    pub help: fn(&[String]) -> Result<String, Error>,
    /// Whether the command came in a mail and its reply goes out in one.
    pub is_mail: bool,
    /// Whether a document is printed unchanged: in the shell and over ssh.
    pub prints_documents: bool,
    /// How the mails of a command are claimed with its change, which saves a turn among those who write;
    /// `None` where they are not delivered as soon as its reply is printed.
    pub claims: Option<ClaimMails>,
    /// For long searches; `None` where nobody waits for the reply.
    pub thinks: Option<Thinks<'a>>,
    /// The host's shell, if the command was given there.
    pub shell: Option<Shell<'a>>,
    /// Returns the surroundings of the application, in the host's shell.
    pub surroundings: Option<&'a dyn Fn() -> Result<Surroundings, Error>>,
}

/// The services of a front end where the user waits for the engine. Elsewhere its results are mailed.
pub struct Thinks<'a> {
    /// Returns a flag that is set when a command that runs until stopped must stop.
    pub stop: &'a dyn Fn() -> io::Result<Arc<AtomicBool>>,
    /// Shows how far a long command is.
    pub progress: Progress<'a>,
}

/// The additional services of the host's shell.
pub struct Shell<'a> {
    /// The input besides the command: a message.
    pub input: Box<dyn Read + 'a>,
    /// Reports a problem while a command runs.
    pub report: Box<dyn FnMut(&str) + 'a>,
    /// Reads the input line by line, in a thread of its own.
    pub lines: fn(LineReader),
    /// Prints a line at once, before the reply.
    pub print: LinePrinter<'a>,
    /// Opens the application only to read its database, which is neither created nor changed.
    pub open_to_read: &'a dyn Fn() -> Result<App, Error>,
}

/// The database, settings and clock of the application, before it is opened.
pub struct Surroundings {
    /// The file of the database, which may not exist.
    pub database: PathBuf,
    /// Whether its folder is created with it.
    pub creates_folder: bool,
    /// The settings, or why there are none.
    pub config: Result<Config, Error>,
    /// The time.
    pub clock: Box<dyn Clock>,
}

/// Shows progress on a terminal until the value is dropped: a text, the total if it is known, and the number
/// of searched positions.
pub type Progress<'a> =
    &'a (dyn Fn(&str, Option<usize>, &Searched) -> Box<dyn Meter> + Send + Sync);

/// Shows no progress.
pub const NO_PROGRESS: Progress<'static> = &|_, _, _| Box::new(());

/// What is shown while a command runs.
pub trait Meter: Send {
    /// Shows how many things are done.
    fn set_done(&self, done: usize);
}

/// Shows nothing.
impl Meter for () {
    fn set_done(&self, _: usize) {}
}

/// Takes each line of an input, and `None` at its end.
pub type LineReader = Box<dyn FnMut(Option<String>) + Send>;

/// Prints a line at once.
pub type LinePrinter<'a> = Box<dyn FnMut(&str) -> io::Result<()> + 'a>;

impl<'a> FrontEnd<'a> {
    /// Returns a front end without help or a shell, where nobody waits for the engine.
    pub fn none() -> Self {
        let help = |_: &[String]| Ok(String::new());
        let (claims, thinks, shell, surroundings) = (None, None, None, None);
        Self { help, is_mail: false, prints_documents: false, claims, thinks, shell, surroundings }
    }

    /// Returns whether the command was given in the host's shell.
    pub(crate) const fn is_shell(&self) -> bool {
        self.shell.is_some()
    }

    /// Returns whether the user waits for the engine.
    pub(crate) const fn waits_for_engine(&self) -> bool {
        self.thinks.is_some()
    }

    /// Returns the prefix of commands: the name of the program and a space, in the shell.
    pub(crate) const fn program(&self) -> &'static str {
        if self.is_shell() { "outflank " } else { "" }
    }

    /// Refuses an address, known or not, outside the shell: there a player is named by name.
    pub(crate) fn refuse_address(&self, named: &PlayerRef) -> Result<(), Error> {
        if self.is_shell() { Ok(()) } else { find::refuse_address(named) }
    }

    /// Returns the host's shell.
    ///
    /// # Errors
    /// When the command was given elsewhere.
    pub(crate) fn shell(&mut self) -> Result<&mut Shell<'a>, Error> {
        self.shell.as_mut().ok_or_else(|| Error::fault("this command needs the host's shell"))
    }

    /// Returns the surroundings of the application. Opens nothing.
    ///
    /// # Errors
    /// When the command was given elsewhere than in the host's shell, or the time or the home folder is
    /// unknown.
    pub(crate) fn surroundings(&self) -> Result<Surroundings, Error> {
        let read = self.surroundings;
        read.ok_or_else(|| Error::fault("this command needs the host's shell"))?()
    }

    /// Returns a flag that is set when the command must stop; where nobody waits it never is.
    pub(crate) fn stop_flag(&self) -> Result<Arc<AtomicBool>, Error> {
        let flag = self.thinks.as_ref().map_or_else(|| Ok(Arc::default()), |it| (it.stop)());
        flag.map_err(|error| Error::fault(format!("cannot wait for signals: {error}")))
    }

    /// Returns how to show progress; where nobody waits, not at all.
    pub(crate) fn progress(&self) -> Progress<'a> {
        self.thinks.as_ref().map_or(NO_PROGRESS, |it| it.progress)
    }

    /// Reports a problem to the host while the command runs, without addresses and tokens.
    pub(crate) fn report(&mut self, problem: &str) {
        if let Some(shell) = &mut self.shell {
            (shell.report)(&one_line(&redacted(problem)));
        }
    }
}
