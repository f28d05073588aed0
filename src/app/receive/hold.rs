//! Unverified mail: commands that change something are held until their sender confirms them.

use chrono::TimeDelta;

use crate::app::receive::answers::{Prepared, answer_reading};
use crate::app::receive::bound::bound_to_now;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::parse::{self, MAX_COMMANDS};
use crate::app::receive::question::{ask, hold_lines};
use crate::app::receive::report::{HOW_WITHOUT_GAME, already_signed_up, report, sentence};
use crate::app::receive::request::{Parsed, Request};
use crate::app::receive::run::run_all;
use crate::app::receive::tokens::RepliedTo;
use crate::app::views::comments;
use crate::app::{Error, Line, PlayerCommand, Words};
use crate::store::{NewOutboxEntry, Recipient, UntriedQuestion};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::{HeldCommands, HeldLine, Player};

/// How long commands are added to a question that was not tried yet. Its commands are all dropped a
/// week after the first ones came.
const EXTENDED_FOR: TimeDelta = TimeDelta::days(1);

/// The most words of a held command, and the most characters of each: enough for a command, not for
/// a stranger's sentences.
const MAX_WORDS: usize = 8;
const MAX_WORD_CHARS: usize = 32;

const REVOKED: &str = "\
The reply token in the address that you wrote to is not valid any more, so nothing was done. Reply \
to a newer mail.";

/// Answers the commands of an unverified mail from a player's address that only read, holds the
/// others, and asks the player to confirm those.
pub(crate) fn hold(
    intake: &mut Intake,
    player: &Player,
    prepared: Prepared,
) -> Result<Disposition, Error> {
    let (env, tx, message) = (intake.env, intake.tx, &intake.mail.message);
    let parse = || {
        let mut commands = parse::commands(message, None);
        answer_reading(env, tx, player, &mut commands);
        commands
    };
    let token = intake.token.as_ref();
    let commands = prepared.commands(player.id, token, RepliedTo::default(), |_| Ok(parse()))?;
    intake.count_commands(player, &commands)?;
    let wants_signup = commands.iter().any(Parsed::is_signup);
    let had_words = commands.iter().any(has_words);
    let (reading, lines) = sort(intake, player, commands)?;
    let to = Recipient::Player(player);
    let ask = (!lines.is_empty()).then(|| ask_player(intake, player, &lines, had_words));
    let asked = ask.transpose()?;
    let are_words_reported = asked.is_some() || !had_words;
    if !reading.is_empty() {
        intake.notes.extend((!are_words_reported).then_some(comments::NOT_KEPT));
        let outcomes = run_all(intake, player, reading)?;
        report(intake, player, None, &outcomes, true)?;
    } else if let Some(asked) = asked {
        return Ok(asked);
    } else if !are_words_reported {
        intake.reply(to, None, comments::NOT_KEPT)?;
    } else if wants_signup {
        intake.reply(to, None, &sentence(&already_signed_up(player)))?;
    } else if intake.mail.tokens.has_addressed() {
        intake.reply(to, None, &format!("{REVOKED}\n\n{HOW_WITHOUT_GAME}"))?;
    } else {
        report(intake, player, None, &[], true)?;
    }
    Ok(asked.unwrap_or(Disposition::Done))
}

