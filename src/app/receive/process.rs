//! Processes one mail in a transaction.

use crate::app::effects::bounces::record_sign_of_life;
use crate::app::effects::outbox::Cause;
use crate::app::receive::answers::Prepared;
use crate::app::receive::inbound::{Disposition, Processed, Unprocessable};
use crate::app::receive::intake::Intake;
use crate::app::receive::read::ParsedMail;
use crate::app::receive::record::record;
use crate::app::receive::screen::{Accepted, Screened, screen};
use crate::app::receive::sender::SenderCheck;
use crate::app::receive::{bounces, confirm, hold, join, run};
use crate::app::{Env, Error};
use crate::mail::token::Purpose;
use crate::store::Tx;

/// Processes a mail, unless it is unprocessable.
pub(crate) fn process(
    env: &Env,
    tx: &Tx,
    mail: &ParsedMail,
    prepared: Prepared,
) -> Result<Result<Processed, Unprocessable>, Error> {
    let mut intake = Intake::new(env, tx, mail);
    let disposition = match screen(env, tx, mail)? {
        Screened::Unprocessable(why) => return Ok(Err(why)),
        Screened::Bounce(token) => bounces::process(&mut intake, &token)?,
        Screened::Rejected(disposition) => disposition,
        Screened::Accepted(accepted) => process_accepted(&mut intake, *accepted, prepared)?,
    };
    tx.count_inbound(&disposition.word(), env.now())?;
    record(tx, mail.author(), intake.findings, disposition, env.now())?;
    Ok(Ok(Processed { disposition, mails: intake.outbox.queued }))
}

/// Processes a mail that a person wrote.
fn process_accepted(
    intake: &mut Intake,
    Accepted { token, check, digest, quota }: Accepted,
    prepared: Prepared,
) -> Result<Disposition, Error> {
    intake.tx.add_seen(&digest, &quota, intake.env.now())?;
    let is_verified = matches!(check, SenderCheck::Trusted(_));
    intake.findings.player = check.player();
    intake.cause = Cause { is_verified, idle: 0 };
    if let Some(token) = token.filter(|token| token.purpose == Purpose::Confirm) {
        return confirm::process(intake, &token, prepared);
    }
    match check {
        SenderCheck::Trusted(mut player) => {
            record_sign_of_life(&mut intake.outbox, &mut player)?;
            run::run(intake, &player, token.as_ref(), prepared)
        }
        SenderCheck::Unverified(player) => hold::hold(intake, &player, token.as_ref(), prepared),
        SenderCheck::Mismatch(owner) => intake.warn(&owner, token.as_ref()),
        SenderCheck::Unknown => join::welcome(intake, token.as_ref()),
    }
}
