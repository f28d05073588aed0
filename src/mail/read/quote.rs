//! Separates what the writer of a mail typed from what the mail quotes.
//!
//! Every mail program has its own way to mark the text that a reply answers. Quoted text must never
//! be run as a command, so a line that may be quoted counts as quoted. The reader walks over the
//! lines once and keeps those that were typed, until a line further down shows that they introduced
//! a quote. `line` classifies a single line, `attribution` recognizes lines such as "On Monday Bob
//! wrote:", and `phrases` lists the words of mail programs.

mod attribution;
mod line;
mod phrases;

use std::mem;
use std::ops::ControlFlow::{self, Break, Continue};

use attribution::Signs;
use phrases::Kinds;

/// The line below the first paragraph of every mail that can be answered; in older mails it is the
/// first line. An answer above it is found however the mail program quotes.
pub const MARKER: &str = "---- Answer above this line ----";

/// The letters of [`MARKER`].
const MARKER_LETTERS: &str = "answerabovethisline";

/// An attribution is wrapped over at most this many lines.
const MAX_ATTRIBUTION_LINES: usize = 6;

/// At most this many blank lines stand between two lines of an attribution.
const MAX_GAP_LINES: usize = 2;

/// At most this many other lines stand between two headers: blank, the rest of long addresses, or one
/// line that interrupts them.
const MAX_HEADER_GAP_LINES: usize = 4;

/// Like [`MAX_HEADER_GAP_LINES`], for headers in an unknown language.
const MAX_UNKNOWN_GAP_LINES: usize = 3;

/// A mail program breaks lines at this width, in characters, or at a smaller one.
const MAX_WRAP_WIDTH: usize = 80;

/// If a mail program broke a line, its first part and the next word are together wider than this.
/// In a mail of ours the second number counts, or the width of its widest line so far, less two
/// spaces that a table may have between words.
const MIN_WRAP_WIDTHS: [usize; 2] = [66, 38];

/// What the writer of a plain text typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnText<'a> {
    /// The lines, as [`fresh`] returns them.
    pub lines: Vec<&'a str>,
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
    own_text(text).lines
}

/// Returns the lines as [`fresh`] does, and how certain they are.
pub fn own_text(text: &str) -> OwnText<'_> {
    let mut reader = Reader::default();
    let _ = text.split('\n').try_for_each(|line| reader.take(line::tidy(line)));
    let last = reader.typed.iter().rposition(|(line, _)| !line.is_empty());
    let count = last.map_or(0, |last| last + 1);
    reader.gaps.iter_mut().for_each(|gap| gap.above = gap.above.min(count));
    let lines = reader.typed.into_iter().take(count).map(|(line, _)| line).collect();
    OwnText { lines, gaps: reader.gaps, is_clear: !reader.is_unclear }
}

/// The state of the walk over the lines of a text.
#[derive(Default)]
struct Reader<'a> {
    /// The lines that were typed, as far as is known, with their signs of an attribution.
    typed: Vec<(&'a str, Option<Signs>)>,
    /// The number of `typed` lines above the last line that is not one of them.
    above_gap: usize,
    gaps: Vec<Gap>,
    /// Whether a quote was recognized only by its own text.
    is_unclear: bool,
    /// Whether the last line has a `<` without its `>`.
    has_open_bracket: bool,
    /// The attribution whose quote must follow.
    attribution: Option<Signs>,
    /// The width of the quoted line right above.
    quoted: Option<usize>,
    /// The width of the widest marked line that could have been broken.
    widest: usize,
    /// Whether the beginning of a mail of ours was quoted.
    has_quoted_ours: bool,
    armour: Armour,
    marker: Marker,
    headers: Block,
    /// The number of the line right above, if it names a sender without an address.
    sender: Option<usize>,
    /// Lines that look like headers in any language.
    any_headers: Block,
}

