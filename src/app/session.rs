use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::app::commands::view::games;
use crate::app::commands::view::games::RestOfGames;
use crate::app::effects::outbox::Outbox;
use crate::app::views::table::Table;
use crate::app::{App, Env, Error, Reply, UseCase, find};
use crate::command::PlayerRef;
use crate::store::{Db, InReplyTo, Tx};

/// Who gives a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The host, who can act for the player to move.
    Host,
    /// This player only.
    Player(PlayerRef),
}

impl Actor {
    /// Returns the player, if it is one.
    pub const fn player(&self) -> Option<&PlayerRef> {
        match self {
            Self::Host => None,
            Self::Player(player) => Some(player),
        }
    }
}

/// Takes each line of an input, and `None` at its end.
pub type LineReader = Box<dyn FnMut(Option<String>) + Send>;

/// Prints a line at once.
pub type LinePrinter<'a> = Box<dyn FnMut(&str) -> io::Result<()> + 'a>;

/// What a front end offers to the commands given there.
pub struct FrontEnd<'a> {
    /// Returns its help for all commands, or for the command with these words.
    pub help: fn(&[String]) -> Result<String, Error>,
    /// The input besides the command: a message.
    pub input: Box<dyn Read + 'a>,
    /// Returns a flag that is set when a command that runs until stopped must stop.
    pub stop: &'a dyn Fn() -> io::Result<Arc<AtomicBool>>,
    /// Shows on a terminal what is being done, until the value is dropped.
    pub progress: fn(&str) -> Box<dyn Send>,
    /// Reports a problem to the host while a command runs.
    pub report: Box<dyn FnMut(&str) + 'a>,
    /// Reads the input line by line, in a thread of its own.
    pub lines: fn(LineReader),
    /// Prints before the reply.
    pub print: LinePrinter<'a>,
    /// Whether the command came in a mail and its reply goes out in one.
    pub is_mail: bool,
    /// Whether it was given in the host's shell, where a command may think for long.
    pub is_shell: bool,
}

impl FrontEnd<'_> {
    /// Returns a front end without input, help or output.
    pub fn none() -> Self {
        Self {
            help: |_| Ok(String::new()),
            input: Box::new(io::empty()),
            stop: &|| Ok(Arc::default()),
            progress: |_| Box::new(()),
            report: Box::new(|_| {}),
            lines: |mut push| push(None),
            print: Box::new(|_| Ok(())),
            is_mail: false,
            is_shell: false,
        }
    }
}

/// One command of one actor.
pub struct Session<'a> {
    /// Who gives the command.
    pub actor: Actor,
    /// Where it is given.
    pub front_end: FrontEnd<'a>,
    database: Access<'a>,
}

/// How a command gets at the database.
pub(crate) enum Access<'a> {
    /// Opened when it is first needed.
    Own { open: &'a mut dyn FnMut() -> Result<App, Error>, opened: Option<Box<App>> },
    /// A transaction with other commands: those of the same mail or of a batch.
    Shared { env: &'a Env, tx: &'a Tx<'a>, mail: Option<InReplyTo<'a>> },
    /// A transaction that only reads: a command that writes fails.
    ReadOnly { env: &'a Env, db: &'a Db<'a> },
}

/// What a command reads from.
pub(crate) struct Reading<'a> {
    pub db: &'a Db<'a>,
    pub env: &'a Env,
    pub actor: &'a Actor,
    /// The most rows of a list that the reply can hold, if it has a limit.
    pub most: Option<u32>,
}

/// The most rows of a list that are read for a mail, more than fit into it.
const ROWS_OF_A_MAIL: u32 = 1000;

/// What a command writes to.
pub(crate) struct Writing<'a> {
    pub tx: &'a Tx<'a>,
    pub env: &'a Env,
    pub actor: &'a Actor,
    pub outbox: Outbox<'a>,
    /// The mail that contains the command, if one does.
    pub mail: Option<InReplyTo<'a>>,
}

impl<'a> Session<'a> {
    /// Begins a session; `open` opens the application when the command needs it.
    pub const fn new(
        actor: Actor,
        front_end: FrontEnd<'a>,
        open: &'a mut dyn FnMut() -> Result<App, Error>,
    ) -> Self {
        Self { actor, front_end, database: Access::Own { open, opened: None } }
    }

    /// Begins a session with this access to the database.
    pub(crate) const fn with_access(
        actor: Actor,
        front_end: FrontEnd<'a>,
        database: Access<'a>,
    ) -> Self {
        Self { actor, front_end, database }
    }

