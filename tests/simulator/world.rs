//! The files, the time and the processes of a world, and the checks after each step.

pub mod away;
mod copies;
pub mod exchange;
mod judge;
mod looks;
pub mod moved;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use std::{fs, io, mem};

use chrono::{DateTime, Utc};
use outflank::app;
use outflank::clock::{self, Clock as _};

use self::judge::Heard;
use super::cut::{self, Copy};
use super::holds::{self, Bans, Followed, HOST, Keys, Secrets};
use super::mailer::{self, Incoming};
use super::pages::{self, Request};
use super::process::{self, Machine, Process, Ran, WorldClock};
use super::server::{Accepted, Difference, MailServer};
use super::shown::Shown;
use super::step::{Action, Command, Cut, MailKind, Mood, Step};
use super::tables::{self, Tables};
use super::{Tally, Violation};

/// When a world begins: some days before summer time ends in Europe, Africa and America.
const BEGIN: i64 = 1_792_400_000;

/// The server's own address.
pub const SERVER: &str = "outflank@club.example";

/// The address of the host, for the notices.
const HOST_ADDRESS: &str = "host@club.example";

/// How many seconds are between two runs of `send` when it runs often enough.
const SEND_INTERVAL: usize = 110 * 60;

/// After a `send` with nothing to do, people look once in so many times.
const LOOKED_EVERY: u64 = 8;

/// Every so many steps without a fault, `verify` checks everything.
const VERIFIED_EVERY: usize = 100;

/// After one in so many processes, `show` shows a game.
const SHOWN_EVERY: u64 = 8;

/// After one in so many processes, somebody opens a page.
const OPENED_EVERY: u64 = 2;

/// After one in so many processes, the host lets `doctor` check everything.
const DOCTOR_EVERY: u64 = 16;

/// How many seconds a copy of a mail is recognised.
const COPIES_RECOGNISED_FOR: i64 = 90 * 86_400;

/// One in so many processes is one of the built program.
const BUILT_EVERY: u64 = 100;

/// A page that a browser still shows.
#[derive(Debug, Clone)]
pub struct Tab {
    pub path: String,
    pub body: String,
    /// The files and the time when it was opened.
    opened: (FilesState, DateTime<Utc>),
    /// What both players knew of its game.
    known: Vec<String>,
}

/// What changes with each write to a database.
type FilesState = [Option<(u64, SystemTime)>; 2];

/// How many pages people leave open.
const MAX_TABS: usize = 12;

impl Tab {
    /// Returns whether a form is sent from it: the form says which state of the game it showed.
    fn sends_from(&self, request: &Request) -> bool {
        let history = request.form.as_deref().and_then(|form| form.split('&').next());
        let history = history.and_then(|field| field.strip_prefix("history="));
        let is_shown = |it: &str| !it.is_empty() && self.body.contains(it);
        self.path == request.path && history.is_some_and(is_shown)
    }

    /// Returns whether it has this link or form, without words that somebody typed.
    fn offers(&self, request: &Request) -> bool {
        let Some(form) = &request.form else {
            return pages::links(&self.body).contains(&request.path);
        };
        let is_own = !request.is_foreign && self.path == request.path;
        is_own && pages::forms(&self.body).iter().any(|it| it.is_post && it.sends(form))
    }
}

/// What a step runs.
enum Work<'a> {
    /// A command and its standard input.
    Command {
        command: &'a Command,
        input: Vec<u8>,
    },
    Page(&'a Request),
}

impl Work<'_> {
    /// Returns the command, or what stands for it in a report.
    fn words(&self) -> Vec<String> {
        match self {
            Work::Command { command, .. } => command.words.clone(),
            Work::Page(Request { path, form, .. }) => {
                ["page", path, form.as_deref().unwrap_or_default()].map(str::to_owned).to_vec()
            }
        }
    }
}

