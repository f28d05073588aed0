//! The shell: arguments in, text or JSON out, an exit status behind it.

use std::error::Error as _;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{panic, thread};

use anstream::{AutoStream, ColorChoice};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use super::args::{Arguments, Command, Global, Line, Manner, When};
use super::environment::{self, Database};
use super::output::Look;
use super::pipe;
use crate::app::{Actor, App, Door, Error, Kind, Reply, Session, UseCase};
use crate::clock::Deadline;
use crate::config;

const REFUSED: u8 = 1;
const USAGE: u8 = 2;
const FAULT: u8 = 3;

/// How long a command may deliver mail after its answer,
const DELIVERY: Duration = Duration::from_millis(1700);
/// and how much longer to wait until it notices that its time is over: two seconds in all.
const GRACE: Duration = Duration::from_millis(300);

/// Something that keeps a command from its answer: what is said of it and the exit status.
pub(super) struct Stop {
    message: String,
    hint: Option<String>,
    status: u8,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            Kind::Refused => REFUSED,
            Kind::Usage => USAGE,
            Kind::Fault => FAULT,
        };
        Self { message: error.to_string(), hint: error.hint(), status }
    }
}

impl From<config::Error> for Stop {
    fn from(error: config::Error) -> Self {
        Error::from(error).into()
    }
}

impl Stop {
    /// A fault outside, without a hint.
    pub(super) fn fault(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, status: FAULT }
    }

    fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, status: USAGE }
    }

    /// What clap has against the arguments: a value that cannot be is refused like any other
    /// that the rules do not allow, everything else is a matter of usage.
    fn from_clap(error: &clap::Error) -> Self {
        if let (ErrorKind::ValueValidation, Some(reason)) = (error.kind(), error.source()) {
            return Self { message: reason.to_string(), hint: None, status: REFUSED };
        }
        let text = error.render().to_string();
        let mut parts = text.split("\n\n").map(|part| {
            let words: Vec<_> = part.split_whitespace().collect();
            words.join(" ").replace("subcommand", "command")
        });
        let message = parts.next().unwrap_or_default();
        let hint = parts.find_map(|part| {
            let similar = |tip: &&str| tip.contains("similar");
            let tip = part.strip_prefix("tip: ").filter(similar).map(str::to_owned);
            tip.or_else(|| part.strip_prefix("Usage: ").map(|usage| format!("usage: {usage}")))
        });
        let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
        Self { message, hint, status: USAGE }
    }

    /// Says it on standard error: one line, or JSON where the contract asks for it.
    fn say(&self, json: bool) -> ExitCode {
        let Self { message, hint, status } = self;
        let message = one_line(message);
        let said = if json && *status != USAGE {
            serde_json::json!({ "error": message, "hint": hint.as_deref().unwrap_or_default() })
                .to_string()
        } else {
            match hint {
                Some(hint) => format!("outflank: {message}; {hint}"),
                None => format!("outflank: {message}"),
            }
        };
        // When nobody listens there is nobody to tell.
        let _ = writeln!(io::stderr(), "{said}");
        ExitCode::from(*status)
    }
}

/// Text without control characters, so that nothing a stranger wrote moves the cursor.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Carries out the command that these arguments say; the first is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<_> = arguments.into_iter().collect();
    if pipe::is_meant(&words) {
        return pipe::run(&words);
    }
    quiet_panics();
    let json = words.iter().any(|word| word == "--json")
        || words.iter().any(|word| word == "ssh") && environment::ssh_command().contains("--json");
    let asked = match Arguments::try_parse_from(words) {
        Ok(arguments) => panic::catch_unwind(|| written(Errand::of(arguments)?.carry_out()?)),
        Err(error) => return unparsed(&error, json),
    };
    match asked {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(stop)) => stop.say(json),
        Err(_) => ExitCode::from(FAULT),
    }
}

/// Prints the help that was asked for, or says what is wrong with the arguments.
fn unparsed(error: &clap::Error, json: bool) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(USAGE)
        }
        _ if error.use_stderr() => Stop::from_clap(error).say(json),
        _ => match written(error.print()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(stop) => stop.say(json),
        },
    }
}

/// A fault of the program is told in one line, too; in a thread that delivers mail it is a
/// failed delivery and nothing else.
fn quiet_panics() {
    panic::set_hook(Box::new(|info| {
        if thread::current().name() == Some("main") {
            let what = one_line(&info.to_string());
            let _ = writeln!(
                io::stderr(),
                "outflank: a fault in the program, please report it: {what}"
            );
        }
    }));
}

/// A command that is to be carried out.
pub(super) struct Errand {
    command: Command,
    actor: Actor,
    /// Whether there must be such a player, whatever the command.
    vouched: bool,
    program: fn() -> clap::Command,
    global: Global,
    /// How to answer; `None`: not at all.
    manner: Option<Manner>,
}

