//! Mail from people who are not signed up.

use crate::app::Error;
use crate::app::receive::hold::ask;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::parse;
use crate::app::receive::report::{HOW_WITHOUT_GAME, sentence};
use crate::app::receive::request::{Parsed, Request};
use crate::app::sign_up;
use crate::command::{Address, Name};
use crate::store::Recipient;

const HOW_TO_SIGN_UP: &str = "\
This address is not signed up here.

If you play here, write from the address that gets your mails. To sign up, reply with a name: \
one word of at most 32 letters, digits, \"_\" or \"-\" that begins with a letter, \
for example (signup NAME).";
const TAKEN: &str = "That name is taken. Reply with another, for example (signup NAME).";

/// Processes a mail from somebody who is not signed up. Since its sender is often forged, only a
/// mail that asks for `signup` or `help` is answered.
pub(crate) fn welcome(intake: &mut Intake) -> Result<Disposition, Error> {
    let (message, from) = (&intake.mail.message, intake.mail.author());
    let to = Recipient::Address(from);
    let commands = parse::commands(message, None);
    if !parse::asks_to_join(message, &commands) {
        return Ok(Disposition::Stranger);
    }
    let has_command = commands.iter().any(|parsed| !parsed.is_invalid());
    intake.count(from, has_command)?;
    let signup = commands.into_iter().find_map(|parsed| match parsed.request {
        Request::Signup(name) => Some(name),
        _ => None,
    });
    // A mail program would show such a name as a link.
    let signup = signup.filter(|name| !looks_like_a_web_address(name));
    let Some(name) = signup.filter(|_| from.parse::<Address>().is_ok()) else {
        intake.reply(to, None, HOW_TO_SIGN_UP)?;
        return Ok(Disposition::Stranger);
    };
    if intake.tx.player_named(name.as_str())?.is_some() {
        intake.reply(to, None, TAKEN)?;
        return Ok(Disposition::Stranger);
    }
    ask(intake, to, &format!("signup {name}"))
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
        match sign_up::sign_up(intake.env, intake.tx, &name, &address) {
            Ok(player) => {
                let text = format!(
                    "Welcome, {name}. You are signed up: mails about your games come to this \
                     address.\n\n{HOW_WITHOUT_GAME}"
                );
                intake.reply(Recipient::Player(&player), None, &text)?;
            }
            Err(error) if error.is_fault() => return Err(error),
            Err(error) => {
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