pub struct World {
    /// The built program, which runs one process in a hundred.
    program: Option<PathBuf>,
    /// Whether it is checked after each step what must hold.
    is_judged: bool,
    folder: tempfile::TempDir,
    machine: Machine,
    pub server: MailServer,
    /// The pages that are open, the newest last.
    pub tabs: Vec<Tab>,
    /// Where a browser was sent by the last answer.
    pub sent_to: Option<String>,
    backup: Option<Copy>,
    /// The mails of the time that the last restore has undone, by their places.
    pub lost: Range<usize>,
    /// The tables as they stand.
    tables: Tables,
    /// The recorded configurations of the club, and which of the two each is.
    clubs: BTreeMap<String, bool>,
    /// The mail that the step brings in.
    incoming: Option<Incoming>,
    /// The mails that have come in.
    pub received: Vec<Incoming>,
    /// The mails that were checked already.
    checked_mails: usize,
    /// Whether somebody who looked has changed something: a flag that has fallen is recorded.
    has_looked: bool,
    /// How many faults the mail server had before the step.
    faults_before: usize,
    /// Since when it was down before the step.
    down_before: Option<i64>,
    secrets: Secrets,
    keys: Keys,
    followed: Followed,
    pub bans: Bans,
    /// What people have read in the last step: mails by their address, and replies.
    pub read: Vec<(String, String)>,
    tally: Tally,
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
        clock::stop_passing();
        let program = program.map(Path::to_owned);
        let folder = new_folder();
        let server = MailServer::start();
        let port = server.address.port();
        let configs = [false, true].map(|is_elsewhere| {
            let from = if is_elsewhere { "games@other.example" } else { SERVER };
            // The space on the disk is not of this world.
            let host = match is_elsewhere {
                true => String::new(),
                false => format!("[host]\nmail = \"{HOST_ADDRESS}\"\nfree_mb = 1\n"),
            };
            let text = format!(
                "[mail]\nfrom = \"Outflank <{from}>\"\n[receive]\n\
                 authserv_id = \"mx.club.example\"\n[transport]\nkind = \"smtp\"\n\
                 host = \"127.0.0.1\"\nport = {port}\nsecurity = \"none\"\nhelo = \"club.example\"\n\
                 [web]\nurl = \"{}\"\npublic = true\n[engine]\nmemory_mb = 1\n{host}",
                pages::SITE
            );
            let file = folder.path().join(process::config_file(is_elsewhere));
            fs::write(&file, text).expect("the configuration can be written");
            app::load_config(Some(&file)).expect("the configuration is valid")
        });
        let clock = WorldClock(Arc::new(AtomicI64::new(BEGIN)));
        Self {
            program,
            is_judged: true,
            machine: Machine { folder: folder.path().to_owned(), configs, clock },
            folder,
            server,
            tabs: Vec::new(),
            sent_to: None,
            backup: None,
            lost: 0..0,
            tables: Tables::default(),
            clubs: BTreeMap::new(),
            incoming: None,
            received: Vec::new(),
            checked_mails: 0,
            has_looked: false,
            faults_before: 0,
            down_before: None,
            secrets: Secrets::default(),
            keys: Keys::default(),
            followed: Followed::default(),
            bans: Bans::default(),
            read: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Returns a world in which only what people read is noted.
    pub fn not_judged() -> Self {
        Self { is_judged: false, ..Self::new(None) }
    }

    pub fn database(&self) -> PathBuf {
        self.machine.database()
    }

    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.machine.clock.now()
    }

