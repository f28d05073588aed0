//! Reports that our own mails bounced.

use super::super::find;
use super::super::notify::Outbox;
use super::super::{Env, Error};
use super::intake::Disposition;
use crate::mail::read::InboundMessage;
use crate::mail::token::{Claims, Token};
use crate::store::{Listing, MailId, MessageKind, NewOutboxEntry, Player, Recipient, Tx};

/// Processes a mail to the return path of one of our mails, which has this valid token.
pub(super) fn process(
    env: &Env,
    tx: &Tx,
    outbox: &mut Outbox,
    token: &Claims,
    message: &InboundMessage,
) -> Result<Disposition, Error> {
    let Some(report) = message.report.as_ref().filter(|report| report.permanent) else {
        return Ok(Disposition::Ignored("not a report of a failure"));
    };
    let id = MailId(token.number);
    let Some(entry) = tx.outbox_entry(id)? else {
        return Ok(Disposition::Ignored("a report about an unknown mail"));
    };
    let reason = match report.diagnostic.as_str() {
        "" => report.status.as_deref().unwrap_or("no reason given"),
        diagnostic => diagnostic,
    };
    let why = format!("it bounced: {}", Token::redact(reason));
    if !tx.mark_bounced(id, &why, env.now())? {
        return Ok(Disposition::Copy);
    }
    let Some(player) = &entry.player else { return Ok(Disposition::Bounce) };
    // A bounce from a former address does not count against the new one.
    let is_current =
        entry.sent_to.as_ref().is_some_and(|to| to.eq_ignore_ascii_case(&player.address));
    if is_current && outbox.record_bounce(player)? {
        notify_opponents(tx, outbox, player)?;
    }
    Ok(Disposition::Bounce)
}

/// Notifies each opponent of this player once that mail to the player has paused.
fn notify_opponents(tx: &Tx, outbox: &mut Outbox, player: &Player) -> Result<(), Error> {
    let mut notified = Vec::new();
    for listing in [Listing::ToMove(player.id), Listing::ToWait(player.id)] {
        for game in tx.games(listing, None)? {
            let opponent = if game.black == player.name { game.white } else { game.black };
            if notified.contains(&opponent) {
                continue;
            }
            let to = find::player(tx, &opponent.parse().unwrap_or_else(|never| match never {}))?;
            notified.push(opponent);
            let entry = NewOutboxEntry {
                kind: MessageKind::Paused,
                to: Recipient::Player(&to),
                game: Some((game.id, game.ply)),
                text: Some(&player.name),
                held: None,
                in_reply_to: None,
            };
            outbox.add(&entry, true)?;
        }
    }
    Ok(())
}
