//! Decodes bytes to characters.
//!
//! Labels are often wrong, so the ASCII in a text survives under any label: commands are ASCII.

use charset::Charset;

/// Decodes bytes with the charset of this label (RFC 2046, 4.1.2). Invalid bytes become U+FFFD or
/// a wrong letter.
pub(super) fn text(bytes: &[u8], label: Option<&str>) -> String {
    let label = label.unwrap_or_default();
    let labelled = || {
        let charset = Charset::for_label_no_replacement(label.as_bytes());
        charset.filter(|it| !["UTF-8", "windows-1252", "UTF-16LE", "UTF-16BE"].contains(&it.name()))
    };
    // Valid UTF-8 is hardly ever anything else; the rest is mostly Windows-1252.
    let unlabelled = || {
        let is_utf8 = str::from_utf8(bytes).is_ok();
        Charset::for_label(if is_utf8 { b"utf-8" } else { b"windows-1252" })
    };
    let charset = utf16(bytes, label).or_else(labelled).or_else(unlabelled);
    // A byte order mark overrides the charset.
    charset.map(|it| it.decode(bytes).0.into_owned()).unwrap_or_default()
}

/// Recognizes UTF-16 and its byte order by the zeros. A text without zeros was converted on its
/// way or has no ASCII, even if its label is UTF-16.
fn utf16(bytes: &[u8], label: &str) -> Option<Charset> {
    let (mut first, mut second, mut pairs) = (0_usize, 0_usize, 0_usize);
    for pair in bytes.chunks_exact(2).take(1000) {
        // A text has no NUL, so two zeros mean nothing.
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
    use super::text;

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