    /// Carries out a step and checks what must hold after it.
    pub fn carry_out(&mut self, step: &Step) -> Result<(), Violation> {
        self.tally.steps += 1;
        self.read.clear();
        self.server.state().begin_step(step.seed);
        match &step.action {
            Action::Wait { seconds } => {
                self.wait(*seconds);
                Ok(())
            }
            Action::Serve { seconds } => self.serve(step, *seconds),
            Action::Server(mood) => {
                self.server.state().mood = *mood;
                Ok(())
            }
            Action::Command(command) => {
                self.process(step, Work::Command { command, input: Vec::new() }).map(drop)
            }
            Action::Reply { to, text } => self.receive(step, MailKind::Reply, to, text),
            Action::Mail { kind: MailKind::Robot, about, text } => self.robot(step, about, text),
            Action::Mail { kind, about, text } => self.receive(step, *kind, about, text),
            Action::Page(request) => self.page(step, request),
            Action::Away(action) => self.without_database(step, action),
            Action::Moved(action) => self.moved(step, action),
            Action::Backup => {
                let accepted = self.server.state().accepted.len();
                self.backup = Some(Copy::of(&self.database(), accepted));
                Ok(())
            }
            Action::Restore => {
                let Some(backup) = self.backup.clone() else { return Ok(()) };
                backup.put(&self.database());
                self.tables = Tables::read(&self.database());
                // The copy may be older than they are.
                self.keys = Keys::default();
                self.followed = Followed::default();
                self.received.iter_mut().for_each(|mail| mail.is_copy = false);
                self.tally.restores += 1;
                self.server.state().down_since = None;
                // What was sent since can be sent again.
                self.lost = backup.accepted..self.server.state().accepted.len();
                for mail in &mut self.server.state().accepted[backup.accepted..] {
                    (mail.may_come_again, mail.may_differ) = (true, Difference::All);
                }
                self.verify()
            }
        }
    }

    fn wait(&mut self, seconds: i64) {
        self.machine.clock.0.fetch_add(seconds, Ordering::Relaxed);
        self.tally.days = (self.machine.clock.0.load(Ordering::Relaxed) - BEGIN) / 86_400;
    }

    /// Lets time pass, with a `send` from time to time and at the end.
    fn serve(&mut self, step: &Step, seconds: i64) -> Result<(), Violation> {
        let words = vec!["send".to_owned()];
        let send = Command { actor: None, words, is_elsewhere: false };
        let mut step = step.clone();
        for begin in (0..seconds).step_by(SEND_INTERVAL) {
            self.wait((seconds - begin).min(SEND_INTERVAL as i64));
            step.seed = step.seed.wrapping_add(1);
            self.process(&step, Work::Command { command: &send, input: Vec::new() })?;
        }
        Ok(())
    }

    /// Lets a browser ask for a page or send a form, and leaves the page open.
    fn page(&mut self, step: &Step, request: &Request) -> Result<(), Violation> {
        if !self.database().exists() {
            return Ok(());
        }
        let now = self.now();
        let is_fresh = |tab: &&Tab| tab.opened == (state_of(&self.database()), now);
        let is_offered = self.tabs.iter().filter(is_fresh).any(|tab| tab.offers(request));
        // A page that was opened twice shows the same.
        let mut showing = self.tabs.iter().filter(|tab| tab.sends_from(request)).peekable();
        let is_showing = showing.peek().is_some();
        let is_stale = is_showing
            && !showing.any(|tab| holds::still_holds(&tab.known, &tab.body, &self.tables));
        let before = self.tables.clone();
        let ran = self.process(step, Work::Page(request))?;
        let Some(answer) = ran.answer.filter(|_| self.is_judged) else { return Ok(()) };
        holds::pages_are_answered(request, &answer)?;
        self.sent_to = answer.location.clone();
        if is_stale {
            holds::stale_pages_do_nothing(request, &answer)?;
        }
        if is_offered {
            holds::fresh_pages_work(request, &answer)?;
        }
        if step.cut.is_none() {
            self.try_key(request, &answer)?;
            let accepted = &self.server.state().accepted;
            let states = [&before, &self.tables];
            holds::unsubscribing_stops_mails(request, &answer, accepted, states)?;
        }
        if answer.status == 200 && request.form.is_none() && step.cut.is_none() {
            self.check_page(request, &answer)?;
            let opened = match self.has_looked {
                true => ([None; 2], now),
                false => (state_of(&self.database()), now),
            };
            let known = holds::known_events(&answer.body, &self.tables);
            self.tabs.push(Tab { path: request.path.clone(), body: answer.body, opened, known });
            let closed = self.tabs.len().saturating_sub(MAX_TABS);
            self.tabs.drain(..closed);
        }
        Ok(())
    }

