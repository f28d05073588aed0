use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, Thread};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use clap::Args;
use serde_json::json;
use tracing::info;

use crate::app::commands::tournaments::house;
use crate::app::delivery::deliver::Delivered;
use crate::app::jobs;
use crate::app::jobs::{Thinking, Worked};
use crate::app::views::json::{json_time, merged};
use crate::app::{
    App, Error, Heading, LogFormat, NO_PROGRESS, Reply, Session, Traits, UseCase, Zone, run::watch,
};
use crate::clock::Deadline;
use crate::files;
use crate::store::{Db, Jobs, WaitingJobs, WaitingMail};
use outflank_model::words::counted;

/// Deliver due mails, let computer players move, and tidy up the database
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank send --watch")]
pub struct Send {
    /// Keep doing so until stopped
    #[arg(long)]
    watch: bool,
    /// Confirm that the clock is right after a long outage, and move the deadlines that fell into it
    #[arg(long, conflicts_with = "watch")]
    after_outage: bool,
    /// How to log what is done while watching
    #[arg(long, value_name = "FORMAT", requires = "watch")]
    log: Option<LogFormat>,
}

/// The least time between two deliveries while jobs run.
const MIN_DELIVERY_INTERVAL: Duration = Duration::from_secs(2);

impl UseCase for Send {
    const TRAITS: Traits = Traits::new("send", Heading::Host);

    fn log(&self) -> Option<LogFormat> {
        self.watch.then(|| self.log.unwrap_or_default())
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if self.watch { watch(session) } else { once(session, self.after_outage) }
    }
}

/// The housekeeping of `send`, with its results.
#[derive(Default)]
struct Round {
    confirms_clock: bool,
    /// The threads that run jobs while `send` watches; without them, the round runs the jobs.
    workers: Vec<Thread>,
    /// When the last round began.
    last_at: Option<DateTime<Utc>>,
    /// The day on which old records were last deleted.
    tidied: Option<NaiveDate>,
    problems: Vec<Problem>,
    delivered: Delivered,
    worked: Worked,
    mail: WaitingMail,
    jobs: WaitingJobs,
}

/// A line about something that failed.
struct Problem {
    text: String,
    /// Whether it is about one mail. The log has these, too.
    is_of_mail: bool,
}

impl Round {
    /// Does all steps of housekeeping in this order, also those after a delivery that fails as a whole.
    /// `send --watch` repeats them.
    fn keep_house(
        &mut self,
        session: &mut Session,
        is_active: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let app = session.app()?;
        app.must_exist()?;
        app.join_club()?;
        let now = app.env.now();
        if self.last_at.replace(now).is_none_or(|last_at| now < last_at) {
            app.correct_times()?;
        }
        if self.is_watching() && app.is_job_due(Jobs::All)? {
            self.workers.iter().for_each(Thread::unpark);
        }
        self.report(app.handle_overdue(self.confirms_clock, is_active)?);
        self.report(app.recalculate_ratings(is_active));
        self.report(house::keep(session, is_active)?);
        let app = session.app()?;
        self.report(app.queue_letters(is_active)?);
        let mut delivered = self.deliver(app, is_active);
        let stop = self.run_jobs(session)?;
        let app = session.app()?;
        let is_queued = app.queue_host_mail().unwrap_or_else(|error| {
            self.report([format!("the notice to the host could not be queued: {error}")]);
            false
        });
        if is_queued || stop.is_some() {
            let is_stopped = || stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
            delivered = self.deliver(app, &|| is_active() && !is_stopped());
        }
        let today = now.date_naive();
        if self.tidied != Some(today) && app.tidy_up()? {
            info!("old records are deleted");
            self.tidied = Some(today);
        }
        app.erase_addresses()?;
        delivered
    }

    fn report(&mut self, problems: impl IntoIterator<Item = String>) {
        let problem = |text| Problem { text, is_of_mail: false };
        self.problems.extend(problems.into_iter().map(problem));
    }

    /// Returns whether `send` watches, so that threads run the jobs.
    fn is_watching(&self) -> bool {
        !self.workers.is_empty()
    }

