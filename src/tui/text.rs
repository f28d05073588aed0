//! Text that others may have written, as lines of the screen.

use ratatui::text::Line;
use textwrap::core::display_width;

use crate::app::one_line;
use crate::render::wrapped;

/// Returns a text as lines of at most this width, without control characters.
pub(super) fn lines(text: &str, width: u16) -> Vec<String> {
    let safe: Vec<_> = text.lines().map(one_line).collect();
    wrapped(&safe.join("\n"), width.max(1).into()).lines().map(str::to_owned).collect()
}

/// Returns the end of a text that is not wider than this.
pub(super) fn end_of(text: &str, width: u16) -> &str {
    let fits = |&(at, _): &(usize, char)| display_width(&text[at..]) <= width.into();
    text.char_indices().find(fits).map_or("", |(at, _)| &text[at..])
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
