//! Delivery: from the outbox to the transport, after the commit, retried until it succeeds.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use tracing::{info, warn};

use crate::app::claimed::{Checked, ClaimMails, ClaimedMails};
use crate::app::delivery::check;
use crate::app::delivery::compose::compose;
use crate::app::effects::outbox::Outbox;
use crate::app::effects::{bounces, outages};
use crate::app::retry::RETRIED_FOR;
use crate::app::{App, Env, Error, Reply, contain, contain_part, host_items, redacted};
use crate::clock::Deadline;
use crate::mail::Composer;
use crate::mail::token::Token;
use crate::mail::transport::{self, DeliveryError, Worker};
use crate::store::{
    Claim, ClaimRequest, Db, HostItemKind, Lease, MailId, OutboxEntry, Settled, Tx,
};
use outflank_model::log::GameId;
use outflank_model::mail::Topic;

/// The result of a round of delivery.
#[derive(Debug, Default)]
pub(crate) struct Delivered {
    pub sent: u32,
    /// Mails to be tried again.
    pub deferred: u32,
    /// Mails not to be tried again automatically.
    pub failed: u32,
    /// A line for each mail that was not sent.
    pub problems: Vec<String>,
    /// A line for everything else that failed.
    pub others: Vec<String>,
    /// How many mails were sent that could not be marked as sent, and why.
    pub unmarked: Option<String>,
    /// Why the transport itself does not work, or why the server accepts nothing from this sender.
    unavailable: Option<String>,
    /// Whether the server accepts nothing from this sender.
    refuses_sender: bool,
}

/// What became of the delivery after a command.
pub(crate) enum Delivery {
    /// Mails were tried. The outbox has the results.
    Tried(Delivered),
    /// No mail was tried, because this process does not have the club's configuration.
    Left(Error),
}

/// The most mails that are claimed, delivered and settled together.
const MAX_CLAIMS: usize = 50;
/// The time limit of a batch when nobody waits for it.
const BATCH_TIMEOUT: TimeDelta = TimeDelta::seconds(120);
/// How much longer than the try a claim without a lock lasts: this process may notice late that its time
/// is over, and then waits for its turn to write.
const CLAIM_MARGIN: TimeDelta = TimeDelta::seconds(60);

/// Composes messages and hands them to the transport.
pub(crate) struct Mailer {
    composer: Composer,
    transport: Worker,
    /// Begins with the first claim.
    lease: Option<Lease>,
    /// Mails that were due and do not go yet.
    waiting: HashSet<MailId>,
}

/// Claims the mails of a command in the transaction that queues them.
pub const CLAIM_MAILS: ClaimMails = ClaimMails(|env, tx, mails| {
    env.check_club(tx)?;
    let lease = env.lease(tx);
    let claims = tx.claim_mails(&env.request(lease.name(), None), mails, mails.len())?;
    Ok(ClaimedMails { checked: check::check_all(env, tx, claims)?, lease })
});

impl App {
    /// Delivers the mails that a command has queued, and may have claimed, then other due mails, until the
    /// deadline. Failures are recorded in the outbox; `send` reports them.
    ///
    /// # Errors
    /// When the settings are wrong, so that no mail can be sent at all.
    pub(crate) fn deliver_after(
        &mut self,
        reply: &Reply,
        claimed: Option<ClaimedMails>,
        deadline: Deadline,
    ) -> Result<Delivery, Error> {
        if let Err(error) = self.check_club() {
            return Ok(Delivery::Left(error));
        }
        let mut mailer = match self.open_mailer() {
            Ok(mailer) => mailer,
            Err(error) => {
                let _ = self.store.write(|tx| {
                    tx.note_error(&reply.mails, &error.to_string())?;
                    let checked = claimed.iter().map(|claimed| &claimed.checked);
                    checked.flat_map(Checked::untried).try_for_each(|claim| tx.release_mail(claim))
                });
                return Err(error);
            }
        };
        let (mut delivered, mut first) = (Delivered::default(), reply.mails.as_slice());
        let mut works = true;
        if let Some(ClaimedMails { checked, lease: _until_settled }) = claimed {
            works = self
                .deliver_claims(&mut mailer, checked, Some(deadline), &|| true, &mut delivered)
                .unwrap_or(false);
            first = &[];
        }
        while works && !deadline.has_passed() {
            works = self
                .deliver_batch(&mut mailer, first, Some(deadline), &|| true, &mut delivered)
                .unwrap_or(false);
            first = &[];
        }
        self.store.limit_waiting(deadline.remaining());
        // A failure is ignored, since `send` does this too.
        let _ = self.tidy_up_a_little();
        Ok(Delivery::Tried(delivered))
    }

