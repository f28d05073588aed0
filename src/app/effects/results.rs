//! The players' records: how many games they play, have won, lost and drawn, and how many of their turns
//! were in time. A game that is annulled after its end is taken out of them.

use crate::app::Error;
use crate::app::effects::changed::Changed;
use crate::app::effects::outbox::Outbox;
use crate::store::{RecordAbout, Turns};
use outflank_model::log::{Action, Event, Game, Outcome};
use outflank_model::rating::{List, Score};
use outflank_model::time_control::TimeControl;
use outflank_model::{Side, StoredGame};
use outflank_rules::Color;

/// Counts a game that has begun or ended, or was annulled after its end.
pub(crate) fn count(outbox: &Outbox, changed: &Changed) -> Result<(), Error> {
    let tx = outbox.tx;
    for color in Color::BOTH {
        let Some(player) = changed.after.player(color).map(|player| player.id) else { continue };
        // In all, by rules, colour and opponent, and the player's turns.
        let count_result = |outcome: Outcome, counts: bool| -> Result<(), Error> {
            let has_won = outcome.winner.map(|winner| winner == color);
            tx.count_result(player, has_won, if counts { 1 } else { -1 })?;
            let details = Details::of(changed.after, color, outcome);
            for about in &details.about {
                tx.count_in_record(player, about, details.score, counts)?;
            }
            details.turns.map_or(Ok(()), |turns| Ok(tx.count_turns(player, turns, counts)?))
        };
        if changed.before.is_none() {
            tx.count_active(player, 1)?;
        }
        if changed.ended().is_some() {
            tx.count_active(player, -1)?;
        }
        if let Some(outcome) = changed.ended().filter(|outcome| outcome.reason.counts()) {
            count_result(outcome, true)?;
        }
        if let Some(outcome) = changed.annulled() {
            count_result(outcome, false)?;
        }
    }
    Ok(())
}

/// The part of a finished game that counts in the records of one player.
pub(crate) struct Details {
    /// How it ended for the player.
    pub score: Score,
    /// The records that it counts in.
    pub about: Vec<RecordAbout>,
    /// The player's turns; `None` in a game without a clock.
    pub turns: Option<Turns>,
}

impl Details {
    pub(crate) fn of(stored: &StoredGame, color: Color, outcome: Outcome) -> Self {
        let list = List::of(stored.game.start().rules());
        let has_clock = stored.agreement.terms.control != TimeControl::None;
        let opponent = match stored.side(!color) {
            Side::Person(opponent) => Some(RecordAbout::Player(opponent.id)),
            Side::Bot { bot, .. } => Some(RecordAbout::Bot(bot.clone())),
            Side::Guest(_) => None,
        };
        Self {
            score: Score::of(outcome.winner.map(|winner| winner == color)),
            about: [Some(RecordAbout::Color(color, list)), opponent]
                .into_iter()
                .flatten()
                .collect(),
            turns: has_clock.then(|| turns(&stored.game, color)),
        }
    }
}

/// Returns the turns of a player in a game, with one that ended it because no move came in time. A turn
/// is late if its time has run out, however often.
fn turns(game: &Game, color: Color) -> Turns {
    let (mut turns, mut has_run_out) = (Turns::default(), false);
    for Event { by, action } in game.events() {
        let is_late = match action {
            Action::Flag(player) => {
                has_run_out |= *player == color;
                continue;
            }
            Action::Move(_) if *by == Some(color) => has_run_out,
            Action::Claim if *by == Some(!color) => true,
            Action::TimeOut(player) if *player == color => true,
            _ => continue,
        };
        turns.all += 1;
        turns.late += u32::from(is_late);
        has_run_out = false;
    }
    turns
}
