//! Replies to the mails that ask to confirm held commands.

use std::iter;

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::Error;
use crate::app::commands::play::moves::taken_back;
use crate::app::commands::settings::new_address;
use crate::app::effects::bounces::{self, record_sign_of_life};
use crate::app::effects::outbox::Cause;
use crate::app::receive::answers::Prepared;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::join::sign_up;
use crate::app::receive::parse;
use crate::app::receive::report::report;
use crate::app::receive::request::{Parsed, Request};
use crate::app::receive::run::run_all;
use crate::app::receive::screen::digest;
use crate::app::receive::tokens::RepliedTo;
use crate::app::receive::yes_no::NO;
use crate::app::views::comments;
use crate::command::{Address, CONFIRM_WORDS, mailbox, normalize};
use crate::mail::read::{Body, InboundMessage};
use crate::mail::token::Claims;
use crate::store::{Db, NewOutboxEntry, Recipient};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::{HeldCommands, HeldId, Player, PlayerId};

/// How long commands wait for a confirmation.
const MAX_HOLD: TimeDelta = TimeDelta::days(7);

/// The answer in a reply to a mail that asked for a confirmation.
enum Answer {
    Yes,
    No,
    Unclear,
}

/// What ends the first clause of a line.
const CLAUSE_ENDS: [&str; 6] = [",", "、", "，", "!", ";", " -"];

const UNCLEAR: &str = "\
Your reply was neither a clear yes nor a clear no, so nothing was done yet. Reply `yes`, alone on the first \
line, if it was you, or `no`. Without a clear answer the question ends after a week.";
const LATE: &str = "\
The commands waited for more than a week, so they were not run. Please send them again.";
const TAKEN: &str = "Not done: a player has this address by now.";
const CHANGED: &str = "\
Your mail comes to this address from now on. Replies to earlier mails are refused. Reply \
`games` to this one to see which games wait for you.";
const UNCLEAR_ANSWER: Disposition = Disposition::Ignored("neither yes nor no");
pub(crate) const NOTHING_HELD: Disposition = Disposition::Ignored("nothing held");

/// Processes the reply with this token to a mail that asked for a confirmation.
pub(crate) fn process(
    intake: &mut Intake,
    token: &Claims,
    prepared: Prepared,
) -> Result<Disposition, Error> {
    let id = HeldId(token.number);
    let Some(held) = intake.tx.held(id)? else { return Ok(NOTHING_HELD) };
    let owner = held.player.map(|id| intake.tx.player(id)).transpose()?;
    // The player may have another address by now than the one that was asked.
    // A new address is asked itself.
    let asked = owner.as_ref().filter(|_| !held.is_new_address);
    let own = asked.map(|owner| owner.address.as_deref().unwrap_or_default());
    let address = own.unwrap_or(&held.address);
    let is_own = address.eq_ignore_ascii_case(intake.mail.author());
    if !is_own && !intake.env.config.receive.token_only {
        return match asked {
            Some(owner) => intake.warn(owner),
            None => Ok(Disposition::Mismatch),
        };
    }
    if held.is_done {
        return Ok(NOTHING_HELD);
    }
    // The token went to this address only, also if it is not signed up.
    intake.cause.is_verified = true;
    let message = &intake.mail.message;
    if let Body::Encrypted | Body::Signed | Body::Calendar = message.body {
        return Ok(Disposition::Ignored("not readable"));
    }
    let to = asked.map_or(Recipient::Address(&held.address), Recipient::Player);
    let now = intake.env.now();
    let is_late = now - held.created_at > MAX_HOLD;
    let is_yes = match answer(message) {
        Answer::Unclear if is_late => return Ok(UNCLEAR_ANSWER),
        Answer::Unclear => return explain(intake, to, id, &held),
        Answer::Yes => true,
        Answer::No => false,
    };
    let commands = parse::held_commands(&held);
    let words = commands.iter().map(Parsed::word);
    intake.findings.understood =
        iter::once(if is_yes { "yes" } else { "no" }).chain(words).collect();
    intake.tx.release(id, now)?;
    intake.count(address, true)?;
    if !is_yes && !held.is_verified {
        intake.tx.add_refusal(&mailbox(address), now)?;
    }
    if is_yes && held.had_words {
        intake.notes.push(comments::NOT_KEPT);
    }
    if is_yes && is_late {
        intake.findings.because("they had waited for more than a week");
        intake.reply(to, None, LATE)?;
    } else if let (true, true, Some(owner)) = (is_yes, held.is_new_address, &owner) {
        change_address(intake, owner, &held.address)?;
    } else if is_yes {
        run_held(intake, token, prepared, &held, owner)?;
    }
    Ok(Disposition::Done)
}

