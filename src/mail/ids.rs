//! Message-IDs (RFC 5322, section 3.6.4), all without angle brackets.

use super::token::Token;
use outflank_model::log::GameId;

/// Returns the id that every mail of a game has as a reference. No mail has this id.
pub fn thread_id(id: GameId, installation: &str, domain: &str) -> String {
    format!("game-{id}.{installation}@{domain}")
}

/// Returns a Message-ID with a reply token, if there is one, and the mail's subject in letters, digits
/// and dots. The nonce makes it unique, even after the database is restored from a backup.
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

/// Returns whether a Message-ID is from this installation.
pub fn is_own(message_id: &str, installation: &str) -> bool {
    let local = message_id.split_once('@').map_or(message_id, |(local, _)| local);
    local.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(installation))
}
