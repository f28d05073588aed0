//! Mail that comes in: from a pipe or a Maildir to what its writer wants done.

mod bounce;
mod carry_out;
mod confirm;
mod hear;
mod intake;
mod maildir;
mod quarantine;
mod standing;

use std::path::PathBuf;

use chrono::TimeDelta;
use clap::Args;
use serde::Serialize;

use super::{App, Error, Reply, Session, UseCase, watch};
use crate::mail::read;
use crate::store;
use intake::Fate;

/// Take in the mail on standard input, or what is new in a Maildir
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
As a pipe it says nothing, and its exit status is 0 when the mail is dealt with, also when it was \
refused, and 75 when it must come again.")]
pub struct Receive {
    #[command(flatten)]
    envelope: Envelope,
    /// Take in what is new in this Maildir
    #[arg(long, value_name = "DIR", conflicts_with = "recipient")]
    maildir: Option<PathBuf>,
    /// Go on doing so until stopped
    #[arg(long, requires = "maildir")]
    watch: bool,
}

/// What a mail server knows of a mail besides the mail.
#[derive(Debug, Clone, Default, Args)]
struct Envelope {
    /// The address that it came to
    recipient: Option<String>,
    /// The address that it came from; empty when nobody wants to know what becomes of it
    sender: Option<String>,
    /// What stands between the + and the @ of the recipient
    extension: Option<String>,
}

#[derive(Serialize)]
struct Json {
    fate: String,
}

/// Copies of a mail are told for so long, and so are confirmations that come late.
const MEMORY: TimeDelta = TimeDelta::days(90);

impl UseCase for Receive {
    fn goes_on(&self) -> bool {
        self.watch
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app;
        if !app.store.is_founded() {
            // Mail for a club that is not there would be a stranger's, one and all.
            return Err(store::Error::Missing(app.store.path().to_owned()).into());
        }
        if !app.config.receive.enabled {
            return Err(Error::ReceiveDisabled);
        }
        match &self.maildir {
            Some(folder) if self.watch => {
                maildir::check(folder)?;
                watch::watch(session, |session, goes_on| {
                    let app = session.app;
                    let round = maildir::take_in(app, folder, goes_on)?;
                    if !round.reply.mails.is_empty() {
                        // What does not get out now stays in the outbox, where it is told.
                        app.deliver_due(goes_on)?;
                    }
                    round.trouble.map_or(Ok(()), Err)
                });
                Ok(Reply::default())
            }
            Some(folder) => {
                let round = maildir::take_in(app, folder, &|| true)?;
                round.trouble.map_or(Ok(round.reply), Err)
            }
            None => {
                let taken = app.take_in(&self.envelope, session.door.input, read::read)?;
                Ok(taken.reply)
            }
        }
    }
}

/// What became of a mail.
struct Taken {
    fate: Fate,
    reply: Reply,
}

impl Taken {
    fn new(fate: Fate, reply: Reply) -> Self {
        let Reply { mails, .. } = reply;
        let json = Json { fate: fate.word() };
        let said = format!("The mail is dealt with: {}.", fate.word());
        Self { fate, reply: Reply::new(&json).text(said).with_mails(mails) }
    }
}

impl App {
    /// Forgets mails of which no copy is expected any more, and what nobody can confirm any more.
    pub(super) fn tidy_up(&self) -> Result<(), Error> {
        self.store.write(|db| {
            let long_ago = self.now() - MEMORY;
            db.forget_seen(long_ago)?;
            Ok(db.forget_held(long_ago)?)
        })
    }
}
