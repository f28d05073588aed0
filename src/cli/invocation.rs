use std::io::{self, IsTerminal, Write};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use anstream::ColorChoice;
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use tracing::warn;

use super::args::{self, Arguments, Board, Command, Global, OutputOptions, SshLine, color_choice};
use super::failure::{DONE, Failure, check_written, report};
use super::output::OutputStyle;
#[cfg(feature = "tui")]
use super::screen;
use super::streams::{self, print_line, read_lines, stop_on_signal};
use super::{environment, log, play, progress, size};
use crate::app::{
    Actor, AnyCommand, App, CLAIM_MAILS, Error, FrontEnd, Json, Mailed, PlayerCommand, Reader,
    Reply, Session, Shell, Thinks, User,
};
use crate::clock::Deadline;
use crate::command::PlayerRef;
use outflank_model::render::wrapped;

/// The most time that a command delivers mail after its reply.
const MAX_DELIVERY: Duration = Duration::from_millis(1700);

/// The error for a command of the host with `--as`.
const HOST_ONLY: &str = "a command of the host acts for no player: leave out --as";

/// The hints about an actor who is an unknown player, in the shell and over ssh.
const ACTOR_HINT: &str = "leave out --as, and unset OUTFLANK_AS, to act as the host";
const PLAYERS_HINT: &str = "ask the host to sign you up";

/// The task of the program.
enum Task {
    Command(AnyCommand),
    Board(Board, OutputOptions),
    /// The board for a player who comes over ssh.
    #[cfg(feature = "tui")]
    BoardOverSsh(PlayerRef),
}

/// A command with its actor and settings.
pub(super) struct Invocation {
    task: Task,
    actor: Actor,
    /// Whether the command comes over ssh.
    over_ssh: bool,
    global: Global,
    /// How to print the reply; `None`: not at all.
    output: Option<OutputOptions>,
    /// Whether the command reads a mail from a mail server. Then nothing is printed.
    is_pipe: bool,
}

impl Invocation {
    /// Returns the invocation for these arguments; for `ssh`, that of the command given to ssh.
    pub(super) fn new(arguments: Arguments) -> Result<Self, Failure> {
        let Arguments { command, global, output } = arguments;
        let (task, actor) = match command {
            Command::Ssh(ssh) => return Self::of_ssh(&ssh.player, global),
            Command::Any(AnyCommand::Host(_)) if global.actor.is_some() => {
                return Err(Failure::usage(HOST_ONLY));
            }
            Command::Any(command @ AnyCommand::Host(_)) => (Task::Command(command), Actor::Host),
            Command::Any(command @ AnyCommand::Player(_)) => {
                (Task::Command(command), environment::actor(global.actor.as_ref()))
            }
            Command::Play(play) => {
                (Task::Board(play, output), environment::actor(global.actor.as_ref()))
            }
            // The shell runs these itself.
            #[cfg(feature = "web")]
            Command::Web(_) => return Err(Failure::usage("`web` has no reply")),
            Command::Completions(_) => return Err(Failure::usage("`completions` has no reply")),
            Command::Man(_) => return Err(Failure::usage("`man` has no reply")),
        };
        Ok(Self { task, actor, over_ssh: false, global, output: Some(output), is_pipe: false })
    }

    /// Returns the invocation of the command that this player gave to ssh.
    fn of_ssh(player: &PlayerRef, global: Global) -> Result<Self, Failure> {
        let words = ssh_words(&environment::ssh_command())?;
        #[cfg(feature = "tui")]
        if words.is_empty() && screen::is_possible() {
            let task = Task::BoardOverSsh(player.clone());
            return Ok(Self::over_ssh(task, None, player, global));
        }
        let words = if words.is_empty() { vec!["games".to_owned()] } else { words };
        match parse_ssh(&words) {
            Ok(line) => Ok(Self::of_line(line, player, global)),
            Err(error) => {
                let failure = Failure::from_clap(&error, &SshLine::command()).over_ssh();
                Err(failure.or_missing_game(|| {
                    let line = parse_ssh(&with_game(&words, 0, "1")?).ok()?;
                    Self::of_line(line, player, global).with_only_game(&words, 0)
                }))
            }
        }
    }

    fn of_line(line: SshLine, player: &PlayerRef, global: Global) -> Self {
        let task = Task::Command(AnyCommand::Player(line.command));
        Self::over_ssh(task, Some(line.output), player, global)
    }

    fn over_ssh(
        task: Task,
        output: Option<OutputOptions>,
        player: &PlayerRef,
        global: Global,
    ) -> Self {
        let actor = Actor::Player(player.clone());
        Self { task, actor, over_ssh: true, global, output, is_pipe: false }
    }

