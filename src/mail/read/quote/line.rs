//! Classifies a single line of a mail: quoted, a header, a divider, a signature, part of our mail.

use super::phrases::{self, Kinds};
use crate::mail::COMMAND_MARKS;
use crate::mail::read::invisible::is_invisible;
use crate::mail::text::any;

/// Longer lines are neither dividers nor signatures. Lines of our mails are compared up to here.
const MAX_COMPARED_CHARS: usize = 200;

/// Returns a line without the white space around it and without the invisible characters that
/// right-to-left languages and editors leave there.
pub(super) fn tidy(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || is_invisible(c))
}

/// Returns whether this is a hyphen, or a dash that an autocorrector puts there.
pub(super) fn is_dash(c: char) -> bool {
    c == '-' || is_long_dash(c)
}

/// The most words of a sender's name and address.
const MAX_SENDER_WORDS: usize = 6;

fn is_long_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2500}' | '\u{2e3a}' | '\u{2e3b}')
}

fn is_ornament(c: char) -> bool {
    is_dash(c) || c.is_whitespace() || "_=*~#".contains(c)
}

/// Returns whether this line has a mark of quotation: `>`, `|` and the like, or initials and `>`.
pub(super) fn is_marked(line: &str) -> bool {
    let mut initials = line.chars().take(13).skip_while(|c| c.is_alphanumeric());
    line.starts_with(is_mark)
        || line.starts_with("&gt;")
        || (initials.next() == Some('>') && line.starts_with(char::is_alphabetic))
}

fn is_mark(c: char) -> bool {
    ">|\u{a6}»›\u{2502}\u{2503}\u{276f}\u{ff1e}".contains(c)
}

/// Returns the line without the marks that it begins with.
pub(super) fn unmarked(line: &str) -> &str {
    line.trim_start_matches(|c: char| is_mark(c) || c.is_whitespace())
}

/// Returns whether this line may stand right above a quote: blank, a rule or text between dashes.
pub(super) fn is_border(line: &str) -> bool {
    line.is_empty()
        || (line.chars().nth(2).is_some() && line.chars().all(is_ornament))
        || (line.starts_with("---") && line.ends_with("---"))
}

/// Returns whether nothing that follows this line counts: it divides the reply from the quote,
/// begins a signature or is part of a mail of ours.
pub(super) fn ends_reply(line: &str) -> bool {
    is_divider(line) || is_delimiter(line) || is_program(line) || is_ours(line)
}

/// Returns whether this is `-----Original Message-----` in any language, or known words without
/// dashes.
fn is_divider(line: &str) -> bool {
    let dashes = line.chars().take_while(|&c| is_dash(c)).count();
    let dashes_after = line.chars().rev().take_while(|&c| is_dash(c)).count();
    let words = line.trim_matches(|c| is_ornament(c) || c == ':');
    if words.is_empty() || words.len() > MAX_COMPARED_CHARS {
        return false;
    }
    let lower = words.to_lowercase();
    (dashes >= 4 && dashes_after >= 4)
        || lower.starts_with("original message processed by")
        || phrases::kinds(&lower) & phrases::DIVIDER != 0
}

/// Returns whether this is the `-- ` above a signature, in any of its altered forms.
fn is_delimiter(line: &str) -> bool {
    matches!(line, "--" | "__")
        || (line.contains(is_long_dash) && line.chars().all(is_dash))
        || (line.len() >= 5 && line.bytes().all(|byte| byte == b'_'))
}

/// Returns whether a mail program names itself in this line. It has few words, even fewer in
/// languages that put the verb last.
fn is_program(line: &str) -> bool {
    // K-9 Mail asks for patience behind its name.
    let line = line.split_once(". ").map_or(line, |(first, _)| first);
    let words = line.split_whitespace().take(11).count();
    if line.len() > MAX_COMPARED_CHARS || line.contains(", ") || words > 10 {
        return false;
    }
    let line = line.to_lowercase();
    let line = line.trim_start_matches(['*', '_', '[', '(', ' ']);
    let end = line.trim_end_matches(|c: char| !c.is_alphanumeric());
    any(phrases::SIGNED, |begin| line.starts_with(begin))
        || (line.contains("outlook") && (line.contains("ios") || line.contains("android")))
        || (line.starts_with("von mein") && end.ends_with("gesendet"))
        || (words <= 4 && any(phrases::SIGNED_LAST, |last| end.ends_with(last)))
}

/// Returns whether this is a sentence of our mails.
pub(super) fn is_ours(line: &str) -> bool {
    let plain = plain(line);
    any(phrases::OURS, |sentence| match sentence.split_once('*') {
        Some((begin, rest)) => plain.strip_prefix(begin).is_some_and(|text| text.contains(rest)),
        None => plain.starts_with(sentence),
    })
}

