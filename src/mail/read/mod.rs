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
mod flowed;
mod header;
pub mod html;
mod notice;
mod parts;
pub mod quote;
mod references;
mod report;
mod subject;
mod summary;
mod transfer;

pub use authentication::Authentication;
pub use automatic::Automatic;
pub use body::{Body, OwnLines};
pub use notice::{Failure, Notice};
pub use report::DeliveryReport;
pub use summary::{Summary, summary};

use icu_properties::props::{BinaryProperty, DefaultIgnorableCodePoint};

/// The longest message that is read, in bytes.
pub const MAX_BYTES: usize = 5 * 1024 * 1024;

/// The most recipients, and the most references, that are read from one message.
pub const MOST_LISTED: usize = 200;

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
    /// [`MOST_LISTED`] at most.
    pub recipients: Vec<String>,
    /// The ids, without angle brackets, of In-Reply-To, then those of References in reverse: the
    /// nearest ancestor first. [`MOST_LISTED`] at most.
    pub references: Vec<String>,
    /// The sign of an automatic mail, which is neither obeyed nor answered; `None` for a mail by a
    /// person.
    pub automatic: Option<Automatic>,
    /// The results of the receiving server's checks of the author.
    pub authentication: Authentication,
    /// Its content.
    pub body: Body,
    /// The report, if this is a delivery status notification (RFC 3464).
    pub report: Option<DeliveryReport>,
    /// What a mail system may report without such a report.
    pub notice: Option<Notice>,
    /// The Date field, unfolded but not parsed.
    pub date: Option<String>,
}

/// An error in reading a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Longer than [`MAX_BYTES`].
    #[error("it is longer than {} MiB", MAX_BYTES / (1024 * 1024))]
    TooLong,
    /// It has no header field.
    #[error("it is not a mail")]
    NotMail,
    /// There is no empty line after the header.
    #[error("it is cut off in its header")]
    CutInHeader,
    /// A header is longer than any real one.
    #[error("its header is too long")]
    HeaderTooLong,
    /// There is no From field, which RFC 5322, 3.6 requires.
    #[error("it has no From field")]
    NoFrom,
    /// A multipart entity lacks its closing delimiter (RFC 2046, 5.1.1).
    #[error("it is cut off: a closing boundary is missing")]
    CutInBody,
    /// A multipart entity names no boundary.
    #[error("it has a multipart without a boundary")]
    NoBoundary,
    /// More MIME parts than any real mail has.
    #[error("it has more than {} parts", parts::MOST_PARTS)]
    TooManyParts,
    /// MIME parts nested deeper than in any real mail.
    #[error("its parts are nested deeper than {} levels", parts::MOST_LEVELS)]
    TooDeep,
}

/// Reads a message of RFC 5322 with the body of RFC 2045 to 2049.
pub fn read(bytes: &[u8]) -> Result<InboundMessage, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLong);
    }
    let parts = parts::parts(bytes)?;
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
        body: body::body(&parts),
        report,
        notice: Notice::of(&parts),
        date: header.text("Date").filter(|date| date.len() <= header::LONGEST_LINE),
    })
}

/// Returns whether this is the null path of RFC 5321: empty, `<>`, or `MAILER-DAEMON`, which mail
/// servers write where a name is required.
pub fn is_null_path(path: &str) -> bool {
    let path = path.trim();
    let bare = path.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(path);
    let local = bare.split('@').next().unwrap_or_default().trim();
    local.is_empty() || local.eq_ignore_ascii_case("mailer-daemon")
}

/// Returns whether a character is invisible by the Unicode standard, such as a zero-width space, a
/// soft hyphen or a direction mark.
fn is_invisible(c: char) -> bool {
    !c.is_ascii() && DefaultIgnorableCodePoint::for_char(c)
}
