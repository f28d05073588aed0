//! Addresses in the fields that name people (RFC 5322, 3.4).
//!
//! The From field decides who may move, so a field that can be read in two ways has no author.

use lettre::Address;
use lettre::message::{Mailbox, Mailboxes};

use super::header::{Header, MAX_LISTED, unfolded};

/// Returns the bare address of the only author, see [`InboundMessage::from`](super::InboundMessage::from).
pub(super) fn author(header: &Header) -> Option<String> {
    let mut fields = header.all("From");
    let (field, second) = (fields.next()?, fields.next());
    // Some mail programs take a bare carriage return or a NUL for the end of a line.
    let text = String::from_utf8_lossy(field).replace("\r\n", "\n");
    let is_odd = text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n'));
    if second.is_some() || is_odd {
        return None;
    }
    single(&without_comments(&unfolded(field))?)
}

/// Returns the recipients, see [`InboundMessage::recipients`](super::InboundMessage::recipients).
pub(super) fn recipients(header: &Header) -> Vec<String> {
    ["To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"]
        .into_iter()
        .flat_map(|name| header.all(name))
        .flat_map(|field| listed(&unfolded(field)))
        .take(MAX_LISTED)
        .collect()
}

/// Returns the addresses in a field. Many programs fail to quote display names, and lettre does not
/// parse groups: then every word that looks like an address is one. That is harmless, since a
/// recipient alone proves nothing.
fn listed(text: &str) -> Vec<String> {
    let strict = without_comments(text).and_then(|text| text.parse::<Mailboxes>().ok());
    if let Some(list) = strict {
        return list.iter().filter_map(|mailbox| plain(&mailbox.email)).collect();
    }
    let divides = |c: char| c.is_whitespace() || "<>()[]\",;:".contains(c);
    let words = text.split(divides).map(|word| word.trim_matches('\''));
    let words = words.filter(|word| word.is_ascii());
    words.filter_map(|word| plain(&word.parse().ok()?)).take(MAX_LISTED).collect()
}

/// Returns the address of a value that holds only one, bare or after a display name. The value must
/// have no comments.
fn single(text: &str) -> Option<String> {
    let text = text.trim_end_matches([',', ' ']);
    let named = text.strip_suffix('>').and_then(|rest| rest.rsplit_once('<'));
    // Programs forget to quote display names: `Alice [work]`, or the address itself. lettre parses
    // names that could be part of the list.
    let named = named.filter(|(name, address)| {
        let is_repeated = name.trim().trim_matches('\'').eq_ignore_ascii_case(address.trim());
        is_repeated || !name.contains(['<', '>', '@', ',', ':', ';', '"', '\\'])
    });
    let mailbox: Mailbox = named.map_or(text, |(_, address)| address).parse().ok()?;
    // lettre accepts quotes and spaces within an address, which other readers may understand
    // differently.
    let is_literal = |address: &String| text.trim_end_matches(['>', ' ']).ends_with(address);
    plain(&mailbox.email).filter(is_literal)
}

/// Returns the address if it is in ASCII and needs no quoting.
fn plain(address: &Address) -> Option<String> {
    let address = address.to_string();
    address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"').then_some(address)
}

/// Removes the comments of a structured value, which may be nested (RFC 5322, 3.2.2). `None` when a
/// comment or a quoted string is not closed.
pub(super) fn without_comments(text: &str) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for c in text.chars() {
        let literal = std::mem::replace(&mut escaped, false);
        match c {
            '\\' if !literal && (quoted || depth > 0) => escaped = true,
            '"' if !literal && depth == 0 => quoted = !quoted,
            '(' if !literal && !quoted => {
                depth += 1;
                // A comment separates the words around it.
                kept.push(' ');
            }
            ')' if !literal && depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            kept.push(c);
        }
    }
    (depth == 0 && !quoted && !escaped).then_some(kept)
}

/// Returns whether this is the null path of RFC 5321: empty, `<>`, or `MAILER-DAEMON`, which mail
/// servers write where a name is required.
pub fn is_null_path(path: &str) -> bool {
    let path = path.trim();
    let bare = path.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(path);
    let local = bare.split('@').next().unwrap_or_default().trim();
    local.is_empty() || local.eq_ignore_ascii_case("mailer-daemon")
}
