//! Decides the kind of a mail before anything is done for it: a bounce, an automatic mail, a copy, one
//! too many, or a mail by a person.

use chrono::TimeDelta;
use ring::digest::{Context, SHA256};

use crate::app::receive::inbound::{Disposition, Unprocessable};
use crate::app::receive::read::ParsedMail;
use crate::app::receive::sender::{self, SenderCheck};
use crate::app::{Env, Error, access::ban};
use crate::command::mailbox;
use crate::mail;
use crate::mail::read::{Automatic, Body};
use crate::mail::token::{Claims, Purpose, Token};
use crate::store::{Db, MailId, Probe};

/// Mails per hour that are processed for one verified player.
const MAX_MAILS_PER_PLAYER: u32 = 300;
/// Mails per hour that are processed for one unverified address.
const MAX_MAILS_PER_ADDRESS: u32 = 60;
/// Mails per hour that are processed for all unverified addresses.
const MAX_UNVERIFIED_MAILS: u32 = 2000;

/// The result of screening a mail.
pub(crate) enum Screened {
    /// It came to the return path of one of our mails, which has this valid token.
    Bounce(Claims),
    /// It is a test of `doctor` that came back, or the first answer to one.
    Probe(Probe),
    /// Nothing is done for it.
    Rejected(Disposition),
    /// A person must have written it, but it is broken or does not name one author.
    Unprocessable(Unprocessable),
    /// A person wrote it, and it is to be processed.
    Accepted(Box<Accepted>),
}

/// A mail that a person wrote and that is to be processed.
pub(crate) struct Accepted {
    pub token: Option<Claims>,
    /// Whether the database has the history that the token was made from.
    pub is_of_history: bool,
    pub check: SenderCheck,
    /// The digest that all copies of the mail share.
    pub digest: Vec<u8>,
    /// The rate-limit key: a player or a mailbox.
    pub quota: String,
}

/// Screens a mail.
pub(crate) fn screen(env: &Env, db: &Db, mail: &ParsedMail) -> Result<Screened, Error> {
    if let Some(token) = mail.tokens.bounce_token(db)? {
        return Ok(match token.is_of_history {
            true => Screened::Bounce(token.claims),
            false => Screened::Rejected(Disposition::UNKNOWN_MAIL),
        });
    }
    let automatic = automatic_reason(env, db, mail)?;
    if let Some(probe) = probe(db, mail, automatic.is_some())? {
        return Ok(Screened::Probe(probe));
    }
    if let Some(why) = automatic {
        return Ok(Screened::Rejected(Disposition::Ignored(why)));
    }
    if let Body::Broken(why) = mail.message.body {
        return Ok(Screened::Unprocessable(Unprocessable::Unreadable(why)));
    }
    if mail.author().is_empty() {
        return Ok(Screened::Unprocessable(Unprocessable::NoAuthor));
    }
    if ban::is_banned(db, mail.author())? {
        return Ok(Screened::Rejected(Disposition::BANNED));
    }
    let reply_token = mail.tokens.reply_token(db)?;
    let token = reply_token.map(|token| token.claims);
    if token.is_some_and(|token| token.purpose == Purpose::Host) {
        return Ok(Screened::Rejected(Disposition::Ignored("a reply to a notice for the host")));
    }
    if token.is_none() && mail.tokens.probe_token(db)?.is_some() {
        return Ok(Screened::Rejected(Disposition::Ignored("another reply to a test mail")));
    }
    let digest = mail_digest(mail);
    if db.has_seen(&digest)? {
        return Ok(Screened::Rejected(Disposition::Copy));
    }
    let check = sender::check(env, db, mail, token.as_ref())?;
    // Forged mail must not consume the real player's quota.
    let (quota, is_verified) = match &check {
        SenderCheck::Trusted(player) => (format!("player {}", player.id.0), true),
        _ => (mailbox(mail.author()), false),
    };
    let hour_ago = env.now() - TimeDelta::hours(1);
    let own = db.seen_since(hour_ago, &quota)?;
    let is_flood = if is_verified {
        own >= MAX_MAILS_PER_PLAYER
    } else {
        own >= MAX_MAILS_PER_ADDRESS || db.has_seen_addresses(hour_ago, MAX_UNVERIFIED_MAILS)?
    };
    Ok(if is_flood {
        Screened::Rejected(Disposition::Flood)
    } else {
        let is_of_history = reply_token.is_none_or(|token| token.is_of_history);
        Screened::Accepted(Box::new(Accepted { token, is_of_history, check, digest, quota }))
    })
}

/// Returns the question of `doctor` that has come back with a mail, or that the mail is the first to answer.
/// Of our own mails this is the only one that is accepted, and only once.
fn probe(db: &Db, mail: &ParsedMail, is_automatic: bool) -> Result<Option<Probe>, Error> {
    let token = mail.tokens.probe_token(db)?.filter(|token| token.is_of_history);
    let Some(token) = token.map(|token| token.claims) else { return Ok(None) };
    let id = MailId(token.number);
    let Some(probe) = db.probe(id)?.filter(|probe| probe.came_at.is_none()) else {
        return Ok(None);
    };
    // After a backup was restored, a later mail may have its number. A clock that was ahead when the
    // mail was queued has been corrected in the table only.
    if token.known.is_none_or(|asked| asked < probe.asked_at.timestamp().unsigned_abs()) {
        return Ok(None);
    }
    let is_expected = match probe.is_loop {
        // An automatic reply to it has another Message-ID.
        true => db
            .outbox_entry(id)?
            .is_some_and(|entry| mail.message.message_id.as_ref() == Some(&entry.message_id)),
        false => !is_automatic && !mail.author().is_empty(),
    };
    Ok(Some(probe).filter(|_| is_expected))
}

/// Returns why a mail is automatic; `None` when a person wrote it.
fn automatic_reason(env: &Env, db: &Db, mail: &ParsedMail) -> Result<Option<&'static str>, Error> {
    if let Some(automatic) = mail.message.automatic {
        return Ok(Some(automatic.word()));
    }
    if mail.envelope.has_null_sender() {
        return Ok(Some(Automatic::NullPath.word()));
    }
    let is_own_id = match (&mail.message.message_id, db.installation_token()?) {
        (Some(id), Some(token)) => mail::is_own(id, &token),
        _ => false,
    };
    Ok((env.is_own_address(mail.author()) || is_own_id).then_some("our own"))
}

/// Returns the digest that all copies of a mail share. What it replies to counts, since not every
/// mail has a Message-ID. Whether its token is valid does not: it may be revoked before a copy comes.
pub(crate) fn mail_digest(mail: &ParsedMail) -> Vec<u8> {
    let message = &mail.message;
    let id = message.message_id.as_deref().unwrap_or_default();
    let date = message.date.as_deref().unwrap_or_default();
    let from = mail.author().to_lowercase();
    let token = mail.tokens.first_of_replies().map_or_else(String::new, Token::to_string);
    digest(&[id, date, &from, &message.subject, mail.text(), &token].map(str::as_bytes))
}

/// Returns the SHA-256 of a list of texts, each preceded by its length.
pub(crate) fn digest(texts: &[&[u8]]) -> Vec<u8> {
    let mut context = Context::new(&SHA256);
    for text in texts {
        context.update(&(text.len() as u64).to_be_bytes());
        context.update(text);
    }
    context.finish().as_ref().to_vec()
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
