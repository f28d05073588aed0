//! Separates what the writer of a mail typed from what the mail quotes.
//!
//! No standard says how a reply marks the text that it answers, and every mail program has its own
//! way. Quoted text must never be played, so a line that may be quoted counts as quoted. The
//! reader walks over the lines once and keeps those that were typed; some lines show only further
//! down that they introduced a quote, and are then dropped again.
//!
//! | file | what it knows |
//! |---|---|
//! | `line` | what a single line is |
//! | `attribution` | lines such as "On Monday Bob wrote:", in any language |
//! | `phrases` | the words of mail programs, as data |

mod attribution;
mod line;
mod phrases;

use std::mem;
use std::ops::ControlFlow::{self, Break, Continue};

use attribution::Facts;
use phrases::Kinds;

/// The line above the text of every mail that can be answered. An answer above it is found
/// however the mail program quotes.
pub const MARKER: &str = "---- Answer above this line ----";

/// The letters of [`MARKER`].
const MARKER_LETTERS: &[u8] = b"answerabovethisline";

/// An attribution is wrapped over at most this many lines, with at most [`GAP`] blank ones between
/// two of them.
const MOST_LINES: usize = 6;

/// At most this many other lines, blank or the rest of long addresses, stand between two headers.
const GAP: usize = 2;

/// A mail program breaks lines at this width, in characters, or at a smaller one.
const WIDEST: usize = 80;

/// A quoted line and the first word of the next are together wider than this if a mail program
/// broke the line.
const NARROWEST: usize = 66;

/// The same within a mail of ours, where every line that may be quoted counts as quoted.
const NARROWEST_OURS: usize = 40;

/// Returns the lines of a plain text that its writer typed: without quotes, forwarded mails, a
/// signature and figures of a board. Each is a part of a line of `text`, without the white space
/// around it; a line may be blank, but not the first or the last.
///
/// An answer between quoted lines counts if these have marks (`>`). Nothing below a quote without
/// marks counts.
pub fn fresh(text: &str) -> Vec<&str> {
    let mut reader = Reader::default();
    let _ = text.split('\n').try_for_each(|line| reader.take(line::tidy(line)));
    let mut lines: Vec<_> = reader.typed.into_iter().map(|(line, _)| line).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines.split_off(blank)
}

/// What was read of a text.
#[derive(Default)]
struct Reader<'a> {
    /// The lines that were typed, as far as is known, with what they have of an attribution.
    typed: Vec<(&'a str, Option<Facts>)>,
    /// How many of `typed` stand above the last line that is not among them.
    above_gap: usize,
    /// Whether the last line has a `<` without its `>`.
    has_open_bracket: bool,
    /// The attribution whose quote must follow.
    attribution: Option<Facts>,
    /// The width of the quoted line right above.
    quoted: Option<usize>,
    /// The width of the widest marked line that could have been broken.
    widest: usize,
    armour: Armour,
    marker: Marker,
    headers: Block,
    /// Lines that look like headers in any language.
    any_headers: Block,
}

impl<'a> Reader<'a> {
    /// Reads the next line. Breaks if nothing below it was typed.
    fn take(&mut self, line: &'a str) -> ControlFlow<()> {
        let Some(line) = self.armour.unwrap(line) else { return Continue(()) };
        let quote = self.marker.end(line, self.typed.len()).or_else(|| self.end_headers(line));
        if let Some(first) = quote {
            self.typed.truncate(first);
            while self.typed.last().is_some_and(|(line, _)| line::is_border(line)) {
                self.typed.pop();
            }
            return Break(());
        }
        if line.is_empty() {
            self.quoted = None;
            self.typed.push((line, None));
            return Continue(());
        }
        let is_marked = line::is_marked(line);
        let has_open_bracket = !is_marked && line.rfind('<') > line.rfind('>');
        // The last bracket of an address may begin a line, and GroupWise writes `>>> Bob, 1 May >>>`.
        let is_plain = mem::replace(&mut self.has_open_bracket, has_open_bracket)
            && line.starts_with('>')
            || line.starts_with(">>>")
            || !is_marked;
        let facts = Facts::of(line).filter(|_| is_plain);
        if facts.is_some_and(|facts| self.end_attribution(facts)) {
            self.quoted = None;
        } else if is_marked || (self.attribution.is_none() && self.is_torn(line)) {
            self.take_quoted(line, is_marked);
        } else if self.attribution.is_some() || line::ends_reply(line) {
            return Break(());
        } else {
            self.quoted = None;
            if line::is_figure(line) {
                self.above_gap = self.typed.len();
            } else {
                self.typed.push((line, facts));
            }
        }
        Continue(())
    }

