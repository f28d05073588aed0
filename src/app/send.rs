use clap::Args;
use serde::Serialize;

use super::deliver::Delivered;
use super::{App, Error, Reply, Session, UseCase, watch};
use crate::files;

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
}

impl UseCase for Send {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if self.watch { watch(session) } else { once(session.app()?) }
    }
}

fn once(app: &mut App) -> Result<Reply, Error> {
    if app.store.must_exist().is_err() {
        return Ok(reply(&Delivered::default()));
    }
    let delivered = app.deliver_due(&|| true)?;
    app.tidy_up()?;
    app.store.checkpoint()?;
    if delivered.problems.is_empty() {
        Ok(reply(&delivered))
    } else {
        let Delivered { sent, problems, .. } = delivered;
        let message = format!("{sent} sent; {}", problems.join("; "));
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
    session.app()?.store.checkpoint()?;
    Ok(reply(&total))
}

fn reply(delivered: &Delivered) -> Reply {
    let &Delivered { sent, deferred, failed, .. } = delivered;
    let mut parts = vec![format!("{sent} sent")];
    if deferred > 0 {
        parts.push(format!("{deferred} deferred"));
    }
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    Reply::new(&SendJson { sent, deferred, failed }).text(format!("{}.", parts.join(", ")))
}
