//! Delivery: from the outbox to the transport, after the commit, retried until it succeeds.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::notify::Outbox;
use super::tokens::Tokens;
use super::view::names;
use super::{App, Env, Error, Reply, find};
use crate::clock::Deadline;
use crate::game::Game;
use crate::mail::token::Token;
use crate::mail::transport::{self, DeliveryError, Message, Transport};
use crate::mail::{Composer, GameContext, MessageContext, ReplyAddress};
use crate::store::{Claim, MailId, MessageKind, OutboxEntry, Settled, Store, StoredGame};

/// The result of a round of delivery.
#[derive(Debug, Default)]
pub(super) struct Delivered {
    pub sent: u32,
    /// Mails to be tried again.
    pub deferred: u32,
    /// Mails not to be tried again automatically.
    pub failed: u32,
    /// A line for each mail that was not sent.
    pub problems: Vec<String>,
}

/// How long a mail may take when nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(120);
/// How much longer than the try a claim lasts, so that no other process sends the mail when this
/// one notices late that its time is over.
const MARGIN: TimeDelta = TimeDelta::seconds(60);
/// The pause after the first failure; each further one doubles it.
const FIRST_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// The longest pause between two tries.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(6);
/// How long a mail is tried, as mail servers do.
const LIFETIME: TimeDelta = TimeDelta::days(5);

/// Composes messages and hands them to the transport.
pub(super) struct Mailer {
    composer: Composer,
    transport: Box<dyn Transport>,
    lease: String,
}

impl App {
    /// Delivers the mails that a command has queued, then other due mails, until the deadline.
    /// Failures are recorded in the outbox; `send` reports them.
    pub fn deliver_after(&mut self, reply: &Reply, deadline: Deadline) {
        let mut mailer = match self.mailer() {
            Ok(mailer) => mailer,
            Err(error) => {
                let _ = self.store.write(|tx| tx.note_error(&reply.mails, &error.to_string()));
                return;
            }
        };
        let mut ignored = Delivered::default();
        while !deadline.has_passed() {
            match self.deliver_next(&mut mailer, &reply.mails, Some(deadline), &mut ignored) {
                Ok(true) => {}
                Ok(false) | Err(_) => break,
            }
        }
    }

    /// Delivers all due mails. Stops before the next one when `is_active` returns false.
    pub(super) fn deliver_due(&mut self, is_active: impl Fn() -> bool) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        while is_active() && self.deliver_next(&mut mailer, &[], None, &mut delivered)? {}
        Ok(delivered)
    }

    /// Delivers this mail, if it is due and no other process has claimed it.
    pub(super) fn deliver_one(&mut self, id: MailId) -> Result<Delivered, Error> {
        let mut delivered = Delivered::default();
        let mut mailer = self.mailer()?;
        let (now, until) = self.env.lease(PATIENCE);
        let claim = self.store.write(|tx| tx.claim_this_mail(id, &mailer.lease, now, until))?;
        if let Some(claim) = claim {
            self.deliver_claim(&mut mailer, &claim, None, &mut delivered)?;
        }
        Ok(delivered)
    }

    pub(super) fn mailer(&self) -> Result<Mailer, Error> {
        let mail = self.env.config.mail.clone();
        Ok(Mailer {
            composer: Composer::new(mail.from, mail.templates, super::disarm),
            transport: transport::open(self.env.config.transport_for(&self.env.database))?,
            lease: format!("{}.{}", std::process::id(), self.env.rng.word(8)),
        })
    }

    /// Tries the next due mail. Returns false when there is none, or when the transport itself
    /// does not work.
    fn deliver_next(
        &mut self,
        mailer: &mut Mailer,
        first: &[MailId],
        deadline: Option<Deadline>,
        delivered: &mut Delivered,
    ) -> Result<bool, Error> {
        let (now, until) = self.env.lease(deadline.map_or(PATIENCE, Deadline::remaining));
        let claim = self.store.write(|tx| tx.claim_mail(first, &mailer.lease, now, until))?;
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
        let entry = &claim.entry;
        let tried = match compose(&self.store, &self.env, &mailer.composer, entry) {
            Ok(message) => mailer.transport.deliver(&message, until),
            Err(why) => Err(DeliveryError::Temporary(why.to_string())),
        };
        let mut problem = |what: &str, error: &str| {
            let to = format!("mail {} to {}", entry.id, entry.recipient());
            delivered.problems.push(format!("{to} {what}: {error}"));
        };
        // Servers quote addresses, and ours carry tokens.
        let redact = |error: String| Token::redact(&error);
        let defer = |error| self.env.defer(entry, redact(error), deadline);
        let is_address_refused = matches!(tried, Err(DeliveryError::Recipient(_)));
        let (settled, is_working) = match tried {
            Ok(()) => (Settled::Sent, true),
            Err(DeliveryError::Recipient(error) | DeliveryError::Permanent(error)) => {
                (Settled::Failed { error: redact(error) }, true)
            }
            Err(DeliveryError::Temporary(error)) => (defer(error), true),
            Err(DeliveryError::Unavailable(error)) => (defer(error), false),
        };
        match &settled {
            Settled::Sent => delivered.sent += 1,
            Settled::Deferred { error, .. } => {
                delivered.deferred += 1;
                problem("could not be delivered yet and will be retried", error);
            }
            Settled::Failed { error } => {
                delivered.failed += 1;
                problem("failed", error);
            }
        }
        let now = self.env.now();
        self.store.write(|tx| {
            tx.settle_mail(claim, &settled, now)?;
            if let (true, Settled::Failed { error }) = (is_address_refused, &settled) {
                Outbox::new(&self.env, tx).record_failure(entry, error, false)?;
            }
            Ok::<_, Error>(())
        })?;
        Ok(is_working)
    }
}

