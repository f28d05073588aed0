//! Addresses in the fields that name people (RFC 5322, 3.4).
//!
//! Who may move follows from the From field, so nothing is guessed here: what can be read in two
//! ways is no address.

use super::MOST_LISTED;
use super::header::{Header, unfolded};

/// The bare address of the one author, see [`InboundMessage::from`](super::InboundMessage::from).
pub(super) fn author(header: &Header) -> Option<String> {
    let mut fields = header.all("From");
    let (field, second) = (fields.next()?, fields.next());
    // A bare carriage return or a NUL ends a line for some readers, and not for others.
    let text = String::from_utf8_lossy(field).replace("\r\n", "\n");
    let is_odd = text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n'));
    if second.is_some() || is_odd {
        return None;
    }
    let list = mailboxes(&without_comments(&unfolded(field))?)?;
    match list.entries.as_slice() {
        [only] if !list.has_group => mailbox(only),
        _ => None,
    }
}

/// The recipients, see [`InboundMessage::recipients`](super::InboundMessage::recipients).
pub(super) fn recipients(header: &Header) -> Vec<String> {
    ["To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"]
        .into_iter()
        .flat_map(|name| header.all(name))
        .flat_map(|field| listed(&unfolded(field)))
        .take(MOST_LISTED)
        .collect()
}

/// The addresses in a field. Many a display name is not quoted as it should be: then all that
/// looks like an address is one. No harm comes of it, as a recipient proves nothing by itself.
fn listed(text: &str) -> Vec<String> {
    let list = without_comments(text).and_then(|text| mailboxes(&text));
    let strict = list.and_then(|list| list.entries.iter().map(|entry| mailbox(entry)).collect());
    let divides = |c: char| c.is_whitespace() || "<>()[]\",;:".contains(c);
    let words = || text.split(divides).map(|word| word.trim_matches('\''));
    strict.unwrap_or_else(|| words().filter(|word| is_address(word)).map(str::to_owned).collect())
}

/// The address of a text that holds one, bare or in angle brackets.
pub(super) fn one(text: &str) -> Option<String> {
    match mailboxes(text)?.entries.as_slice() {
        [only] => mailbox(only),
        _ => None,
    }
}

/// A structured value without its comments, which may be nested (RFC 5322, 3.2.2). None when a
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
                // A comment separates what is left and right of it.
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

/// A list of mailboxes.
struct List {
    /// The mailboxes as they were written, those of groups too.
    entries: Vec<String>,
    /// Whether there is a group, `Name: mailbox, mailbox;`.
    has_group: bool,
}

/// The mailboxes of a value without comments. None when a quoted string, an angle bracket, a
/// domain literal or a group is not closed.
fn mailboxes(text: &str) -> Option<List> {
    let mut entries = Vec::new();
    let mut entry = String::new();
    let (mut quoted, mut escaped, mut angle, mut literal) = (false, false, false, false);
    let (mut group, mut has_group) = (false, false);
    for c in text.chars() {
        let is_escaped = std::mem::replace(&mut escaped, false);
        match c {
            _ if is_escaped => {}
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '<' | '>' => {
                if angle == (c == '<') {
                    return None;
                }
                angle = !angle;
            }
            '[' => literal = true,
            ']' => literal = false,
            _ if literal || angle => {}
            ':' => {
                if std::mem::replace(&mut group, true) {
                    return None;
                }
                has_group = true;
                entry.clear();
                continue;
            }
            ';' => {
                group = false;
                entries.push(std::mem::take(&mut entry));
                continue;
            }
            ',' => {
                entries.push(std::mem::take(&mut entry));
                continue;
            }
            _ => {}
        }
        entry.push(c);
    }
    entries.push(entry);
    entries.retain(|entry| !entry.trim().is_empty());
    (!quoted && !angle && !literal && !group).then_some(List { entries, has_group })
}

/// The bare address of one mailbox: of `address` or of `Name <address>`.
fn mailbox(entry: &str) -> Option<String> {
    let entry = entry.trim();
    let Some(rest) = entry.strip_suffix('>') else {
        return is_address(entry).then(|| entry.to_owned());
    };
    let (name, address) = rest.rsplit_once('<')?;
    let address = address.trim();
    (is_name_for(name.trim(), address) && is_address(address)).then(|| address.to_owned())
}

