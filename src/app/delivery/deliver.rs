//! Delivery: from the outbox to the transport, after the commit, retried until it succeeds.

use std::collections::HashSet;
use std::mem;

use chrono::TimeDelta;
use tracing::{info, warn};

use crate::app::delivery::check;
use crate::app::delivery::compose::compose;
use crate::app::effects::outbox::Outbox;
use crate::app::effects::{bounces, outages};
use crate::app::run::claimed::{Checked, ClaimMails, ClaimedMails};
use crate::app::run::retry::RETRIED_FOR;
use crate::app::{App, DISARM, Env, Error, Reply, contain, contain_part, host_items, redacted};
use crate::clock::Deadline;
use crate::mail::Composer;
use crate::mail::token::Token;
use crate::mail::transport::{self, DeliveryError, Worker};
use crate::store::{
    Claim, ClaimRequest, Db, HostItemKind, Lease, MailId, OutboxEntry, Settled, Tx,
};
use outflank_model::mail::{Topic, Trait};
use outflank_model::{Moment, PlayerId};

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
    down: Option<Down>,
}

/// Why no mail at all can be handed over.
#[derive(Debug, Clone)]
struct Down {
    why: String,
    /// Whether the server accepts nothing from this sender; otherwise the transport does not work.
    refuses_sender: bool,
}

/// The result of the delivery after a command.
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

