//! The records that `inbox --last` shows: a mail's sender, the commands in it, and its disposition with
//! the reasons. The text of a mail is not kept.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::app::receive::inbound::Disposition;
use crate::app::text::redact::redacted;
use crate::store::{Received, Tx};
use outflank_model::{Player, PlayerId};

/// The most characters of an address, and of a reason, that are kept.
const MAX_CHARS: usize = 254;

/// What was found out about a mail while it was processed.
#[derive(Default)]
pub(crate) struct Findings {
    /// The sender, the owner of the reply token, or the recipient of the mail that bounced.
    pub player: Option<PlayerId>,
    /// The words of its commands.
    pub understood: Vec<&'static str>,
    /// Why something was not done.
    pub reasons: Vec<String>,
}

impl Findings {
    /// Adds that a command was refused for this reason. If it quotes the mail, it is left out.
    pub(crate) fn refused(&mut self, word: &str, error: &Error, has_quotes: bool) {
        self.reasons.push(match has_quotes {
            true => format!("{word}: not a valid command"),
            false => format!("{word}: {}", without_quotes(&error.to_string())),
        });
    }

    /// Adds why something was not done.
    pub(crate) fn because(&mut self, reason: impl Into<String>) {
        self.reasons.push(reason.into());
    }
}

/// Records a mail from this address, which may be empty. Returns the name of the player who sent it.
pub(crate) fn record(
    tx: &Tx,
    author: &str,
    findings: Findings,
    disposition: Disposition,
    now: DateTime<Utc>,
) -> Result<Option<String>, Error> {
    let Findings { player, understood, mut reasons } = findings;
    reasons.extend(disposition.reason().map(str::to_owned));
    if disposition == Disposition::Done && understood.is_empty() && reasons.is_empty() {
        reasons.push("no command was found".to_owned());
    }
    let player = player.map(|id| tx.player(id)).transpose()?;
    let player = match player.filter(|player| player.left_at.is_none()) {
        // Of somebody who is banned, no address is kept.
        _ if disposition == Disposition::BANNED => None,
        None => tx.player_at(author)?,
        player => player,
    };
    let is_own = player.as_ref().is_some_and(|player: &Player| player.is_at(author));
    // Whom `doctor` asked is forgotten with the answer.
    let is_kept = !matches!(disposition, Disposition::BANNED | Disposition::Probe) && !is_own;
    let sender = Some(author).filter(|author| !author.is_empty() && is_kept);
    tx.add_received(&Received {
        at: now,
        player: player.as_ref().map(|player| player.id),
        sender: sender.map(cut),
        understood: understood.into_iter().map(str::to_owned).collect(),
        disposition: disposition.base_word().to_owned(),
        why: cut(&redacted(&reasons.join("; "))),
    })?;
    Ok(player.map(|player| player.name))
}

/// Returns a sentence without its quotation. That has words of the mail, and may have quotation marks of
/// its own.
fn without_quotes(text: &str) -> String {
    match (text.find('"'), text.rfind('"')) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}\"...{}", &text[..begin], &text[end..])
        }
        (Some(begin), _) => format!("{}...", &text[..begin]),
        (None, _) => text.to_owned(),
    }
}

/// Returns a text, or its beginning if it is too long.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
