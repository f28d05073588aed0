//! Puts mails into the outbox, within the limits on replies and as their recipients have set.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::effects::due::{Hold, wants};
use crate::app::effects::quota;
use crate::app::tokens::Tokens;
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
    /// The games in which a computer player must act.
    pub bots: Vec<GameId>,
}

/// The mail or command that causes a mail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    /// Whether it was given in a shell, or is a mail that certainly came from a player.
    pub is_verified: bool,
    /// How many mails in a row had no valid command, including this one: 0 if this one has one.
    pub idle: u32,
    /// The player whose quota the mail counts for, if it is not of a game.
    pub player: Option<PlayerId>,
}

impl Cause {
    /// A command of a verified player or the host.
    pub(crate) const COMMAND: Self = Self { is_verified: true, idle: 0, player: None };
    /// A command in an unverified mail.
    pub(crate) const UNVERIFIED: Self = Self { is_verified: false, ..Self::COMMAND };

    /// Returns what this player does about another one.
    pub(crate) const fn of(player: PlayerId) -> Self {
        Self { player: Some(player), ..Self::COMMAND }
    }
}

/// The length of random words.
const WORD_LENGTH: usize = 12;

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
        mail::domain(&self.env.config.mail.from)
    }

    /// Returns a function that makes the id to which all mails of a game refer.
    pub(crate) fn thread(&self) -> Result<impl FnOnce(GameId) -> String, Error> {
        let (token, domain) = (self.installation_token()?, self.domain());
        Ok(move |id| mail::thread_id(id, &token, domain))
    }

    /// Queues a mail, and returns whether it was queued. It is not if its recipient has no address, if it
    /// reports what happens in a local game, or if it is a reply and its recipient has had too many.
    pub(crate) fn add(&mut self, entry: &NewOutboxEntry, cause: Cause) -> Result<bool, Error> {
        self.add_held(entry, cause, Hold::Default)
    }

    /// Queues a mail like [`Outbox::add`], held back by more than the settings of its recipient.
    pub(crate) fn add_held(
        &mut self,
        entry: &NewOutboxEntry,
        cause: Cause,
        hold: Hold,
    ) -> Result<bool, Error> {
        let (now, content, player) = (self.env.now(), &entry.content, entry.to.player());
        let kind = content.kind;
        let Some(address) = entry.to.address() else { return Ok(false) };
        let is_report = !kind.has(Trait::Answers) && entry.in_reply_to.is_none();
        let game = content.game.map(|at| at.game);
        if is_report && game.map_or(Ok(false), |game| self.tx.is_local(game))?
            || !self.is_within_limits(entry, address, cause)?
            || player.is_some_and(|player| !wants(player, content.kind))
        {
            return Ok(false);
        }
        let caused = match cause.player.zip(player) {
            Some((by, to)) if quota::counts(self.tx, content, by, to.id)? => Some((by, to)),
            _ => None,
        };
        if let Some((by, to)) = caused {
            let waiting = self.tx.gathering_mail(to.id, by)?;
            let full_until = quota::full_until(self.tx, by, to.id, now)?;
            if waiting.is_some() || full_until.is_some() {
                let text = quota::gathered(content);
                return self.gather(by, to, text, waiting, full_until.unwrap_or(now));
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
        if let Some((by, _)) = caused {
            self.tx.set_cause(id, by)?;
        }
        match hold {
            Hold::Grace(span) if span > TimeDelta::zero() => {
                self.tx.set_hold(id, Some(now + span), false)?;
            }
            Hold::Until(at) => self.tx.set_hold(id, Some(at), false)?,
            Hold::Immediate => self.tx.set_hold(id, None, true)?,
            Hold::Default | Hold::Grace(_) => {}
        }
        if let Some(player) = player.filter(|_| kind.has(Trait::BringsComments)) {
            let shown = content.all_games().into_iter().take(MAX_DIGEST_BOARDS);
            shown
                .map(|at| at.game)
                .try_for_each(|game| self.tx.attach_comments(id, game, player.id))?;
        }
        self.queued.push(id);
        Ok(true)
    }

    /// Adds to the mail that gathers what a player has caused beyond the quota of the recipient. If none
    /// is waiting, one is queued that goes at this time.
    fn gather(
        &mut self,
        by: PlayerId,
        to: &Player,
        text: String,
        waiting: Option<MailId>,
        at: DateTime<Utc>,
    ) -> Result<bool, Error> {
        if let Some(mail) = waiting {
            self.tx.append_text(mail, &text)?;
            self.queued.push(mail);
            return Ok(true);
        }
        let occasion = Some(Occasion::Gathered(by));
        let content = MailContent::of_text(MessageKind::Notice, None, text);
        let entry = NewOutboxEntry::to(to, MailContent { occasion, ..content });
        let is_queued = self.add_held(&entry, Cause::COMMAND, Hold::Until(at))?;
        if let Some(&mail) = self.queued.last().filter(|_| is_queued) {
            self.tx.set_cause(mail, by)?;
        }
        Ok(is_queued)
    }

    /// Lets a question to a player that was not tried yet ask about other held commands.
    pub(crate) fn change_question(
        &mut self,
        mail: MailId,
        entry: &NewOutboxEntry,
        held: HeldId,
    ) -> Result<(), Error> {
        let message_id = self.message_id(mail, entry)?;
        let in_reply_to = entry.in_reply_to.and_then(|mail| mail.message_id);
        self.tx.change_question(mail, held, &message_id, in_reply_to)?;
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
        let Cause { is_verified, idle, .. } = cause;
        let now = self.env.now();
        let day_ago = now - TimeDelta::days(1);
        if idle > MAX_IDLE
            || idle > 0
                && self.tx.idle_replies_since(day_ago, mailbox, is_verified)? >= MAX_IDLE_REPLIES
        {
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

    /// Returns a new Message-ID for a mail. It carries the reply token where addresses do not.
    pub(crate) fn message_id(&self, id: MailId, entry: &NewOutboxEntry) -> Result<String, Error> {
        let receive = &self.env.config.receive;
        let game = entry.content.game;
        let installation = self.installation_token()?;
        let token = if receive.plus_addressing || !receive.enabled {
            None
        } else {
            let player = entry.to.player().map(|player| player.id);
            let tokens = Tokens::of(self.tx, player)?;
            match game {
                Some(at) if entry.content.is_for_watcher() => tokens.for_watching(at.game)?,
                Some(at) => tokens.for_game(at, self.tx.position_event(at.game)?)?,
                None => tokens.without_game(id, &entry.content, self.env.now())?,
            }
        };
        let kind = entry.content.kind.word();
        let about = match (game, entry.content.challenge) {
            (Some(Moment { game, ply, .. }), _) => format!("{game}.{ply}.{kind}"),
            (None, Some(challenge)) => format!("{challenge}.0.{kind}"),
            (None, None) => kind.to_owned(),
        };
        let nonce = self.env.rng.word(WORD_LENGTH);
        Ok(mail::message_id(&about, token.as_ref(), &nonce, &installation, self.domain()))
    }
}

/// The most games of which a digest shows the board.
pub(crate) const MAX_DIGEST_BOARDS: usize = 10;
