//! Special rules of a game, in the text, the HTML and the Subject of its mails.

use mail_parser::MessageParser;
use outflank_rules::Color;

use super::wrapped::check;
use super::written::{MIDDLE, Sample};

/// Returns games with special rules, with their Subject and their line about the rules.
fn games() -> [(Sample<'static>, &'static str, &'static str); 5] {
    let game = Sample::default();
    [
        (
            Sample { size: Some("10x10"), misere: true, ..game },
            "Othello 10x10 misère #12",
            "Rules: 10 rows, 10 columns; fewer discs win.",
        ),
        (
            Sample { anywhere: true, ..MIDDLE },
            "Othello anywhere #12",
            "Rules: discs go on any empty cell.",
        ),
        (Sample { variant: "mini", ..game }, "Mini Othello #12", "Rules: 4 rows, 4 columns."),
        (
            Sample { variant: "twente", ..game },
            "Twente Othello #12",
            "Rules: players must pass explicitly.",
        ),
        (
            Sample { variant: "oddthello", ..game },
            "Oddthello #12",
            "Rules: a hex lattice without edges; 32 discs each; players who cannot flip lose.",
        ),
    ]
}

#[test]
fn every_mail_about_a_game_states_its_special_rules() {
    for (game, subject, rules) in games() {
        for event in ["started", "turn", "receipt", "over", "answer", "paused"] {
            let resigned = (event == "over").then_some(Color::White);
            let sample = Sample { event, resigned, text: Some("Hello"), ..game };
            let written = sample.written();
            let text = written.text.replace('\n', " ");
            assert_eq!(text.matches(rules).count(), 1, "{rules} in {event}:\n{}", written.text);
            check(&mut Default::default(), &written.text);
            let rules = rules.replace("Rules:", "<b>Rules:</b>");
            assert_eq!(written.html.matches(&rules).count(), 1, "{event}: {}", written.html);
            assert!(written.headers.is_ascii() && written.html.is_ascii());
            let message = MessageParser::new().parse(written.raw.as_bytes()).unwrap();
            assert_eq!(message.subject(), Some(subject), "{event}");
        }
    }
}

#[test]
fn a_game_under_the_usual_rules_has_no_line_about_them() {
    for event in ["started", "turn", "over", "answer"] {
        let written = Sample { event, text: Some("Hello"), ..MIDDLE }.written();
        assert!(!written.text.contains("Rules:") && !written.html.contains("Rules:"), "{event}");
        assert!(written.headers.contains("\nSubject: Othello #12\n"), "{event}");
    }
}

#[test]
fn links_reply_with_the_same_subject() {
    let (game, ..) = games()[0];
    let html = game.written().html;
    let subject = "?subject=Re%3A%20Othello%2010x10%20mis%C3%A8re%20%2312";
    let links = html.matches("href=\"mailto:").count();
    assert!(links > 4);
    assert_eq!(html.matches(subject).count(), links, "{html}");
}

#[test]
fn with_anywhere_the_legal_moves_are_not_listed() {
    for size in ["8x8", "99x26"] {
        for event in ["turn", "started"] {
            let sample = Sample { event, size: Some(size), anywhere: true, ..Sample::default() };
            let text = sample.written().text;
            let count = sample.game().legal().len();
            assert!(text.contains(&format!("\nLegal moves: any empty cell ({count} moves)\n")));
            let best =
                format!("\nThe 6 of {count} moves that flip most, and the score after each:\n");
            let (_, table) = text.split_once(&best).unwrap_or_else(|| panic!("{text}"));
            let rows = table.trim_start().split("\n\n").next().unwrap();
            assert_eq!(rows.lines().count(), 7, "{rows}");
            assert!(text.len() < 24_000, "{} bytes", text.len());
            check(&mut Default::default(), &text);
        }
    }
}

#[test]
fn twente_with_anywhere_does_not_mention_a_pass() {
    for event in ["started", "turn", "receipt"] {
        let sample = Sample { event, variant: "twente", anywhere: true, ..Sample::default() };
        let written = sample.written();
        for text in [written.headers, written.text, written.html] {
            assert!(!text.to_lowercase().contains("pass"), "{text}");
        }
    }
}

#[test]
fn of_many_moves_those_with_the_most_flips_are_shown() {
    let sample = Sample {
        size: Some("3x4"),
        anywhere: true,
        moves: "a1 d1",
        to: Color::Black,
        ..Sample::default()
    };
    let game = sample.game();
    assert_eq!(game.legal().len(), 6);
    assert!(sample.written().text.contains("What each move flips, and the score after it:"));
    let sample = Sample { size: Some("4x4"), moves: "", ..sample };
    let game = sample.game();
    assert_eq!(game.legal().len(), 12);
    let text = sample.written().text;
    let (_, table) = text.split_once("  Move    Flips   Black   White\n").unwrap();
    let flips = |line: &str| line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap();
    let shown: Vec<_> = table.lines().take_while(|line| !line.is_empty()).map(flips).collect();
    let mut all: Vec<_> =
        game.position().placements().iter().map(|cell| game.position().flips(cell).len()).collect();
    all.sort_by_key(|&flips| std::cmp::Reverse(flips));
    assert_eq!(shown, all[..6]);
}
