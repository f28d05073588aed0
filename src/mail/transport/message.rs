use lettre::Address;

use crate::mail::{status, text};

/// Longer text of another program is cut, in characters.
const MAX_QUOTED_CHARS: usize = 300;

/// A composed message with its envelope.
#[derive(Debug, Clone)]
pub struct Message {
    /// Envelope sender: a bare address.
    pub from: String,
    /// Envelope recipient: a bare address.
    pub to: String,
    /// The Message-ID without its angle brackets, the same on every attempt.
    pub message_id: String,
    /// The message of RFC 5322, with CRLF line ends.
    pub bytes: Vec<u8>,
}

/// An error in delivering a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub enum DeliveryError {
    /// The transport does not work (server down, login refused, disk full), so the other messages
    /// would fail too. Try again later.
    Unavailable(String),
    /// The server refused the sender, which all messages have, so the others would be refused too. Try
    /// again later.
    Sender(String),
    /// This message was refused for now (4xx, or the connection broke). Try again later.
    Temporary(String),
    /// The recipient will never be accepted (5xx to RCPT TO): the address fails. Never with the
    /// status 5.7.x, which is about the sender and so [`Self::Permanent`].
    Recipient(String),
    /// This message will never be accepted, but not because of the recipient: the host must look at
    /// it.
    Permanent(String),
}

impl DeliveryError {
    /// Returns the error for a recipient that was refused permanently with this reply.
    pub(super) fn refused_recipient(why: String) -> Self {
        if status::is_policy(&why) { Self::Permanent(why) } else { Self::Recipient(why) }
    }
}

impl Message {
    /// Returns the message with LF line ends, as Unix programs expect it.
    pub(super) fn with_lf(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for line in self.bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\r\n") {
                Some(line) => bytes.extend(line.iter().chain(b"\n")),
                None => bytes.extend(line),
            }
        }
        bytes
    }

    /// Returns the sender and the recipient, if each is a single plain address.
    pub(super) fn envelope(&self) -> Result<(Address, Address), DeliveryError> {
        let Self { from, to, .. } = self;
        let bad_sender =
            || format!("{from:?} is not a valid sender address; correct from in [mail]");
        let bad_recipient = || format!("{to:?} is not a valid address");
        Ok((
            plain_address(from).ok_or_else(|| DeliveryError::Unavailable(bad_sender()))?,
            plain_address(to).ok_or_else(|| DeliveryError::Recipient(bad_recipient()))?,
        ))
    }
}

/// Parses an address; `None` if it needs quoting, since it could end or extend a command then.
fn plain_address(text: &str) -> Option<Address> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"(),;<>\\".contains(&byte);
    text.parse().ok().filter(|_| text.bytes().all(is_plain))
}

/// Returns the text on one line, without control characters, cut if long.
pub(super) fn one_line(text: &str) -> String {
    text::one_line(text, MAX_QUOTED_CHARS)
}
