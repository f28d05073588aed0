use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::deliver::Delivered;
use super::{App, Error, Reply, Session, UseCase};
use crate::clock::Deadline;

/// Deliver the mail that is due, and tidy up the database
#[derive(Debug, Clone, Args)]
pub struct Send {
    /// Go on doing so until stopped
    #[arg(long)]
    watch: bool,
}

/// How often to look for mail that is due.
const INTERVAL: Duration = Duration::from_secs(2);
/// How soon a request to stop is noticed.
const MOMENT: Duration = Duration::from_millis(50);

#[derive(Serialize)]
struct Json {
    sent: u32,
    deferred: u32,
    failed: u32,
}

impl UseCase for Send {
    fn goes_on(&self) -> bool {
        self.watch
    }

    fn founds(&self) -> bool {
        self.watch
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if self.watch { watch(session) } else { once(session) }
    }
}

fn once(session: &mut Session) -> Result<Reply, Error> {
    let delivered = session.app.deliver_due(|| true)?;
    session.app.store.checkpoint()?;
    if delivered.problems.is_empty() {
        Ok(reply(&delivered))
    } else {
        let Delivered { sent, problems, .. } = delivered;
        Err(Error::Undelivered(format!("{sent} sent; {}", problems.join("; "))))
    }
}

/// Delivers until it is asked to stop. Trouble is reported and does not end it.
fn watch(session: &mut Session) -> Result<Reply, Error> {
    // What is wrong with the configuration from the start is told at once.
    session.app.mailer()?;
    let mut total = Delivered::default();
    let mut last_trouble = None;
    let stop = session.door.stop.clone();
    let stopped = || stop.load(Ordering::Relaxed);
    while !stopped() {
        match round(session.app, || !stopped()) {
            Ok(round) => {
                round.problems.iter().for_each(|problem| (session.door.report)(problem));
                total.sent += round.sent;
                total.deferred += round.deferred;
                total.failed += round.failed;
                last_trouble = None;
            }
            Err(error) => {
                let trouble = Some(error.to_string());
                if let Some(said) = trouble.as_deref().filter(|_| trouble != last_trouble) {
                    (session.door.report)(said);
                }
                last_trouble = trouble;
            }
        }
        let next = Deadline::after(INTERVAL);
        while !stopped() && !next.has_passed() {
            thread::sleep(MOMENT.min(next.remaining()));
        }
    }
    session.app.store.checkpoint()?;
    Ok(reply(&total))
}

/// Delivers what is due, and tidies up if there was anything.
fn round(app: &App, goes_on: impl Fn() -> bool) -> Result<Delivered, Error> {
    let delivered = app.deliver_due(goes_on)?;
    if delivered.sent + delivered.failed + delivered.deferred > 0 {
        app.store.checkpoint()?;
    }
    Ok(delivered)
}

fn reply(delivered: &Delivered) -> Reply {
    let &Delivered { sent, deferred, failed, .. } = delivered;
    let mut said = vec![format!("{sent} sent")];
    if deferred > 0 {
        said.push(format!("{deferred} put off"));
    }
    if failed > 0 {
        said.push(format!("{failed} failed"));
    }
    Reply::new(&Json { sent, deferred, failed }).text(format!("{}.", said.join(", ")))
}
