//! The mails that what happens causes: written into the outbox in the transaction of what
//! happened.

use chrono::TimeDelta;

use super::codes::Codes;
use super::{App, Error};
use crate::game::{Color, Game, GameId};
use crate::mail;
use crate::store::{
    Answered, Db, Event, HeldId, Installation, MailId, NewMail, Player, PlayerId, Recipient,
};

/// Writes mails into the outbox and keeps their numbers.
pub(super) struct Post<'a> {
    app: &'a App,
    db: &'a Db<'a>,
    pub posted: Vec<MailId>,
}

/// A game and who sits at it.
pub(super) struct Seats<'a> {
    pub id: GameId,
    pub black: &'a Player,
    pub white: &'a Player,
    pub game: &'a Game,
}

impl Seats<'_> {
    const fn player(&self, color: Color) -> &Player {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }
}

const WORD: usize = 12;

/// How many answers an address gets within an hour. A loop of two machines that answer each other
/// ends here.
const ANSWERS: u32 = 5;
/// How many of a player's somebody else can cause, who writes in the player's name.
const CAUSED_BY_ANYBODY: u32 = 3;
/// After how many answers within an hour, to all addresses, only those are answered who are
/// players beyond doubt.
const ALL_ANSWERS: u32 = 1000;

impl<'a> Post<'a> {
    pub(super) const fn new(app: &'a App, db: &'a Db<'a>) -> Self {
        Self { app, db, posted: Vec::new() }
    }

    /// What tells this installation from others; made when it is needed first.
    fn installation(&self) -> Result<Installation, Error> {
        let App { dice, .. } = self.app;
        match self.db.installation()? {
            Some(known) => Ok(known),
            None => {
                let (token, secret) = (dice.word(WORD), dice.secret()?);
                Ok(self.db.add_installation(&token, &secret.0, self.app.now())?)
            }
        }
    }

    fn domain(&self) -> &'a str {
        mail::domain(&self.app.config.mail.from)
    }

    /// What makes the id that all mails of a game refer to.
    pub(super) fn thread(&self) -> Result<impl FnOnce(GameId) -> String, Error> {
        let (installation, domain) = (self.installation()?, self.domain());
        Ok(move |id| mail::thread_id(id, &installation.token, domain))
    }

    /// The game has begun: both are told, also how it ended if it has.
    pub(super) fn started(&mut self, seats: &Seats) -> Result<(), Error> {
        self.both(seats, Event::Started)?;
        if seats.game.outcome().is_some() {
            self.both(seats, Event::Over)?;
        }
        Ok(())
    }

    /// Moves were made: whoever is on turn is told, or both that the game is over. `receipt`
    /// names a player who wants to know in any case, and `answered` the mail that made the moves.
    pub(super) fn moved(
        &mut self,
        seats: &Seats,
        receipt: Option<Color>,
        answered: Option<Answered>,
    ) -> Result<(), Error> {
        let Some(turn) = seats.game.turn() else { return self.both(seats, Event::Over) };
        let next = seats.player(turn);
        let is_told = self.db.is_subscribed(next.id, seats.id)?;
        if is_told {
            self.about(seats, Event::Turn, next, None)?;
        }
        // Whoever is on turn again knows of the move by that.
        match receipt.filter(|&mover| mover != turn || !is_told) {
            Some(mover) => self.about(seats, Event::Receipt, seats.player(mover), answered),
            None => Ok(()),
        }
    }

    fn both(&mut self, seats: &Seats, event: Event) -> Result<(), Error> {
        Color::BOTH
            .into_iter()
            .try_for_each(|color| self.about(seats, event, seats.player(color), None))
    }

    /// Tells one of the players of a game something about it.
    pub(super) fn about(
        &mut self,
        seats: &Seats,
        event: Event,
        to: &Player,
        answer: Option<Answered>,
    ) -> Result<(), Error> {
        let game = Some((seats.id, seats.game.plies().len()));
        let to = To::Player(to);
        let letter = Letter { event, to, game, said: None, held: None, answer, is_trusted: true };
        self.add(&letter).map(drop)
    }

    /// Puts a mail into the outbox, unless it answers one and its reader has had enough answers.
    /// Whether it was.
    pub(super) fn add(&mut self, letter: &Letter) -> Result<bool, Error> {
        let now = self.app.now();
        let (player, address) = match letter.to {
            To::Player(player) => (Some(player.id), player.address.as_str()),
            To::Address(address) => (None, address),
        };
        if letter.answer.is_some() {
            let (own, all) = self.db.answers_since(now - TimeDelta::hours(1), address)?;
            let most = match letter.to {
                To::Player(_) if !letter.is_trusted => CAUSED_BY_ANYBODY,
                _ => ANSWERS,
            };
            if own >= most || (all >= ALL_ANSWERS && !letter.is_trusted) {
                self.db.count_mail(UNANSWERED, now)?;
                return Ok(false);
            }
        }
        let message_id = self.message_id(letter, player)?;
        let new = NewMail {
            message_id: &message_id,
            event: letter.event,
            to: player.map_or(Recipient::Address(address), Recipient::Player),
            game: letter.game,
            said: letter.said,
            held: letter.held,
            answer: letter.answer,
        };
        self.posted.push(self.db.add_mail(&new, now)?);
        Ok(true)
    }

    /// A new Message-ID; where addresses carry no code, it does.
    fn message_id(&self, letter: &Letter, player: Option<PlayerId>) -> Result<String, Error> {
        let receive = &self.app.config.receive;
        let code = if receive.plus_addressing || !receive.enabled {
            None
        } else {
            Codes::of(self.db, player)?.for_answers(letter.game, letter.held)
        };
        let event = letter.event.word();
        let about = match letter.game {
            Some((id, ply)) => format!("{id}.{ply}.{event}"),
            None => event.to_owned(),
        };
        let nonce = self.app.dice.word(WORD);
        let installation = self.installation()?.token;
        Ok(mail::message_id(&about, code.as_ref(), &nonce, &installation, self.domain()))
    }
}

/// The word for an answer that was not given because there were too many.
pub(super) const UNANSWERED: &str = "unanswered";

/// A mail that is to be written.
pub(super) struct Letter<'a> {
    pub event: Event,
    pub to: To<'a>,
    pub game: Option<(GameId, usize)>,
    pub said: Option<&'a str>,
    pub held: Option<HeldId>,
    pub answer: Option<Answered<'a>>,
    /// Whether it is caused by a player beyond doubt, and not by what anybody could have written.
    pub is_trusted: bool,
}

/// Whom it goes to.
pub(super) enum To<'a> {
    Player(&'a Player),
    Address(&'a str),
}
