//! The headers of a quoted mail: "From:", "Sent:" and the like in many languages.

use std::ops::RangeInclusive;

use super::attribution::Signs;
use super::line;
use super::phrases::{self, Kinds};

/// At most this many other lines stand between two headers: blank, the rest of long addresses, or one
/// line that interrupts them.
const MAX_GAP_LINES: usize = 4;

/// Like [`MAX_GAP_LINES`], for headers in an unknown language.
const MAX_UNKNOWN_GAP_LINES: usize = 3;

/// The looks of a header in an unknown language: it is one, has an address, has a date.
const LOOKS: [Kinds; 3] = [1, 2, 4];

/// Returns the lines from the first header of a quote to the one that makes this certain: the sender
/// with an address or above a blank line, the sender and one more header, three of them, or three in
/// an unknown language with an address and a date.
pub(super) fn find(lines: &[&str]) -> Option<RangeInclusive<usize>> {
    let (mut known, mut unknown, mut sender) = (Block::default(), Block::default(), None);
    lines.iter().enumerate().find_map(|(at, line)| {
        let header = line::header(line);
        let kinds = header.map_or(0, |(name, _)| line::header_kinds(name, line));
        known.add(kinds, at, MAX_GAP_LINES);
        unknown.add(header.map_or(0, |(_, value)| looks(value)), at, MAX_UNKNOWN_GAP_LINES);
        let Some((_, value)) = header else {
            return sender.take().filter(|_| line.is_empty()).map(|first| first..=at);
        };
        let is_sender = known.kinds == phrases::FROM && line::names_sender(value);
        if is_sender {
            sender = Some(at);
        }
        let needed = if known.kinds & phrases::FROM == 0 { 3 } else { 2 };
        if is_sender && value.contains('@') || known.kinds.count_ones() >= needed {
            return Some(known.first..=at);
        }
        let is_block = unknown.kinds == LOOKS.iter().sum::<Kinds>() && unknown.lines > 2;
        is_block.then_some(unknown.first..=at)
    })
}

/// Returns the [`LOOKS`] of a header with this value.
fn looks(value: &str) -> Kinds {
    let [header, address, date] = LOOKS;
    Signs::of(value.trim()).map_or(0, |signs| {
        header + address * Kinds::from(signs.address) + date * Kinds::from(signs.dated)
    })
}

/// Lines with headers, close to each other.
#[derive(Default)]
struct Block {
    kinds: Kinds,
    first: usize,
    lines: usize,
    gap: usize,
}

impl Block {
    /// Adds a line, which is not a header if it has no kind.
    fn add(&mut self, kind: Kinds, at: usize, max_gap: usize) {
        if kind != 0 {
            let first = if self.kinds == 0 { at } else { self.first };
            *self = Self { kinds: self.kinds | kind, first, lines: self.lines + 1, gap: 0 };
        } else if self.gap < max_gap {
            self.gap += 1;
        } else {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_headers_begin_a_quote() {
        for (text, found) in [
            ("d3\nFrom: Bob <bob@example.org>", Some(1..=1)),
            ("d3\nFrom: Bob\n\nhello", Some(1..=2)),
            ("d3\nFrom: Bob\nhello", None),
            ("From: Bob\nand\nothers\nSent: today", Some(0..=3)),
            ("From: Bob\n1\n2\n3\n4\n5\nSent: today", None),
            ("Sent: today\nTo: bob", None),
            ("Sent: today\nTo: bob\nSubject: #1", Some(0..=2)),
            ("Fan: Bob <bob@example.org>\nDei: 21 novimber 2026\nOan: bob", Some(0..=2)),
            ("Fan: Bob\nDei: 21 novimber 2026\nOan: bob", None),
        ] {
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(find(&lines), found, "{text}");
        }
    }
}