impl Errand {
    /// What these arguments ask for; over ssh, what was given to ssh.
    pub(super) fn of(arguments: Arguments) -> Result<Self, Stop> {
        let Arguments { command, global, manner } = arguments;
        let Command::Ssh(ssh) = command else {
            let actor = environment::actor(global.actor.as_ref());
            let program = Arguments::command;
            let manner = Some(manner);
            return Ok(Self { command, actor, vouched: false, program, global, manner });
        };
        let Line { command, manner } = ssh_line(&environment::ssh_command())?;
        Ok(Self {
            command: Command::Player(command),
            actor: Actor::Player(ssh.player),
            vouched: true,
            program: Line::command,
            global,
            manner: Some(manner),
        })
    }

    /// The same, unanswered.
    pub(super) fn quietly(self) -> Self {
        Self { manner: self.manner.filter(|manner| manner.json), ..self }
    }

    /// Does it. What has become of the answer.
    pub(super) fn carry_out(self) -> Result<io::Result<()>, Stop> {
        let command: &dyn UseCase = match &self.command {
            Command::Player(command) => command,
            Command::Host(command) => command,
            Command::Ssh(_) => return Err(Stop::fault("ssh within ssh")),
        };
        // Whoever is to be a player must be one, even to be told what anybody may know.
        if !self.vouched
            && let Some(reply) = command.at_once(self.program)
        {
            return Ok(self.answer(&reply?));
        }
        command.check(&self.actor)?;

        let config = environment::config(self.global.config.as_ref())?;
        let database = Database::named(self.global.db.as_ref())?;
        let stop = Arc::new(AtomicBool::new(true));
        if database.is_missing() {
            // What is refused, or only looks, makes no database.
            let (clock, dice) = (environment::clock()?, environment::dice()?);
            let app = App::unfounded(&database.path, config.clone(), clock, dice)?;
            let reply = self.run_in(&app, command, &stop)?;
            if !command.founds() {
                return Ok(self.answer(&reply));
            }
            database.make_folder()?;
        }
        let (clock, dice) = (environment::clock()?, environment::dice()?);
        let app = App::open(&database.path, config, clock, dice)?;
        stop.store(false, Ordering::Relaxed);
        if command.goes_on() {
            stop_on_signal(&stop).map_err(|error| Stop::fault(format!("cannot watch: {error}")))?;
        }
        let reply = self.run_in(&app, command, &stop)?;
        let answered = self.answer(&reply);
        deliver(app, reply);
        Ok(answered)
    }

    fn run_in(
        &self,
        app: &App,
        command: &dyn UseCase,
        stop: &Arc<AtomicBool>,
    ) -> Result<Reply, Error> {
        if let (true, Actor::Player(player)) = (self.vouched, &self.actor) {
            app.check_player(player)?;
        }
        let mut report = |trouble: &str| {
            let _ = writeln!(io::stderr(), "outflank: {}", one_line(trouble));
        };
        let door = Door {
            program: self.program,
            input: &mut io::stdin(),
            stop: Arc::clone(stop),
            report: &mut report,
        };
        command.run(&mut Session::new(app, self.actor.clone(), door))
    }

    fn answer(&self, reply: &Reply) -> io::Result<()> {
        let Some(manner) = &self.manner else { return Ok(()) };
        let stdout = io::stdout();
        let terminal = terminal_size::terminal_size().filter(|_| stdout.is_terminal());
        let width = terminal.map(|(width, _)| usize::from(width.0)).or_else(environment::columns);
        let color = match manner.color {
            When::Auto => AutoStream::choice(&stdout),
            When::Always => ColorChoice::Always,
            When::Never => ColorChoice::Never,
        };
        let mut out = AutoStream::new(stdout.lock(), color);
        Look { json: manner.json, ascii: manner.ascii, width }.write(&mut out, reply)
    }
}

/// What somebody gave to ssh: without a command, the list of their games.
fn ssh_line(words: &str) -> Result<Line, Stop> {
    let words = shlex::split(words).ok_or_else(|| Stop::usage("a quotation mark is missing"))?;
    let words = if words.is_empty() { vec!["games".to_owned()] } else { words };
    let parsed = match Line::try_parse_from(&words) {
        // There is one way to tell it.
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            let command = words.iter().map(String::as_str).find(|word| !word.starts_with('-'));
            Line::try_parse_from(["help"].into_iter().chain(command))
        }
        parsed => parsed,
    };
    parsed.map_err(|error| Stop::from_clap(&error))
}

/// What has become of an answer.
fn written(answered: io::Result<()>) -> Result<(), Stop> {
    match answered {
        // Whoever reads the answer has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Stop::fault(format!("done, but the answer cannot be written: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Delivers on a thread of its own: whatever a server or a resolver does, the player waits no
/// longer than this.
fn deliver(app: App, reply: Reply) {
    if reply.mails.is_empty() {
        return;
    }
    let (done, wait) = mpsc::channel();
    let delivery = thread::Builder::new().spawn(move || {
        app.deliver_after(&reply, Deadline::after(DELIVERY));
        let _ = done.send(());
    });
    // Without a thread the mail stays in the outbox, for `send`.
    if delivery.is_ok() {
        let _ = wait.recv_timeout(DELIVERY + GRACE);
    }
}

/// Lets the first SIGINT or SIGTERM end the watch after the mail in hand, and a second one at
/// once.
fn stop_on_signal(stop: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, FAULT.into(), Arc::clone(stop))?;
        signal_hook::flag::register(signal, Arc::clone(stop))?;
    }
    Ok(())
}
