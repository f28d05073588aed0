//! The test mails of `doctor`: those to the server itself, and the questions to people.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::app::delivery::housekeeping::PROBES_KEPT_FOR;
use crate::app::doctor::finding::Finding;
use crate::app::views::time::span;
use crate::app::{Zone, one_line};
use crate::config::Config;
use crate::store::{self, AnswerHeaders, Db, Probe};
use outflank_model::mail::MailState;

const LOOP: &str = "loop";
const ANSWER: &str = "answer";

/// The condition for trusting the results of the mail server.
const MUST_REMOVE: &str = "the mail server must remove Authentication-Results fields with its name \
                           from mail that comes from outside, or anybody can write one";

/// Where a mail to the server itself has stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Station {
    /// In the outbox, for this reason.
    Queued(String),
    /// At the mail server, which refused it or returned it for this reason.
    Refused(String),
    /// Behind the mail server, which accepted it.
    Accepted,
    /// It has come back.
    Received,
}

impl Station {
    /// Returns the word for it in JSON.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Queued(_) => "queued",
            Self::Refused(_) => "refused",
            Self::Accepted => "accepted",
            Self::Received => "received",
        }
    }
}

/// Returns the lines about a mail to the server itself that has stopped here after this time.
pub(crate) fn station(station: &Station, elapsed: Duration) -> Vec<Finding> {
    let seconds = elapsed.as_secs();
    let (passed, last) = match station {
        Station::Queued(why) => {
            let text = format!("queued: the mail stopped in the outbox: {why}");
            let advice = "check the line `mail server` of `outflank doctor`, and run `outflank send \
                          --watch`";
            (0, Finding::wrong(LOOP, text, advice))
        }
        Station::Refused(why) => {
            let text = format!("refused: the mail server did not deliver the mail: {why}");
            let advice = "let the mail server accept mail from and for the address in from of [mail]; \
                          see its log";
            (1, Finding::wrong(LOOP, text, advice))
        }
        Station::Accepted => {
            let text = format!("not received: the mail did not come back within {seconds} s");
            let advice = "let the mail server pass mail for this address, also with + and a token, to \
                          `outflank receive` (docs/receiving.md); see its log and queue, and \
                          `outflank inbox`";
            (2, Finding::wrong(LOOP, text, advice))
        }
        Station::Received => {
            let text = format!("received: the mail came back after {seconds} s");
            (2, Finding::ok(LOOP, text))
        }
    };
    let before =
        ["queued: the mail is in the outbox", "accepted: the transport has taken the mail"];
    let before = before.into_iter().take(passed).map(|text| Finding::ok(LOOP, text));
    before.chain([last]).collect()
}

/// Returns the lines about the last mail to the server itself and the questions of the last month.
pub(super) fn all(
    db: &Db,
    config: Option<&Config>,
    now: DateTime<Utc>,
) -> Result<Vec<Finding>, store::Error> {
    let probes = db.probes_since(now - PROBES_KEPT_FOR)?;
    let authserv_id = config.and_then(|config| config.receive.authserv_id.as_deref());
    let last_loop = probes.iter().rfind(|probe| probe.is_loop).map(|probe| probe.mail);
    let mut findings = Vec::new();
    for (number, probe) in probes.iter().enumerate() {
        if probe.is_loop && Some(probe.mail) != last_loop {
            continue;
        }
        findings.push(match why_lost(db, probe)? {
            // The host has asked again, or somebody else.
            Some(_) if probes[number + 1..].iter().any(|later| !later.is_loop) => continue,
            Some(why) => lost(probe, &why),
            None => about(probe, authserv_id),
        });
    }
    Ok(findings)
}

/// Returns why a question did not reach the person; `None` if it may have.
pub(crate) fn why_lost(db: &Db, probe: &Probe) -> Result<Option<String>, store::Error> {
    if probe.is_loop || probe.came_at.is_some() {
        return Ok(None);
    }
    let mail = db.outbox_entry(probe.mail)?;
    let lost = mail.filter(|it| it.bounced_at.is_some() || it.state == MailState::Failed);
    Ok(lost.map(|it| it.last_error.map_or_else(|| "it bounced".to_owned(), |why| one_line(&why))))
}

