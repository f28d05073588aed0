//! Puts mails into the outbox, within the limits on replies and as their recipients have set.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::access::tokens::Tokens;
use crate::app::effects::due::{Hold, wants};
use crate::app::effects::quota::{self, Quota};
use crate::app::{Env, Error};
use crate::command::mailbox;
use crate::mail;
use crate::store::{MailId, NewOutboxEntry, Tx};
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MailState, MessageKind, Occasion, Trait};
use outflank_model::{HeldId, Moment, Player, PlayerId};

/// Puts mails into the outbox and lists them.
pub(crate) struct Outbox<'a> {
    pub env: &'a Env,
    pub tx: &'a Tx<'a>,
    pub queued: Vec<MailId>,
    /// The games that wait for a computer player.
    pub bots: Vec<GameId>,
}

/// The mail or command that causes a mail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    /// Whether it was given in a shell, or is a mail that certainly came from a player.
    pub is_verified: bool,
    /// How many mails in a row had no valid command, including this one: 0 if this one has one.
    pub idle: u32,
    /// The player to count the mail to in a [`Quota`], if it is subject to one.
    pub player: Option<PlayerId>,
}

impl Cause {
    /// A command of a verified player or the host.
    pub(crate) const COMMAND: Self = Self { is_verified: true, idle: 0, player: None };
    /// A command in an unverified mail.
    pub(crate) const UNVERIFIED: Self = Self { is_verified: false, ..Self::COMMAND };

    /// Returns the cause of a mail about an action of this player towards another one.
    pub(crate) const fn of(player: PlayerId) -> Self {
        Self { player: Some(player), ..Self::COMMAND }
    }
}

/// The length of random words.
pub(crate) const WORD_LENGTH: usize = 12;

/// How long a reply counts for the limits per hour.
const LIMITED_FOR: TimeDelta = TimeDelta::hours(1);
/// Replies per hour and address to verified mail. A loop of two machines that answer each other ends
/// here.
const MAX_REPLIES: u32 = 60;
/// Hourly limit on replies to unverified mail, all addresses together.
const MAX_REPLIES_TO_ALL: u32 = 1000;
/// How many mails in a row without a valid command are answered. A machine that answers our mails
/// without a mark, however slowly, gets no answer after that.
pub(crate) const MAX_IDLE: u32 = 3;
/// Replies per day and address to mails without a valid command.
const MAX_IDLE_REPLIES: u32 = 20;

/// The disposition under which replies are counted that were not sent because of the limits.
const UNANSWERED: &str = "unanswered";

impl<'a> Outbox<'a> {
    pub(crate) const fn new(env: &'a Env, tx: &'a Tx<'a>) -> Self {
        Self { env, tx, queued: Vec::new(), bots: Vec::new() }
    }

    /// Returns the token of the installation, which is created when it is first needed.
    fn installation_token(&self) -> Result<String, Error> {
        if let Some(known) = self.tx.installation_token()? {
            return Ok(known);
        }
        let rng = &self.env.rng;
        let token = rng.word(WORD_LENGTH);
        self.tx.add_installation(&token, &rng.secret()?.0, &rng.mark(), self.env.now())?;
        Ok(token)
    }

