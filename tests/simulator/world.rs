//! The files, the time and the processes of a world. Each command is a process of its own, with its own
//! connection and seed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Cursor, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use std::{fs, mem};

use chrono::{DateTime, Utc};
use clap::{CommandFactory, FromArgMatches, Parser};
use outflank::app::{
    self, Actor, AnyCommand, App, CLAIM_MAILS, Error, FrontEnd, HostCommand, Json, Kind,
    PlayerCommand, Reader, Reply, Rng, Session, Shell, Thinks,
};
use outflank::clock::{self, Clock, Deadline};
use outflank::command::PlayerRef;
use outflank::config::Config;

use super::cut::{self, Copy};
use super::server::{Accepted, Difference, MailServer};
use super::step::{Action, Cut, Mood, Step};
use super::tables::{self, Tables};
use super::{Tally, Violation, holds};

/// When a world begins: before the end of summer time.
const BEGIN: i64 = 1_793_000_000;

/// The server's own address.
pub const SERVER: &str = "outflank@club.example";

/// The most time that a command delivers mail after its reply.
const MAX_DELIVERY: Duration = Duration::from_secs(10);

/// Every so many steps without a fault, `verify` checks everything.
const VERIFIED_EVERY: usize = 100;

/// One in so many processes is one of the built program.
const BUILT_EVERY: u64 = 100;

#[derive(Clone)]
struct WorldClock(Arc<AtomicI64>);

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
    /// The message of a panic.
    pub panic: Option<String>,
}

pub struct World {
    /// The built program, which runs one process in a hundred.
    program: Option<PathBuf>,
    folder: tempfile::TempDir,
    config: Config,
    clock: WorldClock,
    pub server: MailServer,
    backup: Option<Copy>,
    /// The tables as they stand.
    tables: Tables,
    /// The mails that were checked already.
    checked_mails: usize,
    tally: Tally,
}

/// What a process gets: a command, its actor if it is a player, its standard input, and its seed.
struct Process<'a> {
    actor: Option<&'a str>,
    words: &'a [String],
    input: Vec<u8>,
    seed: u64,
}

/// Copies of the files, while a step is carried out that is cut afterwards.
#[derive(Default)]
struct Copies {
    all: Vec<Copy>,
    /// Which of them was made when the command was acknowledged.
    acknowledged: Option<usize>,
}

impl World {
    pub fn new(program: Option<&Path>) -> Self {
        let program = program.map(Path::to_owned);
        let folder = tempfile::tempdir().expect("a folder can be made");
        let server = MailServer::start();
        let file = folder.path().join("config.toml");
        let port = server.address.port();
        let text = format!(
            "[mail]\nfrom = \"Outflank <{SERVER}>\"\n[receive]\n[transport]\nkind = \"smtp\"\n\
             host = \"127.0.0.1\"\nport = {port}\nsecurity = \"none\"\nhelo = \"club.example\"\n"
        );
        fs::write(&file, text).expect("the configuration can be written");
        let config = app::load_config(Some(&file)).expect("the configuration is valid");
        let clock = WorldClock(Arc::new(AtomicI64::new(BEGIN)));
        let (backup, tables, checked_mails, tally) = (None, Tables::default(), 0, Tally::default());
        Self { program, folder, config, clock, server, backup, tables, checked_mails, tally }
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path().join("outflank.db")
    }

    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Carries out a step and checks what must hold after it.
    pub fn carry_out(&mut self, step: &Step) -> Result<(), Violation> {
        self.tally.steps += 1;
        self.server.state().rng = fastrand::Rng::with_seed(step.seed);
        match &step.action {
            Action::Wait { seconds } => {
                self.clock.0.fetch_add(*seconds, Ordering::Relaxed);
                self.tally.days = (self.clock.0.load(Ordering::Relaxed) - BEGIN) / 86_400;
                Ok(())
            }
            Action::Server(mood) => {
                self.server.state().mood = *mood;
                Ok(())
            }
            Action::Command { actor, words } => {
                self.process(step, actor.as_deref(), words, Vec::new())
            }
            Action::Reply { to, text } => {
                let mail = self.server.state().accepted.iter().find(|mail| mail.id == *to).cloned();
                let Some(mail) = mail else { return Ok(()) };
                let Some((words, input)) = reply(&mail, text, step.seed) else { return Ok(()) };
                self.process(step, None, &words, input)
            }
            Action::Backup => {
                let accepted = self.server.state().accepted.len();
                self.backup = Some(Copy::of(&self.database(), accepted));
                Ok(())
            }
            Action::Restore => {
                let Some(backup) = self.backup.clone() else { return Ok(()) };
                backup.put(&self.database());
                self.tables = Tables::read(&self.database());
                self.tally.restores += 1;
                // What was sent since can be sent again.
                for mail in &mut self.server.state().accepted[backup.accepted..] {
                    (mail.may_come_again, mail.may_differ) = (true, Difference::All);
                }
                self.verify()
            }
        }
    }

