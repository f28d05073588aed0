//! Which host received a message.

use super::address::without_comments;
use super::header::Header;

/// Returns the host behind `by` in the first Received field (RFC 5321, section 4.4), which the last
/// server wrote, in lower case. `None` if there is none.
pub(super) fn receiver(header: &Header) -> Option<String> {
    host(&header.text("Received")?)
}

fn host(field: &str) -> Option<String> {
    let field = without_comments(field)?;
    // The date follows.
    let (trace, _) = field.split_once(';').unwrap_or((&field, ""));
    let mut words = trace.split_whitespace();
    words.find(|word| word.eq_ignore_ascii_case("by"))?;
    let host = words.next()?.trim_end_matches('.').to_ascii_lowercase();
    // The name behind `from` is the sender's word, and could hold a `by` of its own.
    if words.any(|word| word.eq_ignore_ascii_case("by")) {
        return None;
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    (!host.is_empty() && host.bytes().all(fits)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_follows_by() {
        for (field, expected) in [
            (
                "from a.example (by b.example [192.0.2.1]) by MX.club.test. (Postfix) with ESMTPS \
                 id 1 for <o@club.test>; Sat, 21 Nov 2026 10:00:00 +0000",
                Some("mx.club.test"),
            ),
            ("by mx.club.test (Postfix, from userid 1000) id 2; Sat", Some("mx.club.test")),
            ("from a.example; by mx.club.test", None),
            ("from a.example with SMTP", None),
            ("from a.example by [192.0.2.7]; Sat", None),
            ("from by evil.test by mx.club.test; Sat", None),
            ("by", None),
            ("", None),
        ] {
            assert_eq!(host(field).as_deref(), expected, "{field}");
        }
    }
}