    fn deliver(&mut self, app: &mut App, is_active: &dyn Fn() -> bool) -> Result<(), Error> {
        let is_watching = self.is_watching();
        // Alone, `send` reports wrong settings even if no mail is due.
        if is_watching && !app.is_mail_due()? {
            return Ok(());
        }
        let round = app.deliver_due(is_active)?;
        self.delivered.sent += round.sent;
        self.delivered.deferred += round.deferred;
        self.delivered.failed += round.failed;
        let of_mail = |text| Problem { text, is_of_mail: true };
        self.problems.extend(round.problems.into_iter().map(of_mail));
        self.report(round.others.into_iter().chain(round.unmarked));
        if is_watching {
            app.store.checkpoint()?;
        }
        Ok(())
    }

    /// Runs due jobs, unless threads do. They run even if mail cannot be sent. Returns the flag that stops
    /// the rest; `None` if there were no jobs.
    fn run_jobs(&mut self, session: &mut Session) -> Result<Option<Arc<AtomicBool>>, Error> {
        if self.is_watching() || !session.app()?.is_job_due(Jobs::All)? {
            return Ok(None);
        }
        let stop = session.front_end.stop_flag()?;
        let is_stopped = || stop.load(Ordering::Relaxed);
        let thinking = Thinking { stop: &is_stopped, progress: session.front_end.progress() };
        let mut next_delivery = Deadline::after(MIN_DELIVERY_INTERVAL);
        self.worked = session.app()?.work_off_jobs(&thinking, |app| {
            if next_delivery.has_passed() {
                let _ = self.deliver(app, &|| !is_stopped());
                next_delivery = Deadline::after(MIN_DELIVERY_INTERVAL);
            }
        })?;
        Ok(Some(stop))
    }

    /// Ends the last round: reads the mails and jobs that wait.
    fn end(&mut self, app: &mut App) -> Result<(), Error> {
        app.store.checkpoint()?;
        let waiting = |db: &Db| Ok::<_, Error>((db.waiting_mail()?, db.waiting_jobs()?));
        (self.mail, self.jobs) = app.store.read(waiting)?;
        Ok(())
    }
}

fn once(session: &mut Session, confirms_clock: bool) -> Result<Reply, Error> {
    let mut round = Round { confirms_clock, ..Round::default() };
    round.keep_house(session, &|| true)?;
    let app = session.app()?;
    round.end(app)?;
    // `bots` lists all failed jobs.
    let failed_job =
        round.worked.problems.split_first().map(|(first, others)| match others.len() {
            0 => first.clone(),
            more => format!("{first}; {} failed", counted(more, "more job")),
        });
    let hint =
        if round.problems.is_empty() { "see `outflank bots`" } else { "see `outflank mail`" };
    let problems = mem::take(&mut round.problems).into_iter().map(|problem| problem.text);
    let problems: Vec<_> = problems.chain(failed_job).collect();
    if problems.is_empty() {
        return Ok(reply(app, &round));
    }
    let sent = [format!("{} sent", round.delivered.sent)].into_iter();
    let parts = sent.chain(problems).chain(sentences(app, &round));
    let message = parts.collect::<Vec<_>>().join("; ");
    Err(Error::fault(message).with_hint(hint))
}

/// Keeps house until stopped. Jobs run in threads, so that no mail waits for them; the quick ones in one of
/// their own, so that they do not wait for the others.
fn watch(session: &mut Session) -> Result<Reply, Error> {
    let app = session.app()?;
    app.must_exist()?;
    app.join_club()?;
    // Reports a fault of the configuration at once.
    app.check_delivery()?;
    let stop = session.front_end.stop_flag()?;
    let threads = [
        (Jobs::All, session.another_app()?, session.front_end.progress()),
        (Jobs::Quick, session.another_app()?, NO_PROGRESS),
    ];
    let is_over = AtomicBool::new(false);
    let is_stopped = || stop.load(Ordering::Relaxed) || is_over.load(Ordering::Relaxed);
    let (sender, problems) = mpsc::channel();
    let mut round = thread::scope(|scope| {
        let workers = threads.map(|(jobs, app, progress)| {
            let (sender, stop) = (sender.clone(), &is_stopped);
            scope.spawn(move || jobs::work(app, jobs, &Thinking { stop, progress }, sender))
        });
        let threads: Vec<_> = workers.iter().map(|worker| worker.thread().clone()).collect();
        let mut round = Round { workers: threads.clone(), ..Round::default() };
        let end_threads = OnDrop(|| {
            is_over.store(true, Ordering::Relaxed);
            threads.iter().for_each(Thread::unpark);
        });
        repeat(session, &stop, &mut round, &problems)?;
        drop(end_threads);
        let done = workers.map(|worker| worker.join().unwrap_or_default());
        round.worked.done = done.iter().sum();
        Ok::<_, Error>(round)
    })?;
    let app = session.app()?;
    round.end(app)?;
    Ok(reply(app, &round))
}

