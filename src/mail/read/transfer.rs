//! Content-Transfer-Encodings (RFC 2045, 6).

use std::fmt::Write;

use mail_parser::decoders::base64::base64_decode;
use quoted_printable::ParseMode;

use super::address::without_comments;
use super::parts::Part;

/// The most bytes of a part that are decoded. A text is shorter; the rest would only cost time.
const MAX_DECODED_BYTES: usize = 512 * 1024;

/// Decodes the body of a part, as far as possible if it is damaged.
pub(super) fn decoded(part: &Part) -> Vec<u8> {
    let body = part.body.get(..MAX_DECODED_BYTES).unwrap_or(part.body);
    let encoding = part.header.text("Content-Transfer-Encoding").unwrap_or_default();
    let encoding = without_comments(&encoding).unwrap_or_default();
    match encoding.trim().to_ascii_lowercase().as_str() {
        "base64" => base64(body),
        "quoted-printable" => quoted_printable(body),
        _ => body.to_vec(),
    }
}

/// Decodes base64 and ignores foreign bytes (RFC 2045, 6.8), at which the library would stop.
fn base64(body: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let digits: Vec<u8> = body.iter().copied().filter(is_digit).collect();
    base64_decode(&digits).unwrap_or_default()
}

/// Decodes quoted-printable. Bytes that should have been encoded are encoded first, because the
/// library drops them.
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
