//! Lines that say who wrote what is quoted below them: "On 1 May 2026 at 18:00 Bob wrote:".

use std::collections::HashMap;

use super::super::is_invisible;
use super::marks;

/// Over how many lines an attribution is wrapped at most.
const MOST_LINES: usize = 6;

/// Longer lines, in bytes, are no part of an attribution.
const LONGEST: usize = 500;

/// "Bob wrote:" needs neither a date nor an address if it has no more words than this.
const SHORT: usize = 8;

/// "Wrote" in small letters, as a word.
const WROTE: &[&str] = &[
    "wrote",
    "writes",
    "schrieb",
    "geschrieben",
    "écrit",
    "ecrit",
    "escribió",
    "escribio",
    "escreveu",
    "scritto",
    "scrive",
    "schreef",
    "skrev",
    "skriver",
    "kirjoitti",
    "napisał",
    "napisała",
    "napisal",
    "pisze",
    "napsal",
    "napsala",
    "napísal",
    "napísala",
    "írta",
    "írt",
    "scris",
    "написал",
    "написала",
    "написав",
    "написала",
    "написа",
    "пишет",
    "пише",
    "έγραψε",
    "yazdı",
    "yazdi",
    "כתב",
    "כתבה",
    "כתבו",
    "كتب",
    "كتبت",
    "نوشت",
    "napisao",
    "napisala",
    "kirjutas",
    "rakstīja",
    "rašė",
    "viết",
    "menulis",
    "escriure",
    "escrit",
    "escribiu",
    "idatzi",
    "skrifaði",
];

/// The same in languages that put no spaces between words.
const WROTE_INSIDE: &[&str] = &[
    "写道",
    "寫道",
    "写到",
    "撰寫",
    "書きました",
    "のメール",
    "작성",
    "썼습니다",
    "님이 쓴",
    "เขียน",
];

/// With what an attribution begins in many languages, in small letters.
const OPENINGS: &[&str] = &[
    "on",
    "am",
    "le",
    "el",
    "il",
    "em",
    "op",
    "den",
    "in",
    "w",
    "dnia",
    "dne",
    "dňa",
    "στις",
    "la",
    "pe",
    "în",
    "date",
    "no",
    "a",
    "tarihinde",
    "pada",
    "vào",
    "בתאריך",
    "في",
    "在",
    "於",
];

/// What matters of a line, or of some lines together.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    words: usize,
    /// One of the words is "wrote".
    wrote: bool,
    /// The last word is.
    wrote_last: bool,
    colon_last: bool,
    /// A bracket and a colon are the last: `<bob@example.org>:`
    bracket_last: bool,
    /// There is an address in brackets.
    bracketed: bool,
    address: bool,
    dated: bool,
    /// It begins as an attribution does, or has both a date and an address.
    opens: bool,
    /// It has a date or a sign of what attributions consist of. A line with a move has not.
    part: bool,
}

/// Where attributions stand: from the number of the first line of each to that of the line below.
pub(super) fn spans(lines: &[&str]) -> HashMap<usize, usize> {
    let facts: Vec<_> = lines.iter().map(|line| Facts::of(line)).collect();
    let mut spans = HashMap::new();
    let mut free = 0;
    for end in 1..=lines.len() {
        let below = lines.get(end).filter(|line| !marks::marked(line));
        if below.is_some() && continued(facts.get(end - 1..).unwrap_or_default()) {
            continue;
        }
        let (Some(lines), Some(facts)) = (lines.get(free..end), facts.get(free..end)) else {
            continue;
        };
        if may_end(lines, facts)
            && let Some(length) = length(lines, facts)
        {
            spans.insert(end - length, end);
            free = end;
        }
    }
    spans
}

/// Whether an attribution may rather end with the second of these lines, which has the colon that
/// the first has not.
fn continued(facts: &[Option<Facts>]) -> bool {
    matches!(facts, [Some(first), Some(second), ..] if !first.colon_last && second.colon_last)
}

/// Whether an attribution may end with the last of these lines.
fn may_end(lines: &[&str], facts: &[Option<Facts>]) -> bool {
    let [above @ .., line] = lines else { return false };
    // An address in angle brackets may be broken before its last one, which is no mark then.
    let torn = || above.last().is_some_and(|above| above.rfind('<') > above.rfind('>'));
    facts.last().copied().flatten().is_some_and(Facts::may_be_last)
        && (!marks::marked(line) || (line.starts_with('>') && torn()))
}

/// How many of these lines make up the attribution that ends with the last one. The fewest that
/// do, and those up to one that opens it: no answer above is to be taken for a part of it.
fn length(lines: &[&str], facts: &[Option<Facts>]) -> Option<usize> {
    let mut all: Option<Facts> = None;
    let mut found = None;
    for (count, (line, facts)) in (1..=MOST_LINES).zip(lines.iter().zip(facts).rev()) {
        let part = |facts: &Facts| count == 1 || (facts.part && !marks::marked(line));
        let Some(facts) = facts.filter(part) else { break };
        let together = all.map_or(facts, |below| facts.and(below));
        all = Some(together);
        if found.is_none() {
            found = together.attribute().then_some(count);
        }
        if found.is_some() && facts.opens {
            return Some(count);
        }
    }
    found
}

