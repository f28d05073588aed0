//! The mails to those who watch a game: about its moves, its end and its analysis.

use chrono::TimeDelta;

use crate::app::effects::changed::Changed;
use crate::app::effects::due::Hold;
use crate::app::effects::mails::{is_taken_back, last_move};
use crate::app::effects::outbox::Outbox;
use crate::app::views::text::mail_text;
use crate::app::{Error, Reply};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::{Moment, PlayerId, StoredGame};

/// Queues the mails of a change of a game to those who watch it: about its end or annulment, or about
/// the last move. There is none while a computer player is to move, which takes only a moment.
pub(crate) fn queue(outbox: &mut Outbox, changed: &Changed) -> Result<(), Error> {
    let (after, Some(before)) = (changed.after, changed.before) else { return Ok(()) };
    if outbox.tx.count_watchers(after.id)? == 0 {
        return Ok(());
    }
    let made = last_move(changed.events());
    let is_over = changed.ended().or(changed.annulled()).is_some();
    if is_over || made.is_some() || is_taken_back(before, &after.game) {
        outbox.tx.supersede_watched_mails(after.id)?;
    }
    let moment = Moment::of(after.id, &after.game);
    let (kind, hold) = match (is_over, made, after.game.turn()) {
        (true, ..) => (MessageKind::WatchedOver, Hold::Default),
        (false, Some(made), Some(turn)) if after.player(turn).is_some() => {
            let mover = made.by.and_then(|by| after.player(by));
            let grace = mover.map_or(TimeDelta::zero(), |mover| mover.preferences.grace.span());
            (MessageKind::Watched, Hold::Grace(grace))
        }
        _ => return Ok(()),
    };
    let content = MailContent::of_game(kind, moment);
    for watcher in outbox.tx.watchers(after.id)? {
        outbox.mail_held(&watcher, content.clone(), hold)?;
    }
    Ok(())
}

/// Queues the mails about the analysis of a game to those who watch it, except this player.
pub(crate) fn queue_analysis(
    outbox: &mut Outbox,
    stored: &StoredGame,
    analysis: &Reply,
    except: Option<PlayerId>,
) -> Result<(), Error> {
    let game = Moment::of(stored.id, &stored.game);
    for watcher in outbox.tx.watchers(stored.id)? {
        if Some(watcher.id) == except {
            continue;
        }
        let analysis = mail_text(analysis, &watcher);
        let text = format!("The analysis of game {}:\n{analysis}", stored.id);
        let content = MailContent::of_text(MessageKind::WatchedAnalysis, Some(game), text);
        outbox.mail(&watcher, content)?;
    }
    Ok(())
}
