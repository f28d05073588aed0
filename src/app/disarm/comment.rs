//! The comments of players, as lines of a mail.

use std::borrow::Cow;

use textwrap::{Options, WordSplitter};

use crate::app::disarm::armed::{Kind, armed, with_marks};
use outflank_model::render::COMMENT_WIDTH;

/// Returns the lines of a text in blocks: those of players, which have a mark, and the others.
pub(super) fn blocks(text: &str) -> Vec<(Kind, Vec<&str>)> {
    let mut blocks: Vec<(Kind, Vec<&str>)> = Vec::new();
    let mut above = "";
    for line in text.split('\n') {
        let is_marked = line.trim() == "|" || line.starts_with("| ");
        // The rows of a board begin with the same mark.
        let kind = match is_marked && !above.starts_with('+') {
            true => Kind::Players,
            false => Kind::Ours,
        };
        match blocks.last_mut() {
            Some((last, lines)) if *last == kind => lines.push(line),
            _ => blocks.push((kind, vec![line])),
        }
        above = line;
    }
    blocks
}

/// Returns whether a comment begins with this line: `| alice: Good game!`.
fn is_begin(line: &str) -> bool {
    let first = line.strip_prefix("| ").and_then(|line| line.split(' ').next());
    first.is_some_and(|name| name.ends_with(':'))
}

/// Returns these lines with marks around commands. Paragraphs that become too wide are broken again.
pub(super) fn disarm(lines: &[&str]) -> String {
    let mut paragraphs: Vec<Vec<String>> = Vec::new();
    let mut above = "|";
    for line in lines {
        let text = line[1..].trim().to_owned();
        let is_more = above != "|" && !is_begin(line) && continues(above, &text, COMMENT_WIDTH);
        match paragraphs.last_mut().filter(|_| is_more) {
            Some(last) => last.push(text),
            None => paragraphs.push(vec![text]),
        }
        above = line;
    }
    let mut disarmed = lines.join("\n");
    // A long word that is broken again has other parts.
    loop {
        let text = paragraphs.concat().join("\n");
        let words = armed(&text, Kind::Players);
        if words.is_empty() {
            return disarmed;
        }
        let marked = with_marks(&text, &words);
        let mut marked = marked.split('\n').map(str::to_owned);
        let width = COMMENT_WIDTH - 2;
        for paragraph in &mut paragraphs {
            *paragraph = marked.by_ref().take(paragraph.len()).collect();
            if paragraph.iter().any(|line| line.chars().count() > width) {
                let text = paragraph.join(" ");
                let options = Options::new(width).word_splitter(WordSplitter::NoHyphenation);
                *paragraph =
                    textwrap::wrap(&text, options).into_iter().map(Cow::into_owned).collect();
            }
        }
        let mark = |line: &String| format!("| {line}").trim_end().to_owned();
        disarmed = paragraphs.iter().flatten().map(mark).collect::<Vec<_>>().join("\n");
    }
}

/// Returns whether a line was broken at this width only because the first word of the next one did not
/// fit.
pub(super) fn continues(line: &str, next: &str, width: usize) -> bool {
    let (marks, text) = ("-|>*", next.trim());
    let columns = |text: &str| text.chars().count();
    let first = text.split(' ').next().unwrap_or_default();
    !first.is_empty()
        && !text.contains("  ")
        && !first.starts_with(|c| marks.contains(c))
        && columns(line) + 1 + columns(first) > width
}
