//! The threads that carry out the requests of the screen, each with a database connection of its own, so that
//! the screen waits for none of them.
//!
//! The clerk runs commands and polls the database for changes by others. Two more threads do searches that
//! players ask for, and deliver mail. A computer player has a thread of its own while it thinks, even when
//! the screen shows another game.

use std::collections::BTreeSet;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::request::{Request, Update};
use crate::app::{Error, Line, LiveGame, Meter, NO_PROGRESS, Reply, Searched, Seat, Zone, contain};

/// How often the clerk polls for changes.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The polls until the times of a game are shown again.
const POLLS_PER_SECOND: u32 = 4;
/// How long to wait at the end until a computer player has given its job back.
const MAX_END: Duration = Duration::from_secs(1);

/// Sends an update to the screen.
pub(super) type Notify = Arc<dyn Fn(Update) + Send + Sync>;

/// Work of a thread with its seat.
type Task = Box<dyn FnOnce(&mut Seat) -> Result<(), Error> + Send>;

/// The threads that work for the screen.
pub(super) struct Workers {
    requests: Sender<(Request, Search)>,
    /// The search of the last request.
    search: Search,
    /// Stops computer players.
    stop: Arc<AtomicBool>,
    /// Is closed when all threads have ended.
    running: Receiver<()>,
}

impl Workers {
    /// Starts the threads for a seat that is at this game.
    pub(super) fn start(seat: Seat, live: LiveGame, notify: Notify) -> Result<Self, Error> {
        let (requests, asked) = mpsc::channel();
        let (is_running, running) = mpsc::channel();
        let stop = Arc::<AtomicBool>::default();
        let searcher = start_tasks("searcher", seat.another()?, &notify, &is_running)?;
        let mailer = start_tasks("mailer", seat.another()?, &notify, &is_running)?;
        let mut clerk = Clerk {
            seat,
            live,
            outcome: Outcome { notify, mailer },
            searcher,
            thinking: Arc::default(),
            stop: Arc::clone(&stop),
            is_running,
        };
        start("clerk", move || clerk.work(&asked))?;
        Ok(Self { requests, search: Search::default(), stop, running })
    }

    /// Carries out a request. All but the list end the search of an earlier one and drop its result.
    pub(super) fn carry_out(&mut self, request: Request) {
        if !matches!(request, Request::List) {
            self.search.is_superseded.store(true, Ordering::Relaxed);
            self.stop_search();
            self.search = Search::default();
        }
        // The clerk ends after this only.
        let _ = self.requests.send((request, self.search.clone()));
    }

    /// Stops the search of the last request, which returns its best result so far.
    pub(super) fn stop_search(&self) {
        self.search.stop.store(true, Ordering::Relaxed);
    }

