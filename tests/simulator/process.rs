//! Processes on the machine of a world. Each is a process of its own, with its own connection and seed.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::{CommandFactory, FromArgMatches, Parser};
use outflank::app::{
    self, Actor, AnyCommand, App, Block, CLAIM_MAILS, Error, FrontEnd, HostCommand, Json, Kind,
    OpenApp, PlayerCommand, Reader, Reply, Rng, Session, Shell, Surroundings, Table, Thinks, Zone,
};
use outflank::clock::{self, Clock, Deadline};
use outflank::command::PlayerRef;
use outflank::config::Config;
use serde_json::Value;

use super::log::Log;
use super::pages::{self, Answer, Request};
use super::step;

/// The most time that a command delivers mail after its reply.
const MAX_DELIVERY: Duration = Duration::from_secs(10);

/// The name of the file of the database.
pub const DATABASE: &str = "outflank.db";

#[derive(Clone)]
pub struct WorldClock(pub Arc<AtomicI64>);

impl Clock for WorldClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0.load(Ordering::Relaxed), 0).unwrap_or_default()
    }
}

#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

/// The outcome of a process.
#[derive(Debug, Default)]
pub struct Ran {
    /// The exit status.
    pub status: u8,
    /// What it prints for scripts.
    pub json: Option<String>,
    /// What it prints for people, and its errors with their hints.
    pub sentences: Vec<String>,
    /// The tables and boards that it prints for people.
    pub drawn: Vec<String>,
    /// The text that it prints for other programs.
    pub document: String,
    /// What it logs, at all levels.
    pub log: String,
    /// The message of a panic.
    pub panic: Option<String>,
    /// What a browser gets.
    pub answer: Option<Answer>,
}

/// A command that is run, its standard input, and the seed of its process.
pub struct Process<'a> {
    pub command: &'a step::Command,
    pub input: Vec<u8>,
    pub seed: u64,
}

/// The machine of a world: its files and its clock.
#[derive(Clone)]
pub struct Machine {
    pub folder: PathBuf,
    /// The configuration of the club, and another one.
    pub configs: [Config; 2],
    pub clock: WorldClock,
}

/// Returns the name of the file with the configuration of a process.
pub const fn config_file(is_elsewhere: bool) -> &'static str {
    if is_elsewhere { "elsewhere.toml" } else { "config.toml" }
}

impl Ran {
    /// Returns whether there are sentences beside the JSON, which the built program does not print.
    pub fn has_sentences(&self) -> bool {
        self.json.as_ref().is_some_and(|it| !it.ends_with('\n'))
    }

    /// Returns all that it prints.
    pub fn printed(&self) -> impl Iterator<Item = &String> {
        let document = Some(&self.document).filter(|it| !it.is_empty());
        self.sentences.iter().chain(&self.drawn).chain(&self.json).chain(document)
    }

    /// Returns what it prints for scripts; null if that is nothing, or is no JSON.
    pub fn shown(&self) -> Value {
        serde_json::from_str(self.json.as_deref().unwrap_or_default()).unwrap_or_default()
    }

    /// Notes how the work ended: with an error, or with a panic.
    fn end(&mut self, done: std::thread::Result<Option<Error>>) {
        match done {
            Ok(None) => {}
            Ok(Some(error)) => {
                self.status = match error.kind() {
                    Kind::Refused | Kind::Stale => 1,
                    Kind::Usage => 2,
                    Kind::Fault | Kind::Locked | Kind::Moved => 3,
                };
                self.sentences.push(error.to_string());
                self.sentences.extend(error.hint().map(str::to_owned));
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied());
                self.panic = Some(text.unwrap_or("a panic").to_owned());
            }
        }
    }
}

impl Machine {
    /// Runs a command of the host, who has the club's configuration.
    pub fn run_host(&self, words: &[&str], input: Vec<u8>, seed: u64) -> Ran {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let command = &step::Command { actor: None, words, is_elsewhere: false };
        self.run(Process { command, input, seed }, || {})
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join(DATABASE)
    }

