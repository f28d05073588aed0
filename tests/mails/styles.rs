//! Mails with a small board, or with the board in words.

use std::collections::HashSet;

use outflank_model::preferences::BoardStyle;
use outflank_rules::Color;

use super::wrapped::check;
use super::written::{MIDDLE, Sample};

const WORDS: Sample = Sample { style: BoardStyle::Words, ..MIDDLE };

/// Returns games of all kinds.
fn games() -> Vec<Sample<'static>> {
    let game = Sample::default();
    vec![
        game,
        MIDDLE,
        Sample { event: "over", resigned: Some(Color::Black), ..MIDDLE },
        Sample { event: "receipt", ..MIDDLE },
        Sample { variant: "mini", moves: "b1a1c4d4d3b4a4c1d1d2", to: Color::White, ..game },
        Sample { variant: "oddthello", moves: "c4 D3 E2", to: Color::White, ..game },
        Sample { size: Some("99x26"), anywhere: true, ..game },
        Sample { variant: "twente", position: Some("(b wb-- ---- ---- ----)"), ..game },
        Sample { token: Some(super::written::TOKEN), ..MIDDLE },
    ]
}

#[test]
fn mails_with_words_and_with_small_boards() {
    let hex = Sample { variant: "oddthello", moves: "c4 D3 E2", to: Color::White, ..WORDS };
    insta::assert_snapshot!("words", WORDS.written().text);
    insta::assert_snapshot!("words-hex", hex.written().text);
    let compact = Sample { style: BoardStyle::Compact, ..MIDDLE };
    insta::assert_snapshot!("compact", compact.written().text);
}

#[test]
fn no_line_is_a_command() {
    let mut seen = HashSet::new();
    for game in games() {
        for &style in BoardStyle::ALL {
            check(&mut seen, &Sample { style, ..game }.written().text);
        }
    }
}

#[test]
fn a_board_in_words_has_no_figure() {
    for game in games() {
        let written = Sample { style: BoardStyle::Words, ..game }.written();
        for figure in ["+--", "| B", " . . ", "[B]", "Flips   Black"] {
            assert!(!written.text.contains(figure), "{figure} in {}", written.text);
        }
        assert!(!written.html.contains("class=\"felt\""), "{}", written.html);
        assert!(!written.html.contains("too large"), "{}", written.html);
        assert!(written.html.contains("Row "), "{}", written.html);
        assert!(written.text.lines().all(|line| line.len() <= 78), "{}", written.text);
    }
}

#[test]
fn the_words_name_every_disc() {
    let text = WORDS.written().text;
    let position = WORDS.game().position().clone();
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("Row")).collect();
    for cell in position.cells() {
        let of_row = |line: &&&str| line.starts_with(&format!("Row {}:", cell.row));
        let row = rows.iter().find(of_row).copied().unwrap_or("empty.");
        let column = (b'a' + u8::try_from(cell.column).unwrap()) as char;
        let named = row.trim_end_matches('.').split([':', ';']).find_map(|run| {
            let (color, cells) = run.trim().split_once(' ')?;
            let is_in = |span: &str| match span.split_once(" to ") {
                Some((first, last)) => (first..=last).contains(&column.to_string().as_str()),
                None => span == column.to_string(),
            };
            cells.split(", ").any(is_in).then(|| color.to_owned())
        });
        let disc = position.disc(cell).map(|color| color.to_string());
        assert_eq!(named, disc, "{column}{} in {row}", cell.row);
    }
}

#[test]
fn moves_are_links_if_the_board_is_in_words() {
    let html = WORDS.written().html;
    let moves = WORDS.game().legal().len();
    assert!(moves > 3 && html.matches("body=").count() >= moves, "{html}");
    assert!(html.contains("Choose a move"), "{html}");
}