    /// Stops the work of computer players.
    pub(super) fn stop(&self) {
        self.stop_search();
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits a short time for the threads to end. Other processes finish their work.
    pub(super) fn finish(self) {
        drop(self.requests);
        let _ = self.running.recv_timeout(MAX_END);
    }
}

/// A search of the engine that a player has asked for.
#[derive(Clone, Default)]
struct Search {
    stop: Arc<AtomicBool>,
    is_superseded: Arc<AtomicBool>,
}

/// Shows on the screen how far a search is.
struct Progress {
    notify: Notify,
    search: Search,
    things: String,
    total: Option<usize>,
}

impl Meter for Progress {
    fn set_done(&self, done: usize) {
        if let Some(total) = self.total
            && !self.search.is_superseded.load(Ordering::Relaxed)
        {
            (self.notify)(Update::Progress(format!("{done} of {total} {}", self.things)));
        }
    }
}

/// Handles the results of commands: notifies the screen, and delivers mails.
#[derive(Clone)]
struct Outcome {
    notify: Notify,
    mailer: Sender<Task>,
}

impl Outcome {
    /// Reports the result of the command with this word.
    fn report(&self, seat: &mut Seat, word: &'static str, result: Result<Reply, Error>) {
        (self.notify)(match result {
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
        let (mails, claimed) = (mem::take(&mut reply.mails), reply.claimed.take());
        let mut mails = Reply { mails, claimed, ..Reply::default() };
        if !mails.mails.is_empty() {
            // Otherwise `send` delivers them.
            let _ = self.mailer.send(Box::new(move |seat| {
                seat.deliver(&mut mails);
                Ok(())
            }));
        }
    }
}

/// Runs commands, and polls for changes.
struct Clerk {
    seat: Seat,
    /// The game on the screen.
    live: LiveGame,
    outcome: Outcome,
    searcher: Sender<Task>,
    thinking: Arc<Mutex<Thinking>>,
    stop: Arc<AtomicBool>,
    is_running: Sender<()>,
}

/// The computer players that think.
#[derive(Default)]
struct Thinking {
    /// The numbers of their games.
    games: BTreeSet<i64>,
    problems: Problems,
}

impl Clerk {
    /// Works until there can be no more requests.
    fn work(&mut self, asked: &Receiver<(Request, Search)>) {
        let mut problems = Problems::default();
        let mut polls = 0;
        loop {
            match asked.recv_timeout(POLL_INTERVAL) {
                Ok((request, search)) => {
                    if let Err(error) = contain(|| self.carry_out(request, search)) {
                        (self.outcome.notify)(Update::Refused(error));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    polls += 1;
                    let polled = contain(|| self.poll(polls % POLLS_PER_SECOND == 0));
                    problems.report(polled, &self.outcome.notify);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    fn carry_out(&mut self, request: Request, search: Search) -> Result<(), Error> {
        let game = self.live.id;
        let shown = match request {
            Request::Run(word, command) if command.traits().takes_long => {
                let (outcome, player) = (self.outcome.clone(), self.seat.player().cloned());
                // It ends after the clerk only.
                let _ = self.searcher.send(Box::new(move |seat| {
                    seat.sit(player);
                    let (notify, of) = (Arc::clone(&outcome.notify), search.clone());
                    let progress = move |things: &str, total, _: &Searched| -> Box<dyn Meter> {
                        let notify = Arc::clone(&notify);
                        Box::new(Progress {
                            notify,
                            search: of.clone(),
                            things: things.to_owned(),
                            total,
                        })
                    };
                    let result = seat.run(game, &command, &search.stop, &progress);
                    if !search.is_superseded.load(Ordering::Relaxed) {
                        outcome.report(seat, word, result);
                    }
                    Ok(())
                }));
                return Ok(());
            }
            Request::Run(word, command) => {
                let result = self.seat.run(game, &command, &search.stop, NO_PROGRESS);
                self.outcome.report(&mut self.seat, word, result);
                game
            }
            Request::Open(number) => number,
            Request::Play(play) => self.seat.play(&play)?,
            Request::PlayAgainst(bot) => self.seat.play_against(game, &bot)?,
            Request::Next => match self.seat.next_waiting(game)? {
                Some(next) => next,
                None => {
                    (self.outcome.notify)(Update::NoneWaits);
                    return Ok(());
                }
            },
            Request::List => {
                let Line::Command(games) = Line::parse("games", None) else { return Ok(()) };
                let mut reply = self.seat.run(game, &games, &search.stop, NO_PROGRESS)?;
                let zone = self.seat.styled(&mut reply)?;
                (self.outcome.notify)(Update::List(reply, zone));
                return Ok(());
            }
            Request::Leave | Request::Suspend => return Ok(()),
        };
        self.live = self.seat.game(shown)?;
        self.show()
    }

    /// Shows the game if it has changed, and its times if they run and a second has passed.
    fn poll(&mut self, is_second: bool) -> Result<(), Error> {
        if self.seat.has_changed()? || is_second && !self.live.time.is_empty() {
            self.live = self.seat.game(self.live.id)?;
            return self.show();
        }
        // It may have failed before.
        self.think()
    }

    fn show(&self) -> Result<(), Error> {
        (self.outcome.notify)(Update::Game(Box::new(self.live.clone())));
        self.think()
    }

    /// Makes the computer player of the game act, if it must.
    fn think(&self) -> Result<(), Error> {
        let game = self.live.id;
        if !self.live.bot_is_due || !locked(&self.thinking).games.insert(game.0) {
            return Ok(());
        }
        let (outcome, thinking) = (self.outcome.clone(), Arc::clone(&self.thinking));
        let (stop, is_running) = (Arc::clone(&self.stop), self.is_running.clone());
        let seat = self.seat.another();
        start("thinker", move || {
            let thought = contain(|| seat?.think(game, &stop));
            let done =
                thought.map(|reply| reply.map_or((), |mut reply| outcome.deliver(&mut reply)));
            let mut thinking = locked(&thinking);
            thinking.games.remove(&game.0);
            thinking.problems.report(done, &outcome.notify);
            drop(is_running);
        })
        .inspect_err(|_| {
            locked(&self.thinking).games.remove(&game.0);
        })
    }
}

fn locked(thinking: &Mutex<Thinking>) -> MutexGuard<'_, Thinking> {
    thinking.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports problems, repeated ones once.
#[derive(Default)]
struct Problems {
    last: Option<String>,
}

impl Problems {
    fn report(&mut self, done: Result<(), Error>, notify: &Notify) {
        let error = done.err();
        let message = error.as_ref().map(ToString::to_string);
        if let Some(error) = error.filter(|_| message != self.last) {
            notify(Update::Refused(error));
        }
        self.last = message;
    }
}

/// Starts a thread that does tasks with a seat until there can be no more.
fn start_tasks(
    name: &str,
    mut seat: Seat,
    notify: &Notify,
    is_running: &Sender<()>,
) -> Result<Sender<Task>, Error> {
    let (tasks, waiting) = mpsc::channel::<Task>();
    let (notify, is_running) = (Arc::clone(notify), is_running.clone());
    start(name, move || {
        let mut problems = Problems::default();
        for task in waiting {
            problems.report(contain(|| task(&mut seat)), &notify);
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