/// A round of delivery: composes messages and hands them to the transport.
struct Mailer<'a> {
    composer: Composer,
    transport: Worker,
    /// Begins with the first claim.
    lease: Option<Lease>,
    /// Mails that were due and do not go yet.
    waiting: HashSet<MailId>,
    /// When the round ends, if somebody waits for it.
    deadline: Option<Deadline>,
    is_active: &'a dyn Fn() -> bool,
    delivered: Delivered,
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
        // Mails are claimed for the club only.
        if claimed.is_none()
            && let Err(error) = self.check_club()
        {
            return Ok(Delivery::Left(error));
        }
        let mut mailer = match self.mailer(Some(deadline), &|| true) {
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
        let (mut first, mut works) = (reply.mails.as_slice(), true);
        if let Some(ClaimedMails { checked, lease: _until_settled }) = claimed {
            works = self.deliver_claims(&mut mailer, checked).unwrap_or(false);
            first = &[];
        }
        while works && !deadline.has_passed() {
            works = self.deliver_batch(&mut mailer, mem::take(&mut first)).unwrap_or(false);
        }
        self.store.limit_waiting(deadline.remaining());
        // A failure is ignored, since `send` does this too.
        let _ = self.tidy_up_a_little();
        Ok(Delivery::Tried(mailer.delivered))
    }

    /// Delivers all due mails until `is_active` returns false. Mails that are not delivered within a
    /// second after that stay due.
    pub(crate) fn deliver_due(&mut self, is_active: &dyn Fn() -> bool) -> Result<Delivered, Error> {
        self.check_club()?;
        let mut mailer = self.mailer(None, is_active)?;
        while is_active() && self.deliver_batch(&mut mailer, &[])? {}
        Ok(mailer.delivered)
    }

    /// Tries to deliver this mail until the deadline, if there is one. Does nothing if the mail is not due
    /// or another process has claimed it.
    pub(crate) fn deliver_one(
        &mut self,
        id: MailId,
        deadline: Option<Deadline>,
    ) -> Result<Delivered, Error> {
        self.check_club()?;
        let mut mailer = self.mailer(deadline, &|| true)?;
        let env = &self.env;
        let checked = self.store.write_unsynced(|tx| {
            let claim = tx.claim_mail(&mailer.request(env, tx), id)?;
            check::check_all(env, tx, claim.into_iter().collect())
        })?;
        self.deliver_claims(&mut mailer, checked)?;
        mailer.delivered.unmarked.take().map_or(Ok(mailer.delivered), |why| Err(Error::fault(why)))
    }

    /// Returns whether a mail is due, or a digest that is to be queued.
    pub(crate) fn is_mail_due(&self) -> Result<bool, Error> {
        let request = self.env.request("", None);
        let is_due = |db: &Db| Ok(db.is_mail_due(&request)? || db.is_digest_due(request.now)?);
        self.store.read(is_due)
    }

    /// Checks that this process may deliver the mail of the database's club and that its settings are right.
    pub(crate) fn check_delivery(&self) -> Result<(), Error> {
        self.check_club()?;
        self.mailer(None, &|| true).map(drop)
    }

    /// Opens the transport for a process that may deliver the mail of the database's club.
    fn mailer<'a>(
        &self,
        deadline: Option<Deadline>,
        is_active: &'a dyn Fn() -> bool,
    ) -> Result<Mailer<'a>, Error> {
        let mail = self.env.config.mail.clone();
        Ok(Mailer {
            composer: Composer::new(mail.from, mail.templates, DISARM),
            transport: transport::open(self.env.config.transport_for(&self.env.database))?,
            lease: None,
            waiting: HashSet::new(),
            deadline,
            is_active,
            delivered: Delivered::default(),
        })
    }

    /// Tries the next due mails. Returns false when there is none, when all of them were found to be not
    /// due before, or when the transport itself does not work.
    fn deliver_batch(&mut self, mailer: &mut Mailer, first: &[MailId]) -> Result<bool, Error> {
        if first.is_empty() && !self.is_mail_due()? {
            return Ok(false);
        }
        if let Some(deadline) = mailer.deadline {
            self.store.limit_waiting(deadline.remaining());
        }
        mailer.delivered.others.extend(self.queue_digests()?);
        // A claim need not survive a power failure, since that ends this process too.
        let env = &self.env;
        let checked = self.store.write_unsynced(|tx| {
            let claims = tx.claim_mails(&mailer.request(env, tx), first, MAX_CLAIMS)?;
            check::check_all(env, tx, claims)
        })?;
        if checked.claims.is_empty() && checked.failed.is_empty() {
            let new = checked.others.into_iter().filter(|&mail| mailer.waiting.insert(mail));
            return Ok(new.count() > 0);
        }
        self.deliver_claims(mailer, checked)
    }

    /// Tries claimed mails, stores the results and ends the claims. Returns whether the transport itself
    /// works and the results could be stored: otherwise the mails are tried again.
    fn deliver_claims(&mut self, mailer: &mut Mailer, checked: Checked) -> Result<bool, Error> {
        let round = self.try_claims(mailer, checked);
        let delivered = &mut mailer.delivered;
        delivered.down.clone_from(&round.down);
        let env = &self.env;
        // Without the mark, a mail is sent a second time: it waits for as long as a change does.
        self.store.wait_patiently();
        let stored = match mailer.deadline {
            // Somebody waits. After a power failure the mail may be sent a second time.
            Some(_) => self.store.write_unsynced(|tx| round.store(env, tx)),
            None => self.store.write(|tx| round.store(env, tx)),
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
        if sent > 0 {
            delivered.others.extend(self.finish_mail_outage(mailer.is_active)?);
        }
        round.settled.iter().for_each(|it| delivered.record(&it.claim.entry, &it.settled));
        Ok(delivered.down.is_none())
    }

    /// Composes claimed mails and hands them to the transport until the deadline.
    fn try_claims(&self, mailer: &mut Mailer, checked: Checked) -> Round {
        let Mailer { composer, transport, deadline, is_active, .. } = mailer;
        let failed =
            |(claim, error): (_, Error)| (claim, Err(DeliveryError::Temporary(error.to_string())));
        let mut results: Vec<_> = checked.failed.into_iter().map(failed).collect();
        let (mut composed, mut messages) = (Vec::new(), Vec::new());
        for claim in checked.claims {
            match contain(|| compose(&self.store, &self.env, composer, &claim.entry)) {
                Ok(message) => {
                    messages.push(message);
                    composed.push(claim);
                }
                Err(error) => results.push(failed((claim, error))),
            }
        }
        let until =
            deadline.unwrap_or_else(|| Deadline::after(BATCH_TIMEOUT.to_std().unwrap_or_default()));
        let outcomes = transport.deliver(messages, until, *is_active);
        let mut tried = composed.into_iter();
        results.extend(outcomes.into_iter().zip(&mut tried).map(|(result, claim)| (claim, result)));
        let is_over = deadline.is_some_and(Deadline::has_passed);
        let mut round = Round { untried: tried.collect(), is_over, ..Round::default() };
        results.into_iter().for_each(|(claim, result)| round.settle(&self.env, claim, result));
        round
    }
}

/// A claimed mail after a try.
struct SettledTry {
    claim: Claim,
    settled: Settled,
    /// Whether its server refused the address.
    is_refused: bool,
}

/// Claimed mails after a try, and everything that is to be stored about them.
#[derive(Default)]
struct Round {
    settled: Vec<SettledTry>,
    /// Mails for which the time was too short.
    untried: Vec<Claim>,
    /// The recipients of the mails that were accepted or have failed and can show a turn, with the games in them.
    reached: Vec<(PlayerId, Moment)>,
    down: Option<Down>,
    /// Whether the time of the command was over: then it gave up, not the server.
    is_over: bool,
}

