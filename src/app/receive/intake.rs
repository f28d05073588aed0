//! Processes one mail in one transaction: checks its sender, runs its commands, replies.

use std::ops::Deref;

use crate::app::effects::outbox::Cause;
use crate::app::effects::outbox::Outbox;
use crate::app::receive::ahead::Answers;
use crate::app::receive::screen::Accepted;
use crate::app::receive::screen::Received;
use crate::app::receive::screen::digest;
use crate::app::receive::sender::SenderCheck;
use crate::app::receive::{Processed, bounces};
use crate::app::{Error, Reply, effects};
use crate::command::mailbox;
use crate::mail::token::{Claims, Purpose};
use crate::store::{InReplyTo, MailContent, Moment, NewOutboxEntry, Player, Recipient, Tx};

/// What happened to an incoming mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disposition {
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
    pub(crate) fn word(self) -> String {
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

/// Processes a mail; `None` when it needs a sender and has none.
pub(crate) fn process(
    received: Received,
    tx: &Tx,
    answers: &Answers,
) -> Result<Option<Processed>, Error> {
    let env = received.env;
    let mail = Inbound { received, tx, answers, cause: Cause::UNVERIFIED };
    let mut outbox = Outbox::new(env, tx);
    let mut reply = Reply::default();
    let disposition = match mail.process_automatic(&mut outbox)? {
        None if mail.from.is_empty() => return Ok(None),
        None => mail.process_written(&mut outbox, &mut reply)?,
        Some(disposition) => disposition,
    };
    tx.count_inbound(&disposition.word(), env.now())?;
    Ok(Some(Processed::new(disposition, reply.with_mails(outbox.queued))))
}

/// An incoming mail that is being processed.
#[derive(Clone, Copy)]
pub(crate) struct Inbound<'a> {
    pub received: Received<'a>,
    pub tx: &'a Tx<'a>,
    /// The answers to its commands that were read before the transaction.
    pub answers: &'a Answers,
    /// The mail as the cause of its replies, which their limits depend on.
    pub cause: Cause,
}

impl<'a> Deref for Inbound<'a> {
    type Target = Received<'a>;

    fn deref(&self) -> &Received<'a> {
        &self.received
    }
}

impl<'a> Inbound<'a> {
    /// Processes a bounce or another mail that no person wrote; `None` for all other mails.
    fn process_automatic(&self, outbox: &mut Outbox) -> Result<Option<Disposition>, Error> {
        if let Some(token) = self.bounce_token()? {
            return bounces::process(self, outbox, &token).map(Some);
        }
        Ok(self.automatic_reason()?.map(Disposition::Ignored))
    }

    /// Processes a mail that a person wrote.
    fn process_written(
        &self,
        outbox: &mut Outbox,
        reply: &mut Reply,
    ) -> Result<Disposition, Error> {
        let Accepted { token, digest, check, quota } = match self.screen()? {
            Ok(accepted) => accepted,
            Err(disposition) => return Ok(disposition),
        };
        self.tx.add_seen(&digest, &quota, self.env.now())?;

        let is_verified = matches!(check, SenderCheck::Trusted(_));
        let mail = Self { cause: Cause { is_verified, idle: 0 }, ..*self };
        if let Some(token) = token.filter(|token| token.purpose == Purpose::Confirm) {
            return mail.process_confirmation(outbox, reply, &token);
        }
        match check {
            SenderCheck::Trusted(mut player) => {
                effects::bounces::record_sign_of_life(outbox, &mut player)?;
                mail.run(outbox, reply, &player, token.as_ref())
            }
            SenderCheck::Unverified(player) => mail.hold(outbox, &player),
            SenderCheck::Mismatch(owner) => mail.warn(outbox, &owner, token.as_ref()),
            SenderCheck::Unknown => mail.welcome(outbox),
        }
    }

    /// Counts the mail for this address, as one with or without a valid command, and returns it as
    /// the cause of replies.
    pub(crate) fn counted(&self, to: &str, has_command: bool) -> Result<Self, Error> {
        let is_verified = self.cause.is_verified;
        let now = self.env.now();
        let idle = self.tx.count_idle(&mailbox(to), is_verified, has_command, now)?;
        Ok(Self { cause: Cause { is_verified, idle }, ..*self })
    }

    /// Returns what a reply to the mail refers to.
    pub(crate) fn in_reply_to(&self) -> InReplyTo<'a> {
        InReplyTo { message_id: self.message.message_id.as_deref() }
    }

    /// Replies to the mail with a text, and a game if there is one.
    pub(crate) fn reply(
        &self,
        outbox: &mut Outbox,
        to: Recipient,
        moment: Option<Moment>,
        text: &str,
    ) -> Result<(), Error> {
        let content = MailContent::Answer { game: moment, text: text.to_owned(), held: None };
        let entry = NewOutboxEntry { to, content, in_reply_to: Some(self.in_reply_to()) };
        outbox.add(&entry, self.cause).map(drop)
    }

    /// Warns a player whose reply token another sender used, once for each such sender.
    pub(crate) fn warn(
        &self,
        outbox: &mut Outbox,
        owner: &Player,
        token: Option<&Claims>,
    ) -> Result<Disposition, Error> {
        let Received { env, from, .. } = self.received;
        let tx = self.tx;
        let warning = digest(&[b"mismatch", owner.name.as_bytes(), from.to_lowercase().as_bytes()]);
        if !tx.has_seen(&warning)? {
            let moment = match self.at(owner, token)? {
                Some(at) => self.tx.moment(at.game, owner.id)?,
                None => None,
            };
            let entry = NewOutboxEntry {
                to: Recipient::Player(owner),
                content: MailContent::Mismatch { game: moment, sender: from.to_owned() },
                // The owner does not have the mail, so its Message-ID would mean nothing.
                in_reply_to: Some(InReplyTo { message_id: None }),
            };
            if outbox.add(&entry, Cause::UNVERIFIED)? {
                tx.add_seen(&warning, &mailbox(from), env.now())?;
            }
        }
        Ok(Disposition::Mismatch)
    }
}