/// Calls a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Repeats the round until stopped, and reports problems of rounds and of jobs. A problem that the round
/// before had is not reported again, and those of single mails are only logged.
fn repeat(
    session: &mut Session,
    stop: &AtomicBool,
    round: &mut Round,
    of_jobs: &Receiver<String>,
) -> Result<(), Error> {
    let database = session.app()?.store.path().to_owned();
    // The name of the write-ahead log begins with that of the database.
    let name = database.file_name().unwrap_or_default().to_string_lossy();
    let mut last_problems: Vec<String> = Vec::new();
    watch::watch(session, stop, files::folder_of(&database), &name, |session, is_active| {
        of_jobs.try_iter().for_each(|problem| session.front_end.report(&problem));
        round.problems.clear();
        round.keep_house(session, is_active)?;
        let problems = round.problems.drain(..).filter(|problem| !problem.is_of_mail);
        let problems: Vec<_> = problems.map(|problem| problem.text).collect();
        let new = problems.iter().filter(|problem| !last_problems.contains(*problem));
        new.for_each(|problem| session.front_end.report(problem));
        last_problems = problems;
        Ok(())
    })
}

fn reply(app: &App, round: &Round) -> Reply {
    let Round { delivered, worked, mail, jobs, .. } = round;
    let Delivered { sent, deferred, failed, .. } = delivered;
    let mut parts = vec![format!("{sent} sent")];
    if *deferred > 0 {
        parts.push(format!("{deferred} deferred"));
    }
    if *failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    if worked.done > 0 {
        parts.push(format!("{} done", counted(worked.done, "job")));
    }
    let sentences = [parts.join(", ")].into_iter().chain(sentences(app, round));
    let text = sentences.map(|sentence| sentence + ".").collect::<Vec<_>>().join(" ");
    let mails = json!({
        "sent": sent,
        "deferred": deferred,
        "failed": failed,
        "waiting": mail.queued,
        "next": mail.next.map(json_time),
    });
    let (done, waiting) = (worked.done, jobs.queued);
    let has_jobs = done > 0 || waiting > 0;
    let jobs = has_jobs.then(|| json!({ "jobs": { "done": done, "waiting": waiting } }));
    Reply::new(&merged([mails, jobs.into()])).text(text)
}

/// Returns sentences without full stops about the mails and jobs that wait.
fn sentences(app: &App, round: &Round) -> Vec<String> {
    let Round { mail, jobs, .. } = round;
    let waiting = [("mail", mail.queued, mail.next), ("job", jobs.queued, jobs.next)];
    let waiting = waiting.into_iter().filter_map(|(what, queued, next)| {
        let next = next?;
        // A mail that a failing server kept from being tried is due already.
        let is_due = next <= app.env.now();
        let next = Zone::Local.shown(next);
        Some(match (queued, is_due) {
            (1, true) => format!("1 {what} waits and is due now"),
            (1, false) => format!("1 {what} waits until {next}"),
            (queued, true) => format!("{queued} {what}s wait and are due now or later"),
            (queued, false) => format!("{queued} {what}s wait, the first until {next}"),
        })
    });
    let mut sentences: Vec<_> = waiting.collect();
    match mail.paused {
        0 => {}
        1 => sentences.push("1 mail is paused, because earlier ones failed".to_owned()),
        paused => {
            sentences.push(format!("{paused} mails are paused, because earlier ones failed"));
        }
    }
    sentences
}
