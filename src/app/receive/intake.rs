//! Processes one mail in one transaction: checks its sender, runs its commands, replies.

use chrono::TimeDelta;
use ring::digest::{Context, SHA256};

use super::super::notify::{Cause, Outbox};
use super::super::{At, Env, Error, Reply, find};
use super::sender::{self, SenderCheck};
use super::{Envelope, Processed, bounces};
use crate::command::mailbox;
use crate::game::{Game, GameId};
use crate::mail;
use crate::mail::read::{self, Automatic, Body, InboundMessage};
use crate::mail::token::{Claims, Purpose};
use crate::store::{InReplyTo, MessageKind, Moment, NewOutboxEntry, Player, Recipient, Tx};

/// What happened to an incoming mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disposition {
    /// Its commands were run or refused.
    Done,
    /// Its commands wait for a confirmation.
    Held,
    /// It came from somebody who is not signed up.
    Stranger,
    /// It carried a player's reply token, but came from another address.
    Mismatch,
    /// It reported that a mail of ours could not be delivered.
    Bounce,
    /// It was processed before.
    Copy,
    /// Its sender, or all senders together, sent too much.
    Flood,
    /// It was sent by a machine or cannot be acted upon, for this reason.
    Ignored(&'static str),
    /// It could not be processed and is kept.
    Quarantined,
}

impl Disposition {
    /// Returns the word under which it is counted.
    pub(super) fn word(self) -> String {
        let word = match self {
            Self::Done => "done",
            Self::Held => "held",
            Self::Stranger => "stranger",
            Self::Mismatch => "mismatch",
            Self::Bounce => "bounce",
            Self::Copy => "copy",
            Self::Flood => "flood",
            Self::Ignored(why) => return format!("ignored: {why}"),
            Self::Quarantined => "quarantined",
        };
        word.to_owned()
    }
}

/// Mails per hour that are processed for one verified player.
const MAILS_OF_A_PLAYER: u32 = 300;
/// Mails per hour that are processed for one unverified address.
const MAILS: u32 = 60;
/// Mails per hour that are processed for all unverified addresses.
const ALL_MAILS: u32 = 2000;

/// Returns the SHA-256 of a list of texts, each preceded by its length.
pub(super) fn digest(texts: &[&[u8]]) -> Vec<u8> {
    let mut context = Context::new(&SHA256);
    for text in texts {
        context.update(&(text.len() as u64).to_be_bytes());
        context.update(text);
    }
    context.finish().as_ref().to_vec()
}

/// Processes a message; `None` when it needs a sender and has none.
pub(super) fn process(
    env: &Env,
    tx: &Tx,
    envelope: &Envelope,
    message: &InboundMessage,
) -> Result<Option<Processed>, Error> {
    let from = message.from.as_deref().unwrap_or_default();
    let mail = Inbound { env, tx, envelope, message, from, cause: Cause::UNVERIFIED };
    let mut outbox = Outbox::new(env, tx);
    let mut reply = Reply::default();
    let disposition = match mail.process_automatic(&mut outbox)? {
        None if from.is_empty() => return Ok(None),
        None => mail.process_written(&mut outbox, &mut reply)?,
        Some(disposition) => disposition,
    };
    tx.count_inbound(&disposition.word(), env.now())?;
    Ok(Some(Processed::new(disposition, reply.with_mails(outbox.queued))))
}

/// An incoming mail that is being processed.
#[derive(Clone, Copy)]
pub(super) struct Inbound<'a> {
    pub env: &'a Env,
    pub tx: &'a Tx<'a>,
    pub envelope: &'a Envelope,
    pub message: &'a InboundMessage,
    /// The address of its writer; empty when there is none, as in mail from machines.
    pub from: &'a str,
    /// The mail as the cause of its replies, which their limits depend on.
    pub cause: Cause,
}

impl<'a> Inbound<'a> {
    /// Processes a bounce or another mail that no person wrote; `None` for all other mails.
    fn process_automatic(&self, outbox: &mut Outbox) -> Result<Option<Disposition>, Error> {
        let Self { env, tx, envelope, message, .. } = *self;
        if let Some(token) = sender::bounce_token(tx, envelope, message)? {
            return bounces::process(env, tx, outbox, &token, envelope, message).map(Some);
        }
        Ok(self.automatic_reason()?.map(Disposition::Ignored))
    }

    /// Processes a mail that a person wrote.
    fn process_written(
        &self,
        outbox: &mut Outbox,
        reply: &mut Reply,
    ) -> Result<Disposition, Error> {
        let Self { env, tx, envelope, message, from, .. } = *self;
        let now = env.now();
        let token = sender::reply_token(tx, envelope, message)?;
        let digest = self.digest(token.as_ref());
        if tx.has_seen(&digest)? {
            return Ok(Disposition::Copy);
        }
        let check = sender::check(env, tx, message, from, token)?;
        // Forged mail must not consume the real player's quota.
        let (quota, is_verified) = match &check {
            SenderCheck::Trusted(player) => (format!("player {}", player.id.0), true),
            _ => (mailbox(from), false),
        };
        let hour_ago = now - TimeDelta::hours(1);
        let own = tx.seen_since(hour_ago, &quota)?;
        let is_flood = if is_verified {
            own >= MAILS_OF_A_PLAYER
        } else {
            own >= MAILS || tx.has_seen_addresses(hour_ago, ALL_MAILS)?
        };
        if is_flood {
            return Ok(Disposition::Flood);
        }
        tx.add_seen(&digest, &quota, now)?;

        let mail = Self { cause: Cause { is_verified, idle: 0 }, ..*self };
        if let Some(token) = token.filter(|token| token.purpose == Purpose::Confirm) {
            return mail.process_confirmation(outbox, reply, &token);
        }
        match check {
            SenderCheck::Trusted(mut player) => {
                outbox.record_sign_of_life(&mut player)?;
                mail.run(outbox, reply, &player, token.as_ref())
            }
            SenderCheck::Unverified(player) => mail.hold(outbox, &player),
            SenderCheck::Mismatch(owner) => mail.warn(outbox, &owner, token.as_ref()),
            SenderCheck::Unknown => mail.welcome(outbox),
        }
    }

