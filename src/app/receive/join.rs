//! Mail from people who are not signed up.

use crate::app::receive::beginner;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::parse::{self, MAX_SKIPPED_LINES};
use crate::app::receive::question::ask;
use crate::app::receive::report::{HOW_WITHOUT_GAME, sentence};
use crate::app::receive::request::{Parsed, Request};
use crate::app::views::challenge::{how_to_play, next_steps, what_this_is};
use crate::app::{Error, access::sign_up, host_items};
use crate::command::{Address, BadName, Name, normalize};
use crate::mail::read::InboundMessage;
use crate::mail::token::Purpose;
use crate::store::{HostItemKind, Recipient};
use outflank_model::HeldLine;

pub(crate) const HOW_TO_SIGN_UP: &str = "\
This address is not signed up here.

If you play here, write from the address that gets your mails. To sign up, reply with just a name: \
one word of at most 32 letters, digits, \"_\" or \"-\" that begins with a letter. \
You can also write `signup NAME`.";

/// A line with one of these words behind `signup` is a sentence, such as "signup for our newsletter".
const PREPOSITIONS: [&str; 8] = ["at", "by", "for", "here", "now", "to", "today", "with"];

/// What a mail from somebody who is not signed up asks for.
enum Wish {
    Signup(Name),
    /// A name that is refused, and why.
    BadName(BadName),
    /// `signup` with no name or with several words.
    NoName,
    Help,
}

/// Processes a mail from somebody who is not signed up. Its sender is often forged. So only a mail with
/// `signup` or `help` is answered, or a name alone in reply to a mail of ours.
pub(crate) fn welcome(intake: &mut Intake) -> Result<Disposition, Error> {
    let (message, from) = (&intake.mail.message, intake.mail.author());
    let to = Recipient::Address(from);
    let commands = parse::commands(message, None);
    let is_reply = intake.token.is_some_and(|token| token.purpose == Purpose::Join);
    let Some(wish) = wish(message, &commands, is_reply) else { return Ok(Disposition::Stranger) };
    intake.findings.understood.push(match &wish {
        Wish::Help => "help",
        Wish::Signup(_) | Wish::BadName(_) | Wish::NoName => "signup",
    });
    let has_command =
        matches!(wish, Wish::Signup(_)) || commands.iter().any(|parsed| !parsed.is_invalid());
    intake.count(from, has_command)?;
    let lead = match wish {
        // A mail program would show such a name as a link.
        Wish::Signup(name) if looks_like_a_web_address(&name) => {
            "That name could be read as a web address.".to_owned()
        }
        Wish::Signup(_) if from.parse::<Address>().is_err() => String::new(),
        Wish::Signup(name) if intake.tx.player_named(name.as_str())?.is_some() => {
            intake.findings.because("the name is taken");
            "That name is taken.".to_owned()
        }
        Wish::Signup(name) => {
            return ask(intake, to, &[HeldLine::other(format!("signup {name}"))], false);
        }
        // The name is one of a list or a move, and no stranger's own word.
        Wish::BadName(why) => format!("Not done: {why}."),
        Wish::NoName => "Which name do you want?".to_owned(),
        Wish::Help => what_this_is(intake.env),
    };
    let text = format!("{lead}\n\n{HOW_TO_SIGN_UP}").trim_start().to_owned();
    intake.suggest(to, None, &text, vec!["signup".to_owned()])?;
    Ok(Disposition::Stranger)
}

/// Returns the wish in a mail with these commands; `None` if it is not answered. `is_reply` says
/// whether it replies to a mail of ours.
fn wish(message: &InboundMessage, commands: &[Parsed], is_reply: bool) -> Option<Wish> {
    let signup = commands.iter().find_map(|parsed| match &parsed.request {
        Request::Signup(name) => Some(name.clone()),
        _ => None,
    });
    if let Some(name) = signup {
        return Some(Wish::Signup(name));
    }
    let own: Vec<_> = parse::typed_lines(message, None).map(|line| normalize(line)).collect();
    if let [line] = &own[..]
        && let Some(name) = beginner::wanted_name(line)
    {
        return Some(Wish::Signup(name));
    }
    let begins_with_signup = |line: &&String| {
        line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("signup"))
    };
    let signup = own.iter().take(MAX_SKIPPED_LINES + 1).find(begins_with_signup);
    let line = signup.or(own.first()).cloned().unwrap_or_else(|| normalize(&message.subject));
    let words: Vec<_> = line.split_whitespace().collect();
    let is_only_line = own.len() == 1;
    match words[..] {
        [word, ..] if !word.eq_ignore_ascii_case("signup") => {}
        [_] => return Some(Wish::NoName),
        [_, name] => match name.parse::<Name>() {
            Err(BadName::Malformed(_)) | Ok(_) => {}
            Err(why) => return Some(Wish::BadName(why)),
        },
        [_, first, ..] if is_reply || may_be_name(first) => return Some(Wish::NoName),
        _ => {}
    }
    if parse::asks_to_join(message, commands) {
        return Some(Wish::Help);
    }
    let [name] = words[..] else { return None };
    match name.parse::<Name>() {
        _ if !is_reply || !is_only_line => None,
        Ok(name) => Some(Wish::Signup(name)),
        Err(BadName::Malformed(_)) => None,
        Err(why) => Some(Wish::BadName(why)),
    }
}

/// Returns whether the first word behind `signup` may be part of a name.
fn may_be_name(word: &str) -> bool {
    let is_preposition = PREPOSITIONS.iter().any(|known| known.eq_ignore_ascii_case(word));
    let name = word.parse::<Name>();
    !is_preposition && name.is_ok_and(|name| !looks_like_a_web_address(&name))
}

/// Runs the held `signup` of the owner of this address, and replies.
pub(crate) fn sign_up(
    intake: &mut Intake,
    address: &str,
    commands: Vec<Parsed>,
) -> Result<(), Error> {
    let Ok(address) = address.parse::<Address>() else { return Ok(()) };
    for command in commands {
        let Request::Signup(name) = command.request else { continue };
        match sign_up::sign_up(intake.env, intake.tx, &name, Some(&address)) {
            Ok(player) => {
                host_items::add_about(intake.env, intake.tx, HostItemKind::Signup, player.id, "")?;
                let text = format!(
                    "Welcome, {name}. You are signed up: mails about your games come to this \
                     address.\n\n{}\n\nWith `set letter on` a letter comes each Monday: the results, \
                     standings and tournaments of the club.\n\n{HOW_WITHOUT_GAME}",
                    how_to_play()
                );
                let next = next_steps().into_iter().chain(["set letter on".to_owned()]).collect();
                intake.suggest(Recipient::Player(&player), None, &text, next)?;
            }
            Err(error) if error.is_fault() => return Err(error),
            Err(error) => {
                intake.findings.refused("signup", &error, true);
                let text = format!("Not done: {}", sentence(&error));
                intake.reply(Recipient::Address(address.as_str()), None, &text)?;
            }
        }
    }
    Ok(())
}

/// Returns whether a name could be read as a web address, such as `evil.com`; `j.r` could not.
fn looks_like_a_web_address(name: &Name) -> bool {
    name.as_str().split('.').skip(1).any(|label| label.len() > 1)
}