    /// Delivers all due mails until `is_active` returns false. Mails that are not delivered within a
    /// second after that stay due.
    pub(crate) fn deliver_due(&mut self, is_active: &dyn Fn() -> bool) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        while is_active()
            && self.deliver_batch(&mut mailer, &[], None, is_active, &mut delivered)?
        {}
        Ok(delivered)
    }

    /// Tries to deliver this mail until the deadline, if there is one. Does nothing if the mail is not due
    /// or another process has claimed it.
    pub(crate) fn deliver_one(
        &mut self,
        id: MailId,
        deadline: Option<Deadline>,
    ) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        let env = &self.env;
        let checked = self.store.write_unsynced(|tx| {
            let claim = tx.claim_mail(&env.request(mailer.lease(env, tx), deadline), id)?;
            check::check_all(env, tx, claim.into_iter().collect())
        })?;
        self.deliver_claims(&mut mailer, checked, deadline, &|| true, &mut delivered)?;
        delivered.unmarked.take().map_or(Ok(delivered), |why| Err(Error::fault(why)))
    }

    /// Returns whether a mail is due, or a digest that is to be queued.
    pub(crate) fn is_mail_due(&self) -> Result<bool, Error> {
        let request = self.env.request("", None);
        let is_due = |db: &Db| Ok(db.is_mail_due(&request)? || db.is_digest_due(request.now)?);
        self.store.read(is_due)
    }

    /// Opens the transport, if this process may deliver the mail of the database's club.
    pub(crate) fn mailer(&self) -> Result<Mailer, Error> {
        self.check_club()?;
        self.open_mailer()
    }

    fn open_mailer(&self) -> Result<Mailer, Error> {
        let mail = self.env.config.mail.clone();
        Ok(Mailer {
            composer: Composer::new(mail.from, mail.templates, self.env.disarm),
            transport: transport::open(self.env.config.transport_for(&self.env.database))?,
            lease: None,
            waiting: HashSet::new(),
        })
    }

    /// Tries the next due mails. Returns false when there is none, when all of them were found to be not
    /// due before, or when the transport itself does not work.
    fn deliver_batch(
        &mut self,
        mailer: &mut Mailer,
        first: &[MailId],
        deadline: Option<Deadline>,
        is_active: &dyn Fn() -> bool,
        delivered: &mut Delivered,
    ) -> Result<bool, Error> {
        if first.is_empty() && !self.is_mail_due()? {
            return Ok(false);
        }
        if let Some(deadline) = deadline {
            self.store.limit_waiting(deadline.remaining());
        }
        delivered.others.extend(self.queue_digests()?);
        // A claim need not survive a power failure, since that ends this process too.
        let env = &self.env;
        let checked = self.store.write_unsynced(|tx| {
            let request = env.request(mailer.lease(env, tx), deadline);
            check::check_all(env, tx, tx.claim_mails(&request, first, MAX_CLAIMS)?)
        })?;
        if checked.claims.is_empty() && checked.failed.is_empty() {
            let new = checked.others.into_iter().filter(|&mail| mailer.waiting.insert(mail));
            return Ok(new.count() > 0);
        }
        self.deliver_claims(mailer, checked, deadline, is_active, delivered)
    }

    /// Tries claimed mails, stores the results and ends the claims. Returns whether the transport itself
    /// works and the results could be stored: otherwise the mails are tried again.
    fn deliver_claims(
        &mut self,
        mailer: &mut Mailer,
        checked: Checked,
        deadline: Option<Deadline>,
        is_active: &dyn Fn() -> bool,
        delivered: &mut Delivered,
    ) -> Result<bool, Error> {
        let tried = self.try_claims(mailer, checked, deadline, is_active);
        let round = Round::of(&self.env, tried, deadline);
        delivered.unavailable.clone_from(&round.unavailable);
        delivered.refuses_sender = round.refuses_sender;
        let (env, now) = (&self.env, self.env.now());
        // Without the mark, a mail is sent a second time: it waits for as long as a change does.
        self.store.wait_patiently();
        let stored = match deadline {
            // Somebody waits. After a power failure the mail may be sent a second time.
            Some(_) => self.store.write_unsynced(|tx| round.store(env, tx, now)),
            None => self.store.write(|tx| round.store(env, tx, now)),
        };
        let sent = round.settled.iter().filter(|it| it.settled == Settled::Sent).count();
        match stored {
            Err(error) if sent > 0 => {
                let mails =
                    if sent == 1 { "1 mail was".to_owned() } else { format!("{sent} mails were") };
                delivered.unmarked = Some(format!(
                    "{mails} sent but not marked as sent, and will be sent again: {error}"
                ));
                return Ok(false);
            }
            stored => stored?,
        }
        if round.is_accepted {
            delivered.others.extend(self.finish_mail_outage(is_active)?);
        }
        for SettledTry { claim, settled, .. } in &round.settled {
            log(&claim.entry, settled);
            delivered.count(&claim.entry, settled);
        }
        Ok(delivered.unavailable.is_none())
    }

    /// Composes claimed mails and hands them to the transport until the deadline.
    fn try_claims(
        &self,
        mailer: &mut Mailer,
        Checked { claims, mut failed, .. }: Checked,
        deadline: Option<Deadline>,
        is_active: &dyn Fn() -> bool,
    ) -> Tried {
        let (mut composed, mut messages) = (Vec::new(), Vec::new());
        for claim in claims {
            match contain(|| compose(&self.store, &self.env, &mailer.composer, &claim.entry)) {
                Ok(message) => {
                    messages.push(message);
                    composed.push(claim);
                }
                Err(error) => failed.push((claim, error)),
            }
        }
        let temporary = |error: Error| Err(DeliveryError::Temporary(error.to_string()));
        let mut results: Vec<_> =
            failed.into_iter().map(|(claim, error)| (claim, temporary(error))).collect();
        let until =
            deadline.unwrap_or_else(|| Deadline::after(BATCH_TIMEOUT.to_std().unwrap_or_default()));
        let outcomes = mailer.transport.deliver(messages, until, is_active);
        let mut tried = composed.into_iter();
        results.extend(outcomes.into_iter().zip(&mut tried).map(|(result, claim)| (claim, result)));
        Tried { results, untried: tried.collect() }
    }
}

