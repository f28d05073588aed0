/// The most characters of a text that messages show.
const MAX_QUOTED: usize = 60;

/// Returns a text for a message that repeats it: in quotation marks, with escapes for control and
/// format characters, and cut to 60 characters.
///
/// ```
/// # use outflank_rules::quoted;
/// assert_eq!(quoted("d\u{202e}3"), r#""d\u{202e}3""#);
/// assert_eq!(quoted(&"x".repeat(61)), format!("\"{}\u{2026}\"", "x".repeat(60)));
/// ```
pub fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text))
}

/// Returns a text cut to 60 characters, with an ellipsis if any were left out.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}