    /// Drops the reply, unless it is JSON.
    pub(super) fn quietly(self) -> Self {
        Self { output: self.output.filter(|output| output.json), is_pipe: true, ..self }
    }

    /// Runs the command and returns the result of writing its reply, with the exit status.
    pub(super) fn run(&self) -> Result<Result<u8, Failure>, Failure> {
        let ran = match &self.task {
            Task::Command(command) => self.run_command(command),
            Task::Board(play, output) => {
                play::run(play, &self.actor, &self.global, *output).map(|()| Ok(DONE))
            }
            #[cfg(feature = "tui")]
            Task::BoardOverSsh(player) => {
                play::run_over_ssh(player, &self.global).map(|()| Ok(DONE))
            }
        };
        ran.map_err(|failure| match self.over_ssh {
            true => failure.over_ssh(),
            false => failure,
        })
    }

    fn run_command(&self, command: &AnyCommand) -> Result<Result<u8, Failure>, Failure> {
        let mut open = || environment::open(&self.global);
        let color =
            self.output.as_ref().map_or(ColorChoice::Auto, |output| color_choice(output.color));
        let log = command.log();
        log.map_or(Ok(()), log::start)?;
        let mut report = |problem: &str| match log {
            Some(_) => warn!("{problem}"),
            None => report(color, true, problem),
        };
        let surroundings = || environment::surroundings(&self.global);
        let shell = Shell {
            input: Box::new(io::stdin()),
            report: Box::new(&mut report),
            lines: read_lines,
            print: Box::new(print_line),
            open_to_read: &|| environment::open_to_read(&self.global),
        };
        let claims = Some(CLAIM_MAILS);
        let front_end = match self.over_ssh {
            true => FrontEnd {
                help: args::ssh_help,
                prints_documents: true,
                claims,
                ..FrontEnd::none()
            },
            false => FrontEnd {
                help: args::help,
                prints_documents: true,
                claims,
                thinks: Some(Thinks { stop: &stop_on_signal, progress: &progress::show }),
                shell: Some(shell),
                surroundings: Some(&surroundings),
                ..FrontEnd::none()
            },
        };
        let mut session = Session::new(self.actor.clone(), front_end, &mut open);
        if let Some(user) = self.user_who_gives(command)
            && let Some(name) = session.act_as_player_of(user.id)
        {
            // A closed standard error changes nothing.
            let _ = writeln!(io::stderr(), "As {name}.");
        }
        self.run_in(session, command)
    }

    /// Returns the user whose player gives this command, if a player must give it and none is named.
    fn user_who_gives(&self, command: &AnyCommand) -> Option<User> {
        let traits = command.traits();
        let needs_player =
            self.actor == Actor::Host && traits.actor.is_some() && !traits.needs_name;
        environment::own_user().filter(|_| needs_player && !self.over_ssh)
    }

    /// Runs a command and writes its reply, lets computer players act, and delivers mail.
    fn run_in(
        &self,
        mut session: Session,
        command: &AnyCommand,
    ) -> Result<Result<u8, Failure>, Failure> {
        let hint = if self.over_ssh { PLAYERS_HINT } else { ACTOR_HINT };
        let is_sign_of_life = session.check_actor(hint)?;
        let mut reply = command.run(&mut session)?;
        let actor = session.actor.clone();
        let reader = if self.over_ssh { Reader::Player } else { Reader::Host };
        let has_bots = !reply.bots.is_empty() && !self.is_pipe;
        // The command has succeeded, even if the computer players fail: then `send` lets them act.
        let written = if has_bots && !self.prints_json() {
            let _ = session.let_bots_act(&mut reply, reader);
            self.write(&mut reply, &mut session)?
        } else {
            // JSON shows the game after the command only.
            let written = self.write(&mut reply, &mut session)?;
            if written.is_ok() && has_bots {
                let _ = session.let_bots_act(&mut reply, reader);
            }
            written
        };
        let app = session.into_app();
        let is_change = app.as_ref().is_some_and(App::has_written);
        if let Some(mut app) = app {
            if is_sign_of_life {
                // The command has succeeded even if this fails.
                let _ = app.record_sign_of_life(&actor);
            }
            if !reply.mails.is_empty() {
                self.deliver(&mut app, &mut reply, command.traits().reports_mails);
            }
            // The process ends, which closes the database faster.
            mem::forget(app);
        }
        let fault = reply.fault.take();
        let done = check_written(written, is_change).map(|()| reply.status);
        Ok(done.and_then(|status| fault.map_or(Ok(status), |it| Err(it.into()))))
    }

