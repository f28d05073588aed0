//! One mail in the transaction that processes it, and the mails that reply to it.

use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::receive::inbound::Disposition;
use crate::app::receive::read::ParsedMail;
use crate::app::receive::screen::digest;
use crate::app::receive::tokens;
use crate::app::{Env, Error};
use crate::command::mailbox;
use crate::mail::token::Claims;
use crate::store::{InReplyTo, MailContent, Moment, NewOutboxEntry, Player, Recipient, Tx};

/// A mail that is being processed in a transaction.
pub(crate) struct Intake<'a> {
    pub env: &'a Env,
    pub tx: &'a Tx<'a>,
    pub mail: &'a ParsedMail<'a>,
    pub outbox: Outbox<'a>,
    /// The mail as the cause of its replies, which their limits depend on.
    pub cause: Cause,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(env: &'a Env, tx: &'a Tx<'a>, mail: &'a ParsedMail<'a>) -> Self {
        Self { env, tx, mail, outbox: Outbox::new(env, tx), cause: Cause::UNVERIFIED }
    }

    /// Counts the mail for the address that is replied to, as one with or without a valid command.
    pub(crate) fn count(&mut self, to: &str, has_command: bool) -> Result<(), Error> {
        let Cause { is_verified, .. } = self.cause;
        let now = self.env.now();
        self.cause.idle = self.tx.count_idle(&mailbox(to), is_verified, has_command, now)?;
        Ok(())
    }

    /// Returns what a reply to the mail refers to.
    pub(crate) fn in_reply_to(&self) -> InReplyTo<'a> {
        InReplyTo { message_id: self.mail.message.message_id.as_deref() }
    }

    /// Replies to the mail with a text, and a game if there is one.
    pub(crate) fn reply(
        &mut self,
        to: Recipient,
        game: Option<Moment>,
        text: &str,
    ) -> Result<(), Error> {
        let content = MailContent::Answer { game, text: text.to_owned(), held: None };
        self.add(to, content, self.cause).map(drop)
    }

    /// Queues a mail about held commands, to which the recipient can reply with a yes or no.
    /// Returns false if the recipient has had too many replies.
    pub(crate) fn add_about_held(
        &mut self,
        to: Recipient,
        content: MailContent,
    ) -> Result<bool, Error> {
        self.add(to, content, Cause::UNVERIFIED)
    }

    fn add(&mut self, to: Recipient, content: MailContent, cause: Cause) -> Result<bool, Error> {
        let in_reply_to = Some(self.in_reply_to());
        self.outbox.add(&NewOutboxEntry { to, content, in_reply_to }, cause)
    }

    /// Warns a player whose reply token another sender used, once for each such sender.
    pub(crate) fn warn(
        &mut self,
        owner: &Player,
        token: Option<&Claims>,
    ) -> Result<Disposition, Error> {
        let from = self.mail.author();
        let warning = digest(&[b"mismatch", owner.name.as_bytes(), from.to_lowercase().as_bytes()]);
        if !self.tx.has_seen(&warning)? {
            let game = match tokens::position_of(self.tx, owner, token)? {
                Some(at) => self.tx.moment(at.game, owner.id)?,
                None => None,
            };
            let entry = NewOutboxEntry {
                to: Recipient::Player(owner),
                content: MailContent::Mismatch { game, sender: from.to_owned() },
                // The owner does not have the mail, so its Message-ID would mean nothing.
                in_reply_to: Some(InReplyTo { message_id: None }),
            };
            if self.outbox.add(&entry, Cause::UNVERIFIED)? {
                self.tx.add_seen(&warning, &mailbox(from), self.env.now())?;
            }
        }
        Ok(Disposition::Mismatch)
    }
}
