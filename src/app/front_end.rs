//! What a front end offers to the commands given there.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::app::claimed::ClaimMails;
use crate::app::{App, Error, Searched, one_line, redacted};
use crate::clock::Clock;
use crate::command::PlayerRef;
use crate::config::Config;

/// What every front end offers.
pub struct FrontEnd<'a> {
    /// Returns its help for all commands, or for the command with these words.
    pub help: fn(&[String]) -> Result<String, Error>,
    /// Whether the command came in a mail and its reply goes out in one.
    pub is_mail: bool,
    /// How the mails of a command are claimed with its change, which saves a turn among those who write;
    /// `None` where they are not delivered as soon as its reply is printed.
    pub claims: Option<ClaimMails>,
    /// What a command needs to think for long; `None` where nobody waits for its reply.
    pub thinks: Option<Thinks<'a>>,
    /// The host's shell, if the command was given there.
    pub shell: Option<Shell<'a>>,
    /// Returns what the application would be opened with, in the host's shell.
    pub surroundings: Option<&'a dyn Fn() -> Result<Surroundings, Error>>,
}

/// What a front end offers whose user waits for what the engine finds. Elsewhere it is mailed.
pub struct Thinks<'a> {
    /// Returns a flag that is set when a command that runs until stopped must stop.
    pub stop: &'a dyn Fn() -> io::Result<Arc<AtomicBool>>,
    /// Shows how far a long command is.
    pub progress: Progress,
}

/// What the host's shell offers besides.
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

/// What the application is opened with, before any of it is opened.
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

/// Shows on a terminal what is being done, of how many things in all if that is known, and how many
/// positions were searched, until the value is dropped.
pub type Progress = fn(&str, Option<usize>, &Searched) -> Box<dyn Meter>;

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
        Self { help, is_mail: false, claims, thinks, shell, surroundings }
    }

    /// Returns whether the command was given in the host's shell.
    pub(crate) const fn is_shell(&self) -> bool {
        self.shell.is_some()
    }

    /// Returns whether the user waits for what the engine finds.
    pub(crate) const fn waits_for_engine(&self) -> bool {
        self.thinks.is_some()
    }

    /// Returns what players write before a command: the name of the program and a space, in the shell.
    pub(crate) const fn program(&self) -> &'static str {
        if self.is_shell() { "outflank " } else { "" }
    }

    /// Refuses an address, known or not, outside the shell: there a player is named by name.
    pub(crate) fn refuse_address(&self, named: &PlayerRef) -> Result<(), Error> {
        match named {
            PlayerRef::Address(_) if !self.is_shell() => {
                let error = Error::refused("a player is named by name here, not by address");
                Err(error.with_hint("see `outflank players`"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the host's shell.
    ///
    /// # Errors
    /// When the command was given elsewhere.
    pub(crate) fn shell(&mut self) -> Result<&mut Shell<'a>, Error> {
        self.shell.as_mut().ok_or_else(|| Error::fault("this command needs the host's shell"))
    }

    /// Returns what the application would be opened with. Opens nothing.
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
    pub(crate) fn progress(&self) -> Progress {
        self.thinks.as_ref().map_or(|_, _, _| Box::new(()), |it| it.progress)
    }

    /// Reports a problem to the host while the command runs, without addresses and tokens.
    pub(crate) fn report(&mut self, problem: &str) {
        if let Some(shell) = &mut self.shell {
            (shell.report)(&one_line(&redacted(problem)));
        }
    }
}
