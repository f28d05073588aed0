//! Mail that came in: from bytes to what its writer says.
//!
//! [`read`] takes a message of RFC 5322 apart: who wrote it, what it answers, whether a machine
//! sent it, and the lines that a person typed. What comes in is a stranger's: every loop here is
//! bounded by the length of the message, and every recursion by the number of levels that parts
//! may be nested.

mod address;
mod authentication;
mod automatic;
mod body;
mod charset;
mod flowed;
mod header;
pub mod html;
mod parts;
pub mod quote;
mod references;
mod report;
mod subject;
mod transfer;

pub use authentication::Authentication;
pub use automatic::Automatic;
pub use body::Body;
pub use report::DeliveryReport;

use header::Header;

/// The longest message that is read, in bytes.
pub const MAX_BYTES: usize = 5 * 1024 * 1024;

/// The most recipients, and the most references, that are told of one message.
pub const MOST_LISTED: usize = 200;

/// What a message says, and who says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundMessage {
    /// Its Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// The bare address of its one author, in ASCII and as it was written. None when the From
    /// field names nobody or several, when there are two From fields, or when it can be read in
    /// more than one way.
    pub from: Option<String>,
    /// The subject on one line, decoded (RFC 2047), without `Re:` and its sisters in other
    /// languages. Empty when there is none.
    pub subject: String,
    /// The bare addresses of To, Cc, Delivered-To, X-Original-To and Envelope-To, in this order,
    /// [`MOST_LISTED`] at most.
    pub recipients: Vec<String>,
    /// The ids, without angle brackets, of In-Reply-To, and then of References from the last to
    /// the first: the nearest ancestor first. [`MOST_LISTED`] at most.
    pub references: Vec<String>,
    /// Where the machine that delivered it would have sent a bounce (RFC 5321, 4.4), if it says.
    pub return_path: Option<ReturnPath>,
    /// Why nobody is to act on it or to answer it; none for a mail by a person.
    pub automatic: Option<Automatic>,
    /// What the first Authentication-Results field says.
    pub authentication: Authentication,
    /// What there is to read in it.
    pub body: Body,
    /// What became of a mail of ours, when this is a delivery status notification (RFC 3464).
    pub report: Option<DeliveryReport>,
    /// The Date field as it was written, unfolded.
    pub date: Option<String>,
}

/// The Return-Path field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReturnPath {
    /// `<>`, or `MAILER-DAEMON`: nobody wants to hear that this mail could not be delivered.
    Null,
    /// A bare address.
    Address(String),
}

/// Why a message cannot be processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Longer than [`MAX_BYTES`].
    #[error("it is longer than {} MiB", MAX_BYTES / (1024 * 1024))]
    TooLong,
    /// Nothing in it looks like a header field.
    #[error("it is not a mail")]
    NotMail,
    /// There is no empty line after the header.
    #[error("it is cut off in its header")]
    CutInHeader,
    /// A header is longer than any honest one.
    #[error("its header is too long")]
    HeaderTooLong,
    /// There is no From field (RFC 5322, 3.6 demands one).
    #[error("it has no From field")]
    NoFrom,
    /// A multipart entity lacks its closing delimiter (RFC 2046, 5.1.1).
    #[error("it is cut off: a closing boundary is missing")]
    CutInBody,
    /// A multipart entity does not tell its boundary.
    #[error("it has a multipart without a boundary")]
    NoBoundary,
    /// More MIME parts than any honest mail has.
    #[error("it has more than {} parts", parts::MOST_PARTS)]
    TooManyParts,
    /// MIME parts in MIME parts, deeper than in any honest mail.
    #[error("its parts are nested deeper than {} levels", parts::MOST_LEVELS)]
    TooDeep,
}

/// Reads a message of RFC 5322 with the body of RFC 2045 to 2049.
///
/// # Errors
/// [`Unreadable`] for what is too long, too deep, cut off, or no mail at all.
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
    let from = address::author(header);
    let return_path = return_path(header);
    Ok(InboundMessage {
        message_id: references::message_id(header),
        subject: subject::subject(header),
        recipients: address::recipients(header),
        references: references::references(header),
        automatic: automatic::why(header, &top.media, return_path.as_ref()),
        authentication: Authentication::of(header),
        body: body::body(&parts),
        report: report::report(&parts),
        date: header.text("Date").filter(|date| date.len() <= header::LONGEST_LINE),
        from,
        return_path,
    })
}

/// Whether this is the path of RFC 5321 that leads nowhere: empty, `<>`, or, where a mail server
/// must write a name, `MAILER-DAEMON`.
#[must_use]
pub fn is_null_path(path: &str) -> bool {
    let path = path.trim();
    let bare = path.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(path);
    let local = bare.split('@').next().unwrap_or_default().trim();
    local.is_empty() || local.eq_ignore_ascii_case("mailer-daemon")
}

fn return_path(header: &Header) -> Option<ReturnPath> {
    let text = header.text("Return-Path")?;
    let path = address::without_comments(&text)?;
    if !path.trim().is_empty() && is_null_path(&path) {
        return Some(ReturnPath::Null);
    }
    address::one(path.trim()).map(ReturnPath::Address)
}

/// Whether nothing of a character is seen: spaces and joiners without width, soft hyphens, marks of
/// direction and of byte order.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
