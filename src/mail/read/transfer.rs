//! Content-Transfer-Encodings (RFC 2045, 6).

use mail_parser::decoders::base64::base64_decode;

use super::address::without_comments;
use super::parts::Part;

/// How many bytes of a part are decoded. A text is shorter; the rest would only cost time.
const MOST_BYTES: usize = 512 * 1024;

/// The bytes that the writer's program encoded for the way. What is broken is decoded as far as
/// it makes sense.
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

/// Ignores foreign bytes, as RFC 2045, 6.8 says; the parser gives up at the first one.
fn base64(body: &[u8]) -> Vec<u8> {
    let is_ours = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let ours: Vec<u8> = body.iter().copied().filter(is_ours).collect();
    base64_decode(&ours).unwrap_or_default()
}

/// Keeps an equals sign that encodes nothing (RFC 2045, 6.7); the parser gives up at it.
fn quoted_printable(body: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        // White space at the end of a line was added on the way.
        let text = line.trim_ascii_end();
        let soft = text.strip_suffix(b"=");
        let mut rest = soft.unwrap_or(text);
        while let Some((&byte, tail)) = rest.split_first() {
            let escaped = (byte == b'=').then(|| tail.split_first_chunk::<2>()).flatten();
            match escaped.and_then(|(digits, tail)| Some((hexadecimal(*digits)?, tail))) {
                Some((value, tail)) => {
                    decoded.push(value);
                    rest = tail;
                }
                None => {
                    decoded.push(byte);
                    rest = tail;
                }
            }
        }
        if soft.is_none() && line.ends_with(b"\n") {
            decoded.push(b'\n');
        }
    }
    decoded
}

fn hexadecimal([high, low]: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_printable_as_far_as_it_goes() {
        let cases: [(&[u8], &[u8]); 6] = [
            (b"d3=0Ae=\r\n4", b"d3\ne4"),
            (b"d=333  \r\nx", b"d33\nx"),
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
