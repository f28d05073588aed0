//! The line above which an answer is written.

use std::iter;
use std::ops::RangeInclusive;

use super::line::is_dash;

/// The line below the first paragraph of every mail that can be answered; in older mails it is the
/// first line. An answer above it is found however the mail program quotes.
pub const MARKER: &str = "---- Answer above this line ----";

/// The letters of [`MARKER`].
const LETTERS: &str = "answerabovethisline";

/// Returns the lines of the first [`MARKER`] that is not quoted line by line with `>`: an answer stands
/// above it.
pub(super) fn unquoted(lines: &[&str]) -> Option<RangeInclusive<usize>> {
    all(lines).find(|marker| !is_quoted(lines, marker))
}

/// Returns the last line of the first [`MARKER`] that is quoted line by line. It is one quoted line among
/// others, and answers may stand below it.
pub(super) fn quoted(lines: &[&str]) -> Option<usize> {
    all(lines).find(|marker| is_quoted(lines, marker)).map(|marker| *marker.end())
}

fn is_quoted(lines: &[&str], marker: &RangeInclusive<usize>) -> bool {
    lines.get(marker.clone()).is_some_and(|lines| lines.iter().all(|line| line.starts_with('>')))
}

/// Returns the lines of each marker, first to last. Only its letters are compared: a mail program may
/// quote it, wrap it, change its white space or join its hyphens to dashes. The letters must begin a
/// line or follow a dash, for people may write about answers above lines.
fn all(lines: &[&str]) -> impl Iterator<Item = RangeInclusive<usize>> {
    (0..lines.len()).filter_map(|first| {
        let (line, below) = lines.get(first..)?.split_first()?;
        let begins = line.match_indices(['a', 'A']).map(|(begin, _)| line.split_at(begin));
        let begins = begins.filter(|(before, _)| may_stand_before(before));
        let last = begins.filter_map(|(_, text)| last_line(text, below)).next()?;
        Some(first..=first + last)
    })
}

/// Returns whether the letters of a marker may follow this beginning of a line.
fn may_stand_before(beginning: &str) -> bool {
    let beginning = beginning.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_dash(c));
    beginning.is_empty() || beginning.ends_with(is_dash)
}

/// Returns how many lines below a text the marker ends that the text begins with.
fn last_line(text: &str, below: &[&str]) -> Option<usize> {
    let lines = iter::once(&text).chain(below).enumerate();
    let mut letters = lines.flat_map(|(number, line)| {
        line.chars().filter(|c| c.is_alphanumeric()).map(move |c| (number, c.to_ascii_lowercase()))
    });
    LETTERS.chars().try_fold(0, |_, letter| {
        let (number, found) = letters.next()?;
        (found == letter).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_found_by_its_letters() {
        for (text, found) in [
            (MARKER, vec![0..=0]),
            ("> ---- Answer above\n> this line ----", vec![0..=1]),
            ("d3\n\n\u{2014}\u{2014}Answer above\n\nthis line\u{2014}", vec![2..=4]),
            ("answer above this line", vec![0..=0]),
            (
                "Answer:\n---- ANSWER ABOVE THIS LINE ----\nanswer above this line",
                vec![1..=1, 2..=2],
            ),
            ("I will answer above this line", vec![]),
            ("Answer above this one", vec![]),
            ("Answer above this", vec![]),
        ] {
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(all(&lines).collect::<Vec<_>>(), found, "{text}");
        }
    }

    #[test]
    fn a_marker_is_quoted_if_each_of_its_lines_is() {
        let lines = ["> ---- Answer above", "> this line ----", "> -Answer above", "this line-"];
        assert_eq!((quoted(&lines), unquoted(&lines)), (Some(1), Some(2..=3)));
    }
}
