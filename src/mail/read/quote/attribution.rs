//! Lines that say who wrote the quoted text, and when: "On 1 May 2026 at 18:00 Bob wrote:".

use super::{line, phrases};
use crate::mail::read::invisible::is_invisible;
use crate::mail::text::any;

/// A longer line, in bytes, is not part of an attribution.
const MAX_ATTRIBUTION_BYTES: usize = 500;

/// An attribution is wrapped over at most this many lines.
const MAX_LINES: usize = 6;

/// At most this many blank lines stand between two lines of an attribution.
const MAX_GAP_LINES: usize = 2;

/// "Bob wrote:" needs neither a date nor an address if it has at most this many words.
const MAX_SHORT_WORDS: usize = 8;

/// The signs of an attribution in a line, or in several lines together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signs {
    words: usize,
    /// One of the words is "wrote".
    pub(super) wrote: bool,
    wrote_last: bool,
    colon_last: bool,
    /// It has an address in brackets, or the end of one.
    pub(super) bracketed: bool,
    pub(super) address: bool,
    /// It has a date or a time of day.
    pub(super) dated: bool,
    /// It is a date, with at most a name and a time of day beside it.
    stamped: bool,
    /// It begins as an attribution does, or has both a date and an address.
    pub(super) opens: bool,
    /// It has a date or a sign that attributions have.
    part: bool,
}

impl Signs {
    /// Returns the signs in a line, or `None` if it is blank or very long.
    pub(super) fn of(line: &str) -> Option<Self> {
        if line.is_empty() || line.len() > MAX_ATTRIBUTION_BYTES {
            return None;
        }
        let text = line.to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let wrote = |word: &str| phrases::kinds(word) & phrases::WROTE != 0;
        let inside = |phrase: &str| !text.is_ascii() && text.contains(phrase);
        let (year, day, time) = date(&text);
        let (address, dated) = (text.contains('@'), year || time);
        // GroupWise ends an attribution with marks.
        let closes = line.ends_with(">>>");
        let is_trailing = |c: char| c.is_whitespace() || is_invisible(c) || "-*_\"".contains(c);
        let end = text.trim_end_matches(is_trailing);
        let opens = opens(&text, dated);
        Some(Self {
            words: words.clone().count(),
            wrote: words.clone().any(wrote) || any(phrases::WROTE_INSIDE, inside),
            wrote_last: words.next_back().is_some_and(wrote),
            colon_last: closes || end.ends_with([':', '：', '։', '՝', '៖']),
            bracketed: text.contains(">:") || (address && text.contains('<') && text.contains('>')),
            address,
            dated,
            stamped: (closes && dated) || (day && is_stamp(line, time, opens)),
            opens: (dated && address) || opens,
            part: dated || text.contains([',', ':', '<', '@', '(']),
        })
    }

    /// Returns the signs in this line and those below it together.
    pub(super) fn and(self, below: Self) -> Self {
        Self {
            words: self.words + below.words,
            wrote: self.wrote || below.wrote,
            bracketed: self.bracketed || below.bracketed,
            address: self.address || below.address,
            dated: self.dated || below.dated,
            stamped: self.stamped || below.stamped,
            opens: self.opens,
            ..below
        }
    }

    /// Returns the number of lines above this one that belong to the attribution that it ends, and the
    /// signs of all. The lines above come from below; `None` stands for a blank one.
    ///
    /// An attribution has the fewest lines that make one, and those up to the line that opens it or has
    /// the address: an answer above must not count as part of it.
    pub(super) fn attribution(
        self,
        above: impl Iterator<Item = Option<Self>>,
    ) -> Option<(usize, Self)> {
        if !self.may_end() {
            return None;
        }
        let (mut all, mut lines, mut gap) = (self, 1, 0);
        let mut found = all.is_attribution().then_some(0);
        for (count, signs) in (1..).zip(above) {
            if found.is_some() && all.opens && (all.address || all.wrote) {
                break;
            }
            let Some(signs) = signs else {
                gap += 1;
                if gap > MAX_GAP_LINES {
                    break;
                }
                continue;
            };
            if lines == MAX_LINES || !signs.continues(gap > 0) {
                break;
            }
            let is_first = signs.opens || (signs.bracketed && !all.bracketed);
            all = signs.and(all);
            let belongs = if found.is_some() { is_first } else { all.is_attribution() };
            found = if belongs { Some(count) } else { found };
            (lines, gap) = (lines + 1, 0);
        }
        found.map(|count| (count, all))
    }

