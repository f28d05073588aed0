//! The outcome of the mails that a command queued, reported to the person who gave it.

use chrono::{DateTime, Utc};

use crate::app::delivery::deliver::{Delivered, Delivery};
use crate::app::{App, Reply, one_line};
use crate::clock::Deadline;
use crate::store::OutboxEntry;
use outflank_model::mail::{MailState, Occasion};
use outflank_model::words::joined;

/// The outcome of the mails of a command.
#[derive(Debug, Default)]
pub struct Mailed {
    /// Why no mail can be sent at all, as a sentence for the host.
    pub problem: Option<String>,
    /// The outcome of each mail, in sentences for the person who gave the command.
    pub text: String,
}

/// The person who reads the outcome of mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The host, who can list the outbox.
    Host,
    /// A player, who cannot.
    Player,
    /// Nobody; only a transport that does not work is reported.
    Nobody,
}

/// The outcome of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Sent,
    /// It is held back, as its recipient or its author has set.
    Later,
    /// Another process delivers it, with the club's configuration.
    Left,
    /// It will be tried again; the reason why the last try failed.
    Waits(Option<String>),
    /// It will not be tried again; the reason.
    Failed(Option<String>),
    /// Mail to its recipient is paused, because earlier mails failed.
    Paused,
}

impl App {
    /// Delivers the mails that a command has queued, and may have claimed, then other due mails, until the
    /// deadline, and returns the outcome of the command's.
    pub fn deliver_and_report(
        &mut self,
        reply: &mut Reply,
        deadline: Deadline,
        reader: Reader,
    ) -> Mailed {
        let claimed = reply.claimed.take();
        let delivery = self.deliver_after(reply, claimed, deadline);
        let is_left = matches!(delivery, Ok(Delivery::Left(_)));
        let problem = match (delivery, reader) {
            (Err(_), Reader::Player) => {
                Some("mail cannot be sent until the host corrects the settings".to_owned())
            }
            (Err(error), _) => Some(format!("mail cannot be sent: {}", error.in_full())),
            (Ok(Delivery::Tried(Delivered { unmarked: Some(why), .. })), _) => Some(why),
            // Others read it in the text.
            (Ok(Delivery::Tried(delivered)), Reader::Nobody) => delivered
                .unavailable()
                .map(|why| format!("mail waits: {}; `outflank send` retries it", one_line(why))),
            (Ok(Delivery::Left(why)), Reader::Nobody) => {
                Some(format!("mail waits for the club's `outflank send`: {}", why.in_full()))
            }
            (Ok(_), _) => None,
        };
        // With a problem, the warning gives the reason.
        let has_reason = problem.is_none() && reader == Reader::Host;
        let mails = reply.mails.iter().filter(|_| reader != Reader::Nobody);
        let mails =
            mails.filter_map(|id| self.store.read(|db| db.outbox_entry(*id)).ok().flatten());
        let mails: Vec<_> = mails.collect();
        // When a server does not work, only the first mail is tried and has a reason.
        let mut waiting = mails.iter().filter(|entry| entry.state == MailState::Queued);
        let reason = waiting.find_map(|entry| entry.last_error.as_deref());
        let reason = reason.filter(|_| has_reason).map(one_line);
        let mut outcomes: Vec<(Outcome, Vec<String>)> = Vec::new();
        for entry in mails {
            // Not everybody may know who watches a game or had a plan.
            let is_secret = entry.content.occasion == Some(Occasion::DeletedPlan);
            if is_secret || entry.content.is_for_watcher() {
                continue;
            }
            let outcome = match outcome(&entry, has_reason, self.env.now()) {
                Some(Outcome::Waits(_)) if is_left => Outcome::Left,
                Some(Outcome::Waits(None)) => Outcome::Waits(reason.clone()),
                Some(outcome) => outcome,
                None => continue,
            };
            let name = entry.player.map(|player| player.name).or(entry.address);
            let name = name.unwrap_or_default();
            match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => outcomes.push((outcome, vec![name])),
            }
        }
        let sentences = outcomes.iter().map(|(outcome, names)| sentence(outcome, names, reader));
        Mailed { problem, text: sentences.collect::<Vec<_>>().join("\n") }
    }
}

/// Returns the outcome of a mail; `None` if a later mail has replaced it.
fn outcome(entry: &OutboxEntry, has_reason: bool, now: DateTime<Utc>) -> Option<Outcome> {
    let reason = entry.last_error.as_deref().filter(|_| has_reason).map(one_line);
    match entry.state {
        MailState::Sent => Some(Outcome::Sent),
        MailState::Queued if entry.tries == 0 && entry.due_at > now => Some(Outcome::Later),
        MailState::Queued => Some(Outcome::Waits(reason)),
        MailState::Failed => Some(Outcome::Failed(reason)),
        MailState::Paused => Some(Outcome::Paused),
        MailState::Superseded => None,
    }
}

fn sentence(outcome: &Outcome, names: &[String], reader: Reader) -> String {
    let is_one = names.len() == 1;
    let people = joined(names, "and");
    let owners: Vec<_> = names.iter().map(|name| format!("{name}'s")).collect();
    let mails = format!("{} {}", joined(&owners, "and"), if is_one { "mail" } else { "mails" });
    let because = |reason: &Option<String>| {
        reason.as_ref().map_or(String::new(), |why| format!(": {}", why.trim_end_matches('.')))
    };
    let for_host = |hint| if reader == Reader::Host { hint } else { "" };
    match outcome {
        Outcome::Sent => format!("{people} {} mailed.", if is_one { "was" } else { "were" }),
        Outcome::Later => format!("{people} will be mailed later."),
        Outcome::Left => {
            format!("{people} will be mailed{}.", for_host(" by the club's `outflank send`"))
        }
        Outcome::Waits(reason) => {
            let (wait, retry) = match is_one {
                true => ("waits", "; `outflank send` retries it"),
                false => ("wait", "; `outflank send` retries them"),
            };
            format!("{mails} {wait}{}{}.", because(reason), for_host(retry))
        }
        Outcome::Failed(reason) => {
            format!("{mails} failed{}{}.", because(reason), for_host("; see `outflank mail`"))
        }
        Outcome::Paused => {
            let wait = if is_one { "waits" } else { "wait" };
            let look = for_host("; see `outflank players --addresses`");
            format!("{mails} {wait}, because earlier ones failed{look}.")
        }
    }
}
