//! Text that other people wrote, made safe for messages and tables.

use clap::error::ContextValue;
use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory,
};

use crate::game::shortened;

/// Escapes control, format and invisible characters, so that a stranger's text can neither move the
/// cursor nor reverse the line. Tabs and line breaks become spaces.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => line.push(' '),
            _ if is_invisible(c) => line.extend(c.escape_unicode()),
            _ => line.push(c),
        }
    }
    line
}

/// Returns whether a character moves the cursor, formats or cannot be seen.
pub(super) fn is_invisible(c: char) -> bool {
    use GeneralCategory as G;
    let is_format = || {
        let category = GeneralCategory::for_char(c);
        matches!(category, G::Format | G::LineSeparator | G::ParagraphSeparator | G::Surrogate)
    };
    c.is_control() || !c.is_ascii() && (is_format() || DefaultIgnorableCodePoint::for_char(c))
}

/// Returns a line with each word cut to 60 characters and escaped as by [`one_line`].
pub(super) fn with_short_words(line: &str) -> String {
    let words: Vec<_> = line.split_whitespace().map(|word| one_line(&shortened(word))).collect();
    words.join(" ")
}

/// Returns the text of a clap error, with long arguments cut to 60 characters.
pub fn clap_text(error: &clap::Error) -> String {
    let mut text = error.render().to_string();
    for (_, value) in error.context() {
        if let ContextValue::String(argument) = value {
            text = text.replace(argument, &shortened(argument));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        let text = "a\u{202e}b\u{1b}[2Jc\nd\u{200b}";
        assert_eq!(one_line(text), "a\\u{202e}b\\u{1b}[2Jc d\\u{200b}");
        for c in [
            '\u{7f}',
            '\u{9b}',
            '\u{ad}',
            '\u{600}',
            '\u{61c}',
            '\u{6dd}',
            '\u{180e}',
            '\u{200d}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{2066}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0041}',
        ] {
            assert_eq!(one_line(&c.to_string()), c.escape_unicode().to_string());
        }
        for plain in ["Z\u{fc}rich", "\u{65e5}\u{672c}", "e\u{301}", "\u{1f600}"] {
            assert_eq!(one_line(plain), plain);
        }
    }
}
