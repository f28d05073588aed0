//! Binds the commands of a reply to the mail that it answers: an answer is for the offer that was open
//! in that mail, and a move is for the position there.

use chrono::{DateTime, Utc};

use crate::app::receive::request::{Parsed, Request};
use crate::app::receive::tokens::RepliedTo;
use crate::app::{Error, Known, PlayerCommand, Shown, find};
use crate::store::Db;
use outflank_model::Player;
use outflank_model::log::GameId;

/// Binds the commands of a player's mail. Moves in games that a digest did not draw are refused.
pub(crate) fn bind(
    db: &Db,
    player: &Player,
    to: &RepliedTo,
    commands: &mut [Parsed],
) -> Result<(), Error> {
    for Parsed { request, answer, .. } in commands {
        let Request::Command(command) = request else { continue };
        if let (PlayerCommand::Withdraw(_), Some(known)) = (&**command, to.known) {
            command.bind(Shown::Offer(known));
        }
        let Some(game) = command.concerns().game() else { continue };
        if let Some(known) = to.known.filter(|_| to.at.is_none_or(|at| at.game == game)) {
            command.bind(Shown::Offer(known));
        }
        if let Some(Known::Before(made_at)) = to.known
            && is_meant_for_one(command)
            && begun_at(db, game)?.is_some_and(|begun_at| begun_at > made_at)
        {
            *answer = Some(Err(begun_later(game)));
            continue;
        }
        let Some(drawn) = to.drawn.as_ref().filter(|_| needs_position(command)) else { continue };
        if let Some(at) = to.position(game) {
            command.bind(Shown::Drawn(at));
        } else if db.moment(game, player.id)?.is_some() {
            *answer = Some(Err(not_drawn(game, drawn.is_empty())));
        }
    }
    Ok(())
}

/// Returns whether a command would do harm in another game with the number that it names.
fn is_meant_for_one(command: &PlayerCommand) -> bool {
    command.traits().words.is_some() || needs_position(command) || command.concerns().is_change()
}

/// Returns when the number of a game was given, to it or to its challenge.
fn begun_at(db: &Db, game: GameId) -> Result<Option<DateTime<Utc>>, Error> {
    Ok(match db.challenge(game)? {
        Some(challenge) => Some(challenge.created_at),
        None => find::intact_game(db, game)?.map(|stored| stored.started),
    })
}

/// Returns the error for a command about a game that is newer than the mail. After a restore, its author
/// may have meant another game with the number.
fn begun_later(game: GameId) -> Error {
    Error::refused(format!("game {game} is newer than the mail that you replied to"))
        .with_hint("reply to this mail or to a newer one")
}

/// Returns whether a command makes sense only for a certain position.
fn needs_position(command: &PlayerCommand) -> bool {
    match command {
        PlayerCommand::Plan(plan) => plan.has_moves(),
        _ => command.concerns().play().is_some(),
    }
}

/// Returns the error for a move in a game that a digest did not draw.
fn not_drawn(game: GameId, is_deleted: bool) -> Error {
    let message = if is_deleted {
        "that daily mail is so old that the position in it is not known any more".to_owned()
    } else {
        format!("the board of game {game} was not in the mail that you replied to")
    };
    Error::refused(message).with_hint("look at the board and reply to this mail with your move")
}