    /// Lets a mail come in.
    fn receive(
        &mut self,
        step: &Step,
        kind: MailKind,
        about: &str,
        text: &str,
    ) -> Result<(), Violation> {
        let mail = match kind {
            MailKind::Again => {
                self.received.iter().rfind(|mail| format!("{:x}", mail.seed) == about).cloned()
            }
            _ => {
                let accepted = &self.server.state().accepted;
                mailer::incoming(kind, about, text, step.seed, accepted, &self.tables, self.now())
            }
        };
        let Some(mut mail) = mail.filter(|_| self.database().exists()) else { return Ok(()) };
        let now = self.now().timestamp();
        mail.is_copy &= now - mail.came_at < COPIES_RECOGNISED_FOR;
        let (words, bytes) = (mail.words(), mail.bytes.clone());
        if let Some(bounced) = mail.answers.filter(|_| kind == MailKind::Bounce) {
            // A turn mail that bounced is sent again with its Message-ID.
            self.server.state().accepted[bounced].may_come_again = true;
        }
        let before = holds::floods(&self.tables).map(str::to_owned);
        self.secrets.hear(&self.name_at(&mail.sender), text, Some(mail.header()));
        self.incoming = Some(mail.clone());
        let command = &Command { actor: None, words, is_elsewhere: false };
        let done = self.process(step, Work::Command { command, input: bytes });
        self.incoming = None;
        let is_processed = step.cut.is_none()
            && holds::floods(&self.tables) == before.as_deref()
            && !holds::is_ignored(&self.tables);
        if !mail.is_copy {
            (mail.is_copy, mail.came_at) = (is_processed, now);
            self.received.push(mail);
        }
        done.map(drop)
    }

    /// Lets a robot reply to a mail, and then to each answer to it. That must end.
    fn robot(&mut self, step: &Step, about: &str, text: &str) -> Result<(), Violation> {
        let mut about = about.to_owned();
        for round in 0..holds::MAX_ROUNDS {
            let before = self.server.state().accepted.len();
            let step = Step { seed: step.seed.wrapping_add(round), ..step.clone() };
            self.receive(&step, MailKind::Robot, &about, text)?;
            let Some(id) = self.received.last().map(|mail| format!("<{}>", mail.id)) else {
                return Ok(());
            };
            let state = self.server.state();
            let is_answer = |mail: &&Accepted| mail.field("In-Reply-To").is_some_and(|it| it == id);
            let Some(answer) = state.accepted[before..].iter().rfind(is_answer) else {
                return Ok(());
            };
            about = answer.id.clone();
        }
        holds::loops_end(&about)
    }

    /// Records what the mails have shown that were just accepted.
    fn record_shown(&self, before: &Tables, accepted_before: usize) {
        // A mail that ends an outage of the mail server shows the deadline after it.
        let is_down = before.columns("mail_outage", ["since"]).next().is_some();
        for mail in &mut self.server.state().accepted[accepted_before..] {
            mail.shown = Shown::read(&self.tables, &mail.id);
            if is_down {
                mail.may_differ = Difference::All;
            }
        }
    }