/// Composes the message of an outbox entry. A fault of its game or template concerns only this
/// message.
fn compose(
    store: &Store,
    env: &Env,
    composer: &Composer,
    entry: &OutboxEntry,
) -> Result<Message, Box<dyn std::error::Error>> {
    let player = entry.player.as_ref().map(|player| player.id);
    let (stored, tokens) = store.read(|db| {
        let stored = entry.game.map(|(id, _)| find::game(db, id)).transpose()?;
        Ok::<_, Error>((stored, Tokens::of(db, player)?))
    })?;
    let game = match (&stored, entry.game) {
        (Some(stored), Some((id, ply))) => {
            let game = as_it_stood(stored, entry.kind, ply);
            let color = player.and_then(|player| stored.color_of(player));
            let missing = || format!("game {id} has no such move or player");
            Some((stored, game.ok_or_else(missing)?, color.ok_or_else(missing)?))
        }
        _ => None,
    };
    let receive = &env.config.receive;
    // Where an address carries no token, the text does.
    let in_text = |token: &Option<Token>| {
        token.as_ref().filter(|_| !receive.plus_addressing).map(ToString::to_string)
    };
    let reply = tokens.for_replies(entry.game, entry.held);
    let (address, token) = (env.address_with(reply.as_ref())?, in_text(&reply));
    let reply_to = ReplyAddress { address: &address, token: token.as_deref() };
    let stop = match (player, entry.game, entry.kind) {
        (
            Some(_),
            Some((game, _)),
            MessageKind::Started | MessageKind::Turn | MessageKind::Receipt,
        ) => tokens.for_unsubscribing(game),
        _ => None,
    };
    let (stop_address, stop_token) = (env.address_with(stop.as_ref())?, in_text(&stop));
    let unsubscribe = ReplyAddress { address: &stop_address, token: stop_token.as_deref() };
    let bounce = tokens.for_bounces(entry.id).filter(|_| receive.enabled);
    let context = MessageContext {
        event: entry.kind.word(),
        name: entry.player.as_ref().map(|player| player.name.as_str()),
        address: &entry.address,
        message_id: &entry.message_id,
        date: entry.created_at,
        game: game.as_ref().map(|(stored, game, color)| GameContext {
            id: stored.id,
            variant: &stored.variant,
            game,
            names: names(&stored.black, &stored.white),
            to: *color,
            thread: &stored.thread,
        }),
        text: entry.text.as_deref(),
        in_reply_to: entry.is_reply.then_some(entry.in_reply_to.as_deref()),
        reply_to: Some(reply_to).filter(|_| receive.enabled),
        unsubscribe: Some(unsubscribe).filter(|_| stop.is_some() && receive.enabled),
        return_path: &env.address_with(bounce.as_ref())?,
    };
    Ok(composer.compose(&context)?)
}

/// Returns the game at the moment that a mail of this kind about this ply reports; `None` when the
/// game never had so many moves.
fn as_it_stood(stored: &StoredGame, kind: MessageKind, ply: usize) -> Option<Game> {
    match kind {
        // They report a move, not what happened after it.
        MessageKind::Started | MessageKind::Turn | MessageKind::Receipt => {
            stored.game.right_after(ply)
        }
        _ => stored.game.at(ply),
    }
}

impl Env {
    /// Returns the time, and the end of the claim of a mail that may take so long.
    fn lease(&self, span: Duration) -> (DateTime<Utc>, DateTime<Utc>) {
        let now = self.now();
        (now, now + TimeDelta::from_std(span).unwrap_or(TimeDelta::zero()) + MARGIN)
    }

    /// Returns when a mail that failed is tried again, or that it is not.
    fn defer(&self, entry: &OutboxEntry, error: String, deadline: Option<Deadline>) -> Settled {
        let now = self.now();
        if deadline.is_some_and(Deadline::has_passed) {
            // This command gave up, not the server: `send` has more patience.
            return Settled::Deferred { due_at: now, error };
        }
        if now - entry.returned_at.unwrap_or(entry.created_at) >= LIFETIME {
            return Settled::Failed {
                error: format!("given up after {} days: {error}", LIFETIME.num_days()),
            };
        }
        let doublings = entry.tries.saturating_sub(1).min(16);
        let pause = (FIRST_PAUSE * (1 << doublings)).min(LONGEST_PAUSE);
        let seconds = self.rng.jitter(pause.num_seconds());
        Settled::Deferred { due_at: now + TimeDelta::seconds(seconds), error }
    }
}