    fn domain(&self) -> &'a str {
        self.env.config.mail.from.email.domain()
    }

    /// Returns a function that makes the thread id of a game, which all its mails reference.
    pub(crate) fn thread(&self) -> Result<impl FnOnce(GameId) -> String, Error> {
        let (token, domain) = (self.installation_token()?, self.domain());
        Ok(move |id| mail::thread_id(id, &token, domain))
    }

    /// Queues a mail to a player that a command or the clock causes. Returns as [`Outbox::add`] does.
    pub(crate) fn mail(
        &mut self,
        to: &Player,
        content: MailContent,
    ) -> Result<Option<MailId>, Error> {
        self.mail_held(to, content, Hold::Default)
    }

    /// Queues such a mail, held back by more than the settings of its recipient.
    pub(crate) fn mail_held(
        &mut self,
        to: &Player,
        content: MailContent,
        hold: Hold,
    ) -> Result<Option<MailId>, Error> {
        self.add_held(&NewOutboxEntry::to(to, content), Cause::COMMAND, hold)
    }

    /// Queues a mail, or adds its text to the mail that gathers those beyond a quota. Returns the mail; `None` if
    /// the recipient has no address or does not want it, the game is local, or the reply limit is reached.
    pub(crate) fn add(
        &mut self,
        entry: &NewOutboxEntry,
        cause: Cause,
    ) -> Result<Option<MailId>, Error> {
        self.add_held(entry, cause, Hold::Default)
    }

    /// Queues a mail like [`Outbox::add`], held back by more than the settings of its recipient.
    pub(crate) fn add_held(
        &mut self,
        entry: &NewOutboxEntry,
        cause: Cause,
        hold: Hold,
    ) -> Result<Option<MailId>, Error> {
        let (now, content, player) = (self.env.now(), &entry.content, entry.to.player());
        let kind = content.kind;
        let Some(address) = entry.to.address() else { return Ok(None) };
        let is_report = !kind.has(Trait::Answers) && entry.in_reply_to.is_none();
        let game = content.game.map(|at| at.game);
        if is_report && game.map_or(Ok(false), |game| self.tx.is_local(game))?
            || !self.is_within_limits(entry, address, cause)?
            || player.is_some_and(|player| !wants(player, content.kind))
        {
            return Ok(None);
        }
        let mut caused_by = None;
        if let Some((by, to)) = cause.player.zip(player) {
            let quota = Quota { db: self.tx, by, to: to.id, now };
            if quota.counts(content)? {
                if let Some(mail) = self.tx.gathering_mail(to.id, by)? {
                    self.tx.append_text(mail, &quota::gathered(content))?;
                    self.queued.push(mail);
                    return Ok(Some(mail));
                }
                if let Some(at) = quota.full_until()? {
                    return self.gather(by, to, content, at);
                }
                caused_by = Some(by);
            }
        }
        if let Some((game, player)) = game.zip(player).filter(|_| kind.has(Trait::SupersedesTurn)) {
            self.tx.supersede_turn_mails(game, player.id)?;
        }
        let is_paused = player.is_some_and(|player| player.paused_at.is_some());
        let state = if is_paused { MailState::Paused } else { MailState::Queued };
        let mark = self.env.rng.mark();
        let message_id = |id| self.message_id(id, entry);
        let id = self.tx.add_outbox_entry(entry, &mark, message_id, state, now)?;
        caused_by.map_or(Ok(()), |by| self.tx.set_cause(id, by))?;
        match hold {
            Hold::Grace(span) if span > TimeDelta::zero() => {
                self.tx.set_hold(id, Some(now + span), false)?;
            }
            Hold::Until(at) => self.tx.set_hold(id, Some(at), false)?,
            Hold::Immediate => self.tx.set_hold(id, None, true)?,
            Hold::Default | Hold::Grace(_) => {}
        }
        if let Some(player) = player {
            self.attach_comments(id, content, player.id, None)?;
        }
        self.queued.push(id);
        Ok(Some(id))
    }

    /// Lets a mail with this content carry the comments for its reader that no other mail carries. One that goes now also
    /// carries those of a turn mail that is due by now.
    pub fn attach_comments(
        &self,
        mail: MailId,
        content: &MailContent,
        reader: PlayerId,
        goes_now: Option<DateTime<Utc>>,
    ) -> Result<(), Error> {
        if !content.kind.has(Trait::BringsComments) {
            return Ok(());
        }
        let mut games = content.all_games().into_iter().take(MAX_DIGEST_BOARDS);
        games.try_for_each(|at| Ok(self.tx.attach_comments(mail, at.game, reader, goes_now)?))
    }

    /// Queues the mail that gathers the mails beyond a quota until this time. Returns it as [`Outbox::add`] does.
    fn gather(
        &mut self,
        by: PlayerId,
        to: &Player,
        content: &MailContent,
        until: DateTime<Utc>,
    ) -> Result<Option<MailId>, Error> {
        let content = MailContent::of_text(MessageKind::Notice, None, quota::gathered(content));
        let content = MailContent { occasion: Some(Occasion::Gathered(by)), ..content };
        let mail = self.mail_held(to, content, Hold::Until(until))?;
        mail.map_or(Ok(()), |mail| self.tx.set_cause(mail, by))?;
        Ok(mail)
    }

    /// Lets a question to a player that was not tried yet ask about other held commands.
    pub(crate) fn change_question(
        &mut self,
        mail: MailId,
        entry: &NewOutboxEntry,
        held: HeldId,
    ) -> Result<(), Error> {
        let message_id = self.message_id(mail, entry)?;
        self.tx.change_question(mail, held, &message_id, entry.in_reply_to)?;
        self.queued.push(mail);
        Ok(())
    }

    /// Returns whether the limits on replies allow a mail. If they hold for it, counts it.
    fn is_within_limits(
        &self,
        entry: &NewOutboxEntry,
        address: &str,
        cause: Cause,
    ) -> Result<bool, Error> {
        let (kind, now) = (entry.content.kind, self.env.now());
        let is_limited = entry.in_reply_to.is_some() || kind.has(Trait::Limited);
        if !is_limited || kind.has(Trait::Ordered) {
            return Ok(true);
        }
        let mailbox = mailbox(address);
        let may_reply = self.may_reply(&mailbox, cause)?;
        if may_reply {
            self.tx.add_reply(&mailbox, cause.is_verified, cause.idle == 0, now)?;
        } else {
            self.tx.count_inbound(UNANSWERED, now)?;
        }
        Ok(may_reply)
    }

    /// Returns whether the limits allow a reply. Verified and unverified mail are counted apart, so
    /// that forged mail cannot use up a player's replies.
    fn may_reply(&self, mailbox: &str, cause: Cause) -> Result<bool, Error> {
        let (Cause { is_verified, idle, .. }, now) = (cause, self.env.now());
        let idle_replies = || self.tx.idle_replies_since(now - quota::DAY, mailbox, is_verified);
        if idle > MAX_IDLE || idle > 0 && idle_replies()? >= MAX_IDLE_REPLIES {
            return Ok(false);
        }
        let replies = self.tx.replies_since(now - LIMITED_FOR, mailbox, is_verified)?;
        Ok(match is_verified {
            true => replies.own < MAX_REPLIES,
            false => {
                replies.all < MAX_REPLIES_TO_ALL && quota::allows_unverified(self.tx, mailbox, now)?
            }
        })
    }

    /// If the next reply to verified mail from this address is the last one before the limit, returns
    /// when another may follow.
    pub(crate) fn last_until(&self, address: &str) -> Result<Option<DateTime<Utc>>, Error> {
        let (mailbox, since) = (mailbox(address), self.env.now() - LIMITED_FOR);
        if self.tx.replies_since(since, &mailbox, true)?.own + 1 < MAX_REPLIES {
            return Ok(None);
        }
        let first = self.tx.first_reply_since(since, &mailbox, true)?;
        Ok(first.map(|first| first + LIMITED_FOR))
    }

    /// Returns a new Message-ID for a mail. It carries the reply token where addresses do not, except in a letter of
    /// the club, but only the text says whether the mail asks.
    pub(crate) fn message_id(&self, id: MailId, entry: &NewOutboxEntry) -> Result<String, Error> {
        let receive = &self.env.config.receive;
        let game = entry.content.game;
        let installation = self.installation_token()?;
        let monday = entry.content.monday();
        let token = if receive.plus_addressing || !receive.enabled || monday.is_some() {
            None
        } else {
            let player = entry.to.player().map(|player| player.id);
            let tokens = Tokens::of(self.tx, player)?;
            match game {
                Some(at) if entry.content.is_for_watcher() => tokens.for_watching(at.game)?,
                Some(at) => tokens.for_game(at, self.tx.position_event(at.game)?, false)?,
                None => tokens.without_game(id, &entry.content, self.env.now())?,
            }
        };
        let kind = entry.content.kind.word();
        let about = match (game, entry.content.challenge) {
            (Some(Moment { game, ply, .. }), _) => format!("{game}.{ply}.{kind}"),
            (None, Some(challenge)) => format!("{challenge}.0.{kind}"),
            (None, None) => kind.to_owned(),
        };
        // A letter that a restored backup sends again has the same one.
        let nonce = match monday.zip(entry.to.player()) {
            Some((day, to)) => format!("{}-{}", day.format("%Y%m%d"), to.id.0),
            None => self.env.rng.word(WORD_LENGTH),
        };
        Ok(mail::message_id(&about, token.as_ref(), &nonce, &installation, self.domain()))
    }
}

/// The most boards in a digest.
pub(crate) const MAX_DIGEST_BOARDS: usize = 10;
