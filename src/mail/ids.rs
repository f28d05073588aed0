//! Message-IDs (RFC 5322, section 3.6.4), all without their angle brackets.

use lettre::message::Mailbox;

use super::token::Token;
use crate::game::GameId;

/// The domain of a sender: what its Message-IDs end with.
#[must_use]
pub fn domain(from: &Mailbox) -> &str {
    from.email.domain()
}

/// The id that every mail of a game refers to and no mail bears.
#[must_use]
pub fn thread_id(id: GameId, installation: &str, domain: &str) -> String {
    format!("game-{id}.{installation}@{domain}")
}

/// The Message-ID of a mail: what it is about, in letters, digits and dots, the reply token
/// if it carries one, and a nonce that keeps it apart from all others, also from those of a database
/// restored from a backup.
#[must_use]
pub fn message_id(
    about: &str,
    token: Option<&Token>,
    nonce: &str,
    installation: &str,
    domain: &str,
) -> String {
    let token = token.map_or(String::new(), |token| format!("{token}."));
    format!("{token}{about}.{nonce}.{installation}@{domain}")
}

/// Whether a Message-ID is one of this installation's.
#[must_use]
pub fn is_own(message_id: &str, installation: &str) -> bool {
    let local = message_id.split_once('@').map_or(message_id, |(local, _)| local);
    local.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(installation))
}
