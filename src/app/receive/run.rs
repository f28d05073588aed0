//! Runs the commands of a player's mail.

use crate::app::commands::view::export::MAX_ATTACHED;
use crate::app::receive::answer::Answer;
use crate::app::receive::answers::{Prepared, run_command};
use crate::app::receive::comment::COMMENT;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::report::{CommandOutcome, already_signed_up, report};
use crate::app::receive::request::{Parsed, Request};
use crate::app::receive::tokens::RepliedTo;
use crate::app::receive::{doubtful, parse, question, quoted, watching};
use crate::app::run::session::Access;
use crate::app::{Error, Line, PlayerCommand, find};
use crate::store::{Db, Recipient};
use outflank_model::Player;
use outflank_model::log::GameId;

/// The most bytes of the files that wait to be sent to a player, before the last one.
const MAX_WAITING: u64 = 5_000_000;

/// Runs the commands of a player's mail and replies.
pub(crate) fn run(
    intake: &mut Intake,
    player: &Player,
    prepared: Prepared,
) -> Result<Disposition, Error> {
    let (tx, message, token) = (intake.tx, &intake.mail.message, intake.token);
    let token = token.as_ref();
    let to = RepliedTo::find(tx, player, token)?;
    let parse = |to: &_| parse::commands_with_token(tx, player, message, token, to);
    let mut commands = prepared.commands(player.id, token, to.clone(), parse)?;
    watching::limit(intake.env, tx, player, token, &mut commands);
    intake.count_commands(player, &commands)?;
    let (quoted, commands) = quoted::split(tx, player, message, &to, commands)?;
    let (mut doubtful, commands) = doubtful::split(intake.env, tx, player, &to, commands)?;
    doubtful.extend(quoted);
    let held = match &doubtful[..] {
        [] => Disposition::Done,
        lines => question::ask(intake, Recipient::Player(player), lines, false)?,
    };
    if commands.is_empty() && !doubtful.is_empty() {
        return Ok(held);
    }
    let outcomes = run_all(intake, player, commands)?;
    report(intake, player, to.at, &outcomes, false)?;
    Ok(held)
}