    /// Returns the application, for a command of the host that needs more than one transaction.
    pub(crate) fn app(&mut self) -> Result<&mut App, Error> {
        match &mut self.database {
            Access::Own { open, opened } => opened_by(open, opened),
            Access::Shared { .. } | Access::ReadOnly { .. } => {
                Err(Error::fault("this command needs a transaction of its own"))
            }
        }
    }

    /// Opens the application a second time, for a thread.
    pub(crate) fn another_app(&mut self) -> Result<App, Error> {
        match &mut self.database {
            Access::Own { open, .. } => open(),
            Access::Shared { .. } | Access::ReadOnly { .. } => {
                Err(Error::fault("this command needs a database of its own"))
            }
        }
    }

    /// Ends the session and returns the application, if the command has opened it.
    pub fn into_app(self) -> Option<App> {
        match self.database {
            Access::Own { opened, .. } => opened.map(|app| *app),
            Access::Shared { .. } | Access::ReadOnly { .. } => None,
        }
    }

    /// Returns the next elements of a reply's list as JSON, without the brackets; `None` at its end.
    pub fn next_json(&mut self, rest: &mut RestOfGames) -> Result<Option<String>, Error> {
        let part = self.read(|Reading { db, .. }| rest.next(db))?;
        Ok((!part.is_empty()).then(|| games::elements(&part, rest.now)))
    }

    /// Returns the next part of a reply's list as a table; `None` at its end.
    pub fn next_table(&mut self, rest: &mut RestOfGames) -> Result<Option<Table>, Error> {
        let part = self.read(|Reading { db, .. }| rest.next(db))?;
        Ok((!part.is_empty()).then(|| rest.table(&part)))
    }

    /// Refuses an actor who is an unknown player; `hint` says what to do then. Returns whether mail to
    /// the actor has failed, so that the command is a sign of life to be recorded.
    pub fn check_actor(&mut self, hint: &str) -> Result<bool, Error> {
        let Some(player) = self.actor.player().cloned() else { return Ok(false) };
        self.read(|Reading { db, .. }| Ok(find::player_or(db, &player, hint)?.has_failed()))
    }

    /// Reads in one transaction.
    pub(crate) fn read<T>(
        &mut self,
        work: impl FnOnce(Reading) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let actor = &self.actor;
        let most = self.front_end.is_mail.then_some(ROWS_OF_A_MAIL);
        match &mut self.database {
            Access::Own { open, opened } => {
                let app = opened_by(open, opened)?;
                app.check_database()?;
                let App { store, env, .. } = app;
                store.read(|db| work(Reading { db, env, actor, most }))
            }
            Access::Shared { env, tx, .. } => work(Reading { db: tx, env, actor, most }),
            Access::ReadOnly { env, db } => work(Reading { db, env, actor, most }),
        }
    }

    /// Writes in one transaction. The reply lists the mails that were queued.
    pub(crate) fn write(
        &mut self,
        work: impl FnOnce(&mut Writing) -> Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        let actor = &self.actor;
        let run = |env: &Env, tx: &Tx, mail: Option<InReplyTo>| {
            let mut writing = Writing { tx, env, actor, outbox: Outbox::new(env, tx), mail };
            let reply = work(&mut writing)?;
            let Outbox { queued, bots, .. } = writing.outbox;
            Ok(reply.with_mails(queued).with_bots(bots))
        };
        match &mut self.database {
            Access::Own { open, opened } => {
                let App { store, env, .. } = opened_by(open, opened)?;
                store.write(|tx| run(env, tx, None))
            }
            Access::Shared { env, tx, mail } => tx.part(|| run(env, tx, *mail)),
            Access::ReadOnly { .. } => Err(Error::fault("this command writes")),
        }
    }
}

impl App {
    /// Runs commands in one transaction, all or none. Their mail is queued.
    ///
    /// # Errors
    /// That of the first command that fails.
    pub fn run_batch<'c>(
        &mut self,
        commands: impl IntoIterator<Item = (Actor, &'c dyn UseCase)>,
    ) -> Result<Vec<Reply>, Error> {
        let env = &self.env;
        self.store.write(|tx| {
            let run = |(actor, command): (Actor, &dyn UseCase)| {
                let access = Access::Shared { env, tx, mail: None };
                command.run(&mut Session::with_access(actor, FrontEnd::none(), access))
            };
            commands.into_iter().map(run).collect()
        })
    }
}

fn opened_by<'o>(
    open: &mut dyn FnMut() -> Result<App, Error>,
    opened: &'o mut Option<Box<App>>,
) -> Result<&'o mut App, Error> {
    match opened {
        Some(app) => Ok(app),
        None => Ok(opened.insert(Box::new(open()?))),
    }
}
