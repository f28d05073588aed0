//! The subject without the prefixes of mail programs.

use mail_parser::parsers::MessageStream;

use super::header::Header;
use crate::mail::text::one_line;

/// The most bytes of a Subject field that are read.
const MAX_SUBJECT_BYTES: usize = 4 * 1024;

/// The prefixes of replies and forwarded mails in many languages, in lower case and without the
/// colon.
const PREFIXES: [&str; 33] = [
    "re", "r", "ré", "aw", "antw", "antwort", "sv", "vs", "vl", "vb", "fwd", "fw", "tr", "wg",
    "rv", "res", "enc", "rif", "i", "odp", "pd", "ynt", "ilt", "bls", "trs", "回复", "答复",
    "回覆", "转发", "轉寄", "返信", "转", "답장",
];

/// Returns the subject, see [`InboundMessage::subject`](super::InboundMessage::subject).
pub(super) fn subject(header: &Header) -> String {
    let Some(field) = header.first("Subject") else { return String::new() };
    let mut field = field.get(..MAX_SUBJECT_BYTES).unwrap_or(field).to_vec();
    field.push(b'\n');
    let decoded = MessageStream::new(&field).parse_unstructured().into_text().unwrap_or_default();
    let line = one_line(&decoded, MAX_SUBJECT_BYTES);
    let mut rest = line.as_str();
    while let Some(shorter) = without_prefix(rest) {
        rest = shorter;
    }
    rest.to_owned()
}

/// Returns the text after `Re:`, `RE :`, `Re[2]:` and the like; `None` without such a prefix.
fn without_prefix(subject: &str) -> Option<&str> {
    let (prefix, rest) = subject.split_once([':', '：'])?;
    let word = prefix.trim();
    let word =
        without_count(word, '[', ']').or_else(|| without_count(word, '(', ')')).unwrap_or(word);
    let word = word.trim_end().to_lowercase();
    PREFIXES.contains(&word.as_str()).then(|| rest.trim_start())
}

/// Returns `Re` for `Re[2]`.
fn without_count(word: &str, open: char, close: char) -> Option<&str> {
    let (word, count) = word.strip_suffix(close)?.rsplit_once(open)?;
    count.bytes().all(|byte| byte.is_ascii_digit()).then_some(word)
}
