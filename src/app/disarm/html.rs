//! The HTML part of a mail. The text between two tags can be a line, and so can the text of a row.

use std::borrow::Cow;
use std::ops::Range;

use mail_parser::decoders::html::html_to_text;

use crate::app::disarm::armed::{Kind, armed, is_command};
use crate::app::disarm::comment;
use crate::mail::read::html::is_block;

/// Returns the HTML of a mail with marks around commands, so that neither the text between two tags nor
/// that of a cell, a row or a paragraph is a command.
pub(super) fn disarm(html: &str) -> String {
    let mut pieces = Piece::all(html);
    mark(&mut pieces, Line::Node, commands);
    mark(&mut pieces, Line::Cell, words);
    mark(&mut pieces, Line::Block, words);
    pieces.iter().map(|piece| piece.html).collect()
}

/// Returns the lines of a text that are commands.
fn commands(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split('\n') {
        let bare = line.trim();
        if !bare.is_empty() && is_command(bare) {
            let begin = start + (line.len() - line.trim_start().len());
            found.push(begin..begin + bare.len());
        }
        start += line.len() + 1;
    }
    found
}

/// Returns the words of a text that are at the start of a possible line that would be read as a command.
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

/// What a tag ends that can be a line; each also ends those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    /// The text between two tags.
    Node,
    /// That of a cell.
    Cell,
    /// That of a row or a paragraph.
    Block,
}

/// A tag, a character reference, or a run of letters and digits, of white space or of other characters.
struct Piece<'a> {
    html: &'a str,
    /// What is read; of a tag, unless it ends the line.
    text: Cow<'a, str>,
    ends: Option<Line>,
}

impl<'a> Piece<'a> {
    fn text(html: &'a str, text: impl Into<Cow<'a, str>>) -> Self {
        Self { html, text: text.into(), ends: None }
    }

    /// Returns the first piece of HTML.
    fn first(html: &'a str) -> Self {
        if let Some(entity) = entity(html) {
            let text = html_to_text(entity);
            return Self::text(entity, if text.is_empty() { " ".to_owned() } else { text });
        }
        if !html.starts_with('<') {
            // The ranges that are marked begin and end where the class of the characters changes.
            let class = |c: char| (c.is_alphanumeric(), c.is_whitespace());
            let mut chars = html.chars();
            let first = chars.next().map(class);
            let rest = chars.as_str();
            let end = rest.find(|c| "<&".contains(c) || Some(class(c)) != first);
            let run = &html[..html.len() - rest.len() + end.unwrap_or(rest.len())];
            return Self::text(run, run);
        }
        let html = &html[..html.find('>').map_or(html.len(), |end| end + 1)];
        let name = html.trim_start_matches(['<', '/']);
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let (text, ends) = match name {
            "td" | "th" => (" ", Line::Cell),
            "br" => ("\n", Line::Node),
            _ if is_block(name) => ("", Line::Block),
            _ => ("", Line::Node),
        };
        Self { ends: Some(ends), ..Self::text(html, text) }
    }

    /// Returns the head of HTML, and the pieces of its body.
    fn all(html: &'a str) -> Vec<Self> {
        let (head, mut rest) = html.split_at(html.find("<body").unwrap_or_default());
        let mut pieces = vec![Self::text(head, "")];
        while !rest.is_empty() {
            let piece = Self::first(rest);
            rest = &rest[piece.html.len()..];
            pieces.push(piece);
        }
        pieces
    }
}

/// Adds marks around all ranges that `find` returns in lines of this kind.
fn mark(pieces: &mut Vec<Piece>, of: Line, find: fn(&str) -> Vec<Range<usize>>) {
    let mut marks = Vec::new();
    let mut start = 0;
    for line in pieces.split_inclusive(|piece| piece.ends >= Some(of)) {
        let (mut text, mut begins) = (String::new(), Vec::new());
        let read = (start..).zip(line).filter(|(_, it)| !it.text.is_empty() && it.ends < Some(of));
        for (at, piece) in read {
            begins.push((text.len(), at));
            text.push_str(&piece.text);
        }
        start += line.len();
        let place = |byte| begins.partition_point(|(begin, _)| *begin < byte);
        let found = if text.trim().is_empty() { Vec::new() } else { find(&text) };
        for range in found {
            let first = begins.get(place(range.start));
            let last = place(range.end).checked_sub(1).and_then(|last| begins.get(last));
            let (Some((_, first)), Some((_, last))) = (first, last) else { continue };
            marks.extend([(*first, "&#8249;"), (last + 1, "&#8250;")]);
        }
    }
    for (at, mark) in marks.into_iter().rev() {
        pieces.insert(at, Piece::first(mark));
    }
}

/// Returns the character reference at the start of HTML.
fn entity(html: &str) -> Option<&str> {
    let rest = html.strip_prefix('&')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '#';
    let length = rest.find(|c| !is_part(c))?;
    rest[length..].starts_with(';').then(|| &html[..length + 2])
}
