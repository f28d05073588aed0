//! Holds commands until their sender confirms them.

use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::parse;
use crate::app::receive::report::{HOW_WITHOUT_GAME, already_signed_up, report, sentence};
use crate::app::receive::request::{Parsed, Request};
use crate::app::{Error, PlayerCommand, UseCase};
use crate::store::{Db, MailContent, Player, Recipient};

/// The most words of a held command, and the most characters of each: enough for a command, not for
/// a stranger's sentences.
const MAX_WORDS: usize = 8;
const MAX_WORD_CHARS: usize = 32;

const REVOKED: &str = "\
The reply token in the address that you wrote to is not valid any more, so nothing was done. Reply \
to a newer mail.";

/// Holds the commands of a mail from a player's address, and asks the player to confirm them.
pub(crate) fn hold(intake: &mut Intake, player: &Player) -> Result<Disposition, Error> {
    let mut lines = Vec::new();
    let mut wants_signup = false;
    for Parsed { words, request, .. } in parse::commands(&intake.mail.message, None) {
        match request {
            Request::Command(command) if matches!(*command, PlayerCommand::Say(_)) => {}
            // A stranger's own words must not reach the player, only plain commands.
            Request::Command(command) if is_plain(&words) || is_setting(&command) => {
                lines.push(bound_to_now(intake.tx, player, &command, words)?);
            }
            Request::Signup(_) => wants_signup = true,
            Request::Command(_) | Request::Invalid(_) => {}
        }
    }
    intake.count(&player.address, !lines.is_empty())?;
    if !lines.is_empty() {
        return ask(intake, Recipient::Player(player), &lines.join("\n"));
    }
    let to = Recipient::Player(player);
    if wants_signup {
        intake.reply(to, None, &sentence(&already_signed_up(player)))?;
    } else if intake.mail.tokens.has_addressed() {
        intake.reply(to, None, &format!("{REVOKED}\n\n{HOW_WITHOUT_GAME}"))?;
    } else {
        report(intake, player, None, &[], true)?;
    }
    Ok(Disposition::Done)
}

/// Holds commands and asks the recipient to confirm them.
pub(crate) fn ask(
    intake: &mut Intake,
    to: Recipient,
    commands: &str,
) -> Result<Disposition, Error> {
    let player = to.player().map(|player| player.id);
    let held = intake.tx.hold(player, to.address(), commands, intake.env.now())?;
    if intake.add_about_held(to, MailContent::Confirm(held))? {
        return Ok(Disposition::Held);
    }
    intake.tx.delete_held(held)?;
    Ok(Disposition::Flood)
}

/// Returns a line with the same effect as the command has now: a move without a number gets the
/// number of the game's next move.
fn bound_to_now(
    db: &Db,
    player: &Player,
    command: &PlayerCommand,
    words: String,
) -> Result<String, Error> {
    let concerns = command.concerns();
    let Some(play) = concerns.play() else { return Ok(words) };
    let Some(stored) = db.game(play.game)? else { return Ok(words) };
    let is_own = stored.color_of(player.id).is_some();
    let ply = is_own.then(|| stored.game.plies().len() + 1);
    Ok(play.to_command(stored.game.start().rules().lattice, ply))
}

/// Returns whether words contain no more than a command needs: no links, no sentences.
fn is_plain(words: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "#-_.:".contains(c);
    words.split(' ').count() <= MAX_WORDS
        && words.split(' ').all(|word| word.len() <= MAX_WORD_CHARS && word.chars().all(fits))
}

/// Returns whether a command sets a valid value, which can have other characters.
fn is_setting(command: &PlayerCommand) -> bool {
    matches!(command, PlayerCommand::Set(set) if set.is_valid())
}
