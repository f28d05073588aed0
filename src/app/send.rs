use clap::Args;
use serde::Serialize;

use super::deliver::Delivered;
use super::{App, Error, Reply, Session, UseCase, watch};

/// Deliver the mail that is due, and tidy up the database
#[derive(Debug, Clone, Args)]
pub struct Send {
    /// Go on doing so until stopped
    #[arg(long)]
    watch: bool,
}

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
    session.app.tidy_up()?;
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
    let mut tidied = None;
    watch::watch(session, |session, goes_on| {
        let today = session.app.now().date_naive();
        if tidied != Some(today) {
            session.app.tidy_up()?;
            tidied = Some(today);
        }
        let round = round(session.app, goes_on)?;
        round.problems.iter().for_each(|problem| (session.door.report)(problem));
        total.sent += round.sent;
        total.deferred += round.deferred;
        total.failed += round.failed;
        Ok(())
    });
    session.app.store.checkpoint()?;
    Ok(reply(&total))
}

/// Delivers what is due, and tidies up if there was anything.
fn round(app: &App, goes_on: &dyn Fn() -> bool) -> Result<Delivered, Error> {
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
