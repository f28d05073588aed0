//! The players' records: how many games they play, have won, lost and drawn. A game that is annulled
//! after its end is taken out of them.

use crate::app::Error;
use crate::app::effects::changed::Changed;
use crate::app::effects::outbox::Outbox;
use outflank_rules::Color;

/// Counts a game that has begun or ended, or was annulled after its end.
pub(crate) fn count(outbox: &Outbox, changed: &Changed) -> Result<(), Error> {
    let tx = outbox.tx;
    for color in Color::BOTH {
        let Some(player) = changed.after.player(color).map(|player| player.id) else { continue };
        if changed.before.is_none() {
            tx.count_start(player)?;
        }
        match changed.ended() {
            Some(outcome) if outcome.reason.counts() => {
                tx.count_result(player, outcome.winner.map(|winner| winner == color))?;
            }
            Some(_) => tx.count_end(player)?,
            None => {}
        }
        if let Some(outcome) = changed.annulled() {
            tx.uncount_result(player, outcome.winner.map(|winner| winner == color))?;
        }
    }
    Ok(())
}