    /// Runs a process, with the cut of the step, and checks it.
    fn process(&mut self, step: &Step, work: Work) -> Result<Ran, Violation> {
        let words = &work.words();
        let reader = match &work {
            Work::Command { command, .. } => command.actor.clone().unwrap_or(HOST.to_owned()),
            Work::Page(request) => self.reader_of(&request.path),
        };
        let is_elsewhere = matches!(work, Work::Command { command, .. } if command.is_elsewhere);
        let database = self.database();
        let before = mem::take(&mut self.tables);
        let written = state_of(&database);
        let accepted_before = self.server.state().accepted.len();
        let mut state = self.server.state();
        state.now = self.now().timestamp();
        (self.faults_before, self.down_before) = (state.faults, state.down_since);
        drop(state);
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
        let mut meanwhile = step.meanwhile.clone();
        let (ran_meanwhile, machine) = (Arc::new(Mutex::new(None)), self.machine.clone());
        let ran_then = Arc::clone(&ran_meanwhile);
        self.server.state().on_accept = Some(Box::new(move |accepted| {
            on_accept(accepted, false);
            if let Some((seed, command)) = meanwhile.take() {
                clock::stop_passing();
                let process = Process { command: &command, input: Vec::new(), seed };
                let ran = machine.run(process, || {});
                *ran_then.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some((command, ran, Tables::read(&machine.database())));
            }
        }));
        let (mut is_acknowledged, mut acknowledged) = (false, None);
        let server = &self.server;
        let acknowledge = || {
            is_acknowledged = true;
            copy(server.state().accepted.len(), true);
            acknowledged = step.cut.map(|_| before.read_again(&database));
        };
        let is_alone = step.cut.is_none() && step.meanwhile.is_none();
        let seed = step.seed;
        let ran = match work {
            Work::Page(request) => self.machine.answer(request, seed, acknowledge),
            Work::Command { command, input } => {
                self.run(Process { command, input, seed }, is_alone, acknowledge)
            }
        };
        self.server.state().on_accept = None;
        holds::reply_is_well_formed(words, &ran)?;
        // Nothing was written if the log is as it was.
        self.tables = match state_of(&database) == written {
            true => before.clone(),
            false => before.read_again(&database),
        };
        if identities(&before) != identities(&self.tables) {
            self.sent_again_may_differ(Difference::Tokens);
        }
        if looks(&before) != looks(&self.tables) {
            self.sent_again_may_differ(Difference::All);
        }
        if !self.is_judged {
            self.record_shown(&before, accepted_before);
            let state = self.server.state();
            self.secrets.learn_links([&before, &self.tables], &state.accepted[accepted_before..]);
            drop(state);
            self.note_read(&reader, &ran, accepted_before);
            self.incoming = None;
            return Ok(ran);
        }
        holds::acknowledged_stays(
            words,
            acknowledged.as_ref().unwrap_or(&before),
            &self.tables,
            self.now(),
        )?;
        let ran_meanwhile = ran_meanwhile.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((command, ran, then)) = &ran_meanwhile {
            holds::reply_is_well_formed(&command.words, ran)?;
            holds::acknowledged_stays(&command.words, then, &self.tables, self.now())?;
        }
        let mut is_of_club = false;
        if ran_meanwhile.is_some() {
            // What it does is not what the mail has asked for.
            self.incoming = None;
        } else {
            is_of_club = self.is_of_club(is_elsewhere, &before);
            let sent = self.server.state().accepted.len() - accepted_before;
            holds::only_the_club_sends_mail(words, is_of_club, sent)?;
        }
        if words.starts_with(&["mail".to_owned(), "adopt".to_owned()]) {
            // Addresses are everywhere in a mail.
            self.sent_again_may_differ(Difference::All);
        }
        if !is_acknowledged && ran_meanwhile.is_none() {
            holds::refusal_changes_nothing(words, &ran, &before, &self.tables)?;
        }
        self.record_shown(&before, accepted_before);
        self.check_mails()?;
        let is_judged = is_of_club && !is_elsewhere && step.meanwhile.is_none();
        let observed = if is_judged { &words[..] } else { &[] };
        let heard = Heard { reader, words, ran: &ran };
        self.observe(observed, &before, accepted_before, Some(&heard))?;
        if words[0] == "send" && is_acknowledged && is_alone && is_judged {
            holds::send_does_all_jobs(&self.tables, self.now())?;
        }
        if is_alone {
            holds::replies_show_the_game(words, &ran, &self.tables)?;
        }
        self.has_looked = false;
        let is_quiet = words[0] == "send"
            && accepted_before == self.server.state().accepted.len()
            && is_nothing_new(&before, &self.tables);
        if !is_quiet || step.seed.is_multiple_of(LOOKED_EVERY) {
            self.look(step, &before)?;
        }
        self.incoming = None;
        if let Some(cut) = step.cut {
            copy(self.server.state().accepted.len(), false);
            let copies = mem::take(&mut *copies.lock().unwrap_or_else(PoisonError::into_inner));
            self.cut(step, cut, words, &copies, &before, acknowledged.as_ref())?;
        } else if self.tally.steps.is_multiple_of(VERIFIED_EVERY) {
            self.verify()?;
            self.check_copies(step.seed)?;
        }
        Ok(ran)
    }

