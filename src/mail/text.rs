//! Text of other programs: phrases in it, and its beginning on one line.

/// Returns whether a text has an entry of a list, with `|` between two, in one of its places, such as
/// its beginning.
pub(super) fn any(list: &str, is_there: impl FnMut(&str) -> bool) -> bool {
    list.split('|').any(is_there)
}

/// Returns a text on one line, without control characters, cut if it has more than this many.
pub(super) fn one_line(text: &str, max_chars: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(max_chars).collect()
}
