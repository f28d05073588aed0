//! What a reply to a mail about a watched game can do: read, and end the watching.

use crate::app::commands::settings::mute::Mute;
use crate::app::receive::answers::answer_reading;
use crate::app::receive::request::{Parsed, Request};
use crate::app::{Env, Error, PlayerCommand};
use crate::mail::token::{Claims, Purpose};
use crate::store::Db;
use outflank_model::Player;

/// Refuses the commands of a mail that its token does not allow, if it is that of a mail about a game
/// that the player watches.
pub(crate) fn limit(
    env: &Env,
    db: &Db,
    player: &Player,
    token: Option<&Claims>,
    commands: &mut [Parsed],
) {
    let Some(token) = token.filter(|token| token.purpose == Purpose::Watch) else { return };
    for parsed in commands.iter_mut() {
        // Here `unsubscribe` means the mails that the reader gets.
        if let Request::Command(command) = &parsed.request
            && let PlayerCommand::Mute(Mute { game }) = **command
            && game.0 == token.number
        {
            parsed.request = Parsed::unwatch(game).request;
        }
    }
    answer_reading(env, db, player, commands);
    for Parsed { request, answer, .. } in commands {
        let Request::Command(command) = request else { continue };
        if answer.is_none() && !command.traits().for_watchers {
            let error = Error::refused("you have replied to a mail about a game that you watch");
            let hint = "write this in a reply to a mail about your own game, or in a new mail";
            *answer = Some(Err(error.with_hint(hint)));
        }
    }
}