/// Whether a display name leaves no doubt about the address after it: no angle bracket and no
/// other address stands in it outside quotation marks.
fn is_name_for(name: &str, address: &str) -> bool {
    // Some mail programs put it between apostrophes.
    if name.trim_matches('\'').eq_ignore_ascii_case(address) {
        return true;
    }
    let (mut quoted, mut escaped) = (false, false);
    for c in name.chars() {
        let is_escaped = std::mem::replace(&mut escaped, false);
        match c {
            _ if is_escaped => {}
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '<' | '>' | '@' if !quoted => return false,
            _ => {}
        }
    }
    true
}

/// Whether it is `dot-atom@domain` in ASCII, the form of addr-spec (RFC 5322, 3.4.1) that needs
/// no quoting and so is written in one way only.
fn is_address(text: &str) -> bool {
    let is_atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= 254
        && text.split_once('@').is_some_and(|(local, domain)| {
            local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom))
                && domain.split('.').all(is_label)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(field: &str) -> Option<String> {
        author(&Header::parse(format!("From: {field}\n").as_bytes()))
    }

    #[test]
    fn one_author_in_any_dress() {
        for field in [
            "alice@example.org",
            "<alice@example.org>",
            "Alice <alice@example.org>",
            "\"Alice, the first <a@b>\" <alice@example.org>",
            "\"a \\\" b\" <alice@example.org>",
            "=?utf-8?Q?Al=C3=ADce?= <alice@example.org>",
            "alice@example.org (Alice (the \\) first), b@c)",
            "Alice\r\n <alice@example.org>",
            "J\u{fc}rgen <alice@example.org>",
            "alice@example.org <alice@example.org>",
            "'Alice@example.org' <alice@example.org>",
            "alice@example.org,",
        ] {
            assert_eq!(from(field).as_deref(), Some("alice@example.org"), "{field}");
        }
    }

    #[test]
    fn nobody_where_there_is_doubt() {
        for field in [
            "",
            "Alice",
            "alice@example.org, bob@example.org",
            "<alice@example.org> <bob@example.org>",
            "<alice@example.org> bob@example.org",
            "bob@example.org <alice@example.org>",
            "alice@example.org bob@example.org",
            "alice@bob@example.org",
            "\"alice@example.org",
            "Alice (alice@example.org",
            "Alice <alice@example.org",
            "\u{e1}lice@example.org",
            "alice@ex\u{e1}mple.org",
            "alice@example.org\nFrom: alice@example.org",
            "alice@exam\0ple.org",
            "<@relay.example:alice@example.org>",
            "alice@",
            "@example.org",
            "ali ce@example.org",
            "al(x)ice@example.org",
            "friends: alice@example.org, bob@example.org;",
            "bob@example.org: alice@example.org;",
            "alice@exam\rple.org",
            "alice@exam\r\n ple.org",
        ] {
            assert_eq!(from(field), None, "{field}");
        }
    }

    #[test]
    fn recipients_in_order_and_of_groups() {
        let header = Header::parse(
            b"Cc: c@x\nTo: a@x, Friends: \"B, b\" <b@x>;\nEnvelope-To: e@x\nX-Original-To: o@x\n\
              Delivered-To: d1@x\nDelivered-To: d2@x\nBcc: no@x\nCc: undisclosed-recipients:;\n",
        );
        let expected = ["a@x", "b@x", "c@x", "d1@x", "d2@x", "o@x", "e@x"];
        assert_eq!(recipients(&header), expected);
    }

    #[test]
    fn a_recipient_is_found_behind_any_name() {
        for field in [
            "'o+code@x' <o+code@x>",
            "o@x <o+code@x>",
            "Othello: the game <o+code@x>",
            "Othello (8x8 <o+code@x>",
            "Othello <o+code@x> <mailto:o+code@x>",
            "<mailto:o+code@x>",
        ] {
            let found = recipients(&Header::parse(format!("To: {field}\n").as_bytes()));
            assert!(found.contains(&"o+code@x".to_owned()), "{field}");
        }
    }
}
