//! The HTML part of a mail, in which the text between two tags can be a line, and so can that of a row.

use std::ops::Range;

use mail_parser::decoders::html::html_to_text;

use crate::app::disarm::armed::{Kind, armed, is_command};
use crate::app::disarm::comment;
use crate::mail::read::html::is_block;

/// Returns the HTML of a mail with parentheses around words, so that neither the text between two tags nor
/// that of a cell, a row or a paragraph is a command.
pub(super) fn disarm(html: &str) -> String {
    let nodes = mark(html, |_| true, commands);
    let cells = mark(&nodes, |tag| is_block(tag) || is_cell(tag), words);
    mark(&cells, is_block, words)
}

fn is_cell(tag: &str) -> bool {
    ["td", "th"].contains(&tag)
}

/// Returns the lines of a text that are commands.
fn commands(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split('\n') {
        let bare = line.trim();
        if is_command(bare) {
            let begin = start + (line.len() - line.trim_start().len());
            found.push(begin..begin + bare.len());
        }
        start += line.len() + 1;
    }
    found
}

/// Returns the words of a text with which a line can begin that is a command.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (kind, lines) in comment::blocks(text) {
        let block = lines.join("\n");
        let bare = match kind {
            Kind::Ours => block.clone(),
            // The marks are no words.
            Kind::Players => block.replace("\n|", "\n ").replacen('|', " ", 1),
        };
        found.extend(armed(&bare, kind).iter().map(|it| start + it.start..start + it.end));
        start += block.len() + 1;
    }
    found
}

/// A text without its tags.
#[derive(Default)]
struct Line {
    text: String,
    /// For each character of the text: where it begins there and, in the HTML, where it begins and ends.
    places: Vec<(usize, Range<usize>)>,
}

impl Line {
    fn push(&mut self, text: &str, place: Range<usize>) {
        self.places.push((self.text.len(), place));
        self.text.push_str(text);
    }

    /// Returns the place of a range of the text in the HTML.
    fn place(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let at = |byte: usize| self.places.partition_point(|(begin, _)| *begin < byte);
        let first = self.places.get(at(range.start))?;
        let last = self.places.get(at(range.end).checked_sub(1)?)?;
        Some(first.1.start..last.1.end)
    }
}

/// Returns HTML with parentheses around what this finds in its lines, which end at some tags.
fn mark(
    html: &str,
    ends_line: impl Fn(&str) -> bool,
    find: impl Fn(&str) -> Vec<Range<usize>>,
) -> String {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut line = Line::default();
    let mut end_line = |line: &mut Line| {
        let line = std::mem::take(line);
        found.extend(find(&line.text).iter().filter_map(|range| line.place(range)));
    };
    let mut at = html.find("<body").unwrap_or_default();
    while let Some(rest) = html.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with('<') {
            let tag = &rest[..rest.find('>').map_or(rest.len(), |end| end + 1)];
            let name = tag.trim_start_matches(['<', '/']);
            let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            if ends_line(name) {
                end_line(&mut line);
            } else if name == "br" {
                line.push("\n", at..at);
            } else if is_cell(name) {
                line.push(" ", at..at);
            }
            at += tag.len();
        } else if let Some(entity) = entity(rest) {
            let text = html_to_text(entity);
            line.push(if text.is_empty() { " " } else { &text }, at..at + entity.len());
            at += entity.len();
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            line.push(&rest[..length], at..at + length);
            at += length;
        }
    }
    end_line(&mut line);
    let mut marked = html.to_owned();
    for Range { start, end } in found.into_iter().rev() {
        marked.insert(end, ')');
        marked.insert(start, '(');
    }
    marked
}

/// Returns the character reference with which HTML begins.
fn entity(html: &str) -> Option<&str> {
    let rest = html.strip_prefix('&')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '#';
    let length = rest.find(|c| !is_part(c))?;
    rest[length..].starts_with(';').then(|| &html[..length + 2])
}
