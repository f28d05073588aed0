//! Queued work that takes time: the moves and answers of computer players, and the hints and analyses
//! that players have asked for. No transaction is open while a job runs.
//!
//! A process claims a job, thinks, and stores the result if its claim still holds. The claim is lost
//! when the position changes, so the search ends soon and its result is discarded. After its process was
//! killed, a job can be claimed again at once, or when its lease has ended. So each job is done once.

pub(crate) mod analysis;
mod asked;
mod bot;
pub(crate) mod hint;
mod quick;
pub(crate) mod study;
mod thinking;
mod worker;

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use chrono::TimeDelta;
use tracing::info;

use crate::app::effects::mails;
use crate::app::effects::outbox::Outbox;
use crate::app::{App, Env, Error, Kind, contain, contain_part, find, host_items};
use crate::clock::{Deadline, Stopwatch};
use crate::store::{ClaimRequest, HostItemKind, Job, JobKind, JobRequest, Jobs, MailId, Store, Tx};
use outflank_model::StoredGame;
use outflank_model::log::GameId;
use outflank_rules::Color;

use thinking::NoResult;

pub(crate) use thinking::Thinking;
pub(crate) use worker::{Worked, work};

/// How long a process may think about a job.
const MAX_THINKING: Duration = Duration::from_secs(60);
/// How much longer a claim lasts, so that no other process repeats a job that is nearly done.
const LEASE_MARGIN: TimeDelta = TimeDelta::seconds(60);

/// How often a search checks whether its claim still holds.
const CLAIM_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The pause between two checks whether another process has done a job.
const PAUSE: Duration = Duration::from_millis(20);

/// The outcome of a job.
#[derive(Debug)]
pub(crate) enum Done {
    /// It is done, and these mails were queued.
    Stored(Vec<MailId>),
    /// Its result was discarded, because the position had changed.
    Discarded,
    /// It was given back, because the process must stop.
    Stopped,
    /// It failed and will be tried again; the reason for the host.
    Failed(String),
}

/// The result of a job, before it is stored.
enum Found {
    Decision(bot::Decision),
    Asked(asked::Found),
}

impl App {
    /// Returns whether one of these jobs can be claimed.
    pub(crate) fn is_job_due(&self, jobs: Jobs) -> Result<bool, Error> {
        let request = self.env.job_request("", jobs);
        Ok(self.store.must_exist().is_ok() && self.store.read(|db| db.is_job_due(&request))?)
    }

    /// Runs the jobs of a game until one was done, and returns its mails; `None` if none is left or the
    /// process must stop. Waits for another process that runs a job of the game `waits_for`.
    ///
    /// # Errors
    /// When a job fails: it is tried again later.
    pub(crate) fn do_next_job(
        &mut self,
        jobs: Jobs,
        waits_for: Option<GameId>,
        thinking: &Thinking,
    ) -> Result<Option<Vec<MailId>>, Error> {
        let is_claimed =
            |app: &Self, game| app.store.read(|db| db.is_job_claimed(game, app.env.now()));
        while !(thinking.stop)() {
            match self.do_job(jobs, thinking)? {
                Some(Done::Stored(mails)) => return Ok(Some(mails)),
                Some(Done::Failed(why)) => return Err(Error::fault(why)),
                Some(Done::Discarded) => {}
                Some(Done::Stopped) => break,
                None if waits_for.map_or(Ok(false), |game| is_claimed(self, game))? => {
                    thread::sleep(PAUSE);
                }
                None => break,
            }
        }
        Ok(None)
    }

    /// Runs the next of these jobs that is due. Returns `None` if there is none.
    pub(crate) fn do_job(
        &mut self,
        jobs: Jobs,
        thinking: &Thinking,
    ) -> Result<Option<Done>, Error> {
        if !self.is_job_due(jobs)? {
            return Ok(None);
        }
        let env = &self.env;
        let lease = self.store.read(|db| Ok::<_, Error>(db.lease(|| env.rng.word(12))))?;
        let request = env.job_request(lease.name(), jobs);
        // A claim need not survive a power failure, since that ends this process too.
        let Some(job) = self.store.write_unsynced(|tx| tx.claim_job(&request))? else {
            return Ok(None);
        };
        let done = contain(|| self.do_claimed(&job, thinking));
        let done = done.or_else(|error| self.give_up(&job, error))?;
        if matches!(done, Done::Stored(_)) {
            info!(game = job.game.0, job = job.kind.word(), "job done");
        }
        Ok(Some(done))
    }

