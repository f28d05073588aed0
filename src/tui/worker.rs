//! The threads that carry out what the screen asks for, each with a connection to the database of its
//! own, so that the screen waits for none of them.
//!
//! The clerk runs commands and looks whether others have changed the game. What takes long is a task for
//! one of two more threads: one thinks, for computer players and for hints, and one delivers mail.

use std::collections::BTreeSet;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::request::{Request, Update};
use crate::app::{Error, Line, LiveGame, Reply, Seat, Zone, contain};

/// How often the clerk looks for changes.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// The looks until the times of a game are shown again.
const LOOKS_PER_SECOND: u32 = 4;
/// The longest wait at the end, until a computer player has given its job back.
const MAX_END: Duration = Duration::from_secs(1);

/// The commands that make the engine search.
const SEARCHES: [&str; 3] = ["hint", "analyze", "analyse"];

/// Takes what the screen is told.
pub(super) type Tell = Arc<dyn Fn(Update) + Send + Sync>;

/// What a thread does with its seat.
type Task = Box<dyn FnOnce(&mut Seat) -> Result<(), Error> + Send>;

/// The threads that work for the screen.
pub(super) struct Workers {
    /// Requests with the flag that stops their search.
    requests: Sender<(Request, Arc<AtomicBool>)>,
    /// Stops the search of the last request.
    stop_search: Arc<AtomicBool>,
    /// Stops computer players.
    stop: Arc<AtomicBool>,
    /// Is closed when all threads have ended.
    running: Receiver<()>,
}

impl Workers {
    /// Starts the threads for a seat that is at this game.
    pub(super) fn start(seat: Seat, live: LiveGame, tell: Tell) -> Result<Self, Error> {
        let (requests, asked) = mpsc::channel();
        let (is_running, running) = mpsc::channel();
        let stop = Arc::<AtomicBool>::default();
        let thinker = start_tasks("thinker", seat.another()?, &tell, &is_running)?;
        let mailer = start_tasks("mailer", seat.another()?, &tell, &is_running)?;
        let (outcome, stop_all) = (Outcome { tell, mailer }, Arc::clone(&stop));
        let queued = Arc::default();
        let mut clerk = Clerk { seat, live, outcome, thinker, queued, stop: stop_all };
        start("clerk", move || {
            clerk.work(&asked);
            drop(is_running);
        })?;
        Ok(Self { requests, stop_search: Arc::default(), stop, running })
    }

    /// Carries out a request, and stops the search of an earlier one.
    pub(super) fn carry_out(&mut self, request: Request) {
        self.stop_search();
        self.stop_search = Arc::default();
        // The clerk ends after this only.
        let _ = self.requests.send((request, Arc::clone(&self.stop_search)));
    }

    /// Stops the search of the last request.
    pub(super) fn stop_search(&self) {
        self.stop_search.store(true, Ordering::Relaxed);
    }

    /// Stops the work of computer players.
    pub(super) fn stop(&self) {
        self.stop_search();
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits a short time for the threads to end. Others do what is left.
    pub(super) fn finish(self) {
        drop(self.requests);
        let _ = self.running.recv_timeout(MAX_END);
    }
}

/// The outcome of commands: the screen is told, and mails are delivered.
#[derive(Clone)]
struct Outcome {
    tell: Tell,
    mailer: Sender<Task>,
}

impl Outcome {
    /// Reports the result of the command with this word.
    fn report(&self, seat: &mut Seat, word: &'static str, result: Result<Reply, Error>) {
        (self.tell)(match result {
            Ok(mut reply) => {
                self.deliver(&mut reply);
                // The command has succeeded, even if the player's zone cannot be read.
                let zone = seat.styled(&mut reply).unwrap_or(Zone::Local);
                Update::Reply(word, reply, zone)
            }
            Err(error) => Update::Refused(error),
        });
    }