impl Round {
    /// Adds a mail with the result of its try.
    fn settle(&mut self, env: &Env, claim: Claim, result: Result<(), DeliveryError>) {
        let down = result.as_ref().err().and_then(Down::of);
        let is_refused = matches!(result, Err(DeliveryError::Recipient(_)));
        let settled = env.settle(&claim.entry, result, self.is_over);
        let content = &claim.entry.content;
        if let Some(player) = claim.entry.player.as_ref()
            && content.kind.has(Trait::ShowsTurn)
            && matches!(settled, Settled::Sent | Settled::Failed { .. })
        {
            self.reached.extend(content.all_games().into_iter().map(|at| (player.id, at)));
        }
        self.down = self.down.take().or(down);
        self.settled.push(SettledTry { claim, settled, is_refused });
    }

    /// Stores the results and ends the claims.
    fn store(&self, env: &Env, tx: &Tx) -> Result<(), Error> {
        let (outbox, now) = (&mut Outbox::new(env, tx), env.now());
        let is_accepted = self.settled.iter().any(|it| it.settled == Settled::Sent);
        outages::settle_mail_outage(outbox, &self.reached, is_accepted)?;
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
        if let Some(down) = self.down.as_ref().filter(|_| !self.is_over) {
            tx.begin_mail_outage(now)?;
            host_items::add(env, tx, HostItemKind::Sending, 0, &down.why)?;
        }
        self.untried.iter().try_for_each(|claim| Ok(tx.release_mail(claim)?))
    }
}

impl Down {
    /// Returns why no other mail can be handed over either; `None` if the error concerns only its mail.
    fn of(error: &DeliveryError) -> Option<Self> {
        let (why, refuses_sender) = match error {
            DeliveryError::Unavailable(why) => (why, false),
            DeliveryError::Sender(why) => (why, true),
            DeliveryError::Recipient(_)
            | DeliveryError::Permanent(_)
            | DeliveryError::Temporary(_) => return None,
        };
        Some(Self { why: Token::redact(why), refuses_sender })
    }
}

impl Delivered {
    /// Returns why the transport itself does not work, if it does not.
    pub(crate) fn unavailable(&self) -> Option<&str> {
        self.down.as_ref().map(|down| down.why.as_str())
    }

    /// Returns whether the transport did not even answer.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.down.as_ref().is_some_and(|down| !down.refuses_sender)
    }

    /// Counts a try and logs its result, without the address.
    fn record(&mut self, entry: &OutboxEntry, settled: &Settled) {
        let (mail, about) = (entry.id.0, entry.content.kind.word());
        let to = match &entry.player {
            Some(player) => player.name.as_str(),
            None if entry.content.kind.topic() == Topic::Club => "the host",
            None => "nobody known",
        };
        let (count, what, problem, error) = match settled {
            Settled::Sent => {
                info!(mail, about, to, "mail sent");
                self.sent += 1;
                return;
            }
            Settled::Deferred { error, .. } => {
                let problem = "could not be delivered yet and will be retried";
                (&mut self.deferred, "deferred", problem, error)
            }
            Settled::Failed { error } => (&mut self.failed, "failed", "failed", error),
        };
        *count += 1;
        warn!(mail, about, to, error = redacted(error), "mail {what}");
        let to = entry.recipient();
        self.problems.push(format!("mail {} to {to} {problem}: {error}", entry.id));
    }
}

impl Mailer<'_> {
    /// Returns a request for mails that are tried until the deadline.
    fn request(&mut self, env: &Env, db: &Db) -> ClaimRequest<'_> {
        let lease = self.lease.get_or_insert_with(|| env.lease(db));
        env.request(lease.name(), self.deadline)
    }
}

impl Env {
    /// Begins a lease for claims of mails.
    pub(crate) fn lease(&self, db: &Db) -> Lease {
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

    /// Returns the state of a mail after a try with this result. A mail that failed is tried again until it
    /// is given up. `is_over` says whether the command gave up, and not the server.
    fn settle(
        &self,
        entry: &OutboxEntry,
        result: Result<(), DeliveryError>,
        is_over: bool,
    ) -> Settled {
        use DeliveryError as E;
        // Servers quote addresses, and ours carry tokens.
        let error = match result {
            Ok(()) => return Settled::Sent,
            Err(E::Recipient(error) | E::Permanent(error)) => {
                return Settled::Failed { error: Token::redact(&error) };
            }
            Err(E::Temporary(error) | E::Unavailable(error) | E::Sender(error)) => {
                Token::redact(&error)
            }
        };
        let now = self.now();
        if is_over {
            // This command is out of time; `send` tries again.
            return Settled::Deferred { due_at: now, error };
        }
        let given_up_at = entry.bounced_at.unwrap_or(entry.made_at()) + RETRIED_FOR;
        if now >= given_up_at {
            let days = RETRIED_FOR.num_days();
            return Settled::Failed { error: format!("given up after {days} days: {error}") };
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
        let mut app = App::open(&database, false, config, clock, rng).unwrap();
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
