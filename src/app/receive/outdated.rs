//! Refuses a reply to a mail about a state that was lost when a backup was restored.

use crate::app::effects::bounces::record_sign_of_life;
use crate::app::receive::answers::run_command;
use crate::app::receive::confirm::NOTHING_HELD;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::join::HOW_TO_SIGN_UP;
use crate::app::receive::parse;
use crate::app::receive::sender::SenderCheck;
use crate::app::run::session::Access;
use crate::app::views::text::mail_text;
use crate::app::{Error, Line};
use crate::mail::token::{Claims, Purpose};
use crate::store::Recipient;
use outflank_model::log::GameId;
use outflank_model::{HeldId, Player};

const LOST: &str = "\
The mail that you replied to shows something that was lost when this server was restored from a backup. So \
nothing in your mail was done.";
const OUTDATED: Disposition = Disposition::Ignored("a reply to what was lost with a restore");

/// Refuses all commands of a mail and replies with the present state. Its token is valid, but was made from a
/// history that the database does not have.
pub(crate) fn refuse(
    intake: &mut Intake,
    token: &Claims,
    check: &SenderCheck,
) -> Result<Disposition, Error> {
    let tx = intake.tx;
    if token.purpose == Purpose::Confirm && tx.held_mark(HeldId(token.number))?.is_none() {
        return Ok(NOTHING_HELD);
    }
    let commands = parse::commands(&intake.mail.message, None);
    let has_command = commands.iter().any(|parsed| parsed.command().is_some());
    let player = match check {
        SenderCheck::Mismatch(owner) => return intake.warn(owner),
        SenderCheck::Trusted(player) => {
            record_sign_of_life(&mut intake.outbox, &mut player.clone())?;
            player
        }
        SenderCheck::Unverified(player) => player,
        SenderCheck::Unknown { is_authenticated: _ } => {
            let from = intake.mail.author();
            intake.count(from, has_command)?;
            let text = format!("{LOST}\n\n{HOW_TO_SIGN_UP}");
            intake.reply(Recipient::Address(from), None, &text)?;
            return Ok(OUTDATED);
        }
    };
    intake.count(player.address.as_deref().unwrap_or_default(), has_command)?;
    let shown = match token.purpose {
        Purpose::Play => tx.moment(GameId(token.number), player.id)?,
        _ => None,
    };
    let now = match shown {
        Some(at) => format!("This is game {} now.", at.game),
        None => games(intake, player)?,
    };
    intake.reply(Recipient::Player(player), shown, &format!("{LOST}\n\n{now}"))?;
    Ok(OUTDATED)
}

/// Returns the reply to `games`.
fn games(intake: &Intake, player: &Player) -> Result<String, Error> {
    let Some(command) = Line::command("games", None) else { return Ok(String::new()) };
    let access = Access::ReadOnly { env: intake.env, db: intake.tx };
    Ok(mail_text(&run_command(&command, player, access)?, player))
}
