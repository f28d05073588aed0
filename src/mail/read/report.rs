//! Delivery status notifications about our mails (RFC 3464).

use super::address::without_comments;
use super::header::{Header, line_end};
use super::parts::Part;
use super::transfer;

/// The longest [`DeliveryReport::said`], in characters.
const MOST_SAID: usize = 200;

/// What a delivery status notification reports about one recipient: the first with a permanent
/// failure, or else the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// Whether the server gave up: Action is `failed`, and the class of Status is 5. Without a
    /// Status the diagnostic code counts.
    pub permanent: bool,
    /// The Status (RFC 3463), such as `5.1.1`.
    pub status: Option<String>,
    /// The words of the other server, on one line of at most 200 characters: Diagnostic-Code
    /// without its type. Empty when there is none.
    pub said: String,
}

/// The report in a message, if it is one.
pub(super) fn report(parts: &[Part]) -> Option<DeliveryReport> {
    let media = &parts.first()?.media;
    let is_about_delivery = media.parameter("report-type").is_none()
        || media.says("report-type", "delivery-status")
        || media.says("report-type", "global-delivery-status");
    if !media.is("multipart", "report") || !is_about_delivery {
        return None;
    }
    let part = parts.iter().find(|part| {
        part.media.is("message", "delivery-status")
            || part.media.is("message", "global-delivery-status")
    })?;
    let status = transfer::decoded(part);
    let groups = groups(&status);
    let recipients = groups.iter().filter(|group| group.first("Final-Recipient").is_some());
    let mut reports = recipients.map(one).peekable();
    let first = reports.peek().cloned();
    reports.find(|report| report.permanent).or(first)
}

/// The groups of fields between empty lines. The first is about the message, each other about
/// one recipient.
fn groups(status: &[u8]) -> Vec<Header<'_>> {
    let mut groups = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < status.len() {
        let end = line_end(status, at);
        let line = status.get(at..end).unwrap_or_default();
        if line.trim_ascii().is_empty() {
            groups.push(Header::parse(status.get(start..at).unwrap_or_default()));
            start = end;
        }
        at = end;
    }
    groups.push(Header::parse(status.get(start..).unwrap_or_default()));
    groups
}

fn one(group: &Header) -> DeliveryReport {
    let plain = |name: &str| {
        let text = group.text(name)?;
        let text = without_comments(&text).unwrap_or(text);
        text.split_whitespace().next().map(str::to_owned)
    };
    let status = plain("Status").filter(|it| it.starts_with(|c: char| c.is_ascii_digit()));
    let said = said(&group.text("Diagnostic-Code").unwrap_or_default());
    let class = status.as_deref().unwrap_or(&said);
    let failed = plain("Action").is_some_and(|action| action.eq_ignore_ascii_case("failed"));
    DeliveryReport { permanent: failed && class.starts_with('5'), said, status }
}

/// A diagnostic code without its type, such as `smtp;`, on one line and not too long.
fn said(diagnostic: &str) -> String {
    let said = match diagnostic.split_once(';') {
        Some((kind, said)) if !kind.trim().contains(' ') => said,
        _ => diagnostic,
    };
    let words = said.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(MOST_SAID).collect()
}
