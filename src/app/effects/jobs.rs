//! The queue of computer players' jobs.

use crate::app::Error;
use crate::app::effects::changed::Changed;
use crate::app::effects::outbox::Outbox;
use crate::store::{JobKind, JobRank, NewJob};
use outflank_model::StoredGame;
use outflank_model::bot::Bot;
use outflank_model::log::Offer;
use outflank_rules::Color;

/// Queues the job of a computer player after a change, and notes the game for the front end, which may let
/// it act at once.
pub(crate) fn queue(outbox: &mut Outbox, changed: &Changed) -> Result<(), Error> {
    let after = changed.after;
    if Color::BOTH.into_iter().all(|color| after.player(color).is_some()) {
        return Ok(());
    }
    let job = next(after);
    let is_new = outbox.tx.set_bot_job(after.id, job, changed.at)?;
    if is_new && !outbox.bots.contains(&after.id) {
        outbox.bots.push(after.id);
    }
    Ok(())
}

/// Returns the next job of a computer player in a game.
pub(crate) fn next(stored: &StoredGame) -> Option<NewJob> {
    let is_bot = |color| stored.player(color).is_none();
    let (kind, color) = match (stored.game.offer(), stored.game.turn()) {
        // The answer goes first: a move would end the offer.
        (Some((by, Offer::Draw)), _) if is_bot(!by) => (JobKind::Answer, !by),
        (_, Some(turn)) if is_bot(turn) => (JobKind::Move, turn),
        _ => return None,
    };
    let rank = match stored.side(color).bot() {
        Some(Bot::Level(level)) if level.is_quick() => JobRank::Quick,
        _ => JobRank::Slow,
    };
    let player = stored.player(!color).map(|person| person.id);
    Some(NewJob { kind, event: stored.game.position_event(), player, rank })
}
