//! Failures of the mail to a player: they are counted, and pause the mail to an address that fails.

use super::notify::Outbox;
use super::{Error, find};
use crate::store::{
    Listing, MailState, MessageKind, NewOutboxEntry, OutboxEntry, Player, PlayerId, Recipient,
};

/// After so many bounces, mail to an address pauses.
pub(super) const MOST_BOUNCES: u32 = 3;

impl Outbox<'_> {
    /// Counts a mail that came back, or whose recipient was refused for ever, against the address
    /// that it went to. Mail to an address that fails pauses, and the opponents are notified.
    pub(super) fn record_failure(&mut self, entry: &OutboxEntry) -> Result<(), Error> {
        let Some(player) = &entry.player else { return Ok(()) };
        // A failure of a former address does not count against the new one.
        let is_current =
            entry.sent_to.as_ref().is_some_and(|to| to.eq_ignore_ascii_case(&player.address));
        if !is_current {
            return Ok(());
        }
        let bounces = player.bounces.saturating_add(1);
        self.tx.set_bounces(player.id, bounces)?;
        if bounces >= MOST_BOUNCES {
            self.tx.change_state(player.id, MailState::Queued, MailState::Paused)?;
        }
        if bounces == MOST_BOUNCES { self.notify_opponents(player) } else { Ok(()) }
    }

    /// Records that mail to a player arrives again: forgets bounces and queues paused mails.
    pub(super) fn resume(&self, player: PlayerId) -> Result<(), Error> {
        self.tx.set_bounces(player, 0)?;
        Ok(self.tx.change_state(player, MailState::Paused, MailState::Queued)?)
    }

    /// Notifies each opponent of this player once that mail to the player has paused.
    fn notify_opponents(&mut self, player: &Player) -> Result<(), Error> {
        let mut notified = Vec::new();
        for listing in [Listing::ToMove(player.id), Listing::ToWait(player.id)] {
            for game in self.tx.games(listing, None)? {
                let opponent = if game.black == player.name { game.white } else { game.black };
                if notified.contains(&opponent) {
                    continue;
                }
                let name = opponent.parse().unwrap_or_else(|never| match never {});
                let to = find::player(self.tx, &name)?;
                notified.push(opponent);
                let entry = NewOutboxEntry {
                    kind: MessageKind::Paused,
                    to: Recipient::Player(&to),
                    game: Some((game.id, game.ply)),
                    text: Some(&player.name),
                    held: None,
                    in_reply_to: None,
                };
                self.add(&entry, true)?;
            }
        }
        Ok(())
    }
}
