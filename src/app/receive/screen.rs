//! Checks a mail before anything is done for it.

use chrono::TimeDelta;
use ring::digest::{Context, SHA256};

use crate::app::receive::Envelope;
use crate::app::receive::intake::Disposition;
use crate::app::receive::parse;
use crate::app::receive::parse::Parsed;
use crate::app::receive::sender;
use crate::app::receive::sender::SenderCheck;
use crate::app::{At, Env, Error, find};
use crate::command::mailbox;
use crate::log::{Game, GameId};
use crate::mail;
use crate::mail::read::{self, Automatic, Body, InboundMessage};
use crate::mail::token::{Claims, Purpose};
use crate::store::{Db, Moment, Player};

/// Mails per hour that are processed for one verified player.
const MAILS_OF_A_PLAYER: u32 = 300;
/// Mails per hour that are processed for one unverified address.
const MAILS: u32 = 60;
/// Mails per hour that are processed for all unverified addresses.
const ALL_MAILS: u32 = 2000;

/// Returns the SHA-256 of a list of texts, each preceded by its length.
pub(crate) fn digest(texts: &[&[u8]]) -> Vec<u8> {
    let mut context = Context::new(&SHA256);
    for text in texts {
        context.update(&(text.len() as u64).to_be_bytes());
        context.update(text);
    }
    context.finish().as_ref().to_vec()
}

/// A mail that came in, and the database that it is checked against.
#[derive(Clone, Copy)]
pub(crate) struct Received<'a> {
    pub env: &'a Env,
    pub db: &'a Db<'a>,
    pub envelope: &'a Envelope,
    pub message: &'a InboundMessage,
    /// The address of its writer; empty when there is none, as in mail from machines.
    pub from: &'a str,
}

/// A mail that a person wrote and that is to be processed.
pub(crate) struct Accepted {
    pub token: Option<Claims>,
    pub digest: Vec<u8>,
    pub check: SenderCheck,
    /// In whose name the mail is counted: a player or a mailbox.
    pub quota: String,
}

impl<'a> Received<'a> {
    pub(crate) fn new(
        env: &'a Env,
        db: &'a Db<'a>,
        envelope: &'a Envelope,
        message: &'a InboundMessage,
    ) -> Self {
        let from = message.from.as_deref().unwrap_or_default();
        Self { env, db, envelope, message, from }
    }

    /// Returns the claims of the token in the return path of one of our mails, if the mail came to
    /// such an address.
    pub(crate) fn bounce_token(&self) -> Result<Option<Claims>, Error> {
        sender::bounce_token(self.db, self.envelope, self.message)
    }

    /// Returns why the mail is automatic; `None` when a person wrote it.
    pub(crate) fn automatic_reason(&self) -> Result<Option<&'static str>, Error> {
        let Self { env, db, envelope, message, from } = *self;
        if let Some(automatic) = message.automatic {
            return Ok(Some(automatic.word()));
        }
        if envelope.sender.as_deref().is_some_and(read::is_null_path) {
            return Ok(Some(Automatic::NullPath.word()));
        }
        let is_own_id = match (&message.message_id, db.installation()?) {
            (Some(id), Some(installation)) => mail::is_own(id, &installation.token),
            _ => false,
        };
        Ok((env.is_own_address(from) || is_own_id).then_some("our own"))
    }

    /// Checks the sender of a mail that a person wrote. Returns a disposition for a mail that was
    /// processed before or exceeds a limit.
    pub(crate) fn screen(&self) -> Result<Result<Accepted, Disposition>, Error> {
        let Self { env, db, envelope, message, from } = *self;
        let token = sender::reply_token(db, envelope, message)?;
        let digest = self.digest(token.as_ref());
        if db.has_seen(&digest)? {
            return Ok(Err(Disposition::Copy));
        }
        let check = sender::check(env, db, message, from, token)?;
        // Forged mail must not consume the real player's quota.
        let (quota, is_verified) = match &check {
            SenderCheck::Trusted(player) => (format!("player {}", player.id.0), true),
            _ => (mailbox(from), false),
        };
        let hour_ago = env.now() - TimeDelta::hours(1);
        let own = db.seen_since(hour_ago, &quota)?;
        let is_flood = if is_verified {
            own >= MAILS_OF_A_PLAYER
        } else {
            own >= MAILS || db.has_seen_addresses(hour_ago, ALL_MAILS)?
        };
        if is_flood {
            return Ok(Err(Disposition::Flood));
        }
        Ok(Ok(Accepted { token, digest, check, quota }))
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

    /// Returns the commands of a player's mail with this token.
    pub(crate) fn commands(&self, at: At, token: Option<&Claims>) -> Vec<Parsed> {
        match token.filter(|token| token.purpose == Purpose::Unsubscribe) {
            Some(token) => vec![Parsed::unsubscribe(GameId(token.number))],
            None => parse::commands(self.message, at),
        }
    }

    /// Returns the moment, in a game of the player, at which the position came about to which a mail
    /// with this token replies.
    pub(crate) fn at(&self, player: &Player, token: Option<&Claims>) -> Result<At, Error> {
        let Some(&Claims { purpose, number, event, .. }) = token.filter(|token| {
            let for_moves = [Purpose::Play, Purpose::PlayAfterPly];
            for_moves.contains(&token.purpose) && token.number > 0
        }) else {
            return Ok(None);
        };
        let game = GameId(number);
        if self.db.moment(game, player.id)?.is_none() {
            return Ok(None);
        }
        let stored = find::game(self.db, game)?.game;
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
    use super::digest;

    #[test]
    fn digests_distinguish_texts() {
        assert_eq!(digest(&[b"a", b"b"]), digest(&[b"a", b"b"]));
        assert_ne!(digest(&[b"ab", b""]), digest(&[b"a", b"b"]));
    }
}