impl<'a> Reader<'a> {
    /// Reads the next line. Breaks if nothing below it was typed.
    fn take(&mut self, line: &'a str) -> ControlFlow<()> {
        let Some(line) = self.armour.unwrap(line) else { return Continue(()) };
        let marker = self.marker.end(line, self.typed.len());
        self.is_unclear |= marker.is_some();
        let quote = marker.or_else(|| self.end_headers(line));
        if let Some(first) = quote {
            self.typed.truncate(first);
            while self.typed.last().is_some_and(|(line, _)| line::is_border(line)) {
                self.typed.pop();
            }
            return Break(());
        }
        if line.is_empty() {
            self.quoted = None;
            self.typed.extend((!self.typed.is_empty()).then_some((line, None)));
            return Continue(());
        }
        if line::has_token(line) {
            return Continue(());
        }
        let is_marked = line::is_marked(line);
        let has_open_bracket = !is_marked && line.rfind('<') > line.rfind('>');
        // An apparent mark may close an address, or be GroupWise's `>>> Bob, 1 May 2026 >>>`.
        let is_closed = mem::replace(&mut self.has_open_bracket, has_open_bracket);
        let is_groupwise = line.starts_with(">>>");
        if is_groupwise {
            self.above_gap = self.typed.len();
        }
        let is_plain = !is_marked || is_groupwise || (is_closed && line.starts_with('>'));
        let signs = Some(line).filter(|_| is_plain).and_then(Signs::of);
        if signs.is_some_and(|signs| self.end_attribution(signs)) {
            self.quoted = None;
        } else if is_marked || (self.attribution.is_none() && self.is_wrapped_remainder(line)) {
            self.take_quoted(line, is_marked);
        } else if self.attribution.is_some() || line::ends_reply(line) {
            self.is_unclear |= self.attribution.is_none() && line::is_ours(line);
            return Break(());
        } else {
            self.quoted = None;
            if line::is_figure(line) {
                self.above_gap = self.typed.len();
                self.add_gap(false);
            } else {
                self.typed.push((line, signs));
            }
        }
        Continue(())
    }

    /// Skips a quoted line.
    fn take_quoted(&mut self, line: &str, is_marked: bool) {
        let text = line::unmarked(line);
        let width = line.chars().take(MAX_WRAP_WIDTH + 1).count();
        if is_marked && text.contains(char::is_whitespace) {
            self.widest = self.widest.max(width);
        }
        let begins_ours = is_marked && !self.quotes_ours() && line::begins_our_mail(text);
        self.has_quoted_ours |= begins_ours;
        let is_whole = is_marked && line::ends_our_mail(text)
            || begins_ours && (text.ends_with('.') || text.ends_with("):"));
        self.quoted = Some(width).filter(|_| !is_whole);
        // Apple Mail puts the line that introduces a quote into it.
        let introduces = |signs: Signs| signs.opens || signs.is_attribution();
        let is_introduced =
            self.attribution.take().is_some() || Signs::of(text).is_some_and(introduces);
        self.above_gap = self.typed.len();
        self.add_gap(is_introduced);
    }

    /// Records a line of a quote or a figure, which continues the last one if only blank lines are
    /// between them.
    fn add_gap(&mut self, is_introduced: bool) {
        let above = self.typed.len();
        let since = self.gaps.last().map_or(0, |last| last.above.min(above));
        if self.gaps.is_empty() || self.typed[since..].iter().any(|(line, _)| !line.is_empty()) {
            self.gaps.push(Gap { above, is_introduced });
        }
    }

    /// Returns whether a mail of ours was quoted above.
    fn quotes_ours(&self) -> bool {
        self.has_quoted_ours || self.marker.was_quoted
    }

    /// Returns whether this line is the wrapped remainder of the quoted line right above. A guess: its
    /// first word would not have fitted on the line above.
    fn is_wrapped_remainder(&self, line: &str) -> bool {
        let word = line.chars().take(MAX_WRAP_WIDTH).take_while(|c| !c.is_whitespace()).count();
        let [foreign, ours] = MIN_WRAP_WIDTHS;
        let narrowest =
            if self.quotes_ours() { ours.min(self.widest.saturating_sub(2)) } else { foreign };
        self.quoted.is_some_and(|above| above <= MAX_WRAP_WIDTH && above + 1 + word > narrowest)
    }

    /// Removes the attribution that ends with a line. Returns whether there is one.
    ///
    /// It has the fewest lines that make one, and those up to the line that opens it or has the
    /// address: an answer above must not count as part of it.
    fn end_attribution(&mut self, last: Signs) -> bool {
        if let Some(attribution) = &mut self.attribution {
            let is_rest = last.completes(*attribution);
            if is_rest {
                *attribution = attribution.and(last);
            }
            return is_rest;
        }
        if !last.may_end() {
            return false;
        }
        let (mut all, mut lines, mut gap) = (last, 1, 0);
        let mut first = all.is_attribution().then_some(self.typed.len());
        for (at, (line, signs)) in self.typed.iter().enumerate().skip(self.above_gap).rev() {
            if first.is_some() && all.opens && (all.address || all.wrote) {
                break;
            } else if line.is_empty() && gap < MAX_GAP_LINES {
                gap += 1;
                continue;
            }
            let Some(signs) =
                signs.filter(|signs| lines < MAX_ATTRIBUTION_LINES && signs.continues(gap > 0))
            else {
                break;
            };
            let is_first = signs.opens || (signs.bracketed && !all.bracketed);
            all = signs.and(all);
            let belongs = if first.is_some() { is_first } else { all.is_attribution() };
            first = if belongs { Some(at) } else { first };
            (lines, gap) = (lines + 1, 0);
        }
        let Some(first) = first else { return false };
        self.typed.truncate(first);
        (self.above_gap, self.attribution) = (first, Some(all));
        true
    }

