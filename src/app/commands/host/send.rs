use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, Thread};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tracing::info;

use crate::app::delivery::deliver::Delivered;
use crate::app::jobs;
use crate::app::jobs::{Thinking, Worked};
use crate::app::views::json::{json_time, merged};
use crate::app::{App, Error, Heading, LogFormat, Reply, Session, Traits, UseCase, Zone, watch};
use crate::clock::Deadline;
use crate::files;
use crate::store::{Jobs, WaitingJobs, WaitingMail};

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

/// The results of a round: what was done and what waits.
#[derive(Default)]
struct Round {
    delivered: Delivered,
    worked: Worked,
    mail: WaitingMail,
    jobs: WaitingJobs,
}

impl Round {
    /// Queues the notice to the host if it is due, and returns whether it was queued.
    fn queue_host_mail(&mut self, app: &mut App) -> bool {
        app.queue_host_mail().unwrap_or_else(|error| {
            self.delivered.problems.push(host_mail_problem(&error));
            false
        })
    }

    fn deliver(&mut self, app: &mut App, is_active: &dyn Fn() -> bool) -> Result<(), Error> {
        let Delivered { sent, deferred, failed, problems, others, unmarked, .. } =
            app.deliver_due(is_active)?;
        self.delivered.sent += sent;
        self.delivered.deferred += deferred;
        self.delivered.failed += failed;
        self.delivered.problems.extend(problems.into_iter().chain(others).chain(unmarked));
        Ok(())
    }
}

/// Returns a line about a notice to the host that could not be queued, which must not stop other mail.
fn host_mail_problem(error: &Error) -> String {
    format!("the notice to the host could not be queued: {error}")
}

fn once(session: &mut Session, confirms_clock: bool) -> Result<Reply, Error> {
    let app = session.app()?;
    app.must_exist()?;
    app.join_club()?;
    let mut round = Round::default();
    app.correct_times()?;
    round.delivered.problems = app.handle_overdue(confirms_clock, &|| true)?;
    round.delivered.problems.extend(app.recalculate_ratings(&|| true));
    let delivered = round.deliver(app, &|| true);
    if app.is_job_due(Jobs::All)? {
        // Jobs run even if mail cannot be sent, which is tried again below.
        let stop = session.front_end.stop_flag()?;
        let is_stopped = || stop.load(Ordering::Relaxed);
        let thinking = Thinking { stop: &is_stopped, progress: session.front_end.progress() };
        let app = session.app()?;
        let mut next_delivery = Deadline::after(MIN_DELIVERY_INTERVAL);
        let worked = app.work_off_jobs(&thinking, |app| {
            if next_delivery.has_passed() {
                let _ = round.deliver(app, &|| !is_stopped());
                next_delivery = Deadline::after(MIN_DELIVERY_INTERVAL);
            }
        })?;
        round.worked = worked;
        round.queue_host_mail(app);
        round.deliver(app, &|| !is_stopped())?;
    } else {
        delivered?;
        if round.queue_host_mail(app) {
            round.deliver(app, &|| true)?;
        }
    }
    let app = session.app()?;
    app.tidy_up()?;
    app.store.checkpoint()?;
    (round.mail, round.jobs) =
        app.store.read(|db| Ok::<_, Error>((db.waiting_mail()?, db.waiting_jobs()?)))?;
    // `bots` lists all failed jobs.
    let failed_job =
        round.worked.problems.first().map(|first| match round.worked.problems.len() - 1 {
            0 => first.clone(),
            1 => format!("{first}; 1 more job failed"),
            more => format!("{first}; {more} more jobs failed"),
        });
    let problems: Vec<_> = round.delivered.problems.iter().cloned().chain(failed_job).collect();
    if problems.is_empty() {
        return Ok(reply(app, &round));
    }
    let sent = [format!("{} sent", round.delivered.sent)].into_iter();
    let parts = sent.chain(problems).chain(sentences(app, &round));
    let message = parts.collect::<Vec<_>>().join("; ");
    Err(Error::fault(message).with_hint(match round.delivered.problems.len() {
        0 => "see `outflank bots`",
        _ => "see `outflank mail`",
    }))
}