impl Facts {
    /// Nothing for a line that cannot be a part of an attribution: blank or very long.
    fn of(line: &str) -> Option<Self> {
        if line.is_empty() || line.len() > LONGEST {
            return None;
        }
        let text = line.to_lowercase();
        let wrote = |word: &str| WROTE.contains(&word);
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let (dated, address) = (dated(&text), text.contains('@'));
        Some(Self {
            words: words.clone().count(),
            wrote: words.clone().any(wrote)
                || (!text.is_ascii() && WROTE_INSIDE.iter().any(|word| text.contains(word))),
            wrote_last: words.next_back().is_some_and(wrote),
            colon_last: ends_with_colon(&text),
            bracket_last: ends_with_colon(&text) && text.contains(">:"),
            bracketed: address && text.contains('<') && text.contains('>'),
            address,
            dated,
            opens: (dated && address) || opens(&text),
            part: dated || text.contains([',', ':', '<', '@', '(']),
        })
    }

    /// Of this line and those below it.
    fn and(self, below: Self) -> Self {
        Self {
            words: self.words + below.words,
            wrote: self.wrote || below.wrote,
            wrote_last: below.wrote_last,
            colon_last: below.colon_last,
            bracket_last: below.bracket_last,
            bracketed: self.bracketed || below.bracketed,
            address: self.address || below.address,
            dated: self.dated || below.dated,
            opens: self.opens,
            part: self.part,
        }
    }

    fn may_be_last(self) -> bool {
        self.colon_last || self.wrote_last || (self.wrote && self.bracketed)
    }

    /// Whether this says who wrote something, and when.
    fn attribute(self) -> bool {
        match (self.colon_last, self.wrote) {
            (true, true) => self.dated || self.address || self.words <= SHORT,
            (true, false) => self.address && (self.dated || self.bracket_last),
            (false, true) if self.bracketed => self.dated,
            (false, _) => self.wrote_last && self.dated && (self.address || self.opens),
        }
    }
}

fn ends_with_colon(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| {
        c.is_whitespace() || is_invisible(c) || matches!(c, '-' | '*' | '_' | '"')
    });
    text.ends_with([':', '：'])
}

/// Whether a line, in small letters, begins as an attribution does, with a date or a part of one.
fn opens(line: &str) -> bool {
    let word = line.trim_start_matches(|c: char| !c.is_alphanumeric()).split_whitespace().next();
    word.is_some_and(|word| OPENINGS.contains(&word))
        && (dated(line) || (line.contains(',') && line.contains(char::is_numeric)))
}