fn lost(probe: &Probe, why: &str) -> Finding {
    let (whom, asked) = (asked_person(probe), Zone::Local.shown(probe.asked_at));
    Finding::warning(
        ANSWER,
        format!("the question to {whom} of {asked} did not arrive: {why}"),
        "check the address, and ask again with `outflank doctor --mail ADDRESS`",
    )
}

fn asked_person(probe: &Probe) -> &str {
    probe.address.as_deref().unwrap_or("somebody")
}

fn about(probe: &Probe, authserv_id: Option<&str>) -> Finding {
    let Probe { is_loop, asked_at, came_at, headers, .. } = probe;
    let asked = Zone::Local.shown(*asked_at);
    match (is_loop, came_at) {
        (true, Some(came_at)) => {
            let span = span(*came_at - *asked_at);
            Finding::ok(LOOP, format!("the test mail of {asked} came back within {span}"))
        }
        (true, None) => Finding::warning(
            LOOP,
            format!("the test mail of {asked} has not come back"),
            "run `outflank doctor --loop` again; it says where the mail stops",
        ),
        (false, None) => {
            let whom = asked_person(probe);
            Finding::ok(ANSWER, format!("{whom} was asked at {asked} and has not answered yet"))
        }
        (false, Some(came_at)) => answer(headers, &Zone::Local.shown(*came_at), authserv_id),
    }
}

/// Returns the line about an answer that came at this time.
fn answer(headers: &AnswerHeaders, came: &str, authserv_id: Option<&str>) -> Finding {
    let AnswerHeaders { receiver, server, results } = headers;
    let Some(server) = server else {
        return Finding::warning(
            ANSWER,
            format!("the answer of {came} had no Authentication-Results"),
            "leave authserv_id out, or let the mail server check DKIM and DMARC; until then, a mail \
             without a reply token needs a confirmation",
        );
    };
    let results = results.as_deref().filter(|results| !results.is_empty()).unwrap_or("no result");
    let received = receiver.as_ref().map_or_else(
        || "its first Received field names no host".to_owned(),
        |receiver| format!("it was received by {receiver}"),
    );
    let text = format!(
        "the answer of {came} had Authentication-Results of {server} ({results}); {received}"
    );
    if !is_of_receiver(server, receiver.as_deref()) {
        let advice = format!(
            "the field may be the sender's own: do not write this name as authserv_id; {MUST_REMOVE}"
        );
        return Finding::warning(ANSWER, text, advice);
    }
    match authserv_id {
        Some(known) if known.eq_ignore_ascii_case(server) => {
            Finding::ok(ANSWER, text).advising(MUST_REMOVE)
        }
        _ => {
            let advice = format!(
                "write authserv_id = \"{server}\" in [receive], and run `outflank mail adopt`; {MUST_REMOVE}"
            );
            Finding::warning(ANSWER, text, advice)
        }
    }
}

/// Returns whether the name in an Authentication-Results field is that of the host that received the
/// mail, or the domain of this host.
fn is_of_receiver(server: &str, receiver: Option<&str>) -> bool {
    let Some(receiver) = receiver else { return false };
    let domain = receiver.split_once('.').map(|(_, domain)| domain);
    // A top-level domain is nobody's mail server.
    let domain = domain.filter(|domain| domain.contains('.'));
    server.eq_ignore_ascii_case(receiver)
        || domain.is_some_and(|domain| server.eq_ignore_ascii_case(domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_the_receiving_host_or_its_domain_counts() {
        for (server, receiver, expected) in [
            ("mx.club.test", Some("mx.club.test"), true),
            ("MX.Club.test", Some("mx.club.test"), true),
            ("club.test", Some("mx.club.test"), true),
            ("test", Some("club.test"), false),
            ("test", Some("mx.club.test"), false),
            ("evil.test", Some("mx.club.test"), false),
            ("xclub.test", Some("mx.club.test"), false),
            ("mx.club.test", None, false),
            ("mx.club.test", Some("club.test"), false),
        ] {
            assert_eq!(is_of_receiver(server, receiver), expected, "{server} {receiver:?}");
        }
    }
}
