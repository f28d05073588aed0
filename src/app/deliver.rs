//! Delivery: from the outbox to the transport, after the commit, repeated until it worked.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::codes::Codes;
use super::view::names;
use super::{App, Error, Reply, look_up};
use crate::clock::Deadline;
use crate::game::Game;
use crate::mail::token::Token;
use crate::mail::transport::{self, Failure, Message, Transport};
use crate::mail::{Composer, GameContext, MessageContext, ReplyAddress};
use crate::store::{Claim, Event, Mail, MailId, Settled, StoredGame};

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
    pub fn deliver_after(&self, reply: &Reply, deadline: Deadline) {
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
    pub(super) fn deliver_due(&self, goes_on: impl Fn() -> bool) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        while goes_on() && self.deliver_next(&mut mailer, &[], None, &mut delivered)? {}
        Ok(delivered)
    }

    /// Delivers this mail, if it is due and nobody else has it.
    pub(super) fn deliver_one(&self, id: MailId) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        let (now, until) = self.lease(PATIENCE);
        let claim = self.store.write(|db| db.claim_this_mail(id, &mailer.lease, now, until))?;
        if let Some(claim) = claim {
            self.deliver_claim(&mut mailer, &claim, None, &mut delivered)?;
        }
        Ok(delivered)
    }

    pub(super) fn mailer(&self) -> Result<Mailer, Error> {
        let mail = self.config.mail.clone();
        Ok(Mailer {
            composer: Composer::new(mail.from, mail.templates, super::disarm),
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
        &self,
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
        &self,
        mailer: &mut Mailer,
        claim: &Claim,
        deadline: Option<Deadline>,
        delivered: &mut Delivered,
    ) -> Result<bool, Error> {
        let until = deadline.unwrap_or_else(|| Deadline::after(PATIENCE));
        let tried = match self.compose(mailer, &claim.mail) {
            Ok(message) => mailer.transport.deliver(&message, until),
            Err(why) => Err(Failure::Temporary(why.to_string())),
        };
        let mail = &claim.mail;
        let mut problem = |what: &str, error: &str| {
            let to = format!("mail {} to {}", mail.id, mail.recipient());
            delivered.problems.push(format!("{to} {what}: {error}"));
        };
        // Servers quote addresses, and those of ours carry codes.
        let shown = |error: String| Token::redact(&error);
        let (settled, goes_on) = match tried {
            Ok(()) => (Settled::Sent, true),
            Err(Failure::Permanent(error)) => (Settled::Failed { error: shown(error) }, true),
            Err(Failure::Temporary(error)) => (self.defer(mail, shown(error), deadline), true),
            Err(Failure::Unavailable(error)) => (self.defer(mail, shown(error), deadline), false),
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

    /// The message for a mail. What is wrong with its game or template is a matter of this mail
    /// only.
    fn compose(&self, mailer: &Mailer, mail: &Mail) -> Result<Message, Box<dyn std::error::Error>> {
        let player = mail.player.as_ref().map(|player| player.id);
        let (stored, codes) = self.store.read(|db| {
            let stored = mail.game.map(|(id, _)| look_up::game(db, id)).transpose()?;
            Ok::<_, Error>((stored, Codes::of(db, player)?))
        })?;
        let nonsense = |id| format!("game {id} does not have what it is about");
        let then = match (&stored, mail.game) {
            (Some(stored), Some((id, ply))) => {
                Some(then(stored, mail.event, ply).ok_or_else(|| nonsense(id))?)
            }
            _ => None,
        };
        let scene = match (&stored, &then) {
            (Some(stored), Some(then)) => Some(GameContext {
                id: stored.id,
                title: stored.variant.title,
                game: then,
                names: names(&stored.black, &stored.white),
                to: player
                    .and_then(|player| stored.color_of(player))
                    .ok_or_else(|| nonsense(stored.id))?,
                thread: &stored.thread,
            }),
            _ => None,
        };
        let receive = &self.config.receive;
        // Where an address carries no code, the mail to it does.
        let shown = |code: &Option<Token>| {
            code.as_ref().filter(|_| !receive.plus_addressing).map(ToString::to_string)
        };
        let answer = codes.for_answers(mail.game, mail.held);
        let (address, code) = (self.address_with(answer.as_ref())?, shown(&answer));
        let reply_to = ReplyAddress { address: &address, token: code.as_deref() };
        let stop = match (player, mail.game, mail.event) {
            (Some(_), Some((game, _)), Event::Started | Event::Turn | Event::Receipt) => {
                codes.for_unsubscribing(game)
            }
            _ => None,
        };
        let (stop_address, stop_code) = (self.address_with(stop.as_ref())?, shown(&stop));
        let unsubscribe = ReplyAddress { address: &stop_address, token: stop_code.as_deref() };
        let bounce = codes.for_bounces(mail.id).filter(|_| receive.enabled);
        let context = MessageContext {
            event: mail.event.word(),
            name: mail.player.as_ref().map(|player| player.name.as_str()),
            address: &mail.address,
            message_id: &mail.message_id,
            date: mail.created_at,
            game: scene,
            text: mail.said.as_deref(),
            in_reply_to: mail.is_answer.then_some(mail.answers.as_deref()),
            reply_to: Some(reply_to).filter(|_| receive.enabled),
            unsubscribe: Some(unsubscribe).filter(|_| stop.is_some() && receive.enabled),
            return_path: &self.address_with(bounce.as_ref())?,
        };
        Ok(mailer.composer.compose(&context)?)
    }

    /// When a mail that failed is tried again, or that it is not.
    fn defer(&self, mail: &Mail, error: String, deadline: Option<Deadline>) -> Settled {
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

/// The game as it stood when what a mail tells of had happened; `None` when it never had so many
/// moves.
fn then(stored: &StoredGame, event: Event, ply: usize) -> Option<Game> {
    let then = stored.game.at(ply)?;
    Some(match event {
        // A resignation comes after what these tell of.
        Event::Started | Event::Turn | Event::Receipt => then.before_resignation(),
        _ => then,
    })
}