    /// Lets people look at what a step has left: at games, lists and pages.
    fn look(&mut self, step: &Step, before: &Tables) -> Result<(), Violation> {
        let (written, left) = (state_of(&self.database()), self.tables.clone());
        if step.cut.is_none() {
            self.check_shown(before, step.seed)?;
        }
        if step.seed.is_multiple_of(SHOWN_EVERY) {
            self.check_shown_clocks()?;
        }
        if step.cut.is_none() {
            self.check_tournaments(before, step.seed)?;
        }
        let written = self.read_since(written);
        if step.cut.is_none() {
            self.check_view(step.seed)?;
        }
        let written = self.read_since(written);
        if step.cut.is_none() && step.seed.is_multiple_of(DOCTOR_EVERY) {
            self.check_doctor()?;
        }
        if step.cut.is_none() && step.seed.is_multiple_of(OPENED_EVERY) {
            self.check_some_page(step.seed)?;
        }
        if step.cut.is_none() {
            self.check_public_page(before, step.seed)?;
        }
        self.read_since(written);
        self.has_looked = self.tables != left;
        Ok(())
    }

    /// Reads the tables again if the files were written since: whoever looks at something is there, so mail to them
    /// is tried again.
    fn read_since(&mut self, written: FilesState) -> FilesState {
        let database = self.database();
        let state = state_of(&database);
        if state != written {
            self.tables = self.tables.read_again(&database);
        }
        state
    }

    /// Runs a process: one in a hundred of those that are alone is one of the built program.
    fn run(&self, process: Process, is_alone: bool, acknowledged: impl FnOnce()) -> Ran {
        let is_built = is_alone && process.seed.is_multiple_of(BUILT_EVERY);
        match self.program.as_ref().filter(|_| is_built) {
            Some(program) => self.machine.run_program(program, process, acknowledged),
            None => self.machine.run(process, acknowledged),
        }
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
        self.keys.forget_new(self.now().timestamp());
        // What the server accepted stays. The sender may not know it.
        let first = copies.all[0].accepted;
        let mut state = self.server.state();
        // The sender may not know that it failed.
        state.down_since = None;
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
        self.tables = before.read_again(&self.database());
        let left = &self.tables;
        match acknowledged.filter(|_| is_acknowledged) {
            Some(acknowledged) => holds::acknowledged_stays(words, acknowledged, left, self.now())?,
            None => holds::nothing_is_half_done(words, before, acknowledged, left, self.now())?,
        }
        self.observe(&[], before, first, None)?;
        if rng.bool() { self.verify() } else { Ok(()) }
    }

    /// Notes that mails can differ like this if they come again.
    fn sent_again_may_differ(&self, difference: Difference) {
        for mail in &mut self.server.state().accepted {
            mail.may_differ = mail.may_differ.max(difference);
        }
    }

    /// Learns whose configuration is the club's, and returns whether this one was before a step.
    fn is_of_club(&mut self, is_elsewhere: bool, before: &Tables) -> bool {
        let (old, new) = (club(before), club(&self.tables));
        if let Some(new) = new.filter(|new| old.as_ref() != Some(new)) {
            self.clubs.insert(new, is_elsewhere);
        }
        if old.is_none() {
            // Each configuration may send until one is the club's.
            self.sent_again_may_differ(Difference::All);
        }
        let owner = old.and_then(|old| self.clubs.get(&old).copied());
        owner.is_none_or(|it| it == is_elsewhere)
    }

