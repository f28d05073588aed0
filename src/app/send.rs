use clap::Args;
use serde::Serialize;

use super::deliver::Delivered;
use super::reply::json_time;
use super::{App, Error, Reply, Session, UseCase, Zone, watch};
use crate::files;
use crate::store::WaitingMail;

/// Deliver due mails and tidy up the database
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank send --watch")]
pub struct Send {
    /// Keep delivering until stopped
    #[arg(long)]
    watch: bool,
}

#[derive(Serialize)]
struct SendJson {
    sent: u32,
    deferred: u32,
    failed: u32,
    waiting: u32,
    next: Option<String>,
}

impl UseCase for Send {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if self.watch { watch(session) } else { once(session.app()?) }
    }
}

fn once(app: &mut App) -> Result<Reply, Error> {
    app.check_database()?;
    if app.store.must_exist().is_err() {
        return Ok(reply(app, &Delivered::default(), &WaitingMail::default()));
    }
    app.ring_alarms(&|| true)?;
    let delivered = app.deliver_due(&|| true)?;
    app.tidy_up()?;
    app.store.checkpoint()?;
    let waiting = app.store.read(|db| db.waiting_mail())?;
    if delivered.problems.is_empty() {
        Ok(reply(app, &delivered, &waiting))
    } else {
        let Delivered { sent, problems, .. } = delivered;
        let parts =
            [format!("{sent} sent")].into_iter().chain(problems).chain(sentences(app, &waiting));
        let message = parts.collect::<Vec<_>>().join("; ");
        Err(Error::fault(message).with_hint("see `outflank mail`"))
    }
}

/// Delivers until stopped.
fn watch(session: &mut Session) -> Result<Reply, Error> {
    let app = session.app()?;
    // A fault of the configuration is reported at once.
    app.mailer()?;
    let database = app.store.path().to_owned();
    // The write-ahead log has a longer name.
    let name = database.file_name().unwrap_or_default().to_string_lossy();
    let mut total = Delivered::default();
    let mut tidied = None;
    watch::watch(session, files::folder_of(&database), &name, |session, is_active| {
        let app = session.app()?;
        if app.store.must_exist().is_err() {
            return Ok(());
        }
        let today = app.env.now().date_naive();
        if tidied != Some(today) && app.tidy_up()? {
            tidied = Some(today);
        }
        app.ring_alarms(is_active)?;
        if !app.is_mail_due()? {
            return Ok(());
        }
        let round = app.deliver_due(is_active)?;
        app.store.checkpoint()?;
        round.problems.iter().for_each(|problem| (session.front_end.report)(problem));
        total.sent += round.sent;
        total.deferred += round.deferred;
        total.failed += round.failed;
        Ok(())
    })?;
    let app = session.app()?;
    app.store.checkpoint()?;
    let waiting = app.store.read(|db| db.waiting_mail())?;
    Ok(reply(app, &total, &waiting))
}

fn reply(app: &App, delivered: &Delivered, waiting: &WaitingMail) -> Reply {
    let &Delivered { sent, deferred, failed, .. } = delivered;
    let mut parts = vec![format!("{sent} sent")];
    if deferred > 0 {
        parts.push(format!("{deferred} deferred"));
    }
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    let sentences = [parts.join(", ")].into_iter().chain(sentences(app, waiting));
    let text = sentences.map(|sentence| sentence + ".").collect::<Vec<_>>().join(" ");
    let next = waiting.next.map(json_time);
    Reply::new(&SendJson { sent, deferred, failed, waiting: waiting.queued, next }).text(text)
}

/// Returns how many mails wait and until when, in sentences without full stops.
fn sentences(app: &App, waiting: &WaitingMail) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(next) = waiting.next {
        // A mail is due at once when it was not reached before the server stopped working.
        let is_due = next <= app.env.now();
        let next = Zone::Local.shown(next);
        sentences.push(match (waiting.queued, is_due) {
            (1, true) => "1 mail waits and is due now".to_owned(),
            (1, false) => format!("1 mail waits until {next}"),
            (queued, true) => format!("{queued} mails wait and are due now or later"),
            (queued, false) => format!("{queued} mails wait, the first until {next}"),
        });
    }
    match waiting.paused {
        0 => {}
        1 => sentences.push("1 mail is paused, because earlier ones failed".to_owned()),
        paused => {
            sentences.push(format!("{paused} mails are paused, because earlier ones failed"));
        }
    }
    sentences
}
