//! Text that others may have written, as lines of the screen.

use ratatui::text::Line;
use textwrap::core::display_width;

use crate::app::one_line;
use outflank_model::render::wrapped;

/// Returns a text as lines of at most this width, without control characters. Wrapped lines are
/// indented.
pub(super) fn lines(text: &str, width: u16) -> Vec<String> {
    wrapped(&safe(text), width.max(1).into()).lines().map(str::to_owned).collect()
}

/// Returns a paragraph as [`lines`] does, but flush left.
pub(super) fn paragraph(text: &str, width: u16) -> Vec<String> {
    textwrap::fill(&safe(text), usize::from(width.max(1))).lines().map(str::to_owned).collect()
}

fn safe(text: &str) -> String {
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

/// Returns the end of a text that is not wider than this.
pub(super) fn end_of(text: &str, width: u16) -> &str {
    let mut left = usize::from(width);
    for (at, c) in text.char_indices().rev() {
        match left.checked_sub(display_width(c.encode_utf8(&mut [0; 4]))) {
            Some(rest) => left = rest,
            None => return &text[at + c.len_utf8()..],
        }
    }
    text
}

/// Returns a line with one part at the left and one at the right.
pub(super) fn apart<'a>(mut left: Line<'a>, right: Line<'a>, width: u16) -> Line<'a> {
    let gap = usize::from(width).saturating_sub(left.width() + right.width());
    if gap > 0 {
        left.push_span(" ".repeat(gap));
        left.extend(right);
    }
    left
}
