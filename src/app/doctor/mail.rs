//! Checks of mail: outgoing, incoming, and everything that failed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::delivery::club;
use crate::app::doctor::finding::{Finding, Outcome};
use crate::app::doctor::settings::transport_kind;
use crate::app::one_line;
use crate::app::views::time::span;
use crate::clock::Deadline;
use crate::config::{Config, display_path, maildir_beside};
use crate::mail::token::Token;
use crate::mail::transport::{self, Readiness};
use crate::store::{self, Db, Handover};
use outflank_model::StoredChallenge;
use outflank_model::words::joined;

const CLUB: &str = "club";
const MAILDIR: &str = "maildir";
const SERVER: &str = "mail server";
const RECEIVE: &str = "receive";
const OUTBOX: &str = "outbox";
const FAILED: &str = "failed mail";
const PAUSED: &str = "paused mail";
const WORK: &str = "jobs";
const SEND: &str = "send";

/// How long the mail server may take to answer.
const SERVER_TIMEOUT: Duration = Duration::from_secs(15);
/// How long no mail may come in.
const MAX_SILENCE: TimeDelta = TimeDelta::weeks(1);
/// A mail that has waited so long is a warning, and wrong.
const MAX_GOOD_WAIT: TimeDelta = TimeDelta::hours(1);
const MAX_WAIT: TimeDelta = TimeDelta::days(1);
/// If `send` has not run for so long, that is a warning, and wrong. Before the first, deadlines hold.
const MAX_GOOD_PAUSE: TimeDelta = TimeDelta::hours(2);
const MAX_PAUSE: TimeDelta = TimeDelta::days(1);
/// A mail that failed so long ago is history.
const FAILURES_COUNT_FOR: TimeDelta = TimeDelta::weeks(2);

/// Checks that mail could be sent, without sending any.
pub(super) fn server(config: &Config, database: &Path) -> Vec<Finding> {
    let is_default = config.transport.is_none();
    let opened = transport::open(config.transport_for(database)).map_err(|bad| bad.to_string());
    let checked = opened.and_then(|worker| {
        worker.check(Deadline::after(SERVER_TIMEOUT)).map_err(|error| error.to_string())
    });
    vec![match checked {
        Ok(Readiness { found, concern: None }) if is_default && config.receive.enabled => {
            let text = format!("{found}, and no mail leaves this machine");
            Finding::warning(SERVER, text, "add [transport] to the configuration")
        }
        Ok(Readiness { found, concern: None }) => Finding::ok(SERVER, found),
        Ok(Readiness { found, concern: Some(concern) }) => Finding::warning(SERVER, found, concern),
        Err(error) => {
            let advice = match transport_kind(config) {
                "maildir" => "make the folder writable, or correct path in [transport]",
                "sendmail" => "install it, or correct command in [transport]",
                _ => "check whether the mail server runs, and [transport] in the configuration",
            };
            Finding::wrong(SERVER, Token::redact(&one_line(&error)), advice)
        }
    }]
}

/// Checks the records of mail, jobs and `send` in the database.
pub(super) fn club(
    db: &Db,
    config: Option<&Config>,
    database: &Path,
    now: DateTime<Utc>,
) -> Result<Vec<Finding>, store::Error> {
    let mut findings: Vec<_> = db.handover()?.map(moved).into_iter().collect();
    if let Some(config) = config {
        findings.extend(identity(db, config, database)?);
        findings.extend(left_behind(db, config, database)?);
        findings.push(receive(db, config.receive.enabled, now)?);
    }
    findings.extend([outbox(db, now)?, failed(db, now)?, paused(db)?, work(db)?, send(db, now)?]);
    Ok(findings)
}

fn moved(Handover { to, is_copy }: Handover) -> Finding {
    match is_copy {
        true => Finding::wrong(
            CLUB,
            format!("this copy for {to} was not taken over yet"),
            "type `outflank takeover` with its folder",
        ),
        false => Finding::warning(
            CLUB,
            format!("the club has moved to {to}; nothing can be changed here"),
            "stop the services of this machine",
        ),
    }
}

/// Checks that the configuration is the one of the club, once that is recorded.
fn identity(db: &Db, config: &Config, database: &Path) -> Result<Option<Finding>, store::Error> {
    if db.club()?.is_none() {
        return Ok(None);
    }
    Ok(Some(match club::check(db, config, database) {
        Ok(()) => Finding::ok(CLUB, "the configuration is the one with which the club sends mail"),
        Err(error) => Finding::wrong(CLUB, error.to_string(), error.hint().unwrap_or_default()),
    }))
}

/// Looks for mail in the Maildir beside the database that no mail server ever got, since the club's
/// transport is another.
fn left_behind(db: &Db, config: &Config, database: &Path) -> Result<Option<Finding>, store::Error> {
    let folder = maildir_beside(database);
    let mails = |part| fs::read_dir(folder.join(part)).map_or(0, Iterator::count);
    let count = mails("new") + mails("cur");
    let transport = match db.club()? {
        Some(club) => club.transport,
        None => club::transport_of(config, database),
    };
    if count == 0 || transport == club::transport_of(&Config::default(), database) {
        return Ok(None);
    }
    let (mails, them) = if count == 1 { ("mail lies", "it") } else { ("mails lie", "them") };
    let text = format!(
        "{count} {mails} in {}, but the club has another transport, which never got {them}",
        display_path(&folder)
    );
    let advice = "read them, tell the players, and move the folder away";
    Ok(Some(Finding::warning(MAILDIR, text, advice)))
}

