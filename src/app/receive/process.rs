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
use crate::app::receive::{bounces, confirm, hold, join, outdated, run};
use crate::app::{Env, Error, one_line};
use crate::mail::token::Purpose;
use crate::store::{AnswerHeaders, Probe, Tx};

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
        Screened::Probe(probe) => settle_probe(&intake, &probe)?,
        Screened::Rejected(disposition) => disposition,
        Screened::Accepted(accepted) => process_accepted(&mut intake, *accepted, prepared)?,
    };
    tx.count_inbound(&disposition.word(), env.now())?;
    let understood = intake.findings.understood.clone();
    let player = record(tx, mail.author(), intake.findings, disposition, env.now())?;
    let (mails, claimed) = (intake.outbox.queued, None);
    Ok(Ok(Processed { disposition, mails, claimed, player, understood }))
}

/// Records that a test of `doctor` has come back, with the fields of a person's answer.
fn settle_probe(intake: &Intake, probe: &Probe) -> Result<Disposition, Error> {
    let message = &intake.mail.message;
    let headers = match probe.is_loop {
        true => AnswerHeaders::default(),
        false => AnswerHeaders {
            receiver: message.receiver.as_deref().map(cut),
            server: message.authentication.server().map(cut),
            results: message
                .authentication
                .server()
                .map(|_| cut(&message.authentication.results())),
        },
    };
    intake.tx.settle_probe(probe.mail, &headers, intake.env.now())?;
    Ok(Disposition::Probe)
}

/// Returns a text of a stranger on one line, cut if long.
fn cut(text: &str) -> String {
    one_line(text).chars().take(MAX_BORE_CHARS).collect()
}

/// The longest part of a field that is kept, in characters.
const MAX_BORE_CHARS: usize = 200;

/// Processes a mail that a person wrote.
fn process_accepted(
    intake: &mut Intake,
    Accepted { token, is_of_history, check, digest, quota }: Accepted,
    prepared: Prepared,
) -> Result<Disposition, Error> {
    intake.tx.add_seen(&digest, &quota, intake.env.now())?;
    let is_verified =
        matches!(check, SenderCheck::Trusted(_) | SenderCheck::Unknown { is_authenticated: true });
    intake.findings.player = check.player();
    intake.cause = Cause { is_verified, ..Cause::UNVERIFIED };
    intake.token = token;
    if let Some(token) = token.filter(|_| !is_of_history) {
        return outdated::refuse(intake, &token, &check);
    }
    if let Some(token) = token.filter(|token| token.purpose == Purpose::Confirm) {
        return confirm::process(intake, &token, prepared);
    }
    match check {
        SenderCheck::Trusted(mut player) => {
            record_sign_of_life(&mut intake.outbox, &mut player)?;
            run::run(intake, &player, prepared)
        }
        SenderCheck::Unverified(player) => hold::hold(intake, &player, prepared),
        SenderCheck::Mismatch(owner) => intake.warn(&owner),
        SenderCheck::Unknown { .. } => join::welcome(intake),
    }
}