    /// Gives a job back after an error. A damaged game must not keep the other jobs waiting, but
    /// after a fault of the whole database nothing can be done.
    fn give_up(&mut self, job: &Job, error: Error) -> Result<Done, Error> {
        let env = &self.env;
        if error.kind() == Kind::Locked {
            // If that fails too, the lease ends by itself.
            let _ = self.store.write_unsynced(|tx| tx.release_job(job));
            return Err(error);
        }
        let why = error.to_string();
        let problem = || format!("a job of game {} failed: {why}", job.game);
        let deferred = self.store.write(|tx| {
            let deferred = contain_part(tx, || defer(env, tx, job, &why))?;
            // Its game may be damaged.
            deferred.or_else(|_| Ok::<_, Error>(defer_alone(env, tx, job, &why)?.then(problem)))
        });
        match deferred {
            Ok(deferred) => Ok(deferred.map_or(Done::Discarded, Done::Failed)),
            Err(_) => Err(error),
        }
    }

    fn do_claimed(&mut self, job: &Job, thinking: &Thinking) -> Result<Done, Error> {
        let (stored, known) = self.store.read(|db| {
            let stored = find::game(db, job.game)?;
            let known = asked::known(db, &stored, job)?;
            Ok::<_, Error>((stored, known))
        })?;
        if job.kind.is_of_bot() && stored.game.position_event() != job.event {
            self.store.write(|tx| tx.finish_job(job))?;
            return Ok(Done::Discarded);
        }
        let deadline = Deadline::after(MAX_THINKING);
        let since = Stopwatch::start();
        let env = &self.env;
        let claim = Mutex::new(Claim::new(&mut self.store, job));
        let is_lost = || claim.lock().unwrap_or_else(PoisonError::into_inner).is_lost();
        let thinking =
            &Thinking { stop: &|| (thinking.stop)() || is_lost(), progress: thinking.progress };
        let found = match job.kind.is_of_bot() {
            true => bot::decide(env, &stored, job, thinking, deadline).map(Found::Decision),
            false => asked::decide(env, &stored, known, job, thinking).map(Found::Asked),
        };
        let used = since.elapsed() * study::threads(env);
        let used = TimeDelta::from_std(used).unwrap_or_default();
        let store = |tx: &Tx| {
            if let Some(player) = job.player {
                tx.add_job_time(player, used, env.now())?;
            }
            let done = match &found {
                Ok(Found::Decision(decision)) => {
                    bot::carry_out(env, tx, job, *decision)?.map(Done::Stored)
                }
                Ok(Found::Asked(found)) => asked::carry_out(env, tx, job, found)?.map(Done::Stored),
                Err(NoResult::Stopped) => tx.release_job(job)?.then_some(Done::Stopped),
                Err(NoResult::Failed(why)) => defer(env, tx, job, why)?.map(Done::Failed),
            };
            Ok(done.unwrap_or(Done::Discarded))
        };
        self.store.write(|tx| env.at_one_time(|| store(tx)))
    }
}

/// The claim of a job that is being done.
struct Claim<'a> {
    store: &'a mut Store,
    job: &'a Job,
    next_look: Deadline,
    is_lost: bool,
}

impl<'a> Claim<'a> {
    fn new(store: &'a mut Store, job: &'a Job) -> Self {
        Self { store, job, next_look: Deadline::after(CLAIM_CHECK_INTERVAL), is_lost: false }
    }

    /// Returns whether the claim was lost at the last check.
    fn is_lost(&mut self) -> bool {
        if !self.is_lost && self.next_look.has_passed() {
            // If the database cannot be read now, the job may still have to be done.
            let is_held = self.store.read(|db| db.holds_job(self.job)).unwrap_or(true);
            (self.is_lost, self.next_look) = (!is_held, Deadline::after(CLAIM_CHECK_INTERVAL));
        }
        self.is_lost
    }
}

/// Records that a job failed, and notifies the person who waits once. Returns the reason for the host;
/// `None` if the claim is lost.
fn defer(env: &Env, tx: &Tx, job: &Job, why: &str) -> Result<Option<String>, Error> {
    if !defer_alone(env, tx, job, why)? {
        return Ok(None);
    }
    if !job.kind.is_of_bot() {
        return Ok(Some(format!("the {} of game {} failed: {why}", job.kind.word(), job.game)));
    }
    let stored = find::game(tx, job.game)?;
    let color = bot::color(&stored, job).ok_or_else(|| Error::fault("it is not its turn"))?;
    if job.failures == 0 {
        notify_opponent(env, tx, &stored, color)?;
    }
    let name = stored.name(color);
    let what = if job.kind == JobKind::Answer { "did not answer" } else { "did not move" };
    Ok(Some(format!("{name} {what} in game {}: {why}", job.game)))
}