/// Returns whether this is the line of our mails with a reply token.
pub(super) fn has_token(line: &str) -> bool {
    plain(line).trim_start_matches(['*', '_']).starts_with("reply token")
}

/// Returns whether this may be the first line of a mail of ours, or the part of it that a mail
/// program left when it broke the line.
pub(super) fn begins_our_mail(line: &str) -> bool {
    let plain = plain(line);
    line.starts_with(COMMAND_MARKS.0) || any(phrases::OURS_FIRST, |begin| plain.starts_with(begin))
}

/// Returns the beginning of a line in lower case, with `#` for each number and single spaces.
fn plain(line: &str) -> String {
    let plain = line.chars().take(MAX_COMPARED_CHARS).map(|c| match c {
        _ if c.is_whitespace() => ' ',
        '0'..='9' => '#',
        // Earlier mails had backticks.
        _ if c == COMMAND_MARKS.0 || c == COMMAND_MARKS.1 => '`',
        _ => c.to_ascii_lowercase(),
    });
    let mut plain: Vec<_> = plain.collect();
    plain.dedup_by(|a, b| a == b && matches!(a, ' ' | '#'));
    String::from_iter(plain)
}

/// Returns whether this is the whole last line of a mail of ours, below which answers are written,
/// and not the part of it that was left when a mail program broke the line.
pub(super) fn ends_our_mail(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    matches!(words[..], ["outflank", .., "--as", _] | ["outflank", "show" | "history" | "games", _])
        || any(phrases::OURS_LAST, |last| line.ends_with(last))
}

/// Returns whether this line is part of a figure of a board: a rule, a row with its number at both
/// ends or the letters of the columns. Rows of boxes begin with `|` and count as quoted. Rows of the
/// table of what each move flips count too.
pub(super) fn is_figure(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    let is_column = |(word, letter): (&&str, u8)| matches!(word.as_bytes(), [byte] if byte.to_ascii_lowercase() == letter);
    let is_rule =
        line.starts_with('+') && line.len() > 2 && line.trim_matches(['+', '-']).is_empty();
    let is_alphabet =
        line.trim().len() > 2 && "abcdefghijklmnopqrstuvwxyz".starts_with(line.trim());
    let is_cell = |letter: char| ".xobwXOBW[]'⇨⇩⇧⇦".contains(letter);
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_square = |word: &str| {
        let row = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
        row.len() < word.len() && !row.is_empty() && is_number(&row)
    };
    is_rule
        || is_alphabet
        || matches!(&words[..], ["Move", "Flips", "Black", "White"])
        || matches!(&words[..], [square, counts @ ..] if counts.len() == 3
            && is_square(square) && counts.iter().all(is_number))
        || (words.len() > 1 && words.iter().zip(b'a'..=b'z').all(is_column))
        || matches!(&words[..], [first, cells @ .., last] if first == last && !cells.is_empty()
            && first.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
            && cells.iter().all(|cell| cell.chars().all(is_cell)))
}

/// Returns the name and the value of a line that looks like a header in some language.
pub(super) fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once([':', '：'])?;
    let name =
        name.trim_matches(|c: char| c.is_whitespace() || is_invisible(c) || "*_".contains(c));
    let is_name = (1..=60).contains(&name.len())
        && name.split_whitespace().count() <= 4
        && !name.contains(|c: char| c.is_numeric() || "<>@,".contains(c));
    (is_name && !is_marked(line)).then_some((name, value))
}

/// Returns whether the value of a header is a name or an address, and not the rest of a sentence.
pub(super) fn names_sender(value: &str) -> bool {
    let is_part = |word: &str| word.contains('@') || !word.starts_with(char::is_lowercase);
    value.split_whitespace().count() <= MAX_SENDER_WORDS && value.split_whitespace().all(is_part)
}

/// Returns the kinds of the headers that a line with a header of this name has: one, or more if
/// the headers lost their line breaks.
pub(super) fn header_kinds(name: &str, line: &str) -> Kinds {
    // Samsung joins the headers to the divider above them.
    let name = if name.starts_with("--") { name.rsplit("--").next().unwrap_or(name) } else { name };
    let kind = |name: &str| {
        phrases::kinds(&name.trim_matches(['*', '_']).to_lowercase()) & phrases::HEADERS
    };
    let first = kind(name);
    let others =
        line.split([':', '：']).take(12).filter_map(|part| part.split_whitespace().next_back());
    if first == 0 { 0 } else { others.map(kind).fold(first, |all, kind| all | kind) }
}
