//! Absences of players: their clocks stand still in all games that allow it.

use crate::app::effects::changed::Origin;
use crate::app::effects::outbox::Outbox;
use crate::app::effects::{flags, mails};
use crate::app::{Error, effects, find};
use crate::log::{Action, Event};
use crate::store::{Listing, Player};

/// Logs that a player is away or back in all active games that allow absences, and notifies each
/// opponent once with this text.
pub(crate) fn log(
    outbox: &mut Outbox,
    player: &Player,
    action: &Action,
    text: &str,
) -> Result<(), Error> {
    let mut notified = Vec::new();
    for listing in [Listing::ToMove(player.id), Listing::ToWait(player.id)] {
        for id in outbox.tx.list(listing, None)? {
            let stored = find::game(outbox.tx, id)?;
            let stored = flags::record(outbox, stored)?;
            let own = stored.color_of(player.id).filter(|_| stored.game.turn().is_some());
            let Some(own) = own.filter(|_| stored.terms.absences) else { continue };
            let mut game = stored.game.clone();
            game.apply(Event::by(own, action.clone())).map_err(Error::refused)?;
            let now = outbox.env.now();
            effects::store(outbox, &stored, &game, now, &Origin::default())?;
            let Some(opponent) = stored.player(!own) else { continue };
            if !notified.contains(&opponent.id) {
                notified.push(opponent.id);
                mails::notice(outbox, opponent, None, text)?;
            }
        }
    }
    Ok(())
}
