//! The players' records: how many games they play, have won, lost and drawn, and how many of their turns
//! were in time. A game that is annulled after its end is taken out of them.

use crate::app::Error;
use crate::app::effects::changed::{Changed, GamePlayers};
use crate::app::effects::outbox::Outbox;
use crate::store::{RecordAbout, Turns};
use outflank_model::log::{Action, Event, Game, Outcome};
use outflank_model::rating::{List, Score};
use outflank_model::time_control::{Terms, TimeControl};
use outflank_model::{PlayerId, Side};
use outflank_rules::Color;

/// Counts a game that has begun or ended, or was annulled after its end.
pub(crate) fn count(outbox: &Outbox, changed: &Changed) -> Result<(), Error> {
    let tx = outbox.tx;
    for color in Color::BOTH {
        let Some(player) = changed.after.player(color).map(|player| player.id) else { continue };
        if changed.before.is_none() {
            tx.count_active(player, 1)?;
        }
        if changed.ended().is_some() {
            tx.count_active(player, -1)?;
        }
        if let Some(outcome) = changed.ended().filter(|outcome| outcome.reason.counts()) {
            count_result(outbox, changed, (color, player), outcome, true)?;
        }
        if let Some(outcome) = changed.annulled() {
            count_result(outbox, changed, (color, player), outcome, false)?;
        }
    }
    Ok(())
}

/// Counts the result of a player, also by rules, colour and opponent, and the player's turns, or no longer.
fn count_result(
    outbox: &Outbox,
    changed: &Changed,
    (color, player): (Color, PlayerId),
    outcome: Outcome,
    counts: bool,
) -> Result<(), Error> {
    let tx = outbox.tx;
    let has_won = outcome.winner.map(|winner| winner == color);
    tx.count_result(player, has_won, if counts { 1 } else { -1 })?;
    let details = Details::of(&changed.after, changed.terms, color, outcome);
    for about in &details.about {
        tx.count_in_record(player, about, details.score, counts)?;
    }
    details.turns.map_or(Ok(()), |turns| Ok(tx.count_turns(player, turns, counts)?))
}

/// What a finished game that counts adds to the records of one player.
pub(crate) struct Details {
    /// How it ended for the player.
    pub score: Score,
    /// The records that it counts in.
    pub about: [RecordAbout; 2],
    /// The player's turns; `None` in a game without a clock.
    pub turns: Option<Turns>,
}

impl Details {
    pub(crate) fn of(of: &GamePlayers, terms: &Terms, color: Color, outcome: Outcome) -> Self {
        let list = List::of(of.game.start().rules());
        let opponent = match of.side(!color) {
            Side::Person(opponent) => RecordAbout::Player(opponent.id),
            Side::Bot { bot, .. } => RecordAbout::Bot(bot.clone()),
        };
        Self {
            score: Score::of(outcome.winner.map(|winner| winner == color)),
            about: [RecordAbout::Color(color, list), opponent],
            turns: (terms.control != TimeControl::None).then(|| turns(of.game, color)),
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