    /// Returns whether this line may continue below, perhaps over blank lines. A line with only a
    /// move may not.
    pub(super) fn continues(self, over_blank: bool) -> bool {
        self.part && (!over_blank || self.opens || self.bracketed)
    }

    /// Returns whether an attribution may end with this line.
    pub(super) fn may_end(self) -> bool {
        self.colon_last || self.wrote_last || (self.wrote && self.bracketed) || self.stamped
    }

    /// Returns whether this says who wrote something, and when.
    pub(super) fn is_attribution(self) -> bool {
        self.stamped
            || match (self.colon_last, self.wrote) {
                (true, true) => self.dated || self.address || self.words <= MAX_SHORT_WORDS,
                (true, false) => self.address && (self.dated || self.bracketed),
                (false, true) if self.bracketed => self.dated,
                (false, _) => self.wrote_last && self.dated && (self.address || self.opens),
            }
    }

    /// Returns whether this line is the rest of an attribution that is complete without it.
    pub(super) fn completes(self, attribution: Self) -> bool {
        !attribution.colon_last
            && (self.colon_last && (self.wrote || self.address || self.dated || self.words == 0)
                || self.wrote_last
                || (self.bracketed && !attribution.address)
                || (self.dated && self.words <= MAX_SHORT_WORDS / 2))
    }
}

/// Returns whether a line, in small letters, begins as an attribution does.
fn opens(line: &str, dated: bool) -> bool {
    let word = line.trim_start_matches(|c: char| !c.is_alphanumeric()).split_whitespace().next();
    word.is_some_and(|word| phrases::kinds(word) & phrases::OPENING != 0)
        && (dated || (line.contains(',') && line.contains(char::is_numeric)))
}

/// Returns whether a line is a date and perhaps a name, without a sentence around them.
fn is_stamp(line: &str, has_time: bool, opens: bool) -> bool {
    let words = || line.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    let lower = words().filter(|word| word.starts_with(char::is_lowercase)).count();
    let most = match (has_time, opens) {
        (false, _) => 0,
        (true, false) => 2,
        (true, true) => 3,
    };
    lower <= most
        && words().count() <= MAX_SHORT_WORDS
        && !line.ends_with(['!', '?'])
        && line::header(line).is_none()
}

/// Returns whether a text has a year, has a day beside it, and has a time of day. The "21.11" of a
/// date counts as a time.
fn date(text: &str) -> (bool, bool, bool) {
    let (mut year, mut time, mut others) = (false, false, 0);
    let is_joint = |c: char| ":.h時时시/-".contains(c);
    for joined in text.split(|c: char| !c.is_numeric() && !is_joint(c)) {
        let joined = joined.trim_matches(is_joint);
        let numbers: Vec<_> = joined.split(is_joint).collect();
        let digits = |at: usize| numbers.get(at).map_or(0, |number| number.chars().count());
        let is_short = numbers.len() == 3 && digits(2) == 2 && !joined.contains(':');
        let is_day = matches!(digits(0), 1 | 2);
        if numbers.iter().any(|number| is_year(number)) || (is_short && is_day) {
            (year, others) = (true, others + numbers.len() - 1);
        } else if is_day && digits(1) == 2 && !joined.contains(['/', '-']) {
            time = true;
        } else if digits(0) > 0 {
            others += 1;
        }
    }
    (year, year && others > 0, time)
}

/// Returns whether this number is a year from 1990 to 2099, or has four digits that are not ASCII.
/// Others with four digits may be games.
fn is_year(number: &str) -> bool {
    match number.parse::<u32>() {
        Ok(year) => number.len() == 4 && (1990..2100).contains(&year),
        Err(_) => number.chars().count() == 4,
    }
}
