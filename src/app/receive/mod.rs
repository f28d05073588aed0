//! Incoming mail: from a pipe or a Maildir to the commands that it contains.

mod bounces;
mod confirm;
mod intake;
mod maildir;
mod parse;
mod quarantine;
mod run;
mod sender;

use std::path::PathBuf;
use std::{io, mem};

use chrono::TimeDelta;
use clap::Args;
use serde::Serialize;

use super::{App, Error, Kind, Reply, Session, UseCase, watch};
use crate::mail::read;
use intake::Disposition;

/// Process a mail from standard input, or new mail in a Maildir
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
As a pipe it prints nothing, and exits with 0 when the mail was processed, even if it was refused, \
and with 75 when the mail server must deliver it again.

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
struct Envelope {
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

/// How long copies of a mail and late confirmations are recognised.
const MEMORY: TimeDelta = TimeDelta::days(90);

impl UseCase for Receive {
    /// The sender of each mail acts.
    fn has_actor(&self) -> bool {
        false
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app()?;
        // Without a database every sender would be unknown.
        app.store.must_exist()?;
        if !app.env.config.receive.enabled {
            let message = "incoming mail is disabled: the configuration has `enabled = false`";
            return Err(Error::fault(message).with_hint("remove that line from [receive]"));
        }
        match &self.maildir {
            Some(folder) if self.watch => {
                maildir::check(folder)?;
                watch::watch(session, |session, is_active| {
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
                let mut input = mem::replace(&mut session.front_end.input, Box::new(io::empty()));
                let app = session.app()?;
                Ok(app.process(&self.envelope, &mut *input, read::read)?.reply)
            }
        }
    }
}

/// A processed mail.
struct Processed {
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

impl App {
    /// Deletes the records of old mails, of which no copy is expected any more, and old held
    /// commands.
    pub(super) fn tidy_up(&mut self) -> Result<(), Error> {
        let before = self.env.now() - MEMORY;
        self.store.write(|tx| {
            tx.delete_seen_before(before)?;
            Ok(tx.delete_held_before(before)?)
        })
    }
}
