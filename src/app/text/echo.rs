//! Text that other people wrote, made safe for messages and tables.

use std::error::Error as _;
use std::num::ParseIntError;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory,
};

use outflank_rules::{quoted, shortened};

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
pub(crate) fn is_invisible(c: char) -> bool {
    use GeneralCategory as G;
    let is_format = || {
        let category = GeneralCategory::for_char(c);
        matches!(category, G::Format | G::LineSeparator | G::ParagraphSeparator | G::Surrogate)
    };
    c.is_control() || !c.is_ascii() && (is_format() || DefaultIgnorableCodePoint::for_char(c))
}

/// Returns a line with each word cut to 60 characters and escaped as by [`one_line`].
pub(crate) fn with_short_words(line: &str) -> String {
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

/// Returns why clap refuses the value of an argument; `None` for any other error.
pub fn refused_value(error: &clap::Error) -> Option<String> {
    let reason = error.source().filter(|_| error.kind() == ErrorKind::ValueValidation)?;
    let argument = || match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.split(' ').next(),
        _ => None,
    };
    let text = reason.to_string();
    let needed = match text.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="))
    {
        Some((least, most)) => Some(format!("a number from {least} to {most}")),
        None if reason.is::<ParseIntError>() => Some("a whole number".to_owned()),
        None => None,
    };
    let (Some(argument), Some(needed), Some(ContextValue::String(value))) =
        (argument(), needed, error.get(ContextKind::InvalidValue))
    else {
        return Some(text);
    };
    Some(format!("{argument} takes {needed}, not {}", quoted(value)))
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
