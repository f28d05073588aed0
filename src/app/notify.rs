//! The mails that what happens in a game causes: written into the outbox in the transaction of
//! what happened.

use chrono::{DateTime, Utc};

use super::dice::Dice;
use crate::game::{Color, Game, GameId};
use crate::mail;
use crate::store::{Db, Error, Event, MailId, NewMail, Player};

/// Writes mails into the outbox and keeps their numbers.
pub(super) struct Post<'a> {
    db: &'a Db<'a>,
    dice: &'a mut Dice,
    domain: &'a str,
    installation: String,
    now: DateTime<Utc>,
    posted: Vec<MailId>,
}

/// Whom a mail about a game can go to.
pub(super) struct Table<'a> {
    pub id: GameId,
    pub black: &'a Player,
    pub white: &'a Player,
    pub game: &'a Game,
}

impl Table<'_> {
    const fn player(&self, color: Color) -> &Player {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }
}

const TOKEN_LENGTH: usize = 12;

impl<'a> Post<'a> {
    pub(super) fn new(
        db: &'a Db<'a>,
        dice: &'a mut Dice,
        domain: &'a str,
        now: DateTime<Utc>,
    ) -> Result<Self, Error> {
        let installation = db.installation(now, || dice.word(TOKEN_LENGTH))?.token;
        Ok(Self { db, dice, domain, installation, now, posted: Vec::new() })
    }

    /// The id that all mails of a game refer to.
    pub(super) fn thread(&self, id: GameId) -> String {
        mail::thread_id(id, &self.installation, self.domain)
    }

    /// The game has begun: both are told, also how it ended if it has.
    pub(super) fn started(mut self, table: &Table) -> Result<Vec<MailId>, Error> {
        self.both(table, Event::Started)?;
        if table.game.outcome().is_some() {
            self.both(table, Event::Over)?;
        }
        Ok(self.posted)
    }

    /// Moves were made: whoever is on turn is told, or both that the game is over. `receipt`
    /// names a player who wants to know in any case.
    pub(super) fn moved(
        mut self,
        table: &Table,
        receipt: Option<Color>,
    ) -> Result<Vec<MailId>, Error> {
        match table.game.turn() {
            Some(color) => {
                self.one(table, Event::Turn, color)?;
                if let Some(mover) = receipt.filter(|&mover| mover != color) {
                    self.one(table, Event::Receipt, mover)?;
                }
            }
            None => self.both(table, Event::Over)?,
        }
        Ok(self.posted)
    }

    fn both(&mut self, table: &Table, event: Event) -> Result<(), Error> {
        Color::BOTH.into_iter().try_for_each(|color| self.one(table, event, color))
    }

    fn one(&mut self, table: &Table, event: Event, to: Color) -> Result<(), Error> {
        let ply = table.game.plies().len();
        let nonce = self.dice.word(TOKEN_LENGTH);
        let message_id = mail::message_id(
            (table.id, ply),
            (event.word(), to),
            &nonce,
            &self.installation,
            self.domain,
        );
        let new = NewMail {
            message_id: &message_id,
            game: table.id,
            player: table.player(to).id,
            event,
            ply,
        };
        self.posted.push(self.db.add_mail(&new, self.now)?);
        Ok(())
    }
}
