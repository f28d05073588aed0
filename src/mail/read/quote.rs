//! Separates the typed lines of a mail from the quoted ones.
//!
//! Every mail program has its own way to mark the text that a reply answers. Quoted text must never
//! be run as a command, so a line that may be quoted counts as quoted. Each step is a function over
//! the lines:
//!
//! | step | file |
//! |---|---|
//! | removes the armour of a text that OpenPGP signed | `armour` |
//! | finds the [`MARKER`] of our mails | `marker` |
//! | finds the headers of a quoted mail | `headers` |
//! | recognizes lines such as "On Monday Bob wrote:" | `attribution` |
//! | recognizes quoted lines and their wrapped remainders | `quoted` |
//! | classifies a single line | `line` |
//!
//! `phrases` lists the words of mail programs.

mod armour;
mod attribution;
mod headers;
mod line;
mod marker;
mod phrases;
mod quoted;

use attribution::Signs;
pub use marker::MARKER;
use quoted::Quoted;

/// How certain the typed lines of a text are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnLines {
    /// The quotes and figures above, between and below the lines.
    pub gaps: Vec<Gap>,
    /// Whether the end of the text was recognized, and not only because a mail of ours begins there.
    pub is_clear: bool,
}

/// A quote or a figure in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// How many typed lines stand above it.
    pub above: usize,
    /// Whether the line that introduces it was recognized. If not, that line may be among the typed
    /// ones.
    pub is_introduced: bool,
}

/// Returns the lines of a plain text that its writer typed: without quotes, forwarded mails, a
/// signature and figures of a board. Each is a part of a line of `text`, without the white space
/// around it; a line may be blank, but not the first or the last.
///
/// An answer between quoted lines counts if these have marks (`>`). Nothing below a quote without
/// marks counts.
pub fn fresh(text: &str) -> Vec<&str> {
    own_text(text).0
}

/// Returns the lines as [`fresh`] does, and how certain they are.
pub fn own_text(text: &str) -> (Vec<&str>, OwnLines) {
    let lines: Vec<_> = text.split('\n').map(line::tidy).collect();
    let lines = armour::removed(&lines);
    let (marker, headers) = (marker::unquoted(&lines), headers::find(&lines));
    let end = marker.iter().chain(&headers).min_by_key(|end| *end.end());
    let above = end.and_then(|end| lines.get(..*end.end())).unwrap_or(&lines);
    let (rows, stop) = rows(above, marker::quoted(&lines));
    let mut gaps = gaps(&rows);
    let end = end.filter(|_| stop.is_none());
    let is_above = |row: &&Row| end.is_none_or(|end| row.number < *end.start());
    let typed = rows.iter().filter(|row| matches!(row.kind, Kind::Typed(_))).take_while(is_above);
    let mut lines: Vec<_> = typed.map(|row| row.line).skip_while(|line| line.is_empty()).collect();
    while lines.pop_if(|line| line.is_empty() || end.is_some() && line::is_border(line)).is_some() {
    }
    gaps.iter_mut().for_each(|gap| gap.above = gap.above.min(lines.len()));
    let is_clear = stop.unwrap_or(marker.is_none() || end != marker.as_ref());
    (lines, OwnLines { gaps, is_clear })
}

/// A line of a text with its kind.
struct Row<'a> {
    number: usize,
    line: &'a str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Typed, or blank.
    Typed(Option<Signs>),
    Figure,
    /// A line that completes an attribution, with the signs of all its lines.
    Attribution(Signs),
    Quoted(Quoted),
}

/// Classifies the lines, up to the first that ends the typed text. Then also returns whether the end is
/// certain: a line of a mail of ours alone is not. Of an attribution, only the line that completes it
/// is returned. `marker` is the line of the first quoted marker.
fn rows<'a>(lines: &[&'a str], marker: Option<usize>) -> (Vec<Row<'a>>, Option<bool>) {
    let mut rows: Vec<Row> = Vec::new();
    for (number, &line) in lines.iter().enumerate() {
        if line::has_token(line) {
            continue;
        } else if line.is_empty() {
            rows.push(Row { number, line, kind: Kind::Typed(None) });
            continue;
        }
        let (signs, introduced) = (signs(&rows, line), introduced(&rows));
        let attribution = signs.and_then(|last| attribution(&rows, line, last));
        let right_above = rows.last().and_then(Row::quoted);
        let kind = if let Some((first, all)) = attribution {
            rows.truncate(first);
            Kind::Attribution(all)
        } else if line::is_marked(line) || right_above.is_some_and(|it| it.continues_with(line)) {
            let above = rows.iter().rev().find_map(Row::quoted).unwrap_or_default();
            let has_marker = marker.is_some_and(|marker| marker <= number);
            Kind::Quoted(above.next(line, has_marker, introduced.is_some()))
        } else if introduced.is_some() || line::ends_reply(line) {
            return (rows, Some(introduced.is_some() || !line::is_ours(line)));
        } else if line::is_figure(line) {
            Kind::Figure
        } else {
            Kind::Typed(signs)
        };
        rows.push(Row { number, line, kind });
    }
    (rows, None)
}

/// Returns the last row that is not blank.
fn last<'a, 'b>(rows: &'b [Row<'a>]) -> Option<&'b Row<'a>> {
    rows.iter().rfind(|row| !row.line.is_empty())
}