    /// Runs a process, with the cut of the step, and checks it.
    fn process(
        &mut self,
        step: &Step,
        actor: Option<&str>,
        words: &[String],
        input: Vec<u8>,
    ) -> Result<(), Violation> {
        let database = self.database();
        let before = mem::take(&mut self.tables);
        let written = state_of(&database);
        let accepted_before = self.server.state().accepted.len();
        let copies = Arc::new(Mutex::new(Copies::default()));
        let copy = {
            let (copies, database, is_cut) =
                (Arc::clone(&copies), database.clone(), step.cut.is_some());
            move |accepted: usize, is_acknowledged: bool| {
                if !is_cut {
                    return;
                }
                let mut copies = copies.lock().unwrap_or_else(PoisonError::into_inner);
                if is_acknowledged {
                    copies.acknowledged = Some(copies.all.len());
                }
                copies.all.push(Copy::of(&database, accepted));
            }
        };
        copy(accepted_before, false);
        let on_accept = copy.clone();
        self.server.state().on_accept = Some(Box::new(move |accepted| on_accept(accepted, false)));
        let (mut is_acknowledged, mut acknowledged) = (false, None);
        let server = &self.server;
        let process = Process { actor, words, input, seed: step.seed };
        let acknowledge = || {
            is_acknowledged = true;
            copy(server.state().accepted.len(), true);
            acknowledged = step.cut.map(|_| Tables::read(&database));
        };
        let is_built = step.cut.is_none() && step.seed.is_multiple_of(BUILT_EVERY);
        let ran = match self.program.as_ref().filter(|_| is_built) {
            Some(program) => self.run_program(program, process, acknowledge),
            None => self.run(process, acknowledge),
        };
        self.server.state().on_accept = None;
        holds::reply_is_well_formed(words, &ran)?;
        // Nothing was written if the log is as it was.
        self.tables = match state_of(&database) == written {
            true => before.clone(),
            false => Tables::read(&database),
        };
        if left(&self.tables) > left(&before) {
            // A mail about an end no longer suggests a rematch with a player who has left.
            let mut state = self.server.state();
            for mail in state.accepted.iter_mut().filter(|mail| mail.id.contains(".over.")) {
                mail.may_differ = Difference::All;
            }
        }
        if identities(&before) != identities(&self.tables) {
            for mail in &mut self.server.state().accepted {
                mail.may_differ = mail.may_differ.max(Difference::Tokens);
            }
        }
        holds::acknowledged_stays(
            words,
            acknowledged.as_ref().unwrap_or(&before),
            &self.tables,
            self.now(),
        )?;
        if !is_acknowledged {
            holds::refusal_changes_nothing(words, &ran, &before, &self.tables)?;
        }
        self.check_mails()?;
        self.observe(&before, accepted_before)?;
        if let Some(cut) = step.cut {
            copy(self.server.state().accepted.len(), false);
            let copies = mem::take(&mut *copies.lock().unwrap_or_else(PoisonError::into_inner));
            self.cut(step, cut, words, &copies, &before, acknowledged.as_ref())?;
        } else if self.tally.steps.is_multiple_of(VERIFIED_EVERY) {
            self.verify()?;
        }
        Ok(())
    }

