//! Links that open a mail which is written already: `mailto:` URIs (RFC 6068).

use std::fmt::Write;

/// The URI that opens a mail to this address with this subject and body; an empty body is left
/// out. Lines of the body may end in LF or CRLF.
///
/// Everything but unreserved characters is percent-encoded, `+` too, which some mail programs
/// take for a gap. So in HTML only the `&` before the body wants to be escaped.
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
            // A string takes everything that is written to it.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_odd_is_percent_encoded() {
        assert_eq!(
            mailto("outflank+abc@club.example", "Re: Othello #1: a - b", "d3\n\nCode: xyz"),
            "mailto:outflank%2Babc@club.example?subject=Re%3A%20Othello%20%231%3A%20a%20-%20b\
             &body=d3%0D%0A%0D%0ACode%3A%20xyz"
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
