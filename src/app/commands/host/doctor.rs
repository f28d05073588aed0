use std::thread;
use std::time::Duration;

use chrono::TimeDelta;
use clap::Args;
use serde_json::json;

use crate::app::access::sign_up::refuse_own_address;
use crate::app::doctor::{Station, examine, reply, station, why_lost};
use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::run::session::Writing;
use crate::app::{App, Error, Heading, Reply, Session, Traits, UseCase, access::ban, one_line};
use crate::clock::{Deadline, Stopwatch};
use crate::command::{Address, mailbox};
use crate::store::{MailId, NewOutboxEntry, OutboxEntry, Store};
use outflank_model::mail::{MailContent, MailState, MessageKind};

/// Check files, settings, database and mail, and say what to do
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Each line begins with ok, warning or wrong. The exit status is 0, 1 if there
are warnings, and 3 if something is wrong. Without an option, nothing is
changed or sent.

Example: outflank doctor --loop")]
pub struct Doctor {
    /// Mail this server itself, and say where the mail stops
    #[arg(long = "loop", conflicts_with = "mail")]
    is_loop: bool,
    /// The most seconds to wait for that mail
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "is_loop",
        default_value_t = 120,
        hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(1..=3600)
    )]
    wait: u16,
    /// Ask a person by mail for an answer, which shows how mail is verified
    #[arg(long, value_name = "ADDRESS")]
    mail: Option<Address>,
}

/// The words to the server itself, and to a person.
const TO_ITSELF: &str =
    "This mail goes to the server that sends it, and tests whether mail comes in.";
const TO_PERSON: &str = "Outflank, a server for Othello by mail, tests how your mail arrives.\n\
                         Please answer this mail. It does not matter what you write, and nobody \
                         reads it.";

/// The pause between two looks whether a mail has come back.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The time until the same address can be asked again.
const ASKED_AGAIN_AFTER: TimeDelta = TimeDelta::days(1);
/// The most questions that wait for an answer within this time.
const MAX_QUESTIONS: usize = 10;

impl UseCase for Doctor {
    const TRAITS: Traits = Traits::new("doctor", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if let Some(address) = &self.mail {
            must_be_ready(session)?;
            return ask(session, address);
        }
        if self.is_loop {
            must_be_ready(session)?;
            return go_around(session.app()?, Duration::from_secs(self.wait.into()));
        }
        let surroundings = session.front_end.surroundings()?;
        Ok(reply(&examine(&surroundings), None))
    }
}

/// Refuses a test without a database of the newest schema, since it must not create or update one, and a
/// test without incoming mail.
fn must_be_ready(session: &mut Session) -> Result<(), Error> {
    let surroundings = session.front_end.surroundings()?;
    let config = surroundings.config?;
    let (message, hint) = match Store::inspect(&surroundings.database)? {
        None => ("there is no database yet", "check --db; `outflank new` creates a database"),
        Some((_, found)) if found < Store::newest_schema() => (
            "the database has an older schema",
            "the next other command, such as `outflank send`, updates it; make a backup before",
        ),
        Some(_) => {
            session.app()?.check_club()?;
            if config.receive.enabled {
                return Ok(());
            }
            let hint = "add a [receive] table to the configuration";
            ("incoming mail is off, so no answer could come in", hint)
        }
    };
    Err(Error::refused(message).with_hint(hint))
}