/// Runs confirmed commands and replies.
fn run_held(
    intake: &mut Intake,
    token: &Claims,
    prepared: Prepared,
    held: &HeldCommands,
    owner: Option<Player>,
) -> Result<(), Error> {
    let parse = || parse::held_commands(held);
    let Some(mut player) = owner else { return sign_up(intake, &held.address, parse()) };
    record_sign_of_life(&mut intake.outbox, &mut player)?;
    let to = RepliedTo::default();
    let commands = prepared.commands(player.id, Some(token), to, |_| Ok(parse()))?;
    let commands = refuse_taken_back(intake.tx, player.id, commands, held.created_at)?;
    let outcomes = run_all(intake, &player, commands)?;
    if intake.tx.player(player.id)?.left_at.is_some() {
        // The farewell is the answer.
        return Ok(());
    }
    report(intake, &player, None, &outcomes, true)
}

/// Gives a player the address from which it was confirmed, revokes the reply tokens and replies.
fn change_address(intake: &mut Intake, player: &Player, address: &str) -> Result<(), Error> {
    let Ok(address) = address.parse::<Address>() else { return Ok(()) };
    if !new_address::is_free(intake.tx, &address)? {
        intake.findings.because("another player has the address");
        return intake.reply(Recipient::Address(address.as_str()), None, TAKEN);
    }
    intake.tx.set_secret(player.id, &intake.env.rng.secret()?.0)?;
    let old = player.address.clone();
    let player = bounces::change_address(&mut intake.outbox, player, &address)?;
    if let Some(old) = old {
        let name = &player.name;
        let text = format!(
            "Mail for {name} goes to another address now.\n\nBoth addresses have confirmed that. If it \
             was not you, tell {}.",
            intake.env.host()
        );
        let entry =
            NewOutboxEntry::to_address(&old, MailContent::of_text(MessageKind::Moved, None, text));
        intake.outbox.add(&entry, Cause::COMMAND)?;
    }
    intake.reply(Recipient::Player(&player), None, CHANGED)
}

/// Refuses the held moves for positions that were taken back since.
fn refuse_taken_back(
    db: &Db,
    player: PlayerId,
    mut commands: Vec<Parsed>,
    held_at: DateTime<Utc>,
) -> Result<Vec<Parsed>, Error> {
    for Parsed { request, answer, .. } in &mut commands {
        let Request::Command(command) = request else { continue };
        let concerns = command.concerns();
        let Some(play) = concerns.play() else { continue };
        let Some(stored) = db.game(play.game)? else { continue };
        let last = stored.game.taken_back().last();
        if let Some(last) = last.filter(|last| stored.times[last.event - 1] >= held_at) {
            let what = play.labels(stored.game.lattice());
            let error = taken_back(&stored, stored.color_of(player), last, &what);
            *answer = Some(Err(error));
        }
    }
    Ok(commands)
}

/// Explains how to confirm or cancel held commands, once.
fn explain(
    intake: &mut Intake,
    to: Recipient,
    id: HeldId,
    held: &HeldCommands,
) -> Result<Disposition, Error> {
    let explained = digest(&[b"unclear", &id.0.to_be_bytes()]);
    let asked = held.lines.iter().map(|line| format!("\n\n- {}", line.shown()));
    let mut text = UNCLEAR.to_owned();
    if !held.is_new_address {
        text += "\n\nThis was asked for in your name:";
        text.extend(asked);
    }
    let content = MailContent::of_text(MessageKind::Answer, None, text);
    let content = MailContent { held: Some(id), ..content };
    if intake.tx.has_seen(&explained)? || !intake.add(to, content)? {
        return Ok(UNCLEAR_ANSWER);
    }
    intake.tx.add_seen(&explained, &mailbox(intake.mail.author()), intake.env.now())?;
    Ok(Disposition::Held)
}

/// Returns the answer in the first line that its author typed.
fn answer(message: &InboundMessage) -> Answer {
    let Body::Lines { fresh, whole, .. } = &message.body else { return Answer::Unclear };
    let own = fresh.iter().map(String::as_str).find(|line| !normalize(line).is_empty());
    // A no counts even where it cannot be distinguished from a quotation without marks.
    let Some(line) = own.or_else(|| whole.lines().rfind(|line| !line.trim().is_empty())) else {
        return Answer::Unclear;
    };
    let words = normalize(line).to_lowercase();
    // After a comma the sentence continues on the next line.
    if own.is_some() && !line.trim_end().ends_with(',') && CONFIRM_WORDS.contains(&&*words) {
        return Answer::Yes;
    }
    let end = CLAUSE_ENDS.iter().filter_map(|end| words.find(end)).min();
    let clause = words[..end.unwrap_or(words.len())].trim();
    if NO.contains(&clause) { Answer::No } else { Answer::Unclear }
}
