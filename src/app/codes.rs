//! Which codes a mail bears, and whose a code is.

use super::{App, Error};
use crate::game::GameId;
use crate::mail::token::{Claims, Purpose, Secret, Token};
use crate::store::{self, Db, HeldId, MailId, PlayerId};

/// What makes the codes of one player, or of those who are none yet.
pub(super) struct Codes {
    player: Option<PlayerId>,
    /// None while there is no installation.
    secret: Option<Secret>,
}

impl Codes {
    /// Those of this player.
    pub(super) fn of(db: &Db, player: Option<PlayerId>) -> Result<Self, store::Error> {
        Ok(Self { player, secret: secret(db, player)? })
    }

    /// The code that an answer to a mail about this bears; `None` for a mail to somebody who is no
    /// player and is asked nothing.
    pub(super) fn for_answers(
        &self,
        game: Option<(GameId, usize)>,
        held: Option<HeldId>,
    ) -> Option<Token> {
        let (game, ply) = game.map_or((0, 0), |(game, ply)| (game.0, ply));
        match (held, self.player) {
            (Some(held), _) => self.make(Purpose::Confirm, held.0, ply),
            (None, Some(_)) => self.make(Purpose::Play, game, ply),
            (None, None) => None,
        }
    }

    /// The code that ends the player's turn mails of a game.
    pub(super) fn for_unsubscribing(&self, game: GameId) -> Option<Token> {
        self.make(Purpose::Unsubscribe, game.0, 0)
    }

    /// The code that a mail comes back with when it cannot be delivered.
    pub(super) fn for_bounces(&self, mail: MailId) -> Option<Token> {
        self.make(Purpose::Bounce, mail.0, 0)
    }

    fn make(&self, purpose: Purpose, number: i64, ply: usize) -> Option<Token> {
        let claims = Claims { purpose, player: self.player.map(|player| player.0), number, ply };
        self.secret.as_ref().map(|secret| Token::new(claims, secret))
    }
}

/// What the codes of this player, or of those who are none yet, are made with.
fn secret(db: &Db, player: Option<PlayerId>) -> Result<Option<Secret>, store::Error> {
    let bytes = match player {
        Some(player) => db.secret(player)?,
        None => db.own_secret()?,
    };
    Ok(bytes.map(Secret))
}

/// The first of these codes that is genuine.
pub(super) fn genuine(db: &Db, codes: &[Token]) -> Result<Option<Claims>, store::Error> {
    for code in codes {
        let claims = code.claims();
        if secret(db, claims.player.map(PlayerId))?.is_some_and(|secret| code.is_valid(&secret)) {
            return Ok(Some(*claims));
        }
    }
    Ok(None)
}

impl App {
    /// The address of this installation that carries a code, or the plain one where addresses
    /// carry none.
    pub(super) fn address_with(&self, code: Option<&Token>) -> Result<String, Error> {
        let from = &self.config.mail.from.email;
        match code.filter(|_| self.config.receive.plus_addressing) {
            None => Ok(from.to_string()),
            Some(code) => {
                let local = format!("{}+{code}", from.user());
                if local.len() > LONGEST_LOCAL_PART {
                    return Err(Error::NoRoomForCodes(from.to_string()));
                }
                Ok(format!("{local}@{}", from.domain()))
            }
        }
    }
}

/// RFC 5321, section 4.5.3.1.1.
const LONGEST_LOCAL_PART: usize = 64;
