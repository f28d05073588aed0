//! Delivery: from the outbox to the transport, after the commit, repeated until it worked.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::view::names;
use super::{App, Error, Reply, look_up};
use crate::clock::Deadline;
use crate::mail::transport::{self, Failure, Outgoing, Transport};
use crate::mail::{Composer, Notice, Scene};
use crate::store::{Claim, Event, Mail, MailId, Settled};

/// What came of a round of delivery.
#[derive(Debug, Default)]
pub(super) struct Delivered {
    pub sent: u32,
    /// Will be tried again.
    pub deferred: u32,
    /// Will not be tried again by itself.
    pub failed: u32,
    /// A line for each mail that was not handed over.
    pub problems: Vec<String>,
}

/// How long a mail may take when nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(120);
/// How much longer than the try the mail stays in this process's hands: nobody else sends it
/// even when this process is slow to notice that its time is over.
const MARGIN: TimeDelta = TimeDelta::seconds(60);
/// The pause after the first failure; each further one doubles it,
const FIRST_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// up to this.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(6);
/// After so long a mail that still fails is given up, as mail servers do.
const LIFETIME: TimeDelta = TimeDelta::days(5);

/// The way out, opened when there is something to send.
pub(super) struct Mailer {
    composer: Composer,
    transport: Box<dyn Transport>,
    lease: String,
}

impl App {
    /// Delivers what a command has put into the outbox, and then what else is due, until the
    /// deadline. What fails is left to `send`, where it is told.
    pub fn deliver_after(&mut self, reply: &Reply, deadline: Deadline) {
        let mut mailer = match self.mailer() {
            Ok(mailer) => mailer,
            Err(error) => {
                // Nobody is told here: the outbox remembers it.
                let _ = self.store.write(|db| db.note_trouble(&reply.mails, &error.to_string()));
                return;
            }
        };
        while !deadline.has_passed() {
            match self.deliver_next(
                &mut mailer,
                &reply.mails,
                Some(deadline),
                &mut Delivered::default(),
            ) {
                Ok(true) => {}
                Ok(false) | Err(_) => break,
            }
        }
    }

