//! From bytes to characters.
//!
//! Labels are often wrong. Whatever the label, the ASCII in a text survives: commands are ASCII.

use charset::Charset;

/// The text of these bytes in the charset of this label (RFC 2046, 4.1.2). Bytes that cannot be
/// decoded become U+FFFD or a wrong letter.
pub(super) fn text(bytes: &[u8], label: Option<&str>) -> String {
    let label = label.unwrap_or_default();
    let labelled = || {
        let charset = Charset::for_label_no_replacement(label.as_bytes());
        charset.filter(|it| !["UTF-8", "windows-1252", "UTF-16LE", "UTF-16BE"].contains(&it.name()))
    };
    // UTF-8 is hard to mistake; text that is not and has no useful label is mostly Windows-1252.
    let unlabelled = || {
        let is_utf8 = str::from_utf8(bytes).is_ok();
        Charset::for_label(if is_utf8 { b"utf-8" } else { b"windows-1252" })
    };
    let charset = utf16(bytes, label).or_else(labelled).or_else(unlabelled);
    // A byte order mark overrides the charset.
    charset.map(|it| it.decode(bytes).0.into_owned()).unwrap_or_default()
}

/// Recognizes UTF-16 by its zeros, and tells its byte order. A text that is labelled as UTF-16 but
/// has no zeros was converted on its way, or has no ASCII in it.
fn utf16(bytes: &[u8], label: &str) -> Option<Charset> {
    let (mut first, mut second, mut pairs) = (0_usize, 0_usize, 0_usize);
    for pair in bytes.chunks_exact(2).take(1000) {
        // A text has no NUL, so two zeros tell nothing.
        first += usize::from(matches!(pair, [0, 1..=255]));
        second += usize::from(matches!(pair, [1..=255, 0]));
        pairs += 1;
    }
    let is_labelled = label.replace(['-', '_'], "").to_ascii_lowercase().starts_with("utf16");
    // Without a label, at least a third of the text must look like it.
    let least = if is_labelled { 0 } else { pairs / 3 };
    let name: &[u8] = if first > second { b"utf-16be" } else { b"utf-16le" };
    (first.max(second) > least).then(|| Charset::for_label(name)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16_bytes(text: &str, to: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to).collect()
    }

    #[test]
    fn correct_labels() {
        assert_eq!(text("d3 \u{e9}".as_bytes(), Some("UTF-8")), "d3 \u{e9}");
        assert_eq!(text(b"d3 \xe9", Some("iso-8859-1")), "d3 \u{e9}");
        assert_eq!(text(b"d3 \x93", Some("cp1252")), "d3 \u{201c}");
        assert_eq!(text(b"\x1b$B%O\x1b(B d3", Some("ISO-2022-JP")), "\u{30cf} d3");
        assert_eq!(text(b"\x83n d3", Some("shift_jis")), "\u{30cf} d3");
        assert_eq!(text(b"d3\n+AOk\nd4 +- +AOk-.", Some("utf-7")), "d3\n\u{e9}\nd4 + \u{e9}.");
    }

    #[test]
    fn wrong_labels() {
        let e_acute = "d3 \u{e9}";
        for label in [None, Some("utf-8"), Some("us-ascii"), Some("x-nonsense"), Some("utf-16")] {
            assert_eq!(text(b"d3 \xe9", label), e_acute, "{label:?}");
            assert_eq!(text(e_acute.as_bytes(), label), e_acute, "{label:?}");
            assert_eq!(text(b"d3", label), "d3", "{label:?}");
        }
    }

    #[test]
    fn obsolete_charsets() {
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
    fn any_bytes_decode_with_any_label() {
        let labels = ["big5", "euc-jp", "gb18030", "iso-2022-jp", "shift_jis", "utf-7", "utf-16"];
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
