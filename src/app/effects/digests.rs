//! Daily digests: one mail with every game that waits for its reader.

use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::{App, Env, Error};
use crate::store::{Listing, MailContent, NewOutboxEntry, PlayerId, Tx};

/// The most digests that are queued in one transaction.
const MAX_DIGESTS: u32 = 100;
/// The most games that a digest lists.
const MAX_GAMES: usize = 200;

impl App {
    /// Queues the digests that are due, each once, however many processes do this at the same time.
    pub(crate) fn queue_digests(&mut self) -> Result<(), Error> {
        let now = self.env.now();
        while self.store.read(|db| db.is_digest_due(now))? {
            let env = &self.env;
            self.store.write(|tx| {
                let players = tx.players_with_due_digests(now, MAX_DIGESTS)?;
                players.into_iter().try_for_each(|player| queue(env, tx, player))
            })?;
        }
        Ok(())
    }
}

/// Replaces the turn mails of a player that wait for a digest with one.
fn queue(env: &Env, tx: &Tx, id: PlayerId) -> Result<(), Error> {
    tx.supersede_mails_for_digest(id)?;
    let mut games = Vec::new();
    for game in tx.games(Listing::ToMove(id), None)? {
        if tx.is_subscribed(id, game.id)? {
            games.push(game.moment());
        }
    }
    if games.is_empty() {
        return Ok(());
    }
    games.truncate(MAX_GAMES);
    let player = tx.player(id)?;
    let entry = NewOutboxEntry::to(&player, MailContent::Digest(games));
    Outbox::new(env, tx).add(&entry, Cause::COMMAND).map(drop)
}
