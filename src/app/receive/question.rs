//! Holds commands and asks whether they are really the recipient's.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::store::{HeldId, HeldLine, MailContent, Recipient};

/// Holds commands and asks the recipient to confirm them.
pub(crate) fn ask(
    intake: &mut Intake,
    to: Recipient,
    lines: &[HeldLine],
    had_words: bool,
) -> Result<Disposition, Error> {
    let held = hold_lines(intake, to, lines, had_words, intake.env.now())?;
    if intake.add_about_held(to, MailContent::Confirm(held), intake.cause)? {
        return Ok(Disposition::Held);
    }
    intake.tx.delete_held(held)?;
    Ok(Disposition::Flood)
}

/// Holds commands of which the first came at this time.
pub(crate) fn hold_lines(
    intake: &Intake,
    to: Recipient,
    lines: &[HeldLine],
    had_words: bool,
    at: DateTime<Utc>,
) -> Result<HeldId, Error> {
    let player = to.player().map(|player| player.id);
    let address = to.address().unwrap_or_default();
    let (verified, mark) = (intake.cause.is_verified, intake.env.rng.mark());
    let held = intake.tx.hold(player, address, lines, verified, &mark, at)?;
    if had_words {
        intake.tx.set_had_words(held)?;
    }
    Ok(held)
}