/// Records that a job failed, without looking at its game. Returns false if the claim is lost.
fn defer_alone(env: &Env, tx: &Tx, job: &Job, why: &str) -> Result<bool, Error> {
    let is_held = tx.defer_job(job, why, env.now() + env.pause_after(job.failures))?;
    if is_held {
        host_items::add(env, tx, HostItemKind::Job, job.game.0, why)?;
    }
    Ok(is_held)
}

/// Notifies the opponent of a computer player that it cannot move now.
fn notify_opponent(env: &Env, tx: &Tx, stored: &StoredGame, color: Color) -> Result<(), Error> {
    let name = stored.name(color);
    let news = format!(
        "The computer player {name} cannot move at the moment.\n\
         The game waits, and you will be mailed when it is your turn."
    );
    mails::notify(&mut Outbox::new(env, tx), stored, !color, &news, None)
}

impl Env {
    /// Returns a request for a job.
    fn job_request<'a>(&self, lease: &'a str, jobs: Jobs) -> JobRequest<'a> {
        let now = self.now();
        let of_programs = self.config.bots.values().map(|program| program.seconds_per_move);
        let of_program = of_programs.max().unwrap_or_default();
        let longest = MAX_THINKING.max(Duration::from_secs(of_program.into()));
        let span = TimeDelta::from_std(longest).unwrap_or_default() + LEASE_MARGIN;
        // A claim that began while this process waited for the database ends later than its own.
        let claim = ClaimRequest { lease, now, until: now + span, longest: span + LEASE_MARGIN };
        let share = TimeDelta::seconds(self.config.engine.seconds_per_hour.into());
        JobRequest { claim, jobs, share }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use chrono::{DateTime, Utc};

    use super::*;
    use crate::app::{NO_PROGRESS, Rng};
    use crate::clock::FixedClock;
    use crate::config::Config;
    use crate::store::{JobRank, NewGame, NewJob};
    use outflank_model::bot::Bot;
    use outflank_model::log::Game;
    use outflank_model::{Agreement, Side};
    use outflank_rules::{Overrides, Position, Variant};

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// Returns an application with game 1, which the strongest level begins. Its first search on this board
    /// takes seconds: the opening book does not have it.
    fn with_game(database: &Path) -> App {
        let mut config = Config::default();
        config.engine.threads = 1;
        let (clock, rng) = (Box::new(FixedClock(NOW)), Rng::seeded(1));
        let mut app = App::open(database, false, config, clock, rng).unwrap();
        let variant = Variant::named("othello").unwrap();
        let size = "10x10".parse().ok();
        let rules = variant.rules(&Overrides { size, ..Overrides::default() }).unwrap();
        let game = &Game::new(Position::start(rules));
        let [black, white] =
            ["bot:10", "bot:0"].map(|name| Side::from(name.parse::<Bot>().unwrap()));
        let (black, white, agreement) = (&black, &white, &Agreement::on(variant));
        let new = NewGame { agreement, game, black, white, local: false, mark: "mark" };
        app.store
            .write_or_create(|tx| {
                let id = tx.add_game(&new, |id| id.to_string(), NOW)?;
                let (kind, rank) = (JobKind::Move, JobRank::Slow);
                tx.set_bot_job(id, Some(NewJob { kind, event: 0, player: None, rank }), NOW)
            })
            .unwrap();
        app
    }

    #[test]
    fn a_search_ends_when_its_claim_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("outflank.db");
        let mut app = with_game(&database);
        let polls = AtomicUsize::new(0);
        let stop = || {
            match polls.fetch_add(1, Ordering::Relaxed) {
                0 => {
                    let mut other = Store::open(&database, false).unwrap();
                    other.write(|tx| tx.set_bot_job(GameId(1), None, NOW)).unwrap();
                }
                1 => thread::sleep(CLAIM_CHECK_INTERVAL),
                // After the search, `think` asks once more.
                2 => {}
                _ => panic!("the search continues"),
            }
            false
        };
        let thinking = Thinking { stop: &stop, progress: NO_PROGRESS };
        let done = app.do_job(Jobs::All, &thinking).unwrap();
        assert!(matches!(done, Some(Done::Discarded)), "{done:?}");
        assert_eq!(polls.into_inner(), 3);
    }

    #[test]
    fn a_search_that_must_stop_gives_its_job_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = with_game(&folder.path().join("outflank.db"));
        let thinking = Thinking { stop: &|| true, progress: NO_PROGRESS };
        let done = app.do_job(Jobs::All, &thinking).unwrap();
        assert!(matches!(done, Some(Done::Stopped)), "{done:?}");
        assert!(app.is_job_due(Jobs::All).unwrap());
    }
}