/// Mails the server itself, and waits until the mail has come back or has stopped.
fn go_around(app: &mut App, wait: Duration) -> Result<Reply, Error> {
    let env = &app.env;
    let own = env.config.mail.from.email.to_string();
    let id = app.store.write(|tx| {
        let mut outbox = Outbox::new(env, tx);
        let id = queue(&mut outbox, &own, TO_ITSELF)?;
        tx.add_probe(id, None, env.now())?;
        Ok::<_, Error>(id)
    })?;
    let (began, deadline) = (Stopwatch::start(), Deadline::after(wait));
    let is_unreachable = match app.deliver_one(id, Some(deadline)) {
        Ok(delivered) => delivered.is_unreachable(),
        Err(error) => {
            app.store.write(|tx| tx.note_error(&[id], &error.to_string()))?;
            true
        }
    };
    loop {
        let (entry, probe) =
            app.store.read(|db| Ok::<_, Error>((db.outbox_entry(id)?, db.probe(id)?)))?;
        let has_come = probe.is_some_and(|probe| probe.came_at.is_some());
        let at = match (has_come, entry) {
            (true, _) => Some(Station::Received),
            (false, Some(entry)) => stopped(&entry, is_unreachable, deadline.has_passed()),
            (false, None) => Some(Station::Accepted),
        };
        if let Some(at) = at {
            if matches!(at, Station::Queued(_) | Station::Refused(_)) {
                // Nobody waits for another try.
                app.store.write(|tx| tx.withdraw_probe(id))?;
            }
            return Ok(reply(&station(&at, began.elapsed()), Some(at.word())));
        }
        thread::sleep(POLL_INTERVAL.min(deadline.remaining()));
    }
}

/// Returns where a mail that has not come back has stopped; `None` while it may still come.
fn stopped(entry: &OutboxEntry, is_unreachable: bool, is_late: bool) -> Option<Station> {
    let error = entry.last_error.as_deref().map(one_line);
    match (entry.state, error) {
        (_, error) if entry.bounced_at.is_some() => {
            Some(Station::Refused(error.unwrap_or_else(|| "it bounced".to_owned())))
        }
        (MailState::Sent, _) => is_late.then_some(Station::Accepted),
        (MailState::Queued, Some(error)) if is_unreachable => Some(Station::Queued(error)),
        (MailState::Queued | MailState::Failed, Some(error)) => Some(Station::Refused(error)),
        // Another process is sending it.
        _ => is_late.then(|| Station::Queued("it is being sent by another process".to_owned())),
    }
}

/// Asks a person for an answer.
fn ask(session: &mut Session, address: &Address) -> Result<Reply, Error> {
    let asked = address.as_str();
    session.write(|Writing { tx, env, outbox, .. }| {
        refuse_own_address(env, address, "use `outflank doctor --loop`")?;
        if ban::is_banned(tx, asked)? {
            return Err(Error::refused(format!("{asked} is banned, so no mail goes there")));
        }
        let mut waiting = Vec::new();
        for probe in tx.probes_since(env.now() - ASKED_AGAIN_AFTER)? {
            if why_lost(tx, &probe)?.is_none() {
                waiting.extend(probe.address);
            }
        }
        if waiting.iter().any(|other| mailbox(other).eq_ignore_ascii_case(&mailbox(asked))) {
            let error = Error::refused(format!("{asked} was asked within a day"));
            return Err(error.with_hint("wait for the answer; `outflank doctor` shows it"));
        }
        if waiting.len() >= MAX_QUESTIONS {
            let error = Error::refused(format!("{MAX_QUESTIONS} people were asked within a day"));
            return Err(error.with_hint("wait for their answers; `outflank doctor` shows them"));
        }
        let id = queue(outbox, asked, TO_PERSON)?;
        tx.add_probe(id, Some(asked), env.now())?;
        let text = format!(
            "A question goes to {asked}. When the answer has come, even days later, `outflank doctor` \
             shows its Authentication-Results."
        );
        Ok(Reply::new(&json!({ "asked": asked })).text(text))
    })
}

/// Queues a mail that asks for an answer.
fn queue(outbox: &mut Outbox, address: &str, text: &str) -> Result<MailId, Error> {
    let content = MailContent::of_text(MessageKind::Probe, None, text);
    let entry = NewOutboxEntry::to_address(address, content);
    let mail = outbox.add(&entry, Cause::COMMAND)?;
    mail.ok_or_else(|| Error::fault("the mail could not be queued"))
}