/// Claimed mails after a try.
struct Tried {
    results: Vec<(Claim, Result<(), DeliveryError>)>,
    /// Those for which the time was too short.
    untried: Vec<Claim>,
}

/// A mail after a try.
struct SettledTry {
    claim: Claim,
    settled: Settled,
    /// Whether its server refused the address.
    is_refused: bool,
}

/// What is to be stored after tries.
struct Round {
    settled: Vec<SettledTry>,
    untried: Vec<Claim>,
    /// The games whose mails were accepted, or given up in an outage.
    reached: Vec<GameId>,
    is_accepted: bool,
    /// Why the transport itself does not work, or why the server accepts nothing from this sender.
    unavailable: Option<String>,
    refuses_sender: bool,
    /// Whether the time of the command was over: then it gave up, not the server.
    is_over: bool,
}

impl Round {
    fn of(env: &Env, Tried { results, untried }: Tried, deadline: Option<Deadline>) -> Self {
        let is_over = deadline.is_some_and(Deadline::has_passed);
        let unavailable = results.iter().find_map(|(_, result)| of_server(result));
        let mut round = Self {
            settled: Vec::new(),
            untried,
            reached: Vec::new(),
            is_accepted: results.iter().any(|(_, result)| result.is_ok()),
            unavailable: unavailable.map(Token::redact),
            refuses_sender: results
                .iter()
                .any(|(_, result)| matches!(result, Err(DeliveryError::Sender(_)))),
            is_over,
        };
        for (claim, result) in results {
            let is_down = of_server(&result).is_some() && !is_over;
            let is_refused = matches!(result, Err(DeliveryError::Recipient(_)));
            let settled = env.settle(&claim.entry, result, deadline);
            let is_given_up = is_down && matches!(settled, Settled::Failed { .. });
            if settled == Settled::Sent || is_given_up {
                let games = claim.entry.content.all_games();
                round.reached.extend(games.iter().map(|at| at.game));
            }
            round.settled.push(SettledTry { claim, settled, is_refused });
        }
        round
    }

