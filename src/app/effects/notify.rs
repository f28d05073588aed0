//! The mails that events cause, put into the outbox in the transaction of the events.

use chrono::TimeDelta;

use crate::app::effects::due::Hold;
use crate::app::effects::due::wants;
use crate::app::tokens::Tokens;
use crate::app::views::game::names;
use crate::app::{Env, Error};
use crate::command::mailbox;
use crate::log::{Action, Event, Game, GameId};
use crate::mail;
use crate::render::news::news;
use crate::store::{
    InReplyTo, Installation, JobKind, MailId, MailState, MessageKind, Moment, NewOutboxEntry,
    Player, Recipient, Side, Tx,
};
use outflank_rules::Color;

/// Puts mails into the outbox and lists them.
pub(crate) struct Outbox<'a> {
    pub(crate) env: &'a Env,
    pub(crate) tx: &'a Tx<'a>,
    pub queued: Vec<MailId>,
    /// The games in which a computer player must act.
    pub bots: Vec<GameId>,
    /// What holds the next mails back.
    pub(crate) hold: Hold,
}

/// A game and its players.
pub(crate) struct GamePlayers<'a> {
    pub id: GameId,
    pub black: &'a Side,
    pub white: &'a Side,
    pub game: &'a Game,
}

impl<'a> GamePlayers<'a> {
    /// Returns the person of this colour; `None` for a computer player.
    pub(crate) fn player(&self, color: Color) -> Option<&'a Player> {
        match color {
            Color::Black => self.black.person(),
            Color::White => self.white.person(),
        }
    }
}

/// The mail or command that causes a mail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    /// Whether it was given in a shell, or is a mail that certainly came from a player.
    pub is_verified: bool,
    /// How many mails in a row had no valid command, including this one: 0 if this one has one.
    pub idle: u32,
}

impl Cause {
    /// A command of a verified player or the host.
    pub(crate) const COMMAND: Self = Self { is_verified: true, idle: 0 };
    /// A command in an unverified mail.
    pub(crate) const UNVERIFIED: Self = Self { is_verified: false, idle: 0 };
}

/// The length of random words.
const WORD: usize = 12;

/// Replies per hour and address. A loop of two machines that answer each other ends here.
const REPLIES: u32 = 5;
/// Replies per hour that unverified mail can cause for one player.
const UNVERIFIED_REPLIES: u32 = 3;
/// After so many replies to unverified mail in an hour, only verified players get one.
const ALL_REPLIES: u32 = 1000;
/// How many mails in a row without a valid command are answered. A machine that answers our mails
/// without a mark, however slowly, gets no answer after that.
pub(crate) const MOST_IDLE: u32 = 3;
/// Replies per day and address to mails without a valid command.
const IDLE_REPLIES: u32 = 20;

impl<'a> Outbox<'a> {
    pub(crate) const fn new(env: &'a Env, tx: &'a Tx<'a>) -> Self {
        Self { env, tx, queued: Vec::new(), bots: Vec::new(), hold: Hold::Nothing }
    }

    /// Returns the installation, which is created when it is first needed.
    fn installation(&self) -> Result<Installation, Error> {
        match self.tx.installation()? {
            Some(known) => Ok(known),
            None => {
                let (token, secret) = (self.env.rng.word(WORD), self.env.rng.secret()?);
                Ok(self.tx.add_installation(&token, &secret.0, self.env.now())?)
            }
        }
    }

