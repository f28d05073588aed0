//! The parts of a mail shown in an inbox: its Subject and its first words.

use std::collections::HashSet;

use outflank::config::SubjectStyle;
use outflank::mail::read::quote::MARKER;
use outflank_rules::Color;

use super::wrapped::check;
use super::written::{MIDDLE, Sample, Written};
use crate::harness::with_marks;

/// The minimum number of characters that inboxes show of a text.
const PREVIEW: usize = 70;

/// Returns mails of all kinds with their first words.
fn mails() -> Vec<(Sample<'static>, &'static str)> {
    let game = Sample::default();
    let hex = Sample { variant: "oddthello", moves: "c4", to: Color::White, ..game };
    let gameless = Sample { of_a_game: false, ..game };
    let started = Sample { event: "started", ..game };
    vec![
        (MIDDLE, "Your turn, bob (b6 by alice)"),
        (hex, "Your turn, bob (C4 by alice)"),
        (game, "Your turn, alice: game 12 against bob has begun."),
        (started, "Your turn, alice: game 12 against bob has begun"),
        (Sample { to: Color::White, ..started }, "Game 12 against alice has begun"),
        (Sample { event: "receipt", to: Color::Black, ..MIDDLE }, "You have moved"),
        (Sample { event: "over", resigned: Some(Color::Black), ..MIDDLE }, "You won: alice"),
        (
            Sample { event: "flagged", to: Color::Black, ..MIDDLE },
            "The time of bob (white) in game 12 is over.",
        ),
        (
            Sample { event: "flagged", timed: true, ..MIDDLE },
            "Your time in game 12 against alice is over.",
        ),
        (Sample { event: "reminder", ..MIDDLE }, "8 hours left in game 12 against alice."),
        (
            Sample {
                event: "notice",
                text: Some(
                    "The host has given alice (black) 2 days more.\nReason: the server was down for two days.",
                ),
                ..MIDDLE
            },
            "The host has given alice",
        ),
        (Sample { event: "paused", text: Some("alice"), ..MIDDLE }, "Mail to alice cannot be"),
        (
            Sample { event: "answer", text: Some("`a1` was not done:\nNot so.\n\nX"), ..MIDDLE },
            "‹a1› was not done:",
        ),
        (Sample { event: "confirm", text: Some("resign 3"), ..gameless }, "Was it you? This was"),
        (
            Sample {
                event: "farewell",
                text: Some(
                    "You have left, bob.\nGame 1 is resigned. This is the last mail. Once it is sent, your address is deleted.",
                ),
                ..gameless
            },
            "You have left, bob.",
        ),
        (Sample { event: "address", text: Some("bob"), ..gameless }, "Is this your address, bob?"),
        (Sample { event: "mismatch", text: Some("x@example.org"), ..gameless }, "A reply "),
    ]
}

/// Returns the visible text of a page on one line.
fn visible(html: &str) -> String {
    let (_, body) = html.split_once("<body").unwrap();
    let text: Vec<_> = body.split('<').filter_map(|piece| piece.split_once('>')).collect();
    let text: String = text.iter().map(|(_, text)| format!("{text} ")).collect();
    let text = with_marks(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn preview(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(PREVIEW).collect()
}

#[test]
fn both_parts_begin_with_the_expected_words() {
    for (sample, begins) in mails() {
        let Written { text, html, .. } = sample.written();
        let begins_html = begins.trim_end_matches('.');
        assert!(text.starts_with(begins), "{begins}:\n{text}");
        assert!(visible(&html).starts_with(begins_html), "{begins}:\n{}", visible(&html));
        assert!(text.contains(MARKER) && html.contains(MARKER));
    }
}

#[test]
fn a_preview_does_not_show_the_marker() {
    for (sample, _) in mails().into_iter().filter(|(sample, _)| sample.event != "answer") {
        let Written { text, html, .. } = sample.written();
        for shown in [preview(&text), preview(&visible(&html))] {
            assert!(!shown.contains("Answer above"), "{shown}");
        }
    }
}

#[test]
fn no_part_of_the_first_line_is_a_command() {
    let mut seen = HashSet::new();
    for (sample, _) in mails() {
        check(&mut seen, &sample.written().text);
    }
}

#[test]
fn a_pass_is_named() {
    let must_pass = Sample { variant: "twente", position: Some("(w bbb --w ---)"), ..MIDDLE };
    let mut sample = Sample { moves: "pass", to: Color::Black, ..must_pass };
    if sample.game().turn() != Some(Color::Black) {
        sample.to = Color::White;
    }
    let text = sample.written().text;
    assert!(text.starts_with("Your turn, alice (bob passed).\n"), "{text}");
    check(&mut HashSet::new(), &text);
}

#[test]
fn the_subject_says_whose_turn_it_is_if_configured() {
    let subject = |sample: Sample, subject| {
        let headers = Sample { subject, ..sample }.written().headers;
        headers.split_once("\nSubject: ").unwrap().1.lines().next().unwrap().to_owned()
    };
    let constant = "Othello #12";
    let waiting = Sample { event: "receipt", to: Color::Black, ..MIDDLE };
    let over = Sample { event: "over", resigned: Some(Color::Black), ..MIDDLE };
    for sample in [MIDDLE, waiting, over] {
        assert_eq!(subject(sample, SubjectStyle::Constant), constant);
    }
    assert_eq!(subject(MIDDLE, SubjectStyle::Turn), format!("{constant} (your move)"));
    assert_eq!(subject(waiting, SubjectStyle::Turn), format!("{constant} (bob's move)"));
    assert_eq!(subject(over, SubjectStyle::Turn), constant);
}