/// Delivers until stopped. Jobs run in a thread, so that no mail waits for them.
fn watch(session: &mut Session) -> Result<Reply, Error> {
    let app = session.app()?;
    app.must_exist()?;
    app.join_club()?;
    // Reports a fault of the configuration at once.
    app.mailer()?;
    let stop = session.front_end.stop_flag()?;
    let (thinker, progress) = (session.another_app()?, session.front_end.progress());
    let is_over = AtomicBool::new(false);
    let is_stopped = || stop.load(Ordering::Relaxed) || is_over.load(Ordering::Relaxed);
    let (sender, problems) = mpsc::channel();
    let (delivered, done) = thread::scope(|scope| {
        let worker =
            scope.spawn(|| jobs::work(thinker, &Thinking { stop: &is_stopped, progress }, sender));
        let thread = worker.thread().clone();
        let end_thread = OnDrop(|| {
            is_over.store(true, Ordering::Relaxed);
            thread.unpark();
        });
        let delivered = deliver_until_stopped(session, &stop, &thread, &problems)?;
        drop(end_thread);
        Ok::<_, Error>((delivered, worker.join().unwrap_or_default()))
    })?;
    let app = session.app()?;
    app.store.checkpoint()?;
    let (mail, jobs) =
        app.store.read(|db| Ok::<_, Error>((db.waiting_mail()?, db.waiting_jobs()?)))?;
    let worked = Worked { done, ..Worked::default() };
    Ok(reply(app, &Round { delivered, worked, mail, jobs }))
}

/// Calls a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn deliver_until_stopped(
    session: &mut Session,
    stop: &AtomicBool,
    worker: &Thread,
    problems: &Receiver<String>,
) -> Result<Delivered, Error> {
    let database = session.app()?.store.path().to_owned();
    // The name of the write-ahead log begins with that of the database.
    let name = database.file_name().unwrap_or_default().to_string_lossy();
    let mut total = Delivered::default();
    let (mut tidied, mut last_round) = (None, None);
    let mut last_problems: Vec<String> = Vec::new();
    watch::watch(session, stop, files::folder_of(&database), &name, |session, is_active| {
        problems.try_iter().for_each(|problem| session.front_end.report(&problem));
        let app = session.app()?;
        app.must_exist()?;
        app.join_club()?;
        let now = app.env.now();
        if last_round.replace(now).is_none_or(|last| now < last) {
            app.correct_times()?;
        }
        let today = now.date_naive();
        if tidied != Some(today) && app.tidy_up()? {
            info!("old records are deleted");
            tidied = Some(today);
        }
        if app.is_job_due(Jobs::All)? {
            worker.unpark();
        }
        let mut problems = app.handle_overdue(false, is_active)?;
        problems.extend(app.recalculate_ratings(is_active));
        if let Err(error) = app.queue_host_mail() {
            problems.push(host_mail_problem(&error));
        }
        if app.is_mail_due()? {
            let round = app.deliver_due(is_active)?;
            app.store.checkpoint()?;
            // The log has those of mails.
            problems.extend(round.others.into_iter().chain(round.unmarked));
            total.sent += round.sent;
            total.deferred += round.deferred;
            total.failed += round.failed;
        }
        let new = problems.iter().filter(|problem| !last_problems.contains(*problem));
        new.for_each(|problem| session.front_end.report(problem));
        last_problems = problems;
        session.app()?.erase_addresses()
    })?;
    Ok(total)
}

fn reply(app: &App, round: &Round) -> Reply {
    let Round { delivered, worked, mail, jobs } = round;
    let Delivered { sent, deferred, failed, .. } = delivered;
    let mut parts = vec![format!("{sent} sent")];
    if *deferred > 0 {
        parts.push(format!("{deferred} deferred"));
    }
    if *failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    match worked.done {
        0 => {}
        1 => parts.push("1 job done".to_owned()),
        done => parts.push(format!("{done} jobs done")),
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
