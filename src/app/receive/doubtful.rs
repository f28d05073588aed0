//! Commands that must be confirmed, though their sender is certain.

use crate::app::commands::settings::leave::Leave;
use crate::app::commands::settings::new_address;
use crate::app::receive::question::{Doubt, separate};
use crate::app::receive::request::Parsed;
use crate::app::receive::tokens::RepliedTo;
use crate::app::{Env, Error, PlayerCommand};
use crate::store::Tx;
use outflank_model::{About, HeldLine, Moment, Player, StoredGame};

/// Separates the commands of a player's mail that must be confirmed: `leave`, `set address`, and
/// resignations if the position in the mail that was answered was taken back.
pub(crate) fn split(
    env: &Env,
    tx: &Tx,
    player: &Player,
    to: &RepliedTo,
    commands: Vec<Parsed>,
) -> Result<(Vec<HeldLine>, Vec<Parsed>), Error> {
    separate(commands, |parsed| match parsed.command() {
        Some(PlayerCommand::Leave(_)) => Ok(Doubt::Confirm(Leave::line())),
        Some(PlayerCommand::Set(set)) => Ok(match set.new_address() {
            Some(Ok(address)) => tx.part(|| new_address::request(env, tx, player, &address)).into(),
            Some(Err(error)) => Doubt::Refuse(error),
            None => Doubt::None,
        }),
        Some(command @ PlayerCommand::Resign(_)) => {
            resigned(tx, command.concerns().game().and_then(|game| to.position(game)))
        }
        _ => Ok(Doubt::None),
    })
}

/// Doubts a resignation in a reply to a mail about this position, if the position was taken back.
fn resigned(tx: &Tx, at: Option<Moment>) -> Result<Doubt, Error> {
    let Some(at) = at else { return Ok(Doubt::None) };
    let Some(StoredGame { game, .. }) = tx.game(at.game)? else { return Ok(Doubt::None) };
    let is_gone = game.turn().is_some()
        && game.after(at.events).is_some_and(|then| {
            let mut later = game.taken_back().iter().filter(|it| it.event > at.events);
            later.any(|it| it.ply < then.plies().len())
        });
    if !is_gone {
        return Ok(Doubt::None);
    }
    let sentence = "the position in the mail that you replied to was taken back".to_owned();
    let about = Some(About { events: Some(game.events().len()), sentence });
    Ok(Doubt::Confirm(HeldLine { about, ..HeldLine::other(format!("resign {}", at.game)) }))
}