/// Returns the attribution right above. Its quote must follow.
fn introduced(rows: &[Row]) -> Option<Signs> {
    match last(rows)?.kind {
        Kind::Attribution(signs) => Some(signs),
        _ => None,
    }
}

/// Returns the signs of an attribution in a line below these rows. A quoted line has none, but an
/// apparent mark may close an address, or be GroupWise's `>>> Bob, 1 May 2026 >>>`.
fn signs(rows: &[Row], line: &str) -> Option<Signs> {
    let has_open_bracket =
        |row: &Row| !line::is_marked(row.line) && row.line.rfind('<') > row.line.rfind('>');
    let is_plain = !line::is_marked(line)
        || is_groupwise(line)
        || line.starts_with('>') && last(rows).is_some_and(has_open_bracket);
    Some(line).filter(|_| is_plain).and_then(Signs::of)
}

fn is_groupwise(line: &str) -> bool {
    line.starts_with(">>>")
}

/// Returns the first row of the attribution that ends with a line below these rows, and its signs
/// together with those of this line.
fn attribution(rows: &[Row], line: &str, last: Signs) -> Option<(usize, Signs)> {
    if let Some(attribution) = introduced(rows) {
        return last.completes(attribution).then(|| (rows.len(), attribution.and(last)));
    }
    let above = rows.iter().rev().map_while(|row| match row.kind {
        Kind::Typed(signs) if row.line.is_empty() || signs.is_some() => Some(signs),
        _ => None,
    });
    let above = above.take(if is_groupwise(line) { 0 } else { rows.len() });
    let (count, all) = last.attribution(above)?;
    Some((rows.len() - count, all))
}

impl Row<'_> {
    fn quoted(&self) -> Option<Quoted> {
        match self.kind {
            Kind::Quoted(quoted) => Some(quoted),
            _ => None,
        }
    }
}

/// Returns the quotes and figures in a text with these rows. Lines of them with only blank lines between
/// them are one.
fn gaps(rows: &[Row]) -> Vec<Gap> {
    let (mut gaps, mut above, mut is_in_gap) = (Vec::new(), 0, false);
    for row in rows {
        let is_introduced = match row.kind {
            Kind::Attribution(_) => continue,
            Kind::Typed(_) => {
                is_in_gap &= row.line.is_empty();
                // Blank lines at the beginning do not count.
                above += usize::from(above > 0 || !row.line.is_empty());
                continue;
            }
            Kind::Figure => false,
            Kind::Quoted(quoted) => quoted.is_introduced,
        };
        if !is_in_gap {
            gaps.push(Gap { above, is_introduced });
        }
        is_in_gap = true;
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kinds of the lines of a text, a letter each.
    fn kinds(text: &str) -> String {
        let lines: Vec<_> = text.lines().collect();
        let (rows, stop) = rows(&lines, None);
        let letter = |row: &Row| match row.kind {
            Kind::Typed(_) if row.line.is_empty() => '-',
            Kind::Typed(_) => 't',
            Kind::Figure => 'f',
            Kind::Attribution(_) => 'a',
            Kind::Quoted(_) => 'q',
        };
        rows.iter().map(letter).chain(stop.map(|_| '!')).collect()
    }

    #[test]
    fn each_line_is_of_one_kind() {
        for (text, expected) in [
            ("d3\n\nhello", "t-t"),
            ("d3\n> hello\nyes", "tqt"),
            ("d3\nBob <b@example.org>\nwrote:\n> hello\nyes", "taqt"),
            ("d3\nOn 1 May 2026\nBob wrote:\n> hello", "taaq"),
            ("d3\nBob wrote:\n\nhello", "ta-!"),
            ("> hello\n>>> Bob, 1 May 2026 >>>\nhello", "qa!"),
            ("On 1 May 2026 Bob <b@example.org\n>:\n> hello", "aaq"),
            ("a b c d\n1 . . . 1\nd3", "fft"),
            ("d3\n\n  Move    Flips   Black   White\n  c3          1       3       3", "t-ff"),
            ("reply token abc\nd3", "t"),
            ("d3\n--\nBob", "t!"),
            ("d3\n-----Original Message-----", "t!"),
        ] {
            assert_eq!(kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn quotes_and_figures_with_blank_lines_between_them_are_one_gap() {
        let text = "\nd3\n1 . . 1\n\n> hello\nyes\nBob wrote:\n> hello\n";
        let gap = |above, is_introduced| Gap { above, is_introduced };
        let (lines, own) = own_text(text);
        assert_eq!(own.gaps, [gap(1, false), gap(3, true)]);
        assert_eq!(lines, ["d3", "", "yes"]);
    }

    #[test]
    fn only_what_more_than_our_own_words_ends_is_clear() {
        for (text, is_clear) in [
            ("d3", true),
            ("d3\n-- \nBob", true),
            ("d3\nBob wrote:\nhello", true),
            ("d3\nFrom: Bob\nSent: today", true),
            ("d3\n---- Answer above this line ----", false),
            ("d3\nGame #12 is over.", false),
        ] {
            let (lines, own) = own_text(text);
            assert_eq!(own.is_clear, is_clear, "{text}");
            assert_eq!(lines, ["d3"], "{text}");
        }
    }
}
