//! Commands that must be confirmed, though their sender is certain.

use crate::app::commands::settings::leave::Leave;
use crate::app::commands::settings::new_address;
use crate::app::receive::request::{Parsed, Request};
use crate::app::receive::tokens::RepliedTo;
use crate::app::{Env, Error, PlayerCommand, UseCase};
use crate::store::{About, HeldLine, Moment, Player, StoredGame, Tx};

/// Takes the commands that must be confirmed out of those of a player's mail: `leave`, `set address`, and
/// resignations in a reply to a mail whose position was taken back.
pub(crate) fn split(
    env: &Env,
    tx: &Tx,
    player: &Player,
    to: &RepliedTo,
    commands: Vec<Parsed>,
) -> Result<(Vec<HeldLine>, Vec<Parsed>), Error> {
    let (mut doubtful, mut others) = (Vec::new(), Vec::new());
    for parsed in commands {
        // It was refused already.
        if parsed.answer.is_some() {
            others.push(parsed);
            continue;
        }
        match membership(env, tx, player, &parsed) {
            Some(Ok(line)) => {
                if !doubtful.contains(&line) {
                    doubtful.push(line);
                }
                continue;
            }
            Some(Err(error)) if error.is_fault() => return Err(error),
            Some(Err(error)) => {
                others.push(Parsed { answer: Some(Err(error)), ..parsed });
                continue;
            }
            None => {}
        }
        let resigned = match &parsed.request {
            Request::Command(command) if matches!(**command, PlayerCommand::Resign(_)) => {
                command.concerns().game().and_then(|game| to.position(game))
            }
            _ => None,
        };
        let stored = resigned.map(|at| tx.game(at.game)).transpose()?.flatten();
        let is_doubtful = |(at, StoredGame { game, .. }): (Moment, StoredGame)| {
            let ply = game.after(at.events)?.plies().len();
            let mut later = game.taken_back().iter().filter(|it| it.event > at.events);
            let is_gone = game.turn().is_some() && later.any(|it| it.ply < ply);
            is_gone.then(|| (at.game, game.events().len()))
        };
        let Some((game, events)) = resigned.zip(stored).and_then(is_doubtful) else {
            others.push(parsed);
            continue;
        };
        let sentence = "the position in the mail that you replied to was taken back".to_owned();
        let about = Some(About { events: Some(events), sentence });
        let line = HeldLine { about, ..HeldLine::other(format!("resign {game}")) };
        if !doubtful.contains(&line) {
            doubtful.push(line);
        }
    }
    Ok((doubtful, others))
}

/// Returns the line of a command that ends the membership or changes the address.
fn membership(
    env: &Env,
    tx: &Tx,
    player: &Player,
    parsed: &Parsed,
) -> Option<Result<HeldLine, Error>> {
    let Request::Command(command) = &parsed.request else { return None };
    match &**command {
        PlayerCommand::Leave(_) => Some(Ok(Leave::line())),
        PlayerCommand::Set(set) => set.new_address().map(|address| {
            let address = address?;
            tx.part(|| new_address::request(env, tx, player, &address))
        }),
        _ => None,
    }
}
