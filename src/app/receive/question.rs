//! Holds commands and asks whether they are really the recipient's.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::app::receive::inbound::Disposition;
use crate::app::receive::intake::Intake;
use crate::app::receive::request::Parsed;
use crate::store::Recipient;
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::{HeldId, HeldLine};

/// Whether a command must be confirmed.
pub(crate) enum Doubt {
    None,
    Confirm(HeldLine),
    Refuse(Error),
    LeaveOut,
}

impl From<Result<HeldLine, Error>> for Doubt {
    fn from(line: Result<HeldLine, Error>) -> Self {
        line.map_or_else(Self::Refuse, Self::Confirm)
    }
}

/// Separates the commands of a mail that must be confirmed from the others. Those with an answer are not
/// doubted.
pub(crate) fn separate(
    commands: Vec<Parsed>,
    mut doubt: impl FnMut(&Parsed) -> Result<Doubt, Error>,
) -> Result<(Vec<HeldLine>, Vec<Parsed>), Error> {
    let (mut doubtful, mut others) = (Vec::new(), Vec::new());
    for parsed in commands {
        match if parsed.answer.is_some() { Doubt::None } else { doubt(&parsed)? } {
            Doubt::None => others.push(parsed),
            Doubt::Confirm(line) if doubtful.contains(&line) => {}
            Doubt::Confirm(line) => doubtful.push(line),
            Doubt::Refuse(error) if error.is_fault() => return Err(error),
            Doubt::Refuse(error) => others.push(Parsed { answer: Some(Err(error)), ..parsed }),
            Doubt::LeaveOut => {}
        }
    }
    Ok((doubtful, others))
}

/// Holds commands and asks the recipient to confirm them.
pub(crate) fn ask(
    intake: &mut Intake,
    to: Recipient,
    lines: &[HeldLine],
    had_words: bool,
) -> Result<Disposition, Error> {
    let held = hold_lines(intake, to, lines, had_words, intake.env.now())?;
    if intake.add(to, MailContent::of_held(MessageKind::Confirm, held))? {
        return Ok(Disposition::Held);
    }
    intake.tx.delete_held(held)?;
    Ok(Disposition::Flood)
}

/// Holds commands. The first came at this time.
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
