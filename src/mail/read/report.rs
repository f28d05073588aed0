//! Delivery status notifications about our mails (RFC 3464).

use super::address::without_comments;
use super::header::Header;
use super::parts::{Media, Part};
use super::transfer;
use crate::mail::status;
use crate::mail::text::one_line;

/// The longest [`DeliveryReport::diagnostic`], in characters.
pub(super) const MAX_DIAGNOSTIC_CHARS: usize = 200;

/// The report of a delivery status notification about one recipient: the first that failed, or else
/// the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// Whether the server gave up: Action is `failed`. Status may begin with 4: then the mail was
    /// tried for as long as the server tries.
    pub failed: bool,
    /// The Status (RFC 3463), such as `5.1.1`.
    pub status: Option<String>,
    /// The reply of the other server: Diagnostic-Code without its type, on one line of at most 200
    /// characters. Empty when there is none.
    pub diagnostic: String,
}

/// The failure of one of our mails, as a mail system reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The reply of the other server, as far as it is known, on one line of at most 200 characters.
    pub reason: String,
    /// Whether it is a refusal by policy (5.7.x), which is about the sender and not the recipient.
    pub is_policy: bool,
}

impl DeliveryReport {
    /// Returns the failure that it reports.
    pub(super) fn failure(&self) -> Failure {
        let status = self.status.as_deref();
        let reason = match self.diagnostic.as_str() {
            "" => status.unwrap_or("no reason given"),
            diagnostic => diagnostic,
        };
        // A general status says less than the diagnostic.
        let precise = status.filter(|status| !status.ends_with(".0.0"));
        let whole = format!("{} {}", precise.unwrap_or_default(), self.diagnostic);
        let is_policy =
            status::is_policy(precise.unwrap_or(&self.diagnostic)) && status::is_policy(&whole);
        Failure { reason: reason.to_owned(), is_policy }
    }
}

/// Returns the report in a message, if there is one.
pub(super) fn report(parts: &[Part]) -> Option<DeliveryReport> {
    if !is_about_delivery(&parts.first()?.media) {
        return None;
    }
    let part = parts.iter().find(|part| {
        part.media.is("message", "delivery-status")
            || part.media.is("message", "global-delivery-status")
    })?;
    let status = transfer::decoded(part);
    let groups = groups(&status);
    let recipients = groups.iter().filter(|group| group.first("Action").is_some());
    let mut reports = recipients.map(one).peekable();
    let first = reports.peek().cloned();
    reports.find(|report| report.failed).or(first)
}

/// Returns whether a mail of this type can report a delivery. Some mail servers write the report
/// into another multipart than multipart/report (RFC 6522).
pub(super) fn is_about_delivery(media: &Media) -> bool {
    media.parameter("report-type").is_none()
        || media.has("report-type", "delivery-status")
        || media.has("report-type", "global-delivery-status")
}

/// Splits a report into its groups of fields at empty lines. The first is about the message, each
/// other about one recipient.
fn groups(status: &[u8]) -> Vec<Header<'_>> {
    let mut groups = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in status.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            groups.push(Header::parse(status.get(start..at).unwrap_or_default()));
            start = at + line.len();
        }
        at += line.len();
    }
    groups.push(Header::parse(status.get(start..).unwrap_or_default()));
    groups
}

/// Reads the report about one recipient.
fn one(group: &Header) -> DeliveryReport {
    let plain = |name: &str| {
        let text = group.text(name)?;
        let text = without_comments(&text).unwrap_or(text);
        text.split_whitespace().next().map(str::to_owned)
    };
    let status = plain("Status").filter(|it| it.starts_with(|c: char| c.is_ascii_digit()));
    let diagnostic = diagnostic(&group.text("Diagnostic-Code").unwrap_or_default());
    let failed = plain("Action").is_some_and(|action| action.eq_ignore_ascii_case("failed"));
    DeliveryReport { failed, diagnostic, status }
}

/// Returns a diagnostic code without its type, such as `smtp;`, on one line and not too long.
fn diagnostic(code: &str) -> String {
    let text = match code.split_once(';') {
        Some((kind, text)) if !kind.trim().contains(' ') => text,
        _ => code,
    };
    one_line(text, MAX_DIAGNOSTIC_CHARS)
}