fn receive(db: &Db, is_enabled: bool, now: DateTime<Utc>) -> Result<Finding, store::Error> {
    if !is_enabled {
        return Ok(Finding::ok(RECEIVE, "incoming mail is off"));
    }
    let (last, since) = (db.last_arrival()?, db.installed_at()?);
    let advice = "check with `outflank doctor --loop` whether mail arrives";
    Ok(match (last, since) {
        (Some(last), _) if now - last > MAX_SILENCE => {
            let text = format!("[receive] is on, but no mail has come in for {}", span(now - last));
            Finding::warning(RECEIVE, text, advice)
        }
        (Some(last), _) if last >= now => Finding::ok(RECEIVE, "the last mail came in just now"),
        (Some(last), _) => {
            Finding::ok(RECEIVE, format!("the last mail came in {} ago", span(now - last)))
        }
        (None, Some(since)) if now - since > MAX_SILENCE => {
            Finding::warning(RECEIVE, "[receive] is on, but no mail has ever come in", advice)
        }
        (None, _) => Finding::ok(RECEIVE, "no mail has come in yet").advising(advice),
    })
}

fn outbox(db: &Db, now: DateTime<Utc>) -> Result<Finding, store::Error> {
    let Some(mail) = db.oldest_overdue_mail(now)? else {
        return Ok(Finding::ok(OUTBOX, "no mail waits to be sent"));
    };
    let wait = now - mail.since;
    let why = mail.last_error.map_or(String::new(), |error| format!(": {}", one_line(&error)));
    let text = format!("the oldest mail, {}, has waited for {}{why}", mail.id, span(wait));
    let advice = format!(
        "run `outflank send --watch`; see `outflank mail`; `outflank mail retry {}` tries it now",
        mail.id
    );
    Ok(Finding::judged(OUTBOX, Outcome::of(wait, MAX_GOOD_WAIT, MAX_WAIT), text, advice))
}

fn failed(db: &Db, now: DateTime<Utc>) -> Result<Finding, store::Error> {
    let since = now - FAILURES_COUNT_FOR;
    Ok(match db.failed_mails_since(since)? {
        None => Finding::ok(FAILED, "no mail of the last two weeks has failed"),
        Some(failures) => {
            let count = match failures.count {
                1 => "1 mail of the last two weeks has".to_owned(),
                count => format!("{count} mails of the last two weeks have"),
            };
            let (last, error) = (failures.last, one_line(&failures.error));
            let text = format!("{count} failed; the last one, {last}: {error}");
            let advice =
                format!("see `outflank mail`; `outflank mail retry {last}` tries it again");
            Finding::warning(FAILED, text, advice)
        }
    })
}

fn paused(db: &Db) -> Result<Finding, store::Error> {
    let names = db.paused_members()?;
    Ok(if names.is_empty() {
        Finding::ok(PAUSED, "mail goes to every player")
    } else {
        let text = format!("mail is held back, because it bounced, for {}", joined(&names, "and"));
        let advice = "ask them for a working address, and set it with `outflank address NAME \
                      ADDRESS`";
        Finding::warning(PAUSED, text, advice)
    })
}

fn work(db: &Db) -> Result<Finding, store::Error> {
    Ok(match db.failed_work()? {
        None => Finding::ok(WORK, "no job, deadline or reminder has failed"),
        Some(failures) => {
            let (count, game, error) = (failures.count, failures.last, one_line(&failures.error));
            let jobs = if count == 1 { "1 job has" } else { &format!("{count} jobs have") };
            let text = format!("{jobs} failed; the last one is for game {game}: {error}");
            Finding::warning(WORK, text, "see `outflank bots` and `outflank mail`")
        }
    })
}

fn send(db: &Db, now: DateTime<Utc>) -> Result<Finding, store::Error> {
    let advice = "keep `outflank send --watch` running as a service";
    let is_needed = db.is_send_needed()?
        || db.is_game_due(now)?
        || !db.challenges_until(now - StoredChallenge::OPEN_FOR, 1)?.is_empty();
    let (text, outcome) = match db.deadlines_checked_at()? {
        None => {
            let age = db.installed_at()?.map_or(TimeDelta::zero(), |since| now - since);
            let text = "it has never run".to_owned();
            (text, Outcome::of(age, MAX_GOOD_PAUSE, MAX_PAUSE).max(Outcome::Warning))
        }
        Some(last) if last >= now => ("it has just run".to_owned(), Outcome::Ok),
        Some(last) => {
            let text = format!("it last ran about {} ago", span(now - last));
            (text, Outcome::of(now - last, MAX_GOOD_PAUSE, MAX_PAUSE))
        }
    };
    Ok(match outcome {
        Outcome::Ok => Finding::ok(SEND, text),
        _ if !is_needed => Finding::ok(SEND, text + ", and nothing waits for it").advising(advice),
        _ => Finding::judged(SEND, outcome, text + ", and something waits for it", advice),
    })
}