    /// Stores the results and ends the claims.
    fn store(&self, env: &Env, tx: &Tx, now: DateTime<Utc>) -> Result<(), Error> {
        let outbox = &mut Outbox::new(env, tx);
        outages::settle_mail_outage(outbox, &self.reached, self.is_accepted)?;
        for SettledTry { claim, settled, is_refused } in &self.settled {
            let entry = &claim.entry;
            tx.settle_mail(claim, settled, now)?;
            match (settled, &entry.player) {
                (Settled::Failed { error }, _) if *is_refused => {
                    // The mail itself has the reason.
                    let record = || bounces::record_bounce(outbox, entry, error, false);
                    let _ = contain_part(tx, record)?;
                }
                (Settled::Failed { error }, Some(player)) => {
                    host_items::add_about(env, tx, HostItemKind::Bounce, player.id, error)?;
                }
                (Settled::Sent, _) if entry.content.kind.topic() == Topic::Club => {
                    tx.delete_host_items_in(entry.id)?;
                }
                (Settled::Sent | Settled::Deferred { .. } | Settled::Failed { .. }, _) => {}
            }
        }
        if let Some(why) = self.unavailable.as_ref().filter(|_| !self.is_over) {
            tx.begin_mail_outage(now)?;
            host_items::add(env, tx, HostItemKind::Sending, 0, why)?;
        }
        self.untried.iter().try_for_each(|claim| Ok(tx.release_mail(claim)?))
    }
}

/// Returns why the mail server takes no mail at all, if that is the result.
fn of_server(result: &Result<(), DeliveryError>) -> Option<&str> {
    match result {
        Err(DeliveryError::Unavailable(why) | DeliveryError::Sender(why)) => Some(why),
        Ok(())
        | Err(
            DeliveryError::Recipient(_) | DeliveryError::Permanent(_) | DeliveryError::Temporary(_),
        ) => None,
    }
}

/// Logs what became of a try, without the address.
fn log(entry: &OutboxEntry, settled: &Settled) {
    let (mail, about) = (entry.id.0, entry.content.kind.word());
    let to = match &entry.player {
        Some(player) => player.name.as_str(),
        None if entry.content.kind.topic() == Topic::Club => "the host",
        None => "nobody known",
    };
    match settled {
        Settled::Sent => info!(mail, about, to, "mail sent"),
        Settled::Deferred { error, .. } => {
            warn!(mail, about, to, error = redacted(error), "mail deferred");
        }
        Settled::Failed { error } => {
            warn!(mail, about, to, error = redacted(error), "mail failed");
        }
    }
}

impl Delivered {
    /// Returns why the transport itself does not work, if it does not.
    pub(crate) fn unavailable(&self) -> Option<&str> {
        self.unavailable.as_deref()
    }

    /// Returns whether the transport did not even answer.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.unavailable.is_some() && !self.refuses_sender
    }

    fn count(&mut self, entry: &OutboxEntry, settled: &Settled) {
        let (count, problem) = match settled {
            Settled::Sent => (&mut self.sent, None),
            Settled::Deferred { error, .. } => {
                let what = "could not be delivered yet and will be retried";
                (&mut self.deferred, Some((what, error)))
            }
            Settled::Failed { error } => (&mut self.failed, Some(("failed", error))),
        };
        *count += 1;
        if let Some((what, error)) = problem {
            let to = format!("mail {} to {}", entry.id, entry.recipient());
            self.problems.push(format!("{to} {what}: {error}"));
        }
    }
}

impl Mailer {
    /// Returns the name of its lease.
    fn lease(&mut self, env: &Env, db: &Db) -> &str {
        self.lease.get_or_insert_with(|| env.lease(db)).name()
    }
}

impl Env {
    /// Begins a lease for claims of mails.
    fn lease(&self, db: &Db) -> Lease {
        db.lease(|| self.rng.word(8))
    }

