//! Offers and pauses as sentences for the opponent.

use super::words::{Names, numbered};
use crate::log::{Action, Event, Game, Offer};
use outflank_rules::Color;

/// Returns the sentence that reports an event to the opponent of its author; `None` if other mails
/// report it, or if it concerns only its author. `after` is the game with the event.
pub fn news(before: &Game, event: &Event, after: &Game, names: Names) -> Option<String> {
    let by = event.by?;
    let (name, offer) = (names.of(by), before.offer());
    Some(match &event.action {
        Action::Offer(offer) => offered(after, by, *offer, names),
        Action::Accept => match offer? {
            (_, Offer::Draw | Offer::Rematch) => return None,
            (_, Offer::Pause) => format!("{name} agreed to the pause, so the clocks stand still."),
            (_, Offer::TakeBack) => {
                let taken = after.taken_back().last()?;
                let moves = numbered(before, taken.ply);
                match moves.contains(' ') {
                    true => format!("{name} agreed, so these moves are taken back: {moves}."),
                    false => format!("{name} agreed, so {moves} is taken back."),
                }
            }
        },
        Action::Decline => match offer {
            Some((other, offer)) if other == by => {
                format!("{name} withdrew the {} in this game.", offer.noun())
            }
            Some((_, offer)) => format!("{name} declined your {} in this game.", offer.noun()),
            None => return None,
        },
        Action::Unpause => match after.flagged() {
            None => format!("{name} ended the pause, so the clocks run again."),
            Some(late) if late == by => format!(
                "{name} ended the pause. The time of {name} is over, so you can claim the game."
            ),
            Some(_) => {
                format!("{name} ended the pause. Your time is over, so {name} can claim the game.")
            }
        },
        _ => return None,
    })
}

/// Returns an offer as a sentence.
pub fn offered(game: &Game, by: Color, offer: Offer, names: Names) -> String {
    let name = names.of(by);
    match offer {
        Offer::Draw => format!("{name} offers a draw in this game."),
        Offer::TakeBack => {
            format!("{name} asks to take back {}.", to_take_back(game, by))
        }
        Offer::Pause => format!("{name} asks for a pause, in which the clocks stand still."),
        Offer::Rematch => format!("{name} offers a rematch with the other colours."),
    }
}

/// Returns why a takeback that this player asks for cannot be accepted, as the beginning of a sentence.
pub fn lacks_time(by: Color, names: Names) -> String {
    format!("{} would have no time left without that move", names.of(by))
}

/// Returns the moves that go if this player's last move is taken back, each behind its number.
pub fn to_take_back(game: &Game, by: Color) -> String {
    numbered(game, game.last_own_ply(by).unwrap_or(game.plies().len()))
}