    /// Cuts a step somewhere, and checks what is left.
    fn cut(
        &mut self,
        step: &Step,
        cut: Cut,
        words: &[String],
        copies: &Copies,
        before: &Tables,
        acknowledged: Option<&Tables>,
    ) -> Result<(), Violation> {
        let mut rng = fastrand::Rng::with_seed(!step.seed);
        let segment = rng.usize(..copies.all.len() - 1);
        let is_acknowledged = copies.acknowledged.is_some_and(|at| segment >= at);
        let base = match (cut, copies.acknowledged) {
            (Cut::Kill, _) => segment,
            (Cut::Power, Some(at)) if is_acknowledged => at,
            (Cut::Power, _) => 0,
        };
        let (base, later) = (&copies.all[base], &copies.all[segment + 1]);
        base.cut(later, cut, &mut rng).put(&self.database());
        match cut {
            Cut::Kill => self.tally.kills += 1,
            Cut::Power => self.tally.power_cuts += 1,
        }
        // What the server accepted stays. The sender may not know it.
        let first = copies.all[0].accepted;
        let mut state = self.server.state();
        state.accepted.truncate(copies.all[segment].accepted);
        for mail in &mut state.accepted[first..] {
            mail.may_come_again = true;
            if cut == Cut::Power {
                // Nothing about a mail that is on its way waits for the disk.
                mail.may_differ = Difference::All;
            }
        }
        drop(state);
        self.checked_mails = self.checked_mails.min(copies.all[segment].accepted);
        self.tables = Tables::read(&self.database());
        let left = &self.tables;
        match acknowledged.filter(|_| is_acknowledged) {
            Some(acknowledged) => holds::acknowledged_stays(words, acknowledged, left, self.now())?,
            None => holds::nothing_is_half_done(words, before, acknowledged, left, self.now())?,
        }
        self.observe(before, first)?;
        self.verify()
    }

    /// Checks what a step has changed since the tables and the number of accepted mails were these.
    fn observe(&self, before: &Tables, accepted_before: usize) -> Result<(), Violation> {
        let state = self.server.state();
        let change = holds::Change {
            before,
            after: &self.tables,
            accepted: &state.accepted,
            accepted_before,
            now: self.now(),
        };
        holds::after_step(&change)
    }

    /// Checks the mails that were accepted since the last check.
    fn check_mails(&mut self) -> Result<(), Violation> {
        let state = self.server.state();
        holds::mails_come_once(&state.accepted, self.checked_mails)?;
        holds::mails_are_well_formed(&state.accepted[self.checked_mails..])?;
        self.checked_mails = state.accepted.len();
        Ok(())
    }

    /// Lets `verify` check everything.
    fn verify(&self) -> Result<(), Violation> {
        if !self.database().exists() {
            return Ok(());
        }
        holds::deferred_mail_is_tried_for_days(&tables::open(&self.database()))?;
        let words = ["verify".to_owned()];
        holds::verify_finds_nothing(&self.ask(&words))
    }

    /// Runs a command that only reads, without a fault.
    pub fn ask(&self, words: &[String]) -> Ran {
        self.run(Process { actor: None, words, input: Vec::new(), seed: 0 }, || {})
    }