    /// Returns a request for mails that are tried until the deadline.
    pub(crate) fn request<'a>(
        &self,
        lease: &'a str,
        deadline: Option<Deadline>,
    ) -> ClaimRequest<'a> {
        let now = self.now();
        let span = deadline.map_or(Ok(BATCH_TIMEOUT), |it| TimeDelta::from_std(it.remaining()));
        let until = now + span.unwrap_or(BATCH_TIMEOUT) + CLAIM_MARGIN;
        // A claim that began while this process waited for the database ends later than its own.
        ClaimRequest { lease, now, until, longest: BATCH_TIMEOUT + CLAIM_MARGIN * 2 }
    }

    /// Returns what to store about a try with this result.
    fn settle(
        &self,
        entry: &OutboxEntry,
        result: Result<(), DeliveryError>,
        deadline: Option<Deadline>,
    ) -> Settled {
        // Servers quote addresses, and ours carry tokens.
        let redact = |error: String| Token::redact(&error);
        match result {
            Ok(()) => Settled::Sent,
            Err(DeliveryError::Recipient(error) | DeliveryError::Permanent(error)) => {
                Settled::Failed { error: redact(error) }
            }
            Err(
                DeliveryError::Temporary(error)
                | DeliveryError::Unavailable(error)
                | DeliveryError::Sender(error),
            ) => self.defer(entry, redact(error), deadline),
        }
    }

    /// Returns when a mail that failed is tried again, or that it is not.
    fn defer(&self, entry: &OutboxEntry, error: String, deadline: Option<Deadline>) -> Settled {
        let now = self.now();
        if deadline.is_some_and(Deadline::has_passed) {
            // This command gave up, not the server: `send` has more patience.
            return Settled::Deferred { due_at: now, error };
        }
        let given_up_at = entry.bounced_at.unwrap_or(entry.made_at()) + RETRIED_FOR;
        if now >= given_up_at {
            return Settled::Failed {
                error: format!("given up after {} days: {error}", RETRIED_FOR.num_days()),
            };
        }
        let due_at = (now + self.pause_after(entry.tries.saturating_sub(1))).min(given_up_at);
        Settled::Deferred { due_at, error }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt;
    use std::thread;
    use std::time::Duration;

    use chrono::DateTime;

    use super::*;
    use crate::app::Rng;
    use crate::clock::FixedClock;
    use crate::config::Config;
    use crate::store::NewOutboxEntry;
    use outflank_model::mail::{MailContent, MailState, MessageKind};

    /// Returns whether somebody waits for the lock of a file.
    fn is_awaited(file: &File) -> bool {
        let inode = format!(":{} ", file.metadata().unwrap().ino());
        let locks = fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(|lock| lock.contains("-> FLOCK") && lock.contains(&inode))
    }

    #[test]
    fn the_mark_of_a_sent_mail_waits_for_its_turn() {
        let (folder, now) = (tempfile::tempdir().unwrap(), DateTime::UNIX_EPOCH);
        let database = folder.path().join("outflank.db");
        let (config, clock) = (Config::default(), Box::new(FixedClock(now)));
        let rng = Rng::seeded(1);
        let mut app = App::open(&database, false, config, clock, rng, crate::app::DISARM).unwrap();
        let queue = |tx: &Tx| {
            let ann = tx.add_player("ann", "ann@example.org", &[7; 32], now)?;
            let content = MailContent::of_text(MessageKind::Notice, None, "hello");
            let entry = NewOutboxEntry::to(&ann, content);
            let message_id = |_| Ok::<_, Error>("1@example.org".to_owned());
            tx.add_outbox_entry(&entry, "mark", message_id, MailState::Queued, now)
        };
        let mail = app.store.write_or_create(queue).unwrap();
        let App { store, env, .. } = &mut app;
        let claimed = store.write(|tx| CLAIM_MAILS.0(env, tx, &[mail])).unwrap();
        let turn = File::options().write(true).open(database.with_extension("db-lock")).unwrap();
        turn.lock().unwrap();
        // The time of the command is over.
        app.limit_waiting(Duration::ZERO);
        let deadline = Deadline::after(Duration::from_secs(60));
        thread::scope(|scope| {
            let deliver = || app.deliver_after(&Reply::default(), Some(claimed), deadline);
            let delivering = scope.spawn(deliver);
            while !is_awaited(&turn) && !delivering.is_finished() {
                thread::yield_now();
            }
            drop(turn);
        });
        let state = app.store.read(|db| db.outbox_entry(mail)).unwrap().unwrap().state;
        assert_eq!(state, MailState::Sent);
    }
}