    /// Returns the first of the typed lines that belong to the headers of a quote, once there are
    /// enough headers: the sender with an address or above a blank line, the sender and one more,
    /// three of them, or three in an unknown language with an address and a date.
    fn end_headers(&mut self, line: &str) -> Option<usize> {
        let at = self.typed.len();
        let Some((name, value)) = line::header(line) else {
            let sender = mem::take(&mut self.sender).filter(|_| line.is_empty());
            self.headers.add(0, at, MAX_HEADER_GAP_LINES);
            self.any_headers.add(0, at, MAX_UNKNOWN_GAP_LINES);
            return sender;
        };
        self.headers.add(line::header_kinds(name, line), at, MAX_HEADER_GAP_LINES);
        let looks =
            |signs: Signs| 1 | Kinds::from(signs.address) << 1 | Kinds::from(signs.dated) << 2;
        let looks = Signs::of(value.trim()).map_or(0, looks);
        self.any_headers.add(looks, at, MAX_UNKNOWN_GAP_LINES);
        let kinds = self.headers.kinds;
        if kinds == phrases::FROM && line::names_sender(value) {
            if value.contains('@') {
                return Some(self.headers.first);
            }
            self.sender = Some(at);
        }
        let needed = if kinds & phrases::FROM == 0 { 3 } else { 2 };
        if kinds.count_ones() >= needed {
            return Some(self.headers.first);
        }
        let is_block = self.any_headers.kinds == 7 && self.any_headers.lines > 2;
        is_block.then_some(self.any_headers.first)
    }
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
    fn add(&mut self, kind: Kinds, at: usize, most_gap: usize) {
        if kind != 0 {
            let first = if self.kinds == 0 { at } else { self.first };
            *self = Self { kinds: self.kinds | kind, first, lines: self.lines + 1, gap: 0 };
        } else if self.gap < most_gap {
            self.gap += 1;
        } else {
            *self = Self::default();
        }
    }
}

/// Looks for [`MARKER`], of which only the letters are compared: a mail program may quote it, wrap
/// it, change its white space or join its hyphens to dashes. The letters must begin a line or
/// follow a dash, for people may write about answers above lines.
#[derive(Default)]
struct Marker {
    matched: usize,
    /// The number of typed lines above the first letter.
    first: usize,
    /// Whether each line since the first letter begins with `>`.
    is_quoted: bool,
    /// Whether a whole marker was quoted so. It is one quoted line among others then, and answers
    /// may stand below it.
    was_quoted: bool,
}

impl Marker {
    /// Reads a line. Returns the number of lines above the marker if it ends here, unless it was
    /// quoted line by line.
    fn end(&mut self, line: &str, at: usize) -> Option<usize> {
        let is_quoted = line.starts_with('>');
        self.is_quoted &= is_quoted;
        let mut may_begin = true;
        for c in line.chars() {
            if !c.is_alphanumeric() {
                may_begin |= line::is_dash(c);
                continue;
            }
            let c = c.to_ascii_lowercase();
            let is_letter = |at| MARKER_LETTERS.get(at..).is_some_and(|rest| rest.starts_with(c));
            if self.matched > 0 && is_letter(self.matched) {
                self.matched += 1;
            } else if may_begin && is_letter(0) {
                (self.matched, self.first, self.is_quoted) = (1, at, is_quoted);
            } else {
                self.matched = 0;
            }
            may_begin = false;
            if self.matched == MARKER_LETTERS.len() {
                if !self.is_quoted {
                    return Some(self.first);
                }
                (self.matched, self.was_quoted) = (0, true);
            }
        }
        None
    }
}

/// The position in a text that OpenPGP signed in the clear (RFC 9580, section 7).
#[derive(Default)]
enum Armour {
    #[default]
    Outside,
    /// Between the first line and the text: `Hash: SHA256`.
    Headers,
    Text,
    Signature,
}

impl Armour {
    /// Returns the line as it was before signing, or `None` for a line that signing added. The
    /// signature is not checked.
    fn unwrap<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        let is_word = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic());
        let is_header = || line.split_once(": ").is_some_and(|(name, _)| is_word(name));
        *self = match (&self, line) {
            (Self::Outside, "-----BEGIN PGP SIGNED MESSAGE-----") => Self::Headers,
            (Self::Outside, _) => return Some(line),
            (Self::Headers | Self::Text, "-----BEGIN PGP SIGNATURE-----") => Self::Signature,
            (Self::Headers, "") => Self::Text,
            (Self::Headers, _) if is_header() => Self::Headers,
            (Self::Headers | Self::Text, _) => {
                *self = Self::Text;
                return Some(line.strip_prefix("- ").unwrap_or(line));
            }
            (Self::Signature, "-----END PGP SIGNATURE-----") => Self::Outside,
            (Self::Signature, _) => Self::Signature,
        };
        None
    }
}
