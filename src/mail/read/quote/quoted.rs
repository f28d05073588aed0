//! Quoted lines, with a mark or the remainder of a line with one.

use super::attribution::Signs;
use super::line;

/// A mail program breaks lines at this width, in characters, or at a smaller one.
const MAX_WRAP_WIDTH: usize = 80;

/// If a mail program broke a line, its first part and the next word are together wider than this.
const MIN_WRAP_WIDTH: usize = 66;

/// Like [`MIN_WRAP_WIDTH`] in a mail of ours. The width of its widest line so far counts if it is
/// smaller, less two spaces that a table may have between words.
const MIN_OWN_WRAP_WIDTH: usize = 38;
const TABLE_SPACES: usize = 2;

/// A quoted line, and facts about the quotes down to it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quoted {
    /// The width of the line if it may continue on the next one.
    width: Option<usize>,
    /// The width of the widest marked line that could have been broken.
    widest: usize,
    /// Whether the beginning of a mail of ours was quoted.
    has_ours: bool,
    /// Whether the line that introduces the quote was recognized.
    pub(super) is_introduced: bool,
}

impl Quoted {
    /// Returns a quoted line below this one. `has_marker` says whether the marker of a mail of ours was
    /// quoted down to it, and `is_introduced` whether an attribution stands right above it.
    pub(super) fn next(self, line: &str, has_marker: bool, is_introduced: bool) -> Self {
        let has_ours = self.has_ours || has_marker;
        let width = line.chars().take(MAX_WRAP_WIDTH + 1).count();
        let text = line::unmarked(line);
        // Apple Mail puts the line that introduces a quote into it.
        let introduces = |signs: Signs| signs.opens || signs.is_attribution();
        let is_introduced = is_introduced || Signs::of(text).is_some_and(introduces);
        if !line::is_marked(line) {
            return Self { width: Some(width), has_ours, is_introduced, ..self };
        }
        let begins_ours = !has_ours && line::begins_our_mail(text);
        let ends = [".", "):", "\u{203a}:", " done:"];
        let is_whole =
            line::ends_our_mail(text) || begins_ours && ends.iter().any(|end| text.ends_with(end));
        let could_break = text.contains(char::is_whitespace);
        Self {
            width: Some(width).filter(|_| !is_whole),
            widest: if could_break { self.widest.max(width) } else { self.widest },
            has_ours: has_ours || begins_ours,
            is_introduced,
        }
    }

    /// Returns whether a line without a mark right below this one is its wrapped remainder. A guess:
    /// its first word would not have fitted on this line.
    pub(super) fn continues_with(self, line: &str) -> bool {
        let word = line.chars().take(MAX_WRAP_WIDTH).take_while(|c| !c.is_whitespace()).count();
        let narrowest = if self.has_ours {
            MIN_OWN_WRAP_WIDTH.min(self.widest.saturating_sub(TABLE_SPACES))
        } else {
            MIN_WRAP_WIDTH
        };
        self.width.is_some_and(|width| width <= MAX_WRAP_WIDTH && width + 1 + word > narrowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remainder_of_a_broken_line_has_a_word_that_did_not_fit() {
        let long = format!("> {} end", "word ".repeat(12).trim());
        let ours = Quoted::default().next("> Your turn, bob: game #12, move", false, false);
        for (above, line, continues) in [
            (Quoted::default().next(&long, false, false), "remainder", true),
            (Quoted::default().next("> Hello Bob,", false, false), "d3", false),
            (
                Quoted::default().next(&format!("> {}", "word ".repeat(20)), false, false),
                "d3",
                false,
            ),
            (ours, "number", true),
            (ours.next("> or ignore this mail, and nothing happens.", false, false), "d3", false),
            (Quoted::default().next("> Game #12 is over.", false, false), "d3", false),
            (Quoted::default().next("> | 1 2 3 4 5 6 7 8 |", true, false), "9", true),
            (Quoted::default().next("> | 1 2 3 4 5 6 7 8 |", false, false), "9", false),
        ] {
            assert_eq!(above.continues_with(line), continues, "{line} below {above:?}");
        }
    }
}