    /// Runs a process of the built program, with `--json`.
    fn run_program(&self, program: &Path, process: Process, acknowledged: impl FnOnce()) -> Ran {
        let mut command = Command::new(program);
        command.env_clear().env(clock::NOW_VARIABLE, self.now().to_rfc3339());
        command.env(app::SEED_VARIABLE, process.seed.to_string()).env("HOME", self.folder.path());
        command.arg("--json").arg("--db").arg(self.database());
        command.arg("--config").arg(self.folder.path().join("config.toml"));
        let is_player = PlayerCommand::named(&process.words[0]).is_some();
        if let Some(actor) = process.actor.filter(|_| is_player) {
            command.args(["--as", actor]);
        }
        command.args(process.words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        if let Some(mut stdin) = child.stdin.take() {
            // The program need not read it.
            let _ = stdin.write_all(&process.input);
        }
        let output = child.wait_with_output().expect("the program ends");
        if output.status.success() {
            acknowledged();
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let problems = text(&output.stderr);
        Ran {
            status: output.status.code().and_then(|code| code.try_into().ok()).unwrap_or(u8::MAX),
            json: output.status.success().then(|| text(&output.stdout)),
            sentences: vec![problems.clone()],
            panic: problems.contains("panicked").then_some(problems),
        }
    }

    /// Runs a process: a command as in the host's shell, and the delivery after it. `acknowledged` is called when
    /// the command has succeeded and its reply would be printed.
    fn run(&self, process: Process, acknowledged: impl FnOnce()) -> Ran {
        let line = match parse(process.words) {
            Ok(line) => line,
            Err(error) => {
                let message = error.to_string().lines().next().unwrap_or_default().to_owned();
                return Ran { status: 2, sentences: vec![message], ..Ran::default() };
            }
        };
        let actor = match (process.actor, &line.command) {
            (Some(name), AnyCommand::Player(_)) => Actor::Player(PlayerRef::Name(name.to_owned())),
            _ => Actor::Host,
        };
        let mut ran = Ran::default();
        let (database, seed) = (self.database(), process.seed);
        let settings = || (self.config.clone(), Box::new(self.clock.clone()), Rng::seeded(seed));
        let mut open = || {
            let (config, clock, rng) = settings();
            App::open(&database, true, config, clock, rng)
        };
        let open_to_read = || {
            let (config, clock, rng) = settings();
            App::open_to_read(&database, config, clock, rng)
        };
        let shell = Shell {
            input: Box::new(Cursor::new(process.input)),
            report: Box::new(|_| {}),
            lines: |_| {},
            print: Box::new(|_| Ok(())),
            open_to_read: &open_to_read,
        };
        let stop = || Ok(Arc::default());
        let front_end = FrontEnd {
            claims: Some(CLAIM_MAILS),
            thinks: Some(Thinks { stop: &stop, progress: |_, _, _| Box::new(()) }),
            shell: Some(shell),
            ..FrontEnd::none()
        };
        let session = Session::new(actor, front_end, &mut open);
        let work = || run_command(session, &line.command, &mut ran, acknowledged);
        match clock::without_passing(|| panic::catch_unwind(AssertUnwindSafe(work))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                ran.status = match error.kind() {
                    Kind::Refused | Kind::Stale => 1,
                    Kind::Usage => 2,
                    Kind::Fault | Kind::Locked => 3,
                };
                ran.sentences.push(error.to_string());
                ran.sentences.extend(error.hint().map(str::to_owned));
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied());
                ran.panic = Some(text.unwrap_or("a panic").to_owned());
            }
        }
        ran
    }

    /// Ends the world: the mail server recovers, and what waits is delivered.
    pub fn end(&mut self) -> Result<(), Violation> {
        if !self.database().exists() {
            return Ok(());
        }
        self.server.state().mood = Mood::Good;
        let wait = Action::Wait { seconds: 20 * 3600 };
        let send = Action::Command { actor: None, words: vec!["send".to_owned()] };
        for round in 0..10 {
            for action in [wait.clone(), send.clone()] {
                self.carry_out(&Step { seed: round, cut: None, action })?;
            }
        }
        holds::everything_is_delivered(&tables::open(&self.database()), self.now())?;
        self.verify()
    }