/// Runs commands one after the other. A refused command does not stop the others.
///
/// # Errors
/// A fault: the whole mail is undone and must be delivered again.
pub(crate) fn run_all(
    intake: &mut Intake,
    player: &Player,
    commands: Vec<Parsed>,
) -> Result<Vec<CommandOutcome>, Error> {
    let is_contradicted: Vec<_> = commands
        .iter()
        .map(|command| commands.iter().any(|other| command.contradicts(other)))
        .collect();
    let is_repeated: Vec<_> = (0..commands.len())
        .map(|at| commands[..at].iter().any(|earlier| earlier.repeats(&commands[at])))
        .collect();
    let mut outcomes = Vec::new();
    for (at, parsed) in commands.into_iter().enumerate() {
        if is_repeated[at] && !is_contradicted[at] {
            continue;
        }
        let (is_signup, word) = (parsed.is_signup(), parsed.word());
        // What is wrong with a comment is said without its words.
        let has_quotes = parsed.command().is_none() && parsed.words != COMMENT;
        let Parsed { words, request, answer, .. } = parsed;
        let outcome = match request {
            Request::Command(command) => {
                let answer = match is_contradicted[at] {
                    true => {
                        Some(Err(Error::refused("your mail has two different moves for one turn")
                            .with_hint("write only one")))
                    }
                    false => answer,
                };
                run_or_answer(intake, player, words, &command, answer)?
            }
            Request::FirstMove(is_black) => {
                let above = outcomes.last().filter(|above: &&CommandOutcome| above.result.is_ok());
                let begun = above.and_then(|above| above.game);
                let result = first_move(intake, player, begun, &words, is_black);
                CommandOutcome { words, game: begun, is_change: true, shows_board: false, result }
            }
            Request::Invalid(error) if !is_signup => CommandOutcome::refused(words, error),
            Request::Signup(_) | Request::Invalid(_) => {
                CommandOutcome::refused(words, already_signed_up(player))
            }
        };
        if outcome.result.as_ref().is_err_and(Error::is_fault) {
            return outcome.result.map(|_| Vec::new());
        }
        let outcome = attach(intake, player, outcome)?;
        if let Err(error) = &outcome.result {
            intake.findings.refused(word, error, has_quotes);
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// Lets the reply bring the file of an outcome, if there is room for it.
fn attach(
    intake: &mut Intake,
    player: &Player,
    mut outcome: CommandOutcome,
) -> Result<CommandOutcome, Error> {
    let file = outcome.result.as_mut().ok().and_then(|answer| answer.attachment.take());
    let Some(file) = file else { return Ok(outcome) };
    let others: usize = intake.attachments.iter().map(|it| it.content.len()).sum();
    if others + file.content.len() > MAX_ATTACHED {
        let error = Error::refused("the files of one mail can be 1 MB in all");
        outcome.result = Err(error.with_hint("write this command in a mail of its own"));
    } else if intake.tx.attached_bytes(player.id)? > MAX_WAITING {
        let error = Error::refused("earlier files still wait to be sent to you");
        outcome.result = Err(error.with_hint("write this command again when they have come"));
    } else {
        intake.attachments.push(file);
    }
    Ok(outcome)
}

/// Runs a command that has no answer yet.
fn run_or_answer(
    intake: &mut Intake,
    player: &Player,
    words: String,
    command: &PlayerCommand,
    answer: Option<Result<Answer, Error>>,
) -> Result<CommandOutcome, Error> {
    let concerns = command.concerns();
    let game = concerns.game();
    let is_change = concerns.is_change() && !is_local(intake.tx, game)?;
    let shows_board = shows_own_board(intake.tx, player, command)?;
    if let Some(result) = answer {
        return Ok(CommandOutcome { words, game, is_change, shows_board, result });
    }
    let earlier = intake.carrier;
    let result = run_one(intake, player, command, is_change);
    // Another mail says what it has done.
    let carrier = intake.carrier.filter(|_| intake.carrier != earlier);
    let (is_change, game) = (is_change || carrier.is_some(), carrier.and_then(|it| it.1).or(game));
    Ok(CommandOutcome { words, game, is_change, shows_board, result })
}

/// Makes the first move of a game that the command above has begun.
fn first_move(
    intake: &mut Intake,
    player: &Player,
    begun: Option<GameId>,
    mv: &str,
    is_black: bool,
) -> Result<Answer, Error> {
    let Some(game) = begun else { return Err(Error::refused("the game has not begun")) };
    match Line::command(&format!("move {game} {mv}"), None) {
        Some(command) if is_black => run_one(intake, player, &command, true),
        _ => Err(Error::refused("your colour was open when you wrote this")
            .with_hint("write `--color black` in the challenge to move at once")),
    }
}

/// Returns whether a command shows the present board of a game that the player plays.
fn shows_own_board(db: &Db, player: &Player, command: &PlayerCommand) -> Result<bool, Error> {
    match command {
        PlayerCommand::Show(show) if show.is_present() => {
            let game = command.concerns().game().map(|id| db.moment(id, player.id)).transpose()?;
            Ok(game.flatten().is_some())
        }
        _ => Ok(false),
    }
}

/// Returns whether a command is about a local game: no mails report its changes.
fn is_local(db: &Db, game: Option<GameId>) -> Result<bool, Error> {
    let stored = game.map(|id| find::intact_game(db, id)).transpose()?.flatten();
    Ok(stored.is_some_and(|stored| stored.local))
}

/// Runs a command and returns its answer; empty after a change that other mails report.
fn run_one(
    intake: &mut Intake,
    player: &Player,
    command: &PlayerCommand,
    is_change: bool,
) -> Result<Answer, Error> {
    let mail = Some(intake.in_reply_to());
    let access = Access::Shared { env: intake.env, tx: intake.tx, mail };
    let done = run_command(command, player, access)?;
    intake.outbox.queued.extend(&done.mails);
    if !is_change || intake.carrier.is_some() {
        intake.find_carrier(player, &done.mails)?;
    }
    Ok(if is_change { Answer::default() } else { Answer::of(done, player) })
}