/// Returns the commands that have an answer, and the lines of those to confirm. A stranger's own words must
/// not reach the player, only plain commands.
fn sort(
    intake: &Intake,
    player: &Player,
    commands: Vec<Parsed>,
) -> Result<(Vec<Parsed>, Vec<HeldLine>), Error> {
    let (mut reading, mut lines) = (Vec::new(), Vec::new());
    for parsed in commands.into_iter().filter(|parsed| !has_words(parsed)) {
        match &parsed.request {
            Request::Command(command) if let PlayerCommand::Challenge(it) = &**command => {
                let words = it.canonical(intake.env, intake.tx)?;
                lines.extend(words.map(HeldLine::other));
            }
            Request::Command(command)
                if is_plain(&parsed.words) || is_setting(command) || is_plan(command) =>
            {
                match parsed.answer {
                    Some(answer) if !answer.as_ref().is_ok_and(|it| it.attachment.is_some()) => {
                        reading.push(Parsed { answer: Some(answer), ..parsed });
                    }
                    // Nobody but the player makes the server send files.
                    _ => match bound_to_now(intake.tx, player, command, &parsed.words) {
                        Ok(line) => lines.push(line),
                        Err(error) if error.is_fault() => return Err(error),
                        Err(refused) => {
                            reading.push(Parsed { answer: Some(Err(refused)), ..parsed });
                        }
                    },
                }
            }
            _ => {}
        }
    }
    Ok((reading, lines))
}

/// Returns whether a line has more than a command: words that are meant for somebody.
fn has_words(parsed: &Parsed) -> bool {
    match &parsed.request {
        Request::Command(command) => match command.traits().words {
            Some(Words::ForOthers) => true,
            Some(Words::Own) => !is_plain(&parsed.words),
            None => false,
        },
        _ => parsed.words == "say",
    }
}

/// Asks a player to confirm commands: in the last question, if that was not tried yet and they fit
/// into it, or else in another one.
fn ask_player(
    intake: &mut Intake,
    player: &Player,
    lines: &[HeldLine],
    had_words: bool,
) -> Result<Disposition, Error> {
    let oldest = intake.env.now() - EXTENDED_FOR;
    let last = intake.tx.untried_question(player.id)?;
    let last = last.filter(|last| last.held.created_at > oldest);
    if let Some(UntriedQuestion { mail, id, held }) = last
        && let Some(commands) = joined(&held, lines)
    {
        // Held commands never change, so that a yes runs those that its question has shown.
        let had_words = held.had_words || had_words;
        if (&commands, had_words) != (&held.lines, held.had_words) {
            let held_at = held.created_at;
            let new = hold_lines(intake, Recipient::Player(player), &commands, had_words, held_at)?;
            let entry = NewOutboxEntry {
                to: Recipient::Player(player),
                content: MailContent::of_held(MessageKind::Confirm, new),
                in_reply_to: Some(intake.in_reply_to()),
            };
            intake.outbox.change_question(mail, &entry, new)?;
            intake.tx.release(id, intake.env.now())?;
        }
        return Ok(Disposition::Held);
    }
    ask(intake, Recipient::Player(player), lines, had_words)
}

/// Returns held commands with others behind them, except repeated ones. `None` if they are too many
/// or contradict each other.
fn joined(held: &HeldCommands, lines: &[HeldLine]) -> Option<Vec<HeldLine>> {
    let parse = |line: &HeldLine| Parsed::new(&line.words, Line::parse(&line.words, None));
    let mut all = held.lines.clone();
    let earlier: Vec<_> = all.iter().filter_map(parse).collect();
    for line in lines {
        let parsed = parse(line)?;
        if earlier.iter().any(|earlier| earlier.contradicts(&parsed)) {
            return None;
        }
        if !earlier.iter().any(|earlier| earlier.repeats(&parsed)) {
            all.push(line.clone());
        }
    }
    (all.len() <= MAX_COMMANDS).then_some(all)
}

/// Returns whether words contain no more than a command needs: no links, no sentences.
fn is_plain(words: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "#-_.:".contains(c);
    words.split(' ').count() <= MAX_WORDS
        && words.split(' ').all(|word| word.len() <= MAX_WORD_CHARS && word.chars().all(fits))
}

/// Returns whether a command plans moves, which can be many.
fn is_plan(command: &PlayerCommand) -> bool {
    matches!(command, PlayerCommand::Plan(plan) if plan.is_only_moves())
}

/// Returns whether a command sets a valid value, which can have other characters.
fn is_setting(command: &PlayerCommand) -> bool {
    matches!(command, PlayerCommand::Set(set) if set.is_valid())
}
