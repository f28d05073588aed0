//! One mail in the transaction that processes it, and the mails that reply to it.

use std::{iter, mem};

use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::receive::inbound::Disposition;
use crate::app::receive::read::ParsedMail;
use crate::app::receive::record::Findings;
use crate::app::receive::request::Parsed;
use crate::app::receive::screen::digest;
use crate::app::receive::tokens;
use crate::app::views::challenge::answers;
use crate::app::{Env, Error};
use crate::command::mailbox;
use crate::mail::token::{Claims, Purpose};
use crate::store::{InReplyTo, MailId, NewOutboxEntry, OutboxEntry, Recipient, Tx};
use outflank_model::log::GameId;
use outflank_model::mail::{Attachment, MailContent, MailState, MessageKind, Trait};
use outflank_model::time_control::TimeZone;
use outflank_model::{Moment, Player};

/// A mail that is being processed in a transaction.
pub(crate) struct Intake<'a> {
    pub env: &'a Env,
    pub tx: &'a Tx<'a>,
    pub mail: &'a ParsedMail<'a>,
    pub outbox: Outbox<'a>,
    /// Its reply token.
    pub token: Option<Claims>,
    /// The mail as the cause of its replies, which their limits depend on.
    pub cause: Cause,
    /// The mail to its author that a command has caused and that can carry the reply, with its game.
    pub carrier: Option<(MailId, Option<GameId>)>,
    /// What the next reply adds to its text, a paragraph each.
    pub notes: Vec<&'static str>,
    /// The files that the next reply brings.
    pub attachments: Vec<Attachment>,
    /// What is recorded of the mail.
    pub findings: Findings,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(env: &'a Env, tx: &'a Tx<'a>, mail: &'a ParsedMail<'a>) -> Self {
        let (outbox, cause) = (Outbox::new(env, tx), Cause::UNVERIFIED);
        Self {
            env,
            tx,
            mail,
            outbox,
            token: None,
            cause,
            carrier: None,
            notes: Vec::new(),
            attachments: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// Counts the mail of a player as one with or without a valid command, and records their words.
    pub(crate) fn count_commands(
        &mut self,
        player: &Player,
        commands: &[Parsed],
    ) -> Result<(), Error> {
        self.findings.understood = commands.iter().map(Parsed::word).collect();
        let has_command = commands.iter().any(|parsed| parsed.command().is_some());
        self.count(player.address.as_deref().unwrap_or_default(), has_command)
    }

    /// Counts the mail for the address that is replied to, as one with or without a valid command.
    pub(crate) fn count(&mut self, to: &str, has_command: bool) -> Result<(), Error> {
        let Cause { is_verified, .. } = self.cause;
        let now = self.env.now();
        self.cause.idle = self.tx.count_idle(&mailbox(to), is_verified, has_command, now)?;
        Ok(())
    }

    /// Returns the reference of a reply to the mail.
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
        self.suggest(to, game, text, Vec::new())
    }

    /// Replies to the mail with a text that suggests commands.
    pub(crate) fn suggest(
        &mut self,
        to: Recipient,
        game: Option<Moment>,
        text: &str,
        suggested: Vec<String>,
    ) -> Result<(), Error> {
        let notes = mem::take(&mut self.notes);
        let mut parts: Vec<_> = iter::once(text).chain(notes).map(str::to_owned).collect();
        let failed = self.failed_span(to)?;
        parts.extend(failed.clone());
        parts.extend(self.last_reply(to)?);
        let text = parts.join("\n\n");
        let content = MailContent {
            attachments: mem::take(&mut self.attachments),
            ..MailContent::of_text(MessageKind::Answer, game, text)
        };
        if let Some((carrier, own)) = self.carrier.take()
            && suggested.is_empty()
            && content.attachments.is_empty()
            && game.is_none_or(|game| Some(game.game) == own)
        {
            self.tx.set_answer(carrier, self.in_reply_to(), content.text())?;
            return failed.map_or(Ok(()), |_| self.forget_failed_span(to));
        }
        let is_question = |id: &GameId| game.is_none() && suggested.starts_with(&answers(*id));
        let token = self.token.filter(|token| token.purpose == Purpose::Challenge);
        let challenge = token.map(|token| GameId(token.number)).filter(is_question);
        let content = MailContent { suggested, challenge, ..content };
        let is_queued = self.add(to, content)?;
        if !is_queued {
            self.findings.because("not answered, since there were too many answers before");
        }
        if is_queued && failed.is_some() { self.forget_failed_span(to) } else { Ok(()) }
    }

    fn forget_failed_span(&self, of: Recipient) -> Result<(), Error> {
        of.player().map_or(Ok(()), |player| Ok(self.tx.forget_failed_span(player.id)?))
    }

    /// Finds the mail among these that is to the author of the mail and can carry the reply.
    pub(crate) fn find_carrier(&mut self, author: &Player, mails: &[MailId]) -> Result<(), Error> {
        for &mail in mails {
            let entry = self.tx.outbox_entry(mail)?;
            let entry = entry.filter(|it| it.state == MailState::Queued);
            let to = |it: &OutboxEntry| it.player.as_ref().is_some_and(|to| to.id == author.id);
            let can_carry = |it: &OutboxEntry| it.content.kind.has(Trait::CarriesAnswer);
            if let Some(entry) = entry.filter(|it| to(it) && can_carry(it)) {
                self.carrier = Some((mail, entry.content.game.map(|at| at.game)));
            }
        }
        Ok(())
    }

    /// Returns a sentence about when mail to a player last failed, if none has reported it yet.
    fn failed_span(&self, to: Recipient) -> Result<Option<String>, Error> {
        let Some(player) = to.player() else { return Ok(None) };
        let zone = player.preferences.clock.zone;
        Ok(self.tx.failed_span(player.id)?.map(|(from, until)| {
            let (from, until) = (zone.shown(from), zone.shown(until));
            format!("Mail to you had failed since {from}. Since {until} it is sent again.")
        }))
    }

    /// Returns a sentence for the last reply to verified mail before the limit.
    fn last_reply(&self, to: Recipient) -> Result<Option<String>, Error> {
        if !self.cause.is_verified {
            return Ok(None);
        }
        let address = to.address().unwrap_or_default();
        let Some(until) = self.outbox.last_until(address)? else { return Ok(None) };
        let zone = to.player().map_or_else(TimeZone::default, |to| to.preferences.clock.zone);
        let until = zone.shown(until);
        Ok(Some(format!(
            "You have had many answers within an hour. The next one comes after {until}. Until then, \
             your mails are read and your commands are carried out, but not answered."
        )))
    }

    /// Queues a reply to the mail. Returns false if the recipient has had too many replies.
    pub(crate) fn add(&mut self, to: Recipient, content: MailContent) -> Result<bool, Error> {
        let in_reply_to = Some(self.in_reply_to());
        let entry = NewOutboxEntry { to, content, in_reply_to };
        Ok(self.outbox.add(&entry, self.cause)?.is_some())
    }

    /// Warns a player that another sender used the player's reply token, once for each sender.
    pub(crate) fn warn(&mut self, owner: &Player) -> Result<Disposition, Error> {
        let from = self.mail.author();
        let warning = digest(&[b"mismatch", owner.name.as_bytes(), from.to_lowercase().as_bytes()]);
        if !self.tx.has_seen(&warning)? {
            let game = match tokens::position_of(self.tx, owner, self.token.as_ref())? {
                Some(at) => self.tx.moment(at.game, owner.id)?,
                None => None,
            };
            // No player learns the address of another.
            let sender = match self.tx.player_at(from)? {
                Some(_) => "another player's address".to_owned(),
                None => from.to_owned(),
            };
            let entry = NewOutboxEntry {
                to: Recipient::Player(owner),
                content: MailContent::of_text(MessageKind::Mismatch, game, sender),
                // The owner does not have the mail, so its Message-ID would mean nothing.
                in_reply_to: Some(InReplyTo { message_id: None }),
            };
            if self.outbox.add(&entry, Cause::UNVERIFIED)?.is_some() {
                self.tx.add_seen(&warning, &mailbox(from), self.env.now())?;
            }
        }
        Ok(Disposition::Mismatch)
    }
}