    /// Returns why the mail is automatic; `None` when a person wrote it.
    fn automatic_reason(&self) -> Result<Option<&'static str>, Error> {
        let Self { env, tx, envelope, message, from, .. } = *self;
        if let Some(automatic) = message.automatic {
            return Ok(Some(automatic.word()));
        }
        if envelope.sender.as_deref().is_some_and(read::is_null_path) {
            return Ok(Some(Automatic::NullPath.word()));
        }
        let is_own_id = match (&message.message_id, tx.installation()?) {
            (Some(id), Some(installation)) => mail::is_own(id, &installation.token),
            _ => false,
        };
        Ok((env.is_own_address(from) || is_own_id).then_some("our own"))
    }

    /// Returns a digest that all copies of the mail share. What it replies to counts, since not
    /// every mail has a Message-ID.
    fn digest(&self, token: Option<&Claims>) -> Vec<u8> {
        let Self { message, from, .. } = *self;
        let text = match &message.body {
            Body::Lines { whole, .. } => whole.as_str(),
            _ => "",
        };
        let id = message.message_id.as_deref().unwrap_or_default();
        let date = message.date.as_deref().unwrap_or_default();
        let from = from.to_lowercase();
        let token = token.map_or(String::new(), |token| format!("{token:?}"));
        digest(&[id, date, &from, &message.subject, text, &token].map(str::as_bytes))
    }

    /// Counts the mail for this address, as one with or without a valid command, and returns it as
    /// the cause of replies.
    pub(super) fn counted(&self, to: &str, has_command: bool) -> Result<Self, Error> {
        let is_verified = self.cause.is_verified;
        let now = self.env.now();
        let idle = self.tx.count_idle(&mailbox(to), is_verified, has_command, now)?;
        Ok(Self { cause: Cause { is_verified, idle }, ..*self })
    }

    /// Returns what a reply to the mail refers to.
    pub(super) fn in_reply_to(&self) -> InReplyTo<'a> {
        InReplyTo { message_id: self.message.message_id.as_deref() }
    }

    /// Replies to the mail with a text, and a game if there is one.
    pub(super) fn reply(
        &self,
        outbox: &mut Outbox,
        to: Recipient,
        moment: Option<Moment>,
        text: &str,
    ) -> Result<(), Error> {
        let entry = NewOutboxEntry {
            kind: MessageKind::Answer,
            to,
            moment,
            text: Some(text),
            held: None,
            in_reply_to: Some(self.in_reply_to()),
        };
        outbox.add(&entry, self.cause).map(drop)
    }

    /// Warns a player whose reply token another sender used, once for each such sender.
    pub(super) fn warn(
        &self,
        outbox: &mut Outbox,
        owner: &Player,
        token: Option<&Claims>,
    ) -> Result<Disposition, Error> {
        let Self { env, tx, from, .. } = *self;
        let warning = digest(&[b"mismatch", owner.name.as_bytes(), from.to_lowercase().as_bytes()]);
        if !tx.has_seen(&warning)? {
            let moment = match self.at(owner, token)? {
                Some(at) => self.tx.moment(at.game, owner.id)?,
                None => None,
            };
            let entry = NewOutboxEntry {
                kind: MessageKind::Mismatch,
                to: Recipient::Player(owner),
                moment,
                text: Some(from),
                held: None,
                // The owner does not have the mail, so its Message-ID would mean nothing.
                in_reply_to: Some(InReplyTo { message_id: None }),
            };
            if outbox.add(&entry, Cause::UNVERIFIED)? {
                tx.add_seen(&warning, &mailbox(from), env.now())?;
            }
        }
        Ok(Disposition::Mismatch)
    }

    /// Returns the moment, in a game of the player, at which the position came about to which a mail
    /// with this token replies.
    pub(super) fn at(&self, player: &Player, token: Option<&Claims>) -> Result<At, Error> {
        let Some(&Claims { purpose, number, event, .. }) = token.filter(|token| {
            let for_moves = [Purpose::Play, Purpose::PlayAfterPly];
            for_moves.contains(&token.purpose) && token.number > 0
        }) else {
            return Ok(None);
        };
        let game = GameId(number);
        if self.tx.moment(game, player.id)?.is_none() {
            return Ok(None);
        }
        let stored = find::game(self.tx, game)?.game;
        let (ply, events) = match purpose {
            Purpose::PlayAfterPly => (event, event_of(&stored, event)),
            _ => (stored.plies().iter().take_while(|ply| ply.event <= event).count(), event),
        };
        Ok(Some(Moment { game, ply, events }))
    }
}

/// Returns the number of the event that made this move; 0, which leads to no position any more, if
/// moves were taken back.
fn event_of(game: &Game, ply: usize) -> usize {
    let made = ply.checked_sub(1).and_then(|before| game.plies().get(before));
    made.filter(|_| game.taken_back().is_empty()).map_or(0, |made| made.event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_distinguish_texts() {
        assert_eq!(digest(&[b"a", b"b"]), digest(&[b"a", b"b"]));
        assert_ne!(digest(&[b"ab", b""]), digest(&[b"a", b"b"]));
    }
}
