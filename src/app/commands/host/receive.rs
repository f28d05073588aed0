use std::path::{Path, PathBuf};
use std::{io, mem};

use clap::Args;
use serde_json::json;
use tracing::info;

use crate::app::receive::inbound::{Disposition, Envelope, Processed};
use crate::app::receive::maildir::{self, Stuck};
use crate::app::receive::read::Incoming;
use crate::app::{Error, Heading, LogFormat, Reply, Session, Traits, UseCase, run::watch};
use crate::config::{Config, display_path};
use crate::mail::read;

/// Process a mail from standard input, or new mail in a Maildir
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
As a pipe it prints nothing, and exits with 0 when the mail was processed,
even if it was refused, and with 75 when the mail server must deliver it
again. It needs a [receive] table in the configuration.

Example: outflank receive --maildir ~/Mail/outflank --watch")]
pub struct Receive {
    #[command(flatten)]
    envelope: Envelope,
    /// Process new mail in this Maildir
    #[arg(long, value_name = "DIR", conflicts_with = "recipient")]
    maildir: Option<PathBuf>,
    /// Keep processing until stopped
    #[arg(long, requires = "maildir")]
    watch: bool,
    /// How to log what is done while watching
    #[arg(long, value_name = "FORMAT", requires = "watch")]
    log: Option<LogFormat>,
}

impl UseCase for Receive {
    const TRAITS: Traits = Traits { reports_mails: false, ..Traits::new("receive", Heading::Host) };

    fn log(&self) -> Option<LogFormat> {
        self.watch.then(|| self.log.unwrap_or_default())
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app()?;
        check_enabled(&app.env.config)?;
        // Without a database every sender would be unknown.
        app.must_exist()?;
        match &self.maildir {
            Some(folder) if self.watch => watch_maildir(session, folder),
            Some(folder) => {
                let round = maildir::receive(app, folder, &mut Stuck::new(), &|| true)?;
                round.error.map_or(Ok(()), Err)?;
                Ok(maildir_reply(round.processed))
            }
            None => {
                // The input and the application are borrowed at the same time.
                let input =
                    mem::replace(&mut session.front_end.shell()?.input, Box::new(io::empty()));
                let mail = Incoming::read(&self.envelope, input, read::read)?;
                let claims = session.front_end.claims;
                let results = session.app()?.process(&mut [mail], claims)?;
                results.into_iter().try_fold(Reply::default(), |_, processed| Ok(reply(processed?)))
            }
        }
    }
}

/// Checks that incoming mail is enabled.
fn check_enabled(config: &Config) -> Result<(), Error> {
    if config.receive.enabled {
        return Ok(());
    }
    let file = config.file.as_deref().map_or("the configuration".to_owned(), display_path);
    Err(Error::fault("incoming mail is not set up")
        .with_hint(format!("write `[receive]` and `enabled = true` into {file}")))
}

/// Processes the new mails of a Maildir, and delivers the mails that they cause, until stopped.
fn watch_maildir(session: &mut Session, folder: &Path) -> Result<Reply, Error> {
    maildir::check(folder)?;
    let stop = session.front_end.stop_flag()?;
    let mut stuck = Stuck::new();
    watch::watch(session, &stop, &folder.join("new"), "", |session, is_active| {
        let app = session.app()?;
        app.must_exist()?;
        let round = maildir::receive(app, folder, &mut stuck, is_active)?;
        round.processed.iter().for_each(log);
        if round.processed.iter().any(|processed| !processed.mails.is_empty()) {
            // Failures are recorded in the outbox.
            app.deliver_due(is_active)?;
        }
        round.error.map_or(Ok(()), Err)
    })?;
    Ok(Reply::default())
}

/// Logs a mail that came in.
fn log(processed: &Processed) {
    let Processed { disposition, mails, player, understood, .. } = processed;
    let (from, understood) = (player.as_deref().unwrap_or("nobody known"), understood.join(" "));
    let disposition = disposition.word();
    info!(from, understood, disposition, mails = mails.len(), "mail received");
}

fn reply(Processed { disposition, mails, claimed, .. }: Processed) -> Reply {
    let word = disposition.word();
    let text = format!("The mail was processed: {word}.");
    let reply = Reply::new(&json!({ "disposition": word })).text(text).with_mails(mails);
    Reply { claimed, ..reply }
}

fn maildir_reply(processed: Vec<Processed>) -> Reply {
    let quarantined =
        processed.iter().filter(|it| it.disposition == Disposition::Quarantined).count();
    let json = json!({ "processed": processed.len(), "quarantined": quarantined });
    let mut text = format!("{} processed", processed.len());
    if quarantined > 0 {
        text.push_str(&format!(", {quarantined} of them quarantined"));
    }
    let mails = processed.into_iter().flat_map(|it| it.mails).collect();
    Reply::new(&json).text(format!("{text}.")).with_mails(mails)
}
