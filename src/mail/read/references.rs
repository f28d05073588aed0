//! Message identifiers (RFC 5322, 3.6.4).

use super::header::{Header, MAX_LINE_BYTES, MAX_LISTED, unfolded};

/// Returns the id of the message itself.
pub(super) fn message_id(header: &Header) -> Option<String> {
    ids(&header.text("Message-ID")?).into_iter().next()
}

/// Returns the ids of its ancestors, see
/// [`InboundMessage::references`](super::InboundMessage::references).
pub(super) fn references(header: &Header) -> Vec<String> {
    let all = |name| header.all(name).flat_map(|field| ids(&unfolded(field))).collect::<Vec<_>>();
    let thread = all("References").into_iter().rev();
    all("In-Reply-To").into_iter().chain(thread).take(MAX_LISTED).collect()
}

/// Returns the ids in angle brackets, or else the words with an at sign, as some programs write
/// them. White space within an id comes from folding and is removed.
fn ids(text: &str) -> Vec<String> {
    let mut found: Vec<&str> =
        text.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(id, _)| id)).collect();
    if found.is_empty() {
        found = text.split_whitespace().filter(|word| word.contains('@')).collect();
    }
    let ids = found.into_iter().map(|id| id.split_whitespace().collect::<String>());
    ids.filter(|id| !id.is_empty() && id.len() <= MAX_LINE_BYTES).collect()
}