    /// Returns the name of the player whose page has this path; `stranger` if it is a page for everybody.
    pub fn reader_of(&self, path: &str) -> String {
        self.secrets.reader_of(path).unwrap_or("stranger").to_owned()
    }

    /// Returns the name of the player with this address in lower case; `stranger` without one.
    pub fn name_at(&self, address: &str) -> String {
        let mut players = self.tables.columns("player", ["address", "name"]);
        let player = players.find(|[it, _]| it.is_some_and(|it| it.eq_ignore_ascii_case(address)));
        player.and_then(|[_, name]| name).unwrap_or("stranger").to_lowercase()
    }

    /// Runs a command that only reads, without a fault.
    fn ask(&self, words: &[String]) -> Ran {
        self.ask_as(None, words)
    }

    fn ask_as(&self, actor: Option<String>, words: &[String]) -> Ran {
        let command = &Command { actor, words: words.to_vec(), is_elsewhere: false };
        self.machine.run(Process { command, input: Vec::new(), seed: 0 }, || {})
    }

    /// Ends the world: the mail server recovers, and what waits is delivered.
    pub fn end(&mut self) -> Result<(), Violation> {
        if !self.database().exists() {
            return Ok(());
        }
        self.server.state().mood = Mood::Good;
        let wait = Action::Wait { seconds: 20 * 3600 };
        let host = |words: &str| {
            let words = words.split(' ').map(str::to_owned).collect();
            Action::Command(Command { actor: None, words, is_elsewhere: false })
        };
        let days = (0..10).flat_map(|_| [wait.clone(), host("send")]);
        for (seed, action) in (0..).zip([host("mail adopt")].into_iter().chain(days)) {
            self.carry_out(&Step { seed, cut: None, action, meanwhile: None })?;
        }
        holds::everything_is_delivered(&tables::open(&self.database()), self.now())?;
        holds::no_job_waits_for_ever(&self.tables)?;
        let files = [self.database(), cut::log_of(&self.database())];
        let files = files.map(|file| fs::read(file).unwrap_or_default());
        holds::files_forget_those_who_left(&self.tables, &self.secrets, &files)?;
        self.verify()?;
        self.exchange()
    }

    /// Copies the files and the mails of the world to a folder.
    ///
    /// # Errors
    /// A file cannot be copied or written.
    pub fn keep(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for entry in fs::read_dir(self.folder.path())? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), folder.join(entry.file_name()))?;
            }
        }
        let state = self.server.state();
        let mut mails = state.accepted.iter();
        mails.try_for_each(|mail| fs::write(folder.join(format!("{}.eml", mail.id)), &mail.text))
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

/// Makes a folder in memory, if there is a place for files there.
fn new_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    folder.expect("a folder can be made")
}

/// Returns what changes with each write to a database.
fn state_of(database: &Path) -> FilesState {
    let state = |file: &Path| {
        let metadata = fs::metadata(file).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    [state(database), state(&cut::log_of(database))]
}

/// Returns whether nothing has changed but that `send` ran.
fn is_nothing_new(before: &Tables, after: &Tables) -> bool {
    after.0.keys().all(|table| table == "installation" || after.is_same(before, table))
}

/// Returns the recorded configuration of the club.
fn club(tables: &Tables) -> Option<String> {
    let mut rows = tables.columns("club", ["sender", "transport", "receive", "web"]);
    rows.next().map(|row| format!("{row:?}"))
}

/// Returns the settings of the players by which their mails look.
fn looks(tables: &Tables) -> Vec<[Option<&str>; 2]> {
    tables.columns("player", ["clock", "style"]).collect()
}

/// Returns the addresses of the players, with the secrets that make their tokens.
fn identities(tables: &Tables) -> Vec<[Option<&str>; 2]> {
    tables.columns("player", ["address", "secret"]).collect()
}