    pub fn tally(&self) -> Tally {
        let state = self.server.state();
        let (mails, mail_faults) = (state.accepted.len(), state.faults);
        let games = self.tables.columns("game", ["id"]).count();
        Tally { games, mails, mail_faults, ..self.tally }
    }

    /// Returns a hash of a trail, of the tables and of the mails.
    pub fn hash(&self, trail: &[Step]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for step in trail {
            step.to_string().hash(&mut hasher);
        }
        self.tables.hash(&mut hasher);
        for mail in &self.server.state().accepted {
            (&mail.to, &mail.text).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Returns the arguments and the input of the process that receives a reply to a mail; `None` if nobody can
/// reply to it.
fn reply(mail: &Accepted, text: &str, seed: u64) -> Option<(Vec<String>, Vec<u8>)> {
    let to = mail.field("Reply-To").or_else(|| mail.field("From"))?;
    let to = to.rsplit(['<', '>']).find(|part| part.contains('@'))?.to_owned();
    let extension = to.split('@').next()?.split_once('+').map_or("", |(_, extension)| extension);
    let subject = mail.field("Subject").unwrap_or_default();
    let body = mail.text.split_once("\n\n")?.1;
    let quoted: String = body.lines().take(12).map(|line| format!("> {line}\n")).collect();
    let (from, id) = (&mail.to, &mail.id);
    let message = format!(
        "From: {from}\nTo: {to}\nSubject: Re: {subject}\nMessage-ID: <{seed:x}@people.example>\n\
         In-Reply-To: <{id}>\nDate: Sat, 21 Nov 2026 10:00:00 +0000\nMIME-Version: 1.0\n\
         Content-Type: text/plain; charset=utf-8\n\n{text}\n\nOn Saturday, Outflank wrote:\n{quoted}"
    );
    let words = ["receive", "--", &to, from, extension].map(str::to_owned).to_vec();
    Some((words, message.into_bytes()))
}

/// Returns what changes with each write to a database.
fn state_of(database: &Path) -> [Option<(u64, SystemTime)>; 2] {
    let state = |file: &Path| {
        let metadata = fs::metadata(file).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    [state(database), state(&cut::log_of(database))]
}

/// Returns how many players have left.
fn left(tables: &Tables) -> usize {
    tables.columns("player", ["left_at"]).filter(|[left_at]| left_at.is_some()).count()
}

/// Returns the addresses of the players, with the secrets that make their tokens.
fn identities(tables: &Tables) -> Vec<[Option<&str>; 2]> {
    tables.columns("player", ["address", "secret"]).collect()
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
    let is_sign_of_life = session.check_actor("")?;
    let mut reply = command.run(&mut session)?;
    acknowledged();
    let _ = session.let_bots_act(&mut reply, Reader::Host);
    ran.json = Some(json(&mut reply, &mut session)?);
    ran.sentences.extend(reply.shown().filter_map(|block| block.text()).map(str::to_owned));
    ran.status = reply.status;
    let Some(mut app) = session.into_app() else { return reply.fault.map_or(Ok(()), Err) };
    if is_sign_of_life {
        let _ = app.record_sign_of_life(&actor);
    }
    if !reply.mails.is_empty() {
        let mailed =
            app.deliver_and_report(&mut reply, Deadline::after(MAX_DELIVERY), Reader::Host);
        ran.sentences.extend(mailed.text.lines().map(str::to_owned));
        ran.sentences.extend(mailed.problem);
    }
    reply.fault.map_or(Ok(()), Err)
}

/// Returns what a command prints with `--json`.
fn json(reply: &mut Reply, session: &mut Session) -> Result<String, Error> {
    let (key, mut elements) = match mem::take(&mut reply.json) {
        Json::Value(value) => return Ok(value),
        Json::List(key, elements) => (key, elements),
    };
    if let Some(rest) = &mut reply.rest {
        while let Some(part) = session.next_part(&mut **rest)? {
            elements.push(',');
            elements.push_str(&part.json);
        }
    }
    Ok(format!("{{\"{key}\":[{elements}]}}"))
}
