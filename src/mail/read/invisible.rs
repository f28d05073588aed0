use icu_properties::props::{BinaryProperty, DefaultIgnorableCodePoint};

/// Returns whether a character is invisible by the Unicode standard, such as a zero-width space, a
/// soft hyphen or a direction mark.
pub(super) fn is_invisible(c: char) -> bool {
    !c.is_ascii() && DefaultIgnorableCodePoint::for_char(c)
}
