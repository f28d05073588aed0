//! Marks before each line of a quote.

/// Up to this many characters a line may have been broken by a mail program.
const WIDEST: usize = 80;

/// A line that would have been longer than this may have been broken by a mail program.
pub(super) const NARROWEST: usize = 66;

/// The same in a mail of ours: of its lines none may be taken for an answer.
pub(super) const NARROW: usize = 40;

/// Whether this line bears a mark of quotation: `>`, `|` and the like, or initials and `>`.
pub(super) fn marked(line: &str) -> bool {
    line.starts_with(mark) || line.starts_with("&gt;") || initials(line)
}

fn mark(c: char) -> bool {
    matches!(
        c,
        '>' | '|' | '\u{a6}' | '»' | '›' | '\u{2502}' | '\u{2503}' | '\u{276f}' | '\u{ff1e}'
    )
}

/// Whether this line begins with the name of whom it quotes, as `AB> `.
fn initials(line: &str) -> bool {
    let mut name = line.chars().take(13).skip_while(|c| c.is_alphanumeric());
    name.next() == Some('>') && line.starts_with(char::is_alphabetic)
}

/// The line without the marks that it begins with.
pub(super) fn unmarked(line: &str) -> &str {
    line.trim_start_matches(|c: char| mark(c) || c.is_whitespace())
}

/// How many of the lines below a quoted one are its rest, which lost the mark when a mail program
/// broke the line to make it fit.
///
/// That is certain of none, and likely of a line that follows at once where its first word found
/// no room above.
pub(super) fn torn(quoted: &str, below: &[&str], narrowest: usize) -> usize {
    let mut above = quoted;
    below
        .iter()
        .take_while(|line| {
            let rest = !line.is_empty() && !marked(line) && full(above, line, narrowest);
            above = line;
            rest
        })
        .count()
}

/// Whether the first word of `next` would have made `line` too long.
fn full(line: &str, next: &str, narrowest: usize) -> bool {
    let width = line.chars().take(WIDEST + 1).count();
    let word = next.chars().take(WIDEST).take_while(|c| !c.is_whitespace()).count();
    width <= WIDEST && width + 1 + word > narrowest
}

#[cfg(test)]
mod tests {
    use super::super::fresh;
    use super::*;

    #[test]
    fn marks_of_many_kinds() {
        for quote in
            [">e6", "> e6", ">> e6", "> > e6", "  > e6", "\t> e6", "| e6", "|e6", "&gt; e6"]
        {
            assert_eq!(fresh(&format!("d3\n{quote}\n")), ["d3"], "{quote}");
        }
        for quote in ["» e6", "│ e6", "＞e6", "AB> e6", "bob>> e6", "\u{200f}> e6"] {
            assert_eq!(fresh(&format!("d3\n{quote}\n")), ["d3"], "{quote}");
        }
        assert!(!marked("a -> b"));
        assert!(!marked("d3"));
    }

    #[test]
    fn the_rest_of_a_broken_line_is_quoted() {
        let long = "> Legal moves: a1 a2 a3 a4 a5 a6 a7 a8 b1 b2 b3 b4 b5 b6 b7 b8 c1 c2 c3";
        assert_eq!(fresh(&format!("{long}\nd3\n> Score\n\ne6\n")), ["e6"]);
        assert_eq!(fresh(&format!("{long}\n\nd3\n> Score\n")), ["d3"]);
        let url = format!("> https://example.org/{}", "x".repeat(90));
        assert_eq!(fresh(&format!("{url}\nd3\n")), ["d3"]);
    }
}
