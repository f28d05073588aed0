//! From bytes to characters.
//!
//! Labels lie. Whatever is declared, the ASCII in a text comes out: a command is ASCII.

use mail_parser::decoders::charsets::map::charset_decoder;

const WESTERN: &str = "windows-1252";

/// The text of these bytes in the charset of this label (RFC 2046, 4.1.2). What cannot be
/// decoded becomes U+FFFD or a wrong letter; never is there less than the ASCII in it.
pub(super) fn text(bytes: &[u8], label: Option<&str>) -> String {
    let label = label.unwrap_or_default().to_ascii_lowercase().replace('_', "-");
    if let Some(order) = utf16_order(bytes, &label) {
        return utf16(bytes, order);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match label.as_str() {
        "utf-7" | "unicode-1-1-utf-7" => utf7(bytes),
        // Escape sequences make other characters of ASCII bytes.
        _ if label.starts_with("iso-2022-") => by_label(bytes, &label),
        _ if bytes.is_ascii() || is_vague(&label) => unlabelled(bytes),
        _ => by_label(bytes, &label),
    }
}

/// Whether a label says nothing that could not be seen from the bytes.
fn is_vague(label: &str) -> bool {
    matches!(label, "" | "utf-8" | "utf8" | "us-ascii" | "ascii" | "unknown-8bit" | "x-unknown")
        || label.starts_with("utf-16")
}

/// UTF-8, or else what programs without a word about it send: Windows-1252.
fn unlabelled(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => by_label(bytes, WESTERN),
    }
}

fn by_label(bytes: &[u8], label: &str) -> String {
    match charset_decoder(label.as_bytes()).map(|decode| decode(bytes)) {
        // One replacement character for a whole text: the charset is known, but not spoken.
        Some(text) if text != "\u{fffd}" || bytes.len() == 1 => text,
        _ if label == WESTERN => String::from_utf8_lossy(bytes).into_owned(),
        _ => unlabelled(bytes),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Big,
    Little,
}

/// The byte order when the bytes are UTF-16: by its mark, or by where the zeros are. A text that
/// is labelled as UTF-16 but has no zeros was recoded on its way, or there is no ASCII in it.
fn utf16_order(bytes: &[u8], label: &str) -> Option<Order> {
    match bytes {
        [0xfe, 0xff, ..] => return Some(Order::Big),
        [0xff, 0xfe, ..] => return Some(Order::Little),
        _ => {}
    }
    let (mut first, mut second, mut pairs) = (0_usize, 0_usize, 0_usize);
    for pair in bytes.chunks_exact(2).take(1000) {
        let [a, b] = pair else { break };
        // A text has no NUL; a file of NULs is no text.
        if (*a == 0) != (*b == 0) {
            first += usize::from(*a == 0);
            second += usize::from(*b == 0);
        }
        pairs += 1;
    }
    let is_labelled = label.starts_with("utf-16") || label.starts_with("utf16");
    // Without a label, at least a third of the text must look like it.
    let least = if is_labelled { 0 } else { pairs / 3 };
    if first.max(second) <= least {
        return None;
    }
    Some(if first > second { Order::Big } else { Order::Little })
}

fn utf16(bytes: &[u8], order: Order) -> String {
    let units = bytes.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok());
    let units = units.map(|pair| match order {
        Order::Big => u16::from_be_bytes(pair),
        Order::Little => u16::from_le_bytes(pair),
    });
    characters(units)
}

/// Without the byte order mark.
fn characters(units: impl Iterator<Item = u16>) -> String {
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .filter(|c| *c != '\u{feff}')
        .collect()
}

/// UTF-7 (RFC 2152). The parser's decoder loses the character after a shifted sequence that ends
/// without a hyphen: for one, the end of a line.
fn utf7(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte != b'+' {
            text.push(char::from(byte));
            rest = tail;
            continue;
        }
        let length = tail.iter().take_while(|byte| sextet(**byte).is_some()).count();
        let (shifted, tail) = tail.split_at(length);
        match (shifted, tail.strip_prefix(b"-")) {
            ([], after) => {
                text.push('+');
                rest = after.unwrap_or(tail);
            }
            (_, after) => {
                text.push_str(&unshifted(shifted));
                rest = after.unwrap_or(tail);
            }
        }
    }
    text
}

fn unshifted(shifted: &[u8]) -> String {
    let mut units = Vec::with_capacity(shifted.len() / 2);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for value in shifted.iter().filter_map(|byte| sextet(*byte)) {
        bits = (bits << 6) | value;
        count += 6;
        if count >= 16 {
            count -= 16;
            let [.., high, low] = (bits >> count).to_be_bytes();
            units.push(u16::from_be_bytes([high, low]));
        }
    }
    characters(units.into_iter())
}

/// The value of a digit of base64.
fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16_bytes(text: &str, to: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to).collect()
    }

    #[test]
    fn labels_that_hold() {
        assert_eq!(text("d3 \u{e9}".as_bytes(), Some("UTF-8")), "d3 \u{e9}");
        assert_eq!(text(b"d3 \xe9", Some("iso-8859-1")), "d3 \u{e9}");
        assert_eq!(text(b"d3 \x93", Some("cp1252")), "d3 \u{201c}");
        assert_eq!(text(b"\x1b$B%O\x1b(B d3", Some("ISO-2022-JP")), "\u{30cf} d3");
        assert_eq!(text(b"\x83n d3", Some("shift_jis")), "\u{30cf} d3");
        assert_eq!(text(b"d3\n+AOk\nd4 +- +AOk-.", Some("utf-7")), "d3\n\u{e9}\nd4 + \u{e9}.");
    }

    #[test]
    fn labels_that_lie() {
        let e_acute = "d3 \u{e9}";
        for label in [None, Some("utf-8"), Some("us-ascii"), Some("x-nonsense"), Some("utf-16")] {
            assert_eq!(text(b"d3 \xe9", label), e_acute, "{label:?}");
            assert_eq!(text(e_acute.as_bytes(), label), e_acute, "{label:?}");
            assert_eq!(text(b"d3", label), "d3", "{label:?}");
        }
    }

    #[test]
    fn charsets_that_nobody_speaks_any_more() {
        assert_eq!(text(b"\x1b$)C\nd3\n", Some("iso-2022-kr")), "\x1b$)C\nd3\n");
        assert_eq!(text(b"\xe9\nd3\n", Some("hz-gb-2312")), "\u{e9}\nd3\n");
    }

    #[test]
    fn utf_16_with_and_without_mark_and_label() {
        let words = "d3\nna\u{ef}ve \u{4e2d}\u{6587}\n";
        for label in [None, Some("utf-16"), Some("utf-16le"), Some("utf-16be"), Some("utf-8")] {
            for mark in ["", "\u{feff}"] {
                let marked = format!("{mark}{words}");
                assert_eq!(text(&utf16_bytes(&marked, u16::to_le_bytes), label), words);
                assert_eq!(text(&utf16_bytes(&marked, u16::to_be_bytes), label), words);
            }
        }
    }

    #[test]
    fn every_short_text_decodes() {
        let labels = [
            "big5",
            "euc-jp",
            "euc-kr",
            "gb18030",
            "gbk",
            "iso-2022-jp",
            "iso-2022-kr",
            "shift_jis",
            "hz-gb-2312",
            "x-user-defined",
            "x-mac-cyrillic",
            "utf-7",
            "utf-16",
            "windows-874",
        ];
        for label in labels {
            text(b"", Some(label));
            for a in 0..=255 {
                text(&[a], Some(label));
                for b in (0..=255).step_by(3) {
                    text(&[a, b], Some(label));
                }
            }
        }
    }
}