    fn domain(&self) -> &'a str {
        mail::domain(&self.env.config.mail.from)
    }

    /// Returns a function that makes the id to which all mails of a game refer.
    pub(crate) fn thread(&self) -> Result<impl FnOnce(GameId) -> String, Error> {
        let (installation, domain) = (self.installation()?, self.domain());
        Ok(move |id| mail::thread_id(id, &installation.token, domain))
    }

    /// Announces a new game to both players, and its result if it is over already.
    pub(crate) fn announce_start(&mut self, players: &GamePlayers) -> Result<(), Error> {
        self.note_bots(players);
        self.notify_both(players, MessageKind::Started)?;
        if players.game.outcome().is_some() {
            self.notify_both(players, MessageKind::Over)?;
        }
        Ok(())
    }

    /// Announces what happened in a game since `before`: its end to both players; moves to the player
    /// to move, with one notification of the last state; what else a player does to the opponent. The
    /// author of the last move gets a receipt, too, if `receipt` or the player's settings ask for
    /// one. `planned` is
    /// what to tell the owners of plans, `own` the actor's colour and `mail` the mail that caused
    /// the events.
    pub(crate) fn announce(
        &mut self,
        players: &GamePlayers,
        before: &Game,
        planned: &[(Color, String)],
        own: Option<Color>,
        receipt: bool,
        mail: Option<InReplyTo>,
    ) -> Result<(), Error> {
        self.note_bots(players);
        let game = players.game;
        let events = &game.events()[before.events().len()..];
        let made = events.iter().rev().find(|event| matches!(event.action, Action::Move(_)));
        let is_taken_back = game.taken_back().len() > before.taken_back().len();
        // A player who has moved by mail needs no mail about the turn before.
        let moved = own.filter(|_| mail.is_some() && made.is_some());
        for color in Color::BOTH.into_iter().filter(|&it| is_taken_back || Some(it) == moved) {
            if let Some(player) = players.player(color) {
                self.tx.supersede_turn_mails(players.id, player.id)?;
            }
        }
        // Mails that are not sent yet must not offer a claim that is no longer possible.
        if before.flagged().is_some() && (game.flagged().is_none() || game.turn().is_none()) {
            self.tx.supersede_flag_mails(players.id)?;
        }
        if game.turn().is_none() && before.turn().is_some() {
            return self.notify_both(players, MessageKind::Over);
        }
        let mut told = self.tell_opponents(players, before, events, own)?;
        for (owner, text) in planned {
            self.tell(players, *owner, text)?;
            told.push(*owner);
        }
        let (Some(turn), Some(made)) = (game.turn(), made) else { return Ok(()) };
        let mover = own.or(made.by);
        let mut is_notified = told.contains(&turn);
        if let Some(next) = players.player(turn)
            && !is_notified
            && wants(next, MessageKind::Turn)
            && self.tx.is_subscribed(next.id, players.id)?
        {
            self.hold = match (mover, mover.and_then(|mover| players.player(mover))) {
                (Some(mover), _) if mover == turn => Hold::Never,
                (_, Some(mover)) => Hold::Grace(mover.preferences.grace.span()),
                (_, None) => Hold::Nothing,
            };
            self.about(players, MessageKind::Turn, next, None)?;
            self.hold = Hold::Nothing;
            is_notified = true;
        }
        // A turn mail to the mover already reports the move.
        let mover = mover.filter(|&mover| mover != turn || !is_notified);
        match mover.and_then(|mover| players.player(mover)) {
            Some(mover) if receipt || mover.receipt => {
                self.about(players, MessageKind::Receipt, mover, mail)
            }
            _ => Ok(()),
        }
    }

    /// Notes that a computer player must act in a game, if one must.
    fn note_bots(&mut self, players: &GamePlayers) {
        let &GamePlayers { id, black, white, game } = players;
        if JobKind::of_bot(game, [black, white]).is_some() && !self.bots.contains(&id) {
            self.bots.push(id);
        }
    }

    /// Tells a player what has happened in a game besides moves of the opponent. A computer player
    /// gets no mail.
    pub(crate) fn tell(
        &mut self,
        players: &GamePlayers,
        to: Color,
        news: &str,
    ) -> Result<(), Error> {
        let Some(player) = players.player(to) else { return Ok(()) };
        let names = names(players.black, players.white);
        let turn = if players.game.turn() == Some(to) { " It is your turn." } else { "" };
        let game = format!("Game {} against {}.{turn}", players.id, names.of(!to));
        let moment = Moment::of(players.id, players.game);
        self.notice(player, Some(moment), &format!("{news}\n{game}"))
    }

    /// Tells players what their opponents did besides moves, but not the actor, who has caused it.
    /// Returns who was told.
    fn tell_opponents(
        &mut self,
        players: &GamePlayers,
        before: &Game,
        events: &[Event],
        actor: Option<Color>,
    ) -> Result<Vec<Color>, Error> {
        let mut told = Vec::new();
        if events.iter().all(|event| event.action.as_move().is_some()) {
            return Ok(told);
        }
        let names = names(players.black, players.white);
        let mut at = before.clone();
        for event in events {
            let mut after = at.clone();
            after.apply(event.clone()).map_err(Error::fault)?;
            if let (Some(by), Some(news)) = (event.by, news(&at, event, &after, names))
                && actor != Some(!by)
            {
                self.tell(players, !by, &news)?;
                told.push(!by);
            }
            at = after;
        }
        Ok(told)
    }

    /// Tells both players that the time of the player to move is over.
    pub(crate) fn announce_flag(&mut self, players: &GamePlayers) -> Result<(), Error> {
        let is_over = players.game.outcome().is_some();
        self.notify_both(players, if is_over { MessageKind::Over } else { MessageKind::Flagged })
    }

    /// Queues a mail that says what the host or the opponent has done, about a game or none.
    pub(crate) fn notice(
        &mut self,
        to: &Player,
        moment: Option<Moment>,
        text: &str,
    ) -> Result<(), Error> {
        let (kind, to, text) = (MessageKind::Notice, Recipient::Player(to), Some(text));
        let entry = NewOutboxEntry { kind, to, moment, text, held: None, in_reply_to: None };
        self.add(&entry, Cause::COMMAND).map(drop)
    }

    fn notify_both(&mut self, players: &GamePlayers, kind: MessageKind) -> Result<(), Error> {
        Color::BOTH
            .into_iter()
            .filter_map(|color| players.player(color))
            .try_for_each(|player| self.about(players, kind, player, None))
    }

    /// Queues a mail about a game to one of its players.
    pub(crate) fn about(
        &mut self,
        players: &GamePlayers,
        kind: MessageKind,
        to: &Player,
        in_reply_to: Option<InReplyTo>,
    ) -> Result<(), Error> {
        let moment = Some(Moment::of(players.id, players.game));
        let to = Recipient::Player(to);
        let entry = NewOutboxEntry { kind, to, moment, text: None, held: None, in_reply_to };
        self.add(&entry, Cause::COMMAND).map(drop)
    }

    /// Queues a mail, and returns whether it was queued: a reply is not if its recipient has had
    /// too many.
    pub(crate) fn add(&mut self, entry: &NewOutboxEntry, cause: Cause) -> Result<bool, Error> {
        let now = self.env.now();
        // Receipts have no limit: the player asked for them, and a move causes at most one.
        if entry.in_reply_to.is_some() && entry.kind != MessageKind::Receipt {
            let mailbox = mailbox(entry.to.address());
            if !self.may_reply(entry.to, &mailbox, cause)? {
                self.tx.count_inbound(UNANSWERED, now)?;
                return Ok(false);
            }
            self.tx.add_reply(&mailbox, cause.is_verified, cause.idle == 0, now)?;
        }
        let player = entry.to.player();
        if player.is_some_and(|player| !wants(player, entry.kind)) {
            return Ok(false);
        }
        if let (Some(moment), Some(player)) = (entry.moment, player)
            && supersedes_turn_mail(entry.kind)
        {
            self.tx.supersede_turn_mails(moment.game, player.id)?;
        }
        let is_paused = player.is_some_and(|player| player.paused_at.is_some());
        let state = if is_paused { MailState::Paused } else { MailState::Queued };
        let message_id = self.message_id(entry)?;
        let id = self.tx.add_outbox_entry(entry, &message_id, state, now)?;
        if let Some(due) = self.due(entry) {
            self.tx.hold_mail(id, due.at, due.in_digest)?;
        }
        if let (Some(moment), Some(player)) = (entry.moment, player)
            && brings_comments(entry.kind)
        {
            self.tx.attach_comments(id, moment.game, player.id)?;
        }
        self.queued.push(id);
        Ok(true)
    }

    /// Returns whether the limits allow a reply. Verified and unverified mail are counted apart, so
    /// that forged mail cannot use up a player's replies.
    fn may_reply(&self, to: Recipient, mailbox: &str, cause: Cause) -> Result<bool, Error> {
        let Cause { is_verified, idle } = cause;
        let now = self.env.now();
        let day_ago = now - TimeDelta::days(1);
        if idle > MOST_IDLE
            || idle > 0
                && self.tx.idle_replies_since(day_ago, mailbox, is_verified)? >= IDLE_REPLIES
        {
            return Ok(false);
        }
        let replies = self.tx.replies_since(now - TimeDelta::hours(1), mailbox, is_verified)?;
        let most = match to {
            Recipient::Player(_) if !is_verified => UNVERIFIED_REPLIES,
            _ => REPLIES,
        };
        Ok(replies.own < most && (is_verified || replies.all < ALL_REPLIES))
    }

    /// Returns a new Message-ID. It carries the reply token where addresses do not.
    fn message_id(&self, entry: &NewOutboxEntry) -> Result<String, Error> {
        let receive = &self.env.config.receive;
        let token = if receive.plus_addressing || !receive.enabled {
            None
        } else {
            let player = entry.to.player().map(|player| player.id);
            let position = |moment: Moment| {
                let events = self.tx.position_event(moment.game)?;
                Ok::<_, Error>(Moment { events, ..moment })
            };
            let at = entry.moment.map(position).transpose()?;
            Tokens::of(self.tx, player)?.for_replies(at, entry.held)
        };
        let kind = entry.kind.word();
        let about = match entry.moment {
            Some(Moment { game, ply, .. }) => format!("{game}.{ply}.{kind}"),
            None => kind.to_owned(),
        };
        let nonce = self.env.rng.word(WORD);
        let installation = self.installation()?.token;
        Ok(mail::message_id(&about, token.as_ref(), &nonce, &installation, self.domain()))
    }
}

/// Returns whether a mail of this kind makes an unsent turn mail of its game pointless.
const fn supersedes_turn_mail(kind: MessageKind) -> bool {
    match kind {
        MessageKind::Started
        | MessageKind::Turn
        | MessageKind::Over
        | MessageKind::Receipt
        | MessageKind::Flagged
        | MessageKind::Confirm => true,
        MessageKind::Answer
        | MessageKind::Mismatch
        | MessageKind::Paused
        | MessageKind::Digest
        | MessageKind::Reminder
        | MessageKind::Notice => false,
    }
}

/// Returns whether a mail of this kind brings what the opponent has said.
const fn brings_comments(kind: MessageKind) -> bool {
    match kind {
        MessageKind::Started
        | MessageKind::Turn
        | MessageKind::Over
        | MessageKind::Receipt
        | MessageKind::Flagged
        | MessageKind::Notice => true,
        MessageKind::Answer
        | MessageKind::Confirm
        | MessageKind::Mismatch
        | MessageKind::Paused
        | MessageKind::Reminder
        | MessageKind::Digest => false,
    }
}

/// The disposition under which replies are counted that were not sent because of the limits.
const UNANSWERED: &str = "unanswered";
