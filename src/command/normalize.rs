use icu_properties::props::{BinaryProperty, DefaultIgnorableCodePoint};

/// Removes the additions of mail programs, phones and keyboards from a line.
///
/// White space and control characters become spaces, invisible characters disappear, full-width
/// characters become ASCII and dashes become hyphens. Marks around the line and punctuation at its
/// end disappear.
pub fn normalize(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            ' '..='~' => text.push(c),
            _ if DefaultIgnorableCodePoint::for_char(c) => {}
            _ if c.is_whitespace() => text.push(' '),
            '\u{ff01}'..='\u{ff5e}' => {
                text.extend(u32::from(c).checked_sub(0xfee0).and_then(char::from_u32));
            }
            // Keyboards replace a typed `--` by this dash.
            '\u{2014}' => text.push_str("--"),
            '\u{2010}'..='\u{2013}' | '\u{2212}' => text.push('-'),
            _ if c.is_control() => text.push(' '),
            _ => text.push(c),
        }
    }
    let mut rest = text.trim();
    loop {
        let bare =
            rest.trim_end_matches(['.', ',', ';', '!', '\u{2026}', '\u{3002}', '\u{3001}']).trim();
        let mut inner = bare.chars();
        let ends = inner.next().zip(inner.next_back());
        let is_marked = ends.is_some_and(|ends| MARKS.contains(&ends));
        let bare = if is_marked { inner.as_str().trim() } else { bare };
        if bare.len() == rest.len() {
            return rest.to_owned();
        }
        rest = bare;
    }
}

/// Opening and closing marks for bold, italics, code and quotations.
const MARKS: &[(char, char)] = &[
    ('*', '*'),
    ('_', '_'),
    ('`', '`'),
    ('"', '"'),
    ('\'', '\''),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{201e}', '\u{201c}'),
    ('\u{ab}', '\u{bb}'),
];
