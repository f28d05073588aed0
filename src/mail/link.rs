//! `mailto:` links (RFC 6068), which open a mail that is already written.

use std::fmt::Write;

/// Returns a link to a mail with this address, subject and body. An empty body is left out; its
/// lines may end in LF or CRLF.
///
/// Everything but unreserved characters is percent-encoded, even `+`, which some mail programs take
/// for a space. In HTML, only the `&` before the body must be escaped.
pub(super) fn mailto(address: &str, subject: &str, body: &str) -> String {
    let mut uri = "mailto:".to_owned();
    match address.rsplit_once('@') {
        Some((local, domain)) => {
            encode(local, &mut uri);
            uri.push('@');
            encode(domain, &mut uri);
        }
        None => encode(address, &mut uri),
    }
    uri.push_str("?subject=");
    encode(subject, &mut uri);
    if !body.is_empty() {
        uri.push_str("&body=");
        encode(&body.replace("\r\n", "\n").replace('\n', "\r\n"), &mut uri);
    }
    uri
}

fn encode(text: &str, uri: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_are_percent_encoded() {
        assert_eq!(
            mailto("outflank+abc@club.example", "Re: Othello #1: a - b", "d3\n\nReply token: xyz"),
            "mailto:outflank%2Babc@club.example?subject=Re%3A%20Othello%20%231%3A%20a%20-%20b\
             &body=d3%0D%0A%0D%0AReply%20token%3A%20xyz"
        );
        assert_eq!(
            mailto("\"a@b&?\"@x.example", "Größe <\"'>", "50%\r\n=?"),
            "mailto:%22a%40b%26%3F%22@x.example?subject=Gr%C3%B6%C3%9Fe%20%3C%22%27%3E\
             &body=50%25%0D%0A%3D%3F"
        );
    }

    #[test]
    fn an_empty_body_is_left_out() {
        assert_eq!(mailto("a@x.example", "", ""), "mailto:a@x.example?subject=");
        assert_eq!(mailto("nobody", "s", ""), "mailto:nobody?subject=s");
    }
}
