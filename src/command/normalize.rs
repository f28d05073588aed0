use icu_properties::props::{BinaryProperty, DefaultIgnorableCodePoint};

/// Removes from a line what mail programs, phones and keyboards add to it.
///
/// White space and control characters become spaces, invisible characters disappear, full-width
/// characters become ASCII and dashes become hyphens. Marks around the line and punctuation at its
/// end disappear.
pub fn normalize(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
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
        let bare = MARKS
            .iter()
            .find_map(|&(open, close)| bare.strip_prefix(open)?.strip_suffix(close))
            .unwrap_or(bare)
            .trim();
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

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn decorations_of_a_move_disappear() {
        for typed in [
            "d3",
            " d3. ",
            "d3 ",
            "\u{a0}d3\u{a0}",
            "\u{200b}d3\u{200b}",
            "\u{feff}d3",
            "\u{ff44}\u{ff13}",
            "\td3\r",
            "*d3*",
            "\u{201c}d3\u{201d}",
            "d3!",
            "\"d3.\"",
            "`d3`",
            "\u{2066}d3\u{2069}",
            "\u{3000}d\u{ad}3",
            "\u{ff44}\u{ff13}\u{3002}",
            "d3\u{2026}",
        ] {
            assert_eq!(normalize(typed), "d3", "{typed:?}");
        }
    }

    #[test]
    fn the_rest_of_a_line_is_kept() {
        assert_eq!(normalize("show 12 \u{2014}arrows"), "show 12 --arrows");
        assert_eq!(normalize("move\u{a0}12\u{2009}B\u{2212}1"), "move 12 B-1");
        assert_eq!(normalize("don't. *really*"), "don't. *really*");
        assert_eq!(normalize("..."), "");
        assert_eq!(normalize("\"\""), "");
        assert_eq!(normalize("\""), "\"");
    }
}