/// Whether there is a year or a time of day in this text.
fn dated(text: &str) -> bool {
    // How many digits stood before a sign that may divide hours from minutes.
    let mut hours = None;
    let mut rest = text;
    while let Some(start) = rest.find(char::is_numeric) {
        if start > 0 {
            hours = None;
        }
        rest = rest.get(start..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_numeric()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let digits = number.chars().count();
        if year(number) || (digits == 2 && matches!(hours, Some(1 | 2))) {
            return true;
        }
        rest = after.strip_prefix([':', '.', 'h', '時', '时', '시']).unwrap_or(after);
        hours = (rest.len() < after.len()).then_some(digits);
    }
    false
}

/// Whether this number is a year of our days, or has four digits that are not ours. Others with
/// four digits may be games.
fn year(number: &str) -> bool {
    match number.parse::<u32>() {
        Ok(year) => number.len() == 4 && (1990..2100).contains(&year),
        Err(_) => number.chars().count() == 4,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fresh;
    use super::*;

    const ATTRIBUTIONS: &[&str] = &[
        "On Sat, Nov 21, 2026 at 6:00 PM Outflank <outflank@example.org> wrote:",
        "On Sat, Nov 21, 2026 at 6:00 PM Outflank <outflank@example.org>\nwrote:",
        "On Sat, Nov 21, 2026 at 6:00 PM Outflank <\noutflank@example.org> wrote:",
        "On Nov 21, 2026,\nat 18:00,\nOutflank <outflank@example.org>\nwrote:",
        "On 21 Nov 2026, at 18:00, Outflank wrote:",
        "On Sat, Nov 21, Outflank\n<outflank@example.org>\nwrote:",
        "On Sat, 21 Nov 2026 18:00:00 +0100 outflank@example.org wrote",
        "---- On Sat, 21 Nov 2026 18:00:00 +0100 outflank@example.org wrote ----",
        "Outflank <outflank@example.org> wrote:",
        "Outflank writes:",
        "- On 2026-11-21 18:00, Outflank wrote:",
        "Am Sa., 21. Nov. 2026 um 18:00 Uhr schrieb Outflank <\noutflank@example.org>:",
        "Am 21.11.26 um 18:00 schrieb Outflank:",
        "Le sam. 21 nov. 2026 à 18:00, Outflank <outflank@example.org>\na écrit :",
        "Le 21/11/2026 à 18:00, Outflank a écrit\u{a0}:",
        "El sáb, 21 nov 2026 a las 18:00, Outflank (<outflank@example.org>)\nescribió:",
        "Em sáb., 21 de nov. de 2026 às 18:00, Outflank <outflank@example.org>\nescreveu:",
        "Il giorno sab 21 nov 2026 alle ore 18:00 Outflank <\noutflank@example.org> ha scritto:",
        "Op za 21 nov 2026 om 18:00 schreef Outflank <outflank@example.org>:",
        "Den lör 21 nov. 2026 kl 18:00 skrev Outflank <outflank@example.org>:",
        "lør. 21. nov. 2026 kl. 18:00 skrev Outflank <outflank@example.org\n>:",
        "la 21. marrask. 2026 klo 18.00 Outflank (outflank@example.org) kirjoitti:",
        "sob., 21 lis 2026 o 18:00 Outflank <outflank@example.org> napisał(a):",
        "so 21. 11. 2026 v 18:00 odesílatel Outflank <outflank@example.org>\nnapsal:",
        "so 21. 11. 2026 o 18:00 Outflank <outflank@example.org> napísal(a):",
        "Outflank <outflank@example.org> ezt írta (időpont: 2026. nov. 21., Szo, 18:00):",
        "În sâm., 21 nov. 2026 la 18:00, Outflank <outflank@example.org> a scris:",
        "сб, 21 нояб. 2026 г. в 18:00, Outflank <outflank@example.org>:",
        "сб, 21 лист. 2026 р. о 18:00 Outflank <outflank@example.org> пише:",
        "Στις Σάβ 21 Νοε 2026 στις 6:00 μ.μ., ο χρήστης Outflank <outflank@example.org>\nέγραψε:",
        "Outflank <outflank@example.org>, 21 Kas 2026 Cmt, 18:00 tarihinde şunu yazdı:",
        "2026年11月21日(土) 18:00 Outflank <outflank@example.org>:",
        "Outflank <outflank@example.org> 于2026年11月21日周六 18:00写道：",
        "2026년 11월 21일 (토) 오후 6:00, Outflank <outflank@example.org>님이 작성:",
        "\u{202b}בתאריך שבת, 21 בנוב׳ 2026 ב-18:00 מאת Outflank <\u{202a}outflank@example.org\u{202c}>:\u{202c}",
        "في السبت، 21 نوفمبر 2026 في 6:00 م تمت كتابة ما يلي بواسطة Outflank <\noutflank@example.org>:",
        "Am 21.11.2026 um 18:00 schrieb Outflank <outflank@example.org>",
        "Outflank <outflank@example.org> schrieb am 21.11.2026 um 18:00 Uhr",
        "Outflank <outflank@example.org> ezt írta (időpont: 2026. nov. 21.,\nSzo, 18:00):",
        "Outflank <outflank@example.org>:",
        "--- Outflank <outflank@example.org> schrieb am Sa, 21.11.2026:",
        "Outflank <outflank@example.org> wrote on 21/11/2026 18:00:00:",
        "21.11.2026, 18:00, \"Outflank\" <outflank@example.org>:",
    ];

    #[test]
    fn attributions_in_many_languages() {
        for attribution in ATTRIBUTIONS {
            let lines: Vec<_> = attribution.lines().collect();
            assert_eq!(spans(&lines), HashMap::from([(0, lines.len())]), "{attribution}");
            for gap in ["\n", "\n\n"] {
                let text = format!("d3\n{attribution}{gap}Your turn:\ne6\n");
                assert_eq!(fresh(&text), ["d3"], "{text}");
                let text = format!("d3\n\n{attribution}{gap}> Your turn:\n> e6\n\nThanks");
                assert_eq!(fresh(&text).last(), Some(&"Thanks"), "{text}");
                let text = format!("> {}\n>\n> e6\n\nd3", attribution.replace('\n', "\n> "));
                assert_eq!(fresh(&text), ["d3"], "{text}");
            }
        }
    }

    #[test]
    fn people_write_other_things() {
        for text in [
            "On the surface this looks like one:",
            "On Thursday:",
            "I saw it at 18:00:",
            "In 2026 bob@example.org wrote a program for this",
            "Check https://example.org/on-date-somebody-wrote-about-parsing",
            "d3",
            "Hi Bob:",
        ] {
            assert!(spans(&[text]).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_answer_above_is_no_part_of_it() {
        for answer in
            ["d3", "move 1234 d3", "I leave on 1 May 2026.\nmove 12 d3", "On 1 May 2026!\nd3"]
        {
            for attribution in ATTRIBUTIONS {
                let text = format!("{answer}\n{attribution}\n> e6");
                assert!(fresh(&text).contains(&answer.lines().last().unwrap()), "{text}");
            }
        }
    }

    #[test]
    fn years_and_times_are_dates() {
        for text in ["2026", "at 18:00", "6.30", "18h05", "18時05分", "٢٠٢٦"] {
            assert!(dated(text), "{text}");
        }
        for text in ["d3", "move 12 d3", "1.d3", "12 34", "12345", "1234", ""] {
            assert!(!dated(text), "{text}");
        }
    }
}