    /// Runs a process of the built program, in a shell, by ssh or at the board.
    pub fn run_program(
        &self,
        program: &Path,
        process: Process,
        acknowledged: impl FnOnce(),
    ) -> Ran {
        let Process { command: step::Command { actor, words, is_elsewhere }, input, seed } =
            process;
        let mut command = Command::new(program);
        command.env_clear().env(clock::NOW_VARIABLE, self.clock.now().to_rfc3339());
        command.env(app::SEED_VARIABLE, seed.to_string()).env("HOME", &self.folder);
        command.arg("--db").arg(self.database());
        command.arg("--config").arg(self.folder.join(config_file(*is_elsewhere)));
        let is_player = PlayerCommand::named(&words[0]).is_some();
        // What is exported is a document, unless it goes into a file.
        let is_document = words[0] == "export" && !words.iter().any(|it| it == "--output");
        let (mut input, mut prints_json) = (input, !is_document);
        match actor.as_ref().filter(|_| is_player) {
            // At the board, which reads lines when it has no terminal.
            Some(actor) if seed.is_multiple_of(300) && words[0] == "move" && words.len() == 3 => {
                command.args(["--as", actor, "play", &words[1]]);
                (input, prints_json) = (format!("{}\n", words[2]).into_bytes(), false);
            }
            // By ssh, half of the time.
            Some(actor) if seed.is_multiple_of(200) => {
                let (word, rest) = words.split_first().expect("a command has a word");
                let words = [word.as_str(), "--json"].into_iter();
                let line = shlex::try_join(words.chain(rest.iter().map(String::as_str)));
                command.args(["ssh", actor]);
                command.env("SSH_ORIGINAL_COMMAND", line.expect("words have no null"));
            }
            Some(actor) => {
                command.args(["--json", "--as", actor]).args(words);
            }
            None => {
                command.arg("--json").args(words);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        if let Some(mut stdin) = child.stdin.take() {
            // The program need not read it.
            let _ = stdin.write_all(&input);
        }
        let output = child.wait_with_output().expect("the program ends");
        if output.status.success() {
            acknowledged();
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let problems = text(&output.stderr);
        Ran {
            status: output.status.code().and_then(|code| code.try_into().ok()).unwrap_or(u8::MAX),
            json: (prints_json && output.status.success()).then(|| text(&output.stdout)),
            sentences: vec![problems.clone()],
            drawn: Vec::new(),
            document: String::new(),
            log: String::new(),
            panic: problems.contains("panicked").then_some(problems),
            answer: None,
        }
    }

    /// Runs a process: a command as in the host's shell, and the delivery after it. `acknowledged` is called when
    /// the command has succeeded and its reply would be printed.
    pub fn run(&self, process: Process, acknowledged: impl FnOnce()) -> Ran {
        let Process { command: step::Command { actor, words, is_elsewhere }, input, seed } =
            process;
        let line = match parse(words) {
            Ok(line) => line,
            Err(error) => {
                let message = error.to_string().lines().next().unwrap_or_default().to_owned();
                return Ran { status: 2, sentences: vec![message], ..Ran::default() };
            }
        };
        let actor = match (actor, &line.command) {
            (Some(name), AnyCommand::Player(_)) => Actor::Player(PlayerRef::Name(name.clone())),
            _ => Actor::Host,
        };
        let mut ran = Ran::default();
        let database = self.database();
        let settings = || {
            (
                self.configs[usize::from(*is_elsewhere)].clone(),
                Box::new(self.clock.clone()),
                Rng::seeded(seed),
            )
        };
        let mut open = || {
            let (config, clock, rng) = settings();
            let app = App::open(&database, true, config, clock, rng)?;
            Ok(app.expecting_database(true))
        };
        let open_to_read = || {
            let (config, clock, rng) = settings();
            App::open_to_read(&database, config, clock, rng)
        };
        let printed = RefCell::new(String::new());
        let shell = Shell {
            input: Box::new(Cursor::new(input)),
            report: Box::new(|_| {}),
            lines: |_| {},
            print: Box::new(|line| {
                let mut printed = printed.borrow_mut();
                printed.extend([line, "\n"]);
                Ok(())
            }),
            open_to_read: &open_to_read,
        };
        let stop = || Ok(Arc::default());
        let surroundings = || {
            let (config, clock, _) = settings();
            let database = database.clone();
            Ok(Surroundings { database, creates_folder: false, config: Ok(config), clock })
        };
        let front_end = FrontEnd {
            claims: Some(CLAIM_MAILS),
            thinks: Some(Thinks { stop: &stop, progress: &|_, _, _| Box::new(()) }),
            shell: Some(shell),
            surroundings: Some(&surroundings),
            prints_documents: true,
            ..FrontEnd::none()
        };
        let session = Session::new(actor, front_end, &mut open);
        let work = || run_command(session, &line.command, &mut ran, acknowledged);
        let log = Log::default();
        let work = || tracing::subscriber::with_default(log.subscriber(), work);
        let done = panic::catch_unwind(AssertUnwindSafe(work));
        ran.end(done.map(Result::err));
        ran.log = log.text();
        ran.document += &printed.into_inner();
        ran
    }

    /// Lets the server of the pages answer a request, and do what follows from it. `acknowledged` is called in
    /// between if the server says that it has done something.
    pub fn answer(&self, request: &Request, seed: u64, acknowledged: impl FnOnce()) -> Ran {
        let (machine, opened) = (self.clone(), AtomicU64::new(seed));
        let open: OpenApp = Arc::new(move || {
            let Machine { configs: [config, _], clock, .. } = machine.clone();
            let rng = Rng::seeded(opened.fetch_add(1, Ordering::Relaxed));
            let app = App::open(&machine.database(), false, config, Box::new(clock), rng)?;
            Ok(app.expecting_database(true))
        });
        let (mut ran, mut answered) = (Ran::default(), None);
        let log = Log::default();
        let work = || pages::answer(&open, request, acknowledged);
        let work = || tracing::subscriber::with_default(log.subscriber(), work);
        let done = panic::catch_unwind(AssertUnwindSafe(work));
        ran.end(done.map(|done| done.map(|answer| answered = Some(answer)).err()));
        (ran.answer, ran.log) = (answered, log.text());
        if let Some(answer) = &ran.answer {
            ran.status = u8::from(answer.status >= 400);
            ran.sentences = pages::texts(&answer.body);
        }
        ran
    }
}

/// Parses a command with the parser of its word, which is built in less time than that of all.
fn parse(words: &[String]) -> Result<Line, clap::Error> {
    let word = words.first().map_or("", String::as_str);
    let parser = PlayerCommand::parser(word).or_else(|| HostCommand::parser(word));
    let program = parser.map_or_else(Line::command, |parser| {
        clap::Command::new("outflank").disable_help_subcommand(true).subcommand(parser)
    });
    let arguments = std::iter::once("outflank").chain(words.iter().map(String::as_str));
    Line::from_arg_matches(&program.try_get_matches_from(arguments)?)
}

/// Does what the shell does with a command.
fn run_command(
    mut session: Session,
    command: &AnyCommand,
    ran: &mut Ran,
    acknowledged: impl FnOnce(),
) -> Result<(), Error> {
    let actor = session.actor.clone();
    // Players read what they would read over ssh.
    let reader = if actor == Actor::Host { Reader::Host } else { Reader::Player };
    let is_sign_of_life = session.check_actor("")?;
    let mut reply = command.run(&mut session)?;
    acknowledged();
    let _ = session.let_bots_act(&mut reply, reader);
    // The zone of this machine is UTC.
    let zone = match session.styled(&mut reply) {
        Ok(zone @ Zone::Of(_)) => zone,
        _ => Zone::Utc,
    };
    ran.drawn = reply.shown().flat_map(|block| drawn(block, zone)).collect();
    let document = reply.document.take().unwrap_or_default();
    ran.document = String::from_utf8_lossy(&document).into_owned();
    ran.json = Some(print(&mut reply, &mut session, zone, &mut ran.drawn)?);
    ran.sentences.extend(reply.shown().filter_map(|block| block.text()).map(str::to_owned));
    ran.status = reply.status;
    let Some(mut app) = session.into_app() else { return reply.fault.map_or(Ok(()), Err) };
    if is_sign_of_life {
        let _ = app.record_sign_of_life(&actor);
    }
    if !reply.mails.is_empty() {
        let mailed = app.deliver_and_report(&mut reply, Deadline::after(MAX_DELIVERY), reader);
        ran.sentences.extend(mailed.text.lines().map(str::to_owned));
        ran.sentences.extend(mailed.problem);
    }
    reply.fault.map_or(Ok(()), Err)
}

/// Draws a table or a board.
fn drawn(block: &Block, zone: Zone) -> Vec<String> {
    match block {
        Block::Table(table) => vec![drawn_table(table, zone)],
        Block::Board { figures, .. } => figures.iter().map(ToString::to_string).collect(),
        Block::Plot { lines, .. } => vec![lines.clone()],
        Block::Text(_) | Block::Prose(_) => Vec::new(),
    }
}

fn drawn_table(table: &Table, zone: Zone) -> String {
    table.drawn(None, zone, |_, text| text.to_owned())
}

/// Returns what a command prints with `--json`, and adds what else it draws.
fn print(
    reply: &mut Reply,
    session: &mut Session,
    zone: Zone,
    drawn: &mut Vec<String>,
) -> Result<String, Error> {
    let (key, mut elements) = match mem::take(&mut reply.json) {
        Json::Value(value) => return Ok(value),
        Json::List(key, elements) => (key, elements),
    };
    if let Some(rest) = &mut reply.rest {
        while let Some(part) = session.next_part(&mut **rest)? {
            elements.push(',');
            elements.push_str(&part.json);
            drawn.push(drawn_table(&part.table, zone));
        }
    }
    Ok(format!("{{\"{key}\":[{elements}]}}"))
}
