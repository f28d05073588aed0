//! The mail to the host about everything that needs a person, once a day at most.

use chrono::{DateTime, TimeDelta, Utc};
use tracing::info;

use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::host_items::{self, Outage};
use crate::app::{App, Env, Error, Zone};
use crate::config::MEGABYTE;
use crate::files;
use crate::store::{Db, HostItem, HostItemKind, NewOutboxEntry};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MessageKind};

/// The least time between two mails.
const INTERVAL: TimeDelta = TimeDelta::days(1);
/// A mail that lies so far ahead was queued with a clock that was wrong.
const MAX_AHEAD: TimeDelta = TimeDelta::minutes(10);
/// The most lines about items of one kind.
const MAX_LINES: usize = 20;

impl App {
    /// Queues a mail to the host if there is something that needs a person, none was queued within
    /// a day, and none waits for its delivery. What has happened since is in the next one, and so is all that
    /// was in one that could not be delivered.
    /// Returns whether it was queued.
    pub(crate) fn queue_host_mail(&mut self) -> Result<bool, Error> {
        let env = &self.env;
        let Some(address) = env.config.host.mail.as_ref().map(ToString::to_string) else {
            return Ok(false);
        };
        let low = env.low_space();
        let is_due = |db: &Db| {
            Ok::<_, Error>(is_due(db, env.now())? && (low.is_some() || db.has_host_items()?))
        };
        if !self.store.read(is_due)? {
            return Ok(false);
        }
        let is_queued = self.store.write(|tx| {
            // Another process may have been faster.
            if !is_due(tx)? {
                return Ok(false);
            }
            let text = text(tx, low)?;
            let outbox = &mut Outbox::new(env, tx);
            let entry = NewOutboxEntry::to_address(
                &address,
                MailContent::of_text(MessageKind::Host, None, text),
            );
            if let Some(mail) = outbox.add(&entry, Cause::COMMAND)? {
                tx.put_host_items_into(mail, env.now())?;
            }
            Ok::<_, Error>(true)
        })?;
        if is_queued {
            info!("a notice to the host is queued");
        }
        Ok(is_queued)
    }

    /// Adds an outage to the next mail, as soon as something can be stored, and again for each new reason
    /// and each day that it lasts.
    pub(crate) fn report_outage(&mut self, outage: &mut Outage) -> Result<(), Error> {
        let (env, store) = (&self.env, &mut self.store);
        let now = env.now();
        if outage.reported.get(&outage.reason).is_some_and(|&last| now < last + INTERVAL) {
            return Ok(());
        }
        if env.config.host.mail.is_some() {
            store.must_exist()?;
            let [from, until] = [outage.from, now].map(|time| Zone::Local.shown(time));
            let times = match from == until {
                true => format!("at {from}"),
                false => format!("from {from} until {until}"),
            };
            let text = format!("{times}: {}", outage.reason);
            store.write(|tx| host_items::add(env, tx, HostItemKind::Storing, 0, &text))?;
        }
        outage.reported.insert(outage.reason.clone(), now);
        Ok(())
    }
}

impl Env {
    /// Returns how many bytes are free for the database if these are too few.
    fn low_space(&self) -> Option<u64> {
        let free = files::free_space(files::folder_of(&self.database)).ok()?;
        (free < u64::from(self.config.host.free_mb) * MEGABYTE).then_some(free)
    }
}

/// Returns whether the last mail is old enough, and was delivered or given up.
fn is_due(db: &Db, now: DateTime<Utc>) -> Result<bool, Error> {
    let is_due = match db.host_notified_at()? {
        Some(last) => now >= last + INTERVAL || last > now + MAX_AHEAD,
        None => true,
    };
    Ok(is_due && !db.is_host_mail_queued()?)
}

/// Returns the text of a mail: a line for its beginning, then one for each thing.
fn text(db: &Db, low: Option<u64>) -> Result<String, Error> {
    let all = db.host_items()?;
    let space =
        |free| format!("Only {} MB of disk space are free for the database.", free / MEGABYTE);
    let mut lines: Vec<_> = low.map(space).into_iter().collect();
    for &kind in HostItemKind::ALL {
        let of_kind: Vec<_> = all.iter().filter(|item| item.kind == kind).collect();
        for item in of_kind.iter().take(MAX_LINES) {
            lines.push(line(db, item)?);
        }
        if let Some(more) = of_kind.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
            lines.push(format!("There are {more} more of these."));
        }
    }
    let lines = lines.iter().map(|line| format!("- {line}"));
    let first = "This club needs your attention:".to_owned();
    Ok([first].into_iter().chain(lines).collect::<Vec<_>>().join("\n"))
}

/// Describes one thing.
fn line(db: &Db, item: &HostItem) -> Result<String, Error> {
    let HostItem { kind, about, count, text, first_at, last_at } = item;
    let name = || Ok::<_, Error>(db.player(PlayerId(*about))?.name);
    let (first, last) = (Zone::Local.shown(*first_at), Zone::Local.shown(*last_at));
    let is_single = *count == 1;
    let times = match is_single {
        true => format!("at {last}"),
        false => format!("{count} times, the last time at {last}"),
    };
    Ok(match kind {
        HostItemKind::Storing if is_single => {
            format!("The work of `send` or `receive` failed {text}.")
        }
        HostItemKind::Storing => {
            format!("The work of `send` or `receive` failed {count} times, the last time {text}.")
        }
        HostItemKind::Clock => format!("The clock may be wrong: {text}."),
        HostItemKind::Sending => {
            let times = match is_single {
                true => times,
                false => format!("{count} times, first at {first} and the last time at {last}"),
            };
            format!("Mail could not be handed over {times}: {text}. See `outflank mail`.")
        }
        HostItemKind::Bounce => {
            format!("A mail to {} failed {times}: {text}. See `outflank mail`.", name()?)
        }
        HostItemKind::Pause => {
            let name = name()?;
            format!(
                "Mail to {name} is paused, because too many mails failed. It resumes when {name} writes, or \
                 with `outflank address {name} ADDRESS`."
            )
        }
        HostItemKind::Job => {
            let game = GameId(*about);
            format!("Work for game {game} failed {times}: {text}. See `outflank mail {game}`.")
        }
        HostItemKind::Quarantine => {
            format!("Incoming mail could not be processed {times}: {text}. See `outflank inbox`.")
        }
        HostItemKind::Signup => format!("{} has signed up at {last}.", name()?),
    })
}
