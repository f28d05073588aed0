//! Addresses in the fields that name people (RFC 5322, 3.4).
//!
//! The From field decides who may move, so a field that can be read in two ways has no author.

use lettre::Address;
use lettre::message::{Mailbox, Mailboxes};

use super::MOST_LISTED;
use super::header::{Header, unfolded};

/// The bare address of the one author, see [`InboundMessage::from`](super::InboundMessage::from).
pub(super) fn author(header: &Header) -> Option<String> {
    let mut fields = header.all("From");
    let (field, second) = (fields.next()?, fields.next());
    // Some readers take a bare carriage return or a NUL for the end of a line, others do not.
    let text = String::from_utf8_lossy(field).replace("\r\n", "\n");
    let is_odd = text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n'));
    if second.is_some() || is_odd {
        return None;
    }
    single(&without_comments(&unfolded(field))?)
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

/// The addresses in a field. Many programs do not quote display names as they should, and lettre
/// knows no groups: then every word that looks like an address is one. That is harmless, since a
/// recipient alone proves nothing.
fn listed(text: &str) -> Vec<String> {
    let strict = without_comments(text).and_then(|text| text.parse::<Mailboxes>().ok());
    if let Some(list) = strict {
        return list.iter().filter_map(|mailbox| plain(&mailbox.email)).collect();
    }
    let divides = |c: char| c.is_whitespace() || "<>()[]\",;:".contains(c);
    let words = text.split(divides).map(|word| word.trim_matches('\''));
    words.filter_map(|word| plain(&word.parse().ok()?)).collect()
}

/// The address of a value without comments that holds one, bare or after a display name.
pub(super) fn single(text: &str) -> Option<String> {
    let text = text.trim_end_matches([',', ' ']);
    let named = text.strip_suffix('>').and_then(|rest| rest.rsplit_once('<'));
    // Programs forget to quote display names: `Alice [work]`, or the address itself. lettre
    // decides about names that could be read as part of the list.
    let named = named.filter(|(name, address)| {
        let is_repeated = name.trim().trim_matches('\'').eq_ignore_ascii_case(address.trim());
        is_repeated || !name.contains(['<', '>', '@', ',', ':', ';', '"', '\\'])
    });
    let mailbox: Mailbox = named.map_or(text, |(_, address)| address).parse().ok()?;
    plain(&mailbox.email)
}

/// The address if it is in ASCII and needs no quoting, and so is written in one way only.
fn plain(address: &Address) -> Option<String> {
    let address = address.to_string();
    address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"').then_some(address)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn from(field: &str) -> Option<String> {
        author(&Header::parse(format!("From: {field}\n").as_bytes()))
    }

    #[test]
    fn one_author_in_any_form() {
        for field in [
            "alice@example.org",
            "<alice@example.org>",
            "Alice <alice@example.org>",
            "\"Alice, the first <a@b>\" <alice@example.org>",
            "\"a \\\" b\" <alice@example.org>",
            "=?utf-8?Q?Al=C3=ADce?= <alice@example.org>",
            "alice@example.org (Alice (the \\) first), b@c)",
            "Alice\r\n <alice@example.org>",
            "Alice [work] <alice@example.org>",
            "J\u{fc}rgen <alice@example.org>",
            "alice@example.org <alice@example.org>",
            "'Alice@example.org' <alice@example.org>",
            "alice@example.org,",
        ] {
            assert_eq!(from(field).as_deref(), Some("alice@example.org"), "{field}");
        }
    }

    #[test]
    fn no_author_in_a_doubtful_field() {
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