    /// Delivers everything that is due. `goes_on` is asked before each mail.
    pub(super) fn deliver_due(&mut self, goes_on: impl Fn() -> bool) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        while goes_on() && self.deliver_next(&mut mailer, &[], None, &mut delivered)? {}
        Ok(delivered)
    }

    /// Delivers this mail, if it is due and nobody else has it.
    pub(super) fn deliver_one(&mut self, id: MailId) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        let (now, until) = self.lease(PATIENCE);
        let claim = self.store.write(|db| db.claim_this_mail(id, &mailer.lease, now, until))?;
        if let Some(claim) = claim {
            self.deliver_claim(&mut mailer, &claim, None, &mut delivered)?;
        }
        Ok(delivered)
    }

    pub(super) fn mailer(&mut self) -> Result<Mailer, Error> {
        let mail = self.config.mail.clone();
        Ok(Mailer {
            composer: Composer::new(mail.from, mail.templates),
            transport: transport::open(self.config.transport_for(self.store.path()))?,
            lease: format!("{}.{}", std::process::id(), self.dice.word(8)),
        })
    }

    /// Now, and the end of the lease of a mail that may take so long.
    fn lease(&self, span: Duration) -> (DateTime<Utc>, DateTime<Utc>) {
        let now = self.now();
        (now, now + TimeDelta::from_std(span).unwrap_or(TimeDelta::zero()) + MARGIN)
    }

    /// Tries the next mail that is due. False when there is none, or when the transport does not
    /// work, so that the others would fare no better.
    fn deliver_next(
        &mut self,
        mailer: &mut Mailer,
        first: &[MailId],
        deadline: Option<Deadline>,
        delivered: &mut Delivered,
    ) -> Result<bool, Error> {
        let (now, until) = self.lease(deadline.map_or(PATIENCE, Deadline::remaining));
        let claim = self.store.write(|db| db.claim_mail(first, &mailer.lease, now, until))?;
        match claim {
            Some(claim) => self.deliver_claim(mailer, &claim, deadline, delivered),
            None => Ok(false),
        }
    }

    fn deliver_claim(
        &mut self,
        mailer: &mut Mailer,
        claim: &Claim,
        deadline: Option<Deadline>,
        delivered: &mut Delivered,
    ) -> Result<bool, Error> {
        let until = deadline.unwrap_or_else(|| Deadline::after(PATIENCE));
        let tried = match self.compose(mailer, &claim.mail) {
            Ok(message) => mailer.transport.deliver(&message, until),
            Err(why) => Err(Failure::Temporary(why)),
        };
        let mail = &claim.mail;
        let mut problem = |what: &str, error: &str| {
            let to = format!("mail {} to {} <{}>", mail.id, mail.player.name, mail.player.address);
            delivered.problems.push(format!("{to} {what}: {error}"));
        };
        let (settled, goes_on) = match tried {
            Ok(()) => (Settled::Sent, true),
            Err(Failure::Permanent(error)) => (Settled::Failed { error }, true),
            Err(Failure::Temporary(error)) => (self.defer(mail, error, deadline), true),
            Err(Failure::Unavailable(error)) => (self.defer(mail, error, deadline), false),
        };
        match &settled {
            Settled::Sent => delivered.sent += 1,
            Settled::Deferred { error, .. } => {
                delivered.deferred += 1;
                problem("was not taken yet", error);
            }
            Settled::Failed { error } => {
                delivered.failed += 1;
                problem("failed", error);
            }
        }
        let now = self.now();
        self.store.write(|db| db.settle_mail(claim, &settled, now))?;
        Ok(goes_on)
    }

    /// The message for a mail; what is wrong with its game or template is a matter of this mail
    /// only, and told in words.
    fn compose(&mut self, mailer: &Mailer, mail: &Mail) -> Result<Outgoing, String> {
        let stored = self.store.read(|db| look_up::game(db, mail.game));
        let stored = stored.map_err(|error| error.to_string())?;
        let (Some(to), Some(then)) = (stored.color_of(mail.player.id), stored.game.at(mail.ply))
        else {
            return Err(format!("game {} does not have what it is about", mail.game));
        };
        let then = match mail.event {
            Event::Over => then,
            // A resignation comes after what the others tell of.
            Event::Started | Event::Turn | Event::Receipt => then.before_resignation(),
        };
        let scene = Scene {
            id: mail.game,
            title: stored.variant.title,
            game: &then,
            names: names(&stored.black, &stored.white),
            to,
            thread: &stored.thread,
        };
        let from = self.config.mail.from.email.to_string();
        let notice = Notice {
            event: mail.event.word(),
            name: Some(&mail.player.name),
            address: &mail.player.address,
            message_id: &mail.message_id,
            date: mail.created_at,
            scene: Some(scene),
            said: None,
            answers: None,
            answer_to: None,
            unsubscribe: None,
            return_path: &from,
        };
        mailer.composer.compose(&notice).map_err(|error| error.to_string())
    }

    /// When a mail that failed is tried again, or that it is not.
    fn defer(&mut self, mail: &Mail, error: String, deadline: Option<Deadline>) -> Settled {
        let now = self.now();
        if deadline.is_some_and(Deadline::has_passed) {
            // It was not the server that gave up but this command: `send` has more patience.
            return Settled::Deferred { due_at: now, error };
        }
        if now - mail.created_at >= LIFETIME {
            return Settled::Failed {
                error: format!("given up after {} days: {error}", LIFETIME.num_days()),
            };
        }
        let doublings = mail.tries.saturating_sub(1).min(16);
        let pause = (FIRST_PAUSE * (1 << doublings)).min(LONGEST_PAUSE);
        let seconds = self.dice.jitter(pause.num_seconds());
        Settled::Deferred { due_at: now + TimeDelta::seconds(seconds), error }
    }
}
