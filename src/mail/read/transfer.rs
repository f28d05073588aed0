//! Content-Transfer-Encodings (RFC 2045, 6).

use std::fmt::Write;

use mail_parser::decoders::base64::base64_decode;
use quoted_printable::ParseMode;

use super::address::without_comments;
use super::parts::Part;

/// The most bytes of a part that are decoded. A text is shorter; the rest would only cost time.
const MOST_BYTES: usize = 512 * 1024;

/// The body of a part before it was encoded. A broken one is decoded as far as possible.
pub(super) fn decoded(part: &Part) -> Vec<u8> {
    let body = part.body.get(..MOST_BYTES).unwrap_or(part.body);
    let encoding = part.header.text("Content-Transfer-Encoding").unwrap_or_default();
    let encoding = without_comments(&encoding).unwrap_or_default();
    match encoding.trim().to_ascii_lowercase().as_str() {
        "base64" => base64(body),
        "quoted-printable" => quoted_printable(body),
        _ => body.to_vec(),
    }
}

/// Ignores foreign bytes (RFC 2045, 6.8), which would end the text for the parser.
fn base64(body: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let digits: Vec<u8> = body.iter().copied().filter(is_digit).collect();
    base64_decode(&digits).unwrap_or_default()
}

/// Keeps bytes that should have been encoded: the library drops them, so they are encoded first.
fn quoted_printable(body: &[u8]) -> Vec<u8> {
    let mut encoded = String::with_capacity(body.len());
    for &byte in body {
        match byte {
            b'\t' | b'\r' | b'\n' | b' '..=b'~' => encoded.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => drop(write!(encoded, "={byte:02X}")),
        }
    }
    quoted_printable::decode(encoded, ParseMode::Robust).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_quoted_printable() {
        let cases: [(&[u8], &[u8]); 6] = [
            (b"d3=0Ae=\r\n4", b"d3\ne4"),
            (b"d=333  \r\nx", b"d33\r\nx"),
            (b"a=b =", b"a=b "),
            (b"2=2=ZZ=4", b"2=2=ZZ=4"),
            (b"a= \nb", b"ab"),
            (b"\xff=e4", b"\xff\xe4"),
        ];
        for (body, expected) in cases {
            assert_eq!(quoted_printable(body), expected, "{body:?}");
        }
    }

    #[test]
    fn base64_with_noise_and_without_an_end() {
        assert_eq!(base64(b"ZDMK"), b"d3\n");
        assert_eq!(base64(b"Z D\r\nM*K\0"), b"d3\n");
        assert_eq!(base64(b"ZDM"), b"d3");
        assert_eq!(base64(b"ZDMKZ"), b"d3\n");
        assert_eq!(base64(b"ZDM=ZDM="), b"d3d3");
    }
}