    fn prints_json(&self) -> bool {
        self.output.as_ref().is_some_and(|output| output.json)
    }

    /// Returns these words with the number of the only game that waits for the actor behind the command,
    /// which is at this place; `None` if there is no such game.
    pub(super) fn with_only_game(&self, words: &[String], at: usize) -> Option<String> {
        let mut open = || environment::open(&self.global);
        let mut session = Session::new(self.actor.clone(), FrontEnd::none(), &mut open);
        let game = session.only_waiting_game().ok()??.to_string();
        let words = with_game(words, at, &game)?;
        shlex::try_join(words.iter().map(String::as_str)).ok()
    }

    /// Delivers the mails of a reply, and reports their outcome unless nobody reads it.
    fn deliver(&self, app: &mut App, reply: &mut Reply, is_reported: bool) {
        let output = self.output.as_ref().filter(|_| !self.is_pipe);
        let reader = match output {
            Some(_) if self.over_ssh => Reader::Player,
            Some(output) if output.json || !is_reported => Reader::Nobody,
            Some(_) => Reader::Host,
            None => Reader::Nobody,
        };
        let mailed = deliver(app, reply, reader);
        if let (Some(problem), Some(output)) = (&mailed.problem, output) {
            report(color_choice(output.color), true, problem);
        }
        if !mailed.text.is_empty() && output.is_some_and(|output| !output.json) {
            // A closed pipe is no error: `mail` shows the same.
            let _ = write_text(&mailed.text);
        }
    }

    fn write(&self, reply: &mut Reply, session: &mut Session) -> Result<io::Result<()>, Error> {
        let Some(output) = self.output else { return Ok(Ok(())) };
        // A picture has no JSON.
        let has_json = matches!(&reply.json, Json::Value(json) if !json.is_empty());
        if let Some(document) = &reply.document
            && !(output.json && has_json)
        {
            return write_document(document);
        }
        let style = OutputStyle::new(output, session.styled(reply)?);
        style.write(&mut streams::stdout(output.color), reply, session)
    }
}

/// Returns the words that were given to ssh.
fn ssh_words(command: &str) -> Result<Vec<String>, Failure> {
    shlex::split(command).ok_or_else(|| Failure::usage("a quotation mark is missing"))
}

fn parse_ssh(words: &[String]) -> Result<SshLine, clap::Error> {
    match SshLine::parse_words(words) {
        // `show --help` is another way to write `help show`.
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            let command = words.iter().map(String::as_str).find(|word| !word.starts_with('-'));
            SshLine::parse_words(["help"].into_iter().chain(command))
        }
        parsed => parsed,
    }
}

/// Returns these words with the number of a game behind the one at this place; `None` if no game
/// belongs there.
pub(super) fn with_game(words: &[String], at: usize, game: &str) -> Option<Vec<String>> {
    let command = words.get(at).filter(|word| PlayerCommand::begins_with_game(word))?;
    let (before, behind) = (&words[..at], &words[at + 1..]);
    Some([before, &[command.clone(), game.to_owned()], behind].concat())
}

/// Writes a text behind the reply.
fn write_text(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match size::width() {
        Some(width) => writeln!(stdout, "\n{}", wrapped(text, width)),
        None => writeln!(stdout, "\n{text}"),
    }
}

/// Writes a document as it is. Refuses one for a terminal that is no text.
fn write_document(document: &[u8]) -> Result<io::Result<()>, Error> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() && str::from_utf8(document).is_err() {
        let error = Error::refused("a terminal cannot show this picture");
        return Err(error.with_hint("add `--output FILE`, or use a pipe"));
    }
    Ok(stdout.write_all(document).and_then(|()| stdout.flush()))
}

/// Delivers mail for a limited time, so that a slow server delays the player by two seconds at most.
/// Returns the outcome of the mails.
fn deliver(app: &mut App, reply: &mut Reply, reader: Reader) -> Mailed {
    let deliver = || app.deliver_and_report(reply, Deadline::after(MAX_DELIVERY), reader);
    // The change is made, even if this panics.
    panic::catch_unwind(AssertUnwindSafe(deliver)).unwrap_or_else(|_| Mailed {
        problem: None,
        text: match reader {
            Reader::Nobody => String::new(),
            Reader::Host => "The mail has not been sent yet; see `outflank mail`.".to_owned(),
            Reader::Player => "The mail has not been sent yet.".to_owned(),
        },
    })
}
