//! Reads inbound mail.
//!
//! [`read`] parses a message of RFC 5322: its author, the message it replies to, signs of an
//! automatic mail, and the lines that a person typed. Anybody can send these bytes, so every loop is
//! bounded by the length of the message, and every recursion by the limit on nested parts.

mod address;
mod authentication;
mod automatic;
mod body;
mod charset;
mod failure_notice;
mod flowed;
mod header;
pub mod html;
mod invisible;
mod parts;
pub mod quote;
mod received;
mod references;
mod report;
pub mod signature;
mod subject;
mod summary;
mod transfer;
mod unreadable;

pub use address::is_null_path;
pub use authentication::Authentication;
pub use automatic::Automatic;
pub use body::Body;
pub use failure_notice::FailureNotice;
pub use header::MAX_LISTED;
pub use quote::OwnLines;
pub use report::{DeliveryReport, Failure};
pub use summary::{Summary, summary};
pub use unreadable::{MAX_BYTES, Unreadable};

/// A message that was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundMessage {
    /// Its Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// The bare address of its only author, in ASCII, in its original case. `None` when there are
    /// several authors, several From fields, or several ways to read the field.
    pub from: Option<String>,
    /// The subject on one line, decoded (RFC 2047), without `Re:` and similar prefixes in other
    /// languages. Empty when there is none.
    pub subject: String,
    /// The bare addresses of To, Cc, Delivered-To, X-Original-To and Envelope-To, in this order,
    /// [`MAX_LISTED`] at most.
    pub recipients: Vec<String>,
    /// The ids, without angle brackets, of In-Reply-To, then those of References in reverse: the
    /// nearest ancestor first. [`MAX_LISTED`] at most.
    pub references: Vec<String>,
    /// The sign that it is automatic; `None` for a mail by a person.
    pub automatic: Option<Automatic>,
    /// The results of the receiving server's checks of the author.
    pub authentication: Authentication,
    /// The host that received it, by its first Received field, in lower case.
    pub receiver: Option<String>,
    /// Its content.
    pub body: Body,
    /// The report, if this is a delivery status notification (RFC 3464).
    pub report: Option<DeliveryReport>,
    /// Its text, if it may be a notice of a failure without such a report.
    pub failure_notice: Option<FailureNotice>,
    /// The Date field, unfolded but not parsed.
    pub date: Option<String>,
}

impl InboundMessage {
    /// Returns the failure of one of our mails that this mail to its return path reports; `None` when
    /// it reports none. `message_id` and `sender` are those of our mail. `has_null_sender` says
    /// whether the envelope of this mail has an empty sender.
    pub fn failure(
        &self,
        has_null_sender: bool,
        message_id: &str,
        sender: &str,
    ) -> Option<Failure> {
        match (&self.report, &self.failure_notice) {
            (Some(report), _) => report.failed.then(|| report.failure()),
            (None, Some(notice)) => notice.failure(has_null_sender, message_id, sender),
            (None, None) => None,
        }
    }
}

/// Returns the texts of a message and of the messages attached to it, each with its quotes. Other bytes are one
/// text.
pub fn texts(bytes: &[u8]) -> Vec<String> {
    texts_within(bytes, unreadable::MAX_LEVELS)
}

fn texts_within(bytes: &[u8], levels: usize) -> Vec<String> {
    let Ok((parts, _)) = parts::parts(bytes) else {
        return vec![String::from_utf8_lossy(bytes).into_owned()];
    };
    let texts = parts.iter().map(|part| match levels.checked_sub(1) {
        Some(levels) if part.media.is("message", "rfc822") => {
            texts_within(&transfer::decoded(part), levels)
        }
        _ => body::text(part).into_iter().collect(),
    });
    texts.flatten().collect()
}

/// Reads a message of RFC 5322 with the body of RFC 2045 to 2049.
///
/// # Errors
/// When it is too long, or has no whole header or no From field.
pub fn read(bytes: &[u8]) -> Result<InboundMessage, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLong);
    }
    let (parts, broken) = parts::parts(bytes)?;
    let top = parts.first().ok_or(Unreadable::NotMail)?;
    let header = &top.header;
    if header.first("From").is_none() {
        return Err(Unreadable::NoFrom);
    }
    let report = report::report(&parts);
    // Not every report is a multipart/report.
    let automatic =
        automatic::sign(header, &top.media).or(report.as_ref().map(|_| Automatic::Report));
    Ok(InboundMessage {
        message_id: references::message_id(header),
        from: address::author(header),
        subject: subject::subject(header),
        recipients: address::recipients(header),
        references: references::references(header),
        automatic,
        authentication: Authentication::of(header),
        receiver: received::receiver(header),
        body: broken.map_or_else(|| body::content(&parts, 0), Body::Broken),
        report,
        failure_notice: FailureNotice::of(&parts),
        date: header.text("Date").filter(|date| date.len() <= header::MAX_LINE_BYTES),
    })
}
