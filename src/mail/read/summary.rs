//! The header of a mail, even of one that cannot be read, for people.

use super::header::Header;
use super::invisible::is_invisible;
use super::{address, references, subject};

/// The most bytes that are searched for the header.
const MAX_SUMMARY_BYTES: usize = 64 * 1024;

/// The longest text of a [`Summary`], in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// What the header of a mail says, without control and invisible characters and cut if long.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The bare address of its author, or else the From field.
    pub from: Option<String>,
    /// The subject, see [`InboundMessage::subject`](super::InboundMessage::subject).
    pub subject: Option<String>,
    /// The Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// The Date field.
    pub date: Option<String>,
}

/// Returns the summary of a mail, from the part of its header that is there.
pub fn summary(bytes: &[u8]) -> Summary {
    let bytes = bytes.get(..MAX_SUMMARY_BYTES).unwrap_or(bytes);
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let end = lines.take_while(|line| !matches!(*line, b"\n" | b"\r\n")).map(<[u8]>::len).sum();
    let header = Header::parse(bytes.get(..end).unwrap_or_default());
    Summary {
        from: shown(address::author(&header).or_else(|| header.text("From"))),
        subject: shown(Some(subject::subject(&header))),
        message_id: shown(references::message_id(&header)),
        date: shown(header.text("Date")),
    }
}

fn shown(text: Option<String>) -> Option<String> {
    let plain = text?.replace(char::is_control, " ").replace(is_invisible, "");
    let line = plain.trim();
    let line = match line.char_indices().nth(MAX_SHOWN_CHARS) {
        // A part of an address would not be found when the address must be erased.
        Some((end, _)) => {
            line[..end].rsplit_once([' ', ',']).map_or(&line[..end], |(whole, _)| whole)
        }
        None => line,
    };
    (!line.is_empty()).then(|| line.to_owned())
}
