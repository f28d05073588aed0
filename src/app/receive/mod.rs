//! Incoming mail: from a pipe or a Maildir to the commands that it contains.

mod ahead;
mod batch;
mod bounces;
mod comment;
mod confirm;
mod intake;
mod maildir;
mod parse;
mod quarantine;
mod run;
mod screen;
mod sender;

use std::path::PathBuf;
use std::{io, mem};

use clap::Args;
use serde::Serialize;

use crate::app::{App, Error, Kind, Reply, Session, UseCase, watch};
use crate::config::{Config, display_path};
use crate::mail::read;
use batch::Incoming;
use intake::Disposition;
pub(crate) use quarantine::kept_of;

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
}

/// What a mail server knows about a mail besides its text.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Envelope {
    /// The address that it was sent to
    recipient: Option<String>,
    /// The address that it came from; empty for bounces
    sender: Option<String>,
    /// The part of the recipient between + and @
    extension: Option<String>,
}

#[derive(Serialize)]
struct DispositionJson {
    disposition: String,
}

impl UseCase for Receive {
    /// The sender of each mail acts.
    fn has_actor(&self) -> bool {
        false
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app()?;
        check_enabled(&app.env.config)?;
        // Without a database every sender would be unknown.
        app.store.must_exist()?;
        match &self.maildir {
            Some(folder) if self.watch => {
                maildir::check(folder)?;
                let stop = session.front_end.stop_flag()?;
                watch::watch(session, &stop, &folder.join("new"), "", |session, is_active| {
                    let app = session.app()?;
                    let round = maildir::receive(app, folder, is_active)?;
                    if !round.reply.mails.is_empty() {
                        // Failures are recorded in the outbox.
                        app.deliver_due(is_active)?;
                    }
                    round.error.map_or(Ok(()), Err)
                })?;
                Ok(Reply::default())
            }
            Some(folder) => {
                let round = maildir::receive(app, folder, &|| true)?;
                round.error.map_or(Ok(round.reply), Err)
            }
            None => {
                // The input and the application are borrowed at the same time.
                let input =
                    mem::replace(&mut session.front_end.shell()?.input, Box::new(io::empty()));
                let mail = Incoming::read(&self.envelope, input, read::read)?;
                let results = session.app()?.process(&mut [mail])?;
                results.into_iter().try_fold(Reply::default(), |_, processed| Ok(processed?.reply))
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

/// A processed mail.
pub(crate) struct Processed {
    disposition: Disposition,
    reply: Reply,
}

impl Processed {
    fn new(disposition: Disposition, Reply { mails, .. }: Reply) -> Self {
        let word = disposition.word();
        let text = format!("The mail was processed: {word}.");
        let reply = Reply::new(&DispositionJson { disposition: word }).text(text);
        Self { disposition, reply: reply.with_mails(mails) }
    }
}