    /// Delivers the mails of a reply.
    fn deliver(&self, reply: &mut Reply) {
        let mails = Reply { mails: mem::take(&mut reply.mails), ..Reply::default() };
        if !mails.mails.is_empty() {
            // Otherwise `send` delivers them.
            let _ = self.mailer.send(Box::new(move |seat| {
                seat.deliver(&mails);
                Ok(())
            }));
        }
    }
}

/// Runs commands, and looks for changes.
struct Clerk {
    seat: Seat,
    /// The game on the screen.
    live: LiveGame,
    outcome: Outcome,
    thinker: Sender<Task>,
    /// The numbers of the games in which a computer player is to act.
    queued: Arc<Mutex<BTreeSet<i64>>>,
    stop: Arc<AtomicBool>,
}

impl Clerk {
    /// Works until there can be no more requests.
    fn work(&mut self, asked: &Receiver<(Request, Arc<AtomicBool>)>) {
        let mut problems = Problems::default();
        let mut looks = 0;
        loop {
            match asked.recv_timeout(LOOK_INTERVAL) {
                Ok((request, stop_search)) => {
                    if let Err(error) = contain(|| self.carry_out(request, stop_search)) {
                        (self.outcome.tell)(Update::Refused(error));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    looks += 1;
                    let looked = contain(|| self.look(looks % LOOKS_PER_SECOND == 0));
                    problems.report(looked, &self.outcome.tell);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    fn carry_out(&mut self, request: Request, stop_search: Arc<AtomicBool>) -> Result<(), Error> {
        let game = self.live.id;
        let shown = match request {
            Request::Run(word, command) if SEARCHES.contains(&word) => {
                let outcome = self.outcome.clone();
                // It ends after the clerk only.
                let _ = self.thinker.send(Box::new(move |seat| {
                    let result = seat.run(game, &command, &stop_search);
                    if !stop_search.load(Ordering::Relaxed) {
                        outcome.report(seat, word, result);
                    }
                    Ok(())
                }));
                return Ok(());
            }
            Request::Run(word, command) => {
                let result = self.seat.run(game, &command, &stop_search);
                self.outcome.report(&mut self.seat, word, result);
                game
            }
            Request::Open(number) => number.parse().map_err(Error::refused)?,
            Request::Next => match self.seat.next_waiting(game)? {
                Some(next) => next,
                None => {
                    (self.outcome.tell)(Update::NoneWaits);
                    return Ok(());
                }
            },
            Request::List => {
                let Line::Command(games) = Line::parse("games", None) else { return Ok(()) };
                let mut reply = self.seat.run(game, &games, &stop_search)?;
                let zone = self.seat.styled(&mut reply)?;
                (self.outcome.tell)(Update::List(reply, zone));
                return Ok(());
            }
            Request::Leave | Request::Suspend => return Ok(()),
        };
        self.live = self.seat.game(shown)?;
        self.show();
        Ok(())
    }

    /// Shows the game if it has changed, and its times if they run and a second has passed.
    fn look(&mut self, is_second: bool) -> Result<(), Error> {
        if self.seat.has_changed()? || is_second && !self.live.time.is_empty() {
            self.live = self.seat.game(self.live.id)?;
            self.show();
        }
        // Another process that has begun this may have ended.
        self.think();
        Ok(())
    }

    fn show(&self) {
        (self.outcome.tell)(Update::Game(Box::new(self.live.clone())));
        self.think();
    }

    /// Makes the computer player of the game act, if it must.
    fn think(&self) {
        let game = self.live.id;
        if !self.live.bot_is_due || !locked(&self.queued).insert(game.0) {
            return;
        }
        let (queued, stop) = (Arc::clone(&self.queued), Arc::clone(&self.stop));
        let outcome = self.outcome.clone();
        let _ = self.thinker.send(Box::new(move |seat| {
            let thought = match stop.load(Ordering::Relaxed) {
                true => Ok(None),
                false => seat.think(game, &stop),
            };
            locked(&queued).remove(&game.0);
            thought.map(|reply| reply.map_or((), |mut reply| outcome.deliver(&mut reply)))
        }));
    }
}

fn locked(numbers: &Mutex<BTreeSet<i64>>) -> MutexGuard<'_, BTreeSet<i64>> {
    numbers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports problems, repeated ones once.
#[derive(Default)]
struct Problems {
    last: Option<String>,
}

impl Problems {
    fn report(&mut self, done: Result<(), Error>, tell: &Tell) {
        let error = done.err();
        let message = error.as_ref().map(ToString::to_string);
        if let Some(error) = error.filter(|_| message != self.last) {
            tell(Update::Refused(error));
        }
        self.last = message;
    }
}

/// Starts a thread that does tasks with a seat until there can be no more.
fn start_tasks(
    name: &str,
    mut seat: Seat,
    tell: &Tell,
    is_running: &Sender<()>,
) -> Result<Sender<Task>, Error> {
    let (tasks, waiting) = mpsc::channel::<Task>();
    let (tell, is_running) = (Arc::clone(tell), is_running.clone());
    start(name, move || {
        let mut problems = Problems::default();
        for task in waiting {
            problems.report(contain(|| task(&mut seat)), &tell);
        }
        drop(is_running);
    })?;
    Ok(tasks)
}

/// Starts a thread.
fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    started.map(drop).map_err(|error| Error::fault(format!("cannot start a thread: {error}")))
}