    fn take_quoted(&mut self, line: &str, is_marked: bool) {
        let text = line::unmarked(line);
        let width = line.chars().take(WIDEST + 1).count();
        if is_marked && text.contains(char::is_whitespace) {
            self.widest = self.widest.max(width);
        }
        let is_whole = is_marked && line::ends_our_mail(text);
        self.quoted = Some(width).filter(|_| !is_whole);
        self.attribution = None;
        self.above_gap = self.typed.len();
    }

    /// Returns whether this line is the rest of the quoted line right above, which a mail program
    /// broke without a mark for the rest. A guess: its first word would not have fitted above.
    fn is_torn(&self, line: &str) -> bool {
        let word = line.chars().take(WIDEST).take_while(|c| !c.is_whitespace()).count();
        self.quoted.filter(|&above| above <= WIDEST).is_some_and(|above| {
            let width = above + 1 + word;
            // Two more spaces may have stood between two words of a table.
            let is_ours = self.marker.was_quoted;
            width > NARROWEST || (is_ours && (width > NARROWEST_OURS || width + 2 > self.widest))
        })
    }

    /// Takes back the lines of an attribution that ends with this line. Returns whether there is
    /// one.
    fn end_attribution(&mut self, facts: Facts) -> bool {
        let attribution = match self.attribution {
            Some(attribution) => facts.completes(attribution).then(|| attribution.and(facts)),
            None => self.attribution_above(facts).map(|(first, attribution)| {
                self.typed.truncate(first);
                self.above_gap = first;
                attribution
            }),
        };
        self.attribution = attribution.or(self.attribution);
        attribution.is_some()
    }

    /// Returns the first line of the attribution that ends with a line, and what it says. It has
    /// the fewest lines that make one, and those up to a line that opens it or has the address: an
    /// answer above must not count as part of it.
    fn attribution_above(&self, last: Facts) -> Option<(usize, Facts)> {
        let mut all = last;
        let mut first = all.is_attribution().then_some(self.typed.len());
        let (mut lines, mut gap) = (1, 0);
        let above = self.typed.iter().enumerate().skip(self.above_gap).rev();
        for (at, (line, facts)) in above.take_while(|_| last.may_end()) {
            if first.is_some() && all.opens {
                break;
            }
            if line.is_empty() && gap < GAP {
                gap += 1;
                continue;
            }
            let is_likely =
                |facts: &Facts| facts.part && (gap == 0 || facts.opens || facts.bracketed);
            let Some(facts) = facts.filter(is_likely).filter(|_| lines < MOST_LINES) else { break };
            let has_name = facts.bracketed && !all.bracketed;
            all = facts.and(all);
            if (first.is_none() && all.is_attribution())
                || (first.is_some() && (all.opens || has_name))
            {
                first = Some(at);
            }
            (lines, gap) = (lines + 1, 0);
        }
        first.filter(|_| last.may_end()).map(|first| (first, all))
    }

    /// Returns the first of the typed lines that belong to the headers of a quote, once there are
    /// enough headers: the sender and one more, three of them, or three in a row in an unknown
    /// language with an address and a date.
    fn end_headers(&mut self, line: &str) -> Option<usize> {
        let at = self.typed.len();
        let Some((name, value)) = line::header(line) else {
            self.headers.add(0, at, GAP);
            self.any_headers.add(0, at, 0);
            return None;
        };
        self.headers.add(line::header_kinds(name, line), at, GAP);
        let looks = Facts::of(value).map_or(1, |facts| facts.header_looks());
        self.any_headers.add(looks, at, 0);
        let kinds = self.headers.kinds;
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
    /// How many lines were typed above the first letter.
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
            let is_letter = |at: usize| {
                MARKER_LETTERS.get(at).copied().map(char::from) == Some(c.to_ascii_lowercase())
            };
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

/// Where a line stands in a text that OpenPGP signed in the clear (RFC 9580, section 7).
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
        if matches!(self, Self::Headers) {
            let is_word = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic());
            if line.split_once(": ").is_some_and(|(name, _)| is_word(name)) {
                return None;
            }
            *self = Self::Text;
            if line.is_empty() {
                return None;
            }
        }
        *self = match (&self, line) {
            (Self::Outside, "-----BEGIN PGP SIGNED MESSAGE-----") => Self::Headers,
            (Self::Text, "-----BEGIN PGP SIGNATURE-----") => Self::Signature,
            (Self::Signature, "-----END PGP SIGNATURE-----") => Self::Outside,
            (Self::Outside, _) => return Some(line),
            (Self::Text, _) => return Some(line.strip_prefix("- ").unwrap_or(line)),
            _ => return None,
        };
        None
    }
}
