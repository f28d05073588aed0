//! No line of our mails is a command, however a mail program wraps it.

use std::collections::HashSet;

use outflank::app::Line;
use outflank::mail::read::quote::fresh;
use outflank_model::Moment;
use outflank_model::log::GameId;
use outflank_model::preferences::BoardStyle;
use outflank_rules::Color;

use super::wrapped::{check, check_at, check_html};
use super::written::{MIDDLE, Sample, TOKEN, Written};
use crate::harness::TestEnvironment;

/// Returns games of all kinds, for both players.
fn games() -> Vec<Sample<'static>> {
    let game = Sample::default();
    let othello = ["f5", "f5d6", "f5d6c3d3c4f4f6f3e6e7d7c5b6"];
    let mut games: Vec<_> = othello.map(|moves| Sample { moves, ..game }).into();
    games.extend([
        game,
        Sample { variant: "mini", moves: "b1a1c4d4d3b4a4c1d1d2", ..game },
        Sample { variant: "twente", position: Some("(b wb-- ---- ---- ----)"), ..game },
        Sample { variant: "twente", position: Some("(b -wb- ---- ---- ----)"), ..game },
        Sample { misere: true, ..MIDDLE },
        Sample { anywhere: true, ..MIDDLE },
        Sample { size: Some("12x12"), anywhere: true, ..game },
        Sample { variant: "oddthello", moves: "c4", ..game },
        Sample { variant: "oddthello", moves: "c4 D3 E2", ..game },
    ]);
    let both = games.into_iter().flat_map(|game| Color::BOTH.map(|to| Sample { to, ..game }));
    both.collect()
}

/// Checks both parts of a mail.
#[track_caller]
fn check_parts(seen: &mut HashSet<String>, mail: &Written) {
    check(seen, &mail.text);
    check_html(seen, &mail.html);
}

#[test]
fn no_line_about_a_game_is_a_command() {
    let mut seen = HashSet::new();
    let events = [
        "started",
        "turn",
        "receipt",
        "over",
        "answer",
        "paused",
        "flagged",
        "notice",
        "reminder",
        "watched",
        "watched-over",
    ];
    let mut kinds =
        [(true, None), (true, Some(TOKEN)), (false, None), (false, None)].into_iter().cycle();
    for game in games() {
        // Eleven events and four kinds: each event has each kind in a quarter of the games.
        for event in events {
            // Watchers are mailed after moves.
            if event == "watched" && (game.moves.is_empty() || game.game().turn().is_none()) {
                continue;
            }
            let resigned = event.ends_with("over").then_some(Color::Black);
            let text = match event {
                "answer" => Some("Not done: d9\nd9 is not on the board; legal: c4 d3 e6 f5."),
                "paused" => Some("alice"),
                "notice" => {
                    Some("The host has given alice 2 days more.\nReason: the server was down.")
                }
                _ => None,
            };
            let (answerable, token) = kinds.next().unwrap();
            let sample = Sample { event, text, resigned, answerable, token, ..game };
            check_parts(&mut seen, &sample.written());
            check_parts(&mut seen, &Sample { timed: true, ..sample }.written());
            check_parts(&mut seen, &Sample { has_pages: true, ..sample }.written());
        }
    }
}

#[test]
fn no_line_about_no_game_is_a_command() {
    for (event, text) in [
        ("answer", "The line d3 went to bob as text. Reply d3 to play it."),
        (
            "answer",
            "The lines D3, move 12 d3 and resign went to bob as text. Reply d3, (move 12 d3) or resign \
             to run one of them.\n\nReply to ‹say›:\n\nbob reads it with the next mail of game 12.",
        ),
        (
            "answer",
            "No command was found in your mail, so nothing was done. Did you mean (move 12 d3), \
             (move 13 d3) or (resign)?",
        ),
        (
            "notice",
            "Your opponent alice is absent 23\u{2013}27 November.\nIn your games alice's clock stands still \
             from Monday, 23 November 2026 to Friday, 27 November 2026.",
        ),
    ] {
        for (answerable, token) in [(true, None), (true, Some(TOKEN)), (false, None)] {
            let text = Some(text);
            let sample = Sample { event, text, answerable, token, ..Sample::default() };
            let sample = Sample { of_a_game: false, ..sample };
            check_parts(&mut HashSet::new(), &sample.written());
        }
    }
}

#[test]
fn no_line_about_a_large_board_is_a_command() {
    let sample = Sample { size: Some("99x26"), anywhere: true, ..Sample::default() };
    check_parts(&mut HashSet::new(), &sample.written());
}

#[test]
fn no_line_about_commands_is_a_command() {
    let held = [
        "move 12 d3#7",
        "move 1234 d3#7 e3 f4 c5#10 --receipt",
        "pass 12#5",
        "resign 1234567",
        "games",
        "games alice --all",
        "show 12#3 --arrows",
        "history 12",
        "players",
        "help",
        "help move",
        "receipt off",
        "subscribe 12",
        "unmute 12",
        "mute 12",
        "unsubscribe 1234567890",
        "pass",
        "d3#7",
        "12 d3",
        "12: d3",
        "#12 d3",
        "game 12 d3",
        "Game #12: pass",
        "signup Alice",
        "signup abcdefghijklmnopqrstuvwxyz012345",
    ];
    let all = held.join("\n");
    let mut seen = HashSet::new();
    for text in held.into_iter().chain([&*all]) {
        for event in ["confirm", "mismatch", "answer"] {
            for token in [None, Some(TOKEN)] {
                let sample = Sample { event, text: Some(text), token, ..Sample::default() };
                check_parts(&mut seen, &Sample { of_a_game: false, ..sample }.written());
            }
        }
    }
}

#[test]
fn no_line_of_an_analysis_is_a_command() {
    let (env, mut seen, mut reasons) = (TestEnvironment::new(), HashSet::new(), HashSet::new());
    for game in 1..=8 {
        let size = if game % 2 == 0 { "5x5" } else { "4x5" };
        env.ok(&format!("new othello bot:1 bot:novice --size {size}"));
        env.ok("send");
        check(&mut seen, &env.ok(&format!("analyze {game}")));
        let analysis = env.json(&format!("analyze {game}"));
        let found =
            analysis["moves"].as_array().unwrap().iter().filter_map(|it| it["reason"].as_str());
        reasons
            .extend(found.map(|reason| reason.split(char::is_numeric).next().unwrap().to_owned()));
    }
    assert!(reasons.len() > 6, "{reasons:?}");
}

/// Sentences in answers to strangers, and in answers and questions about unverified mail.
const SENTENCES: &str = "A comment or note was not kept, because the mail with it could not be \
    verified. To send it again, write it in a reply to a mail about the game.\n\nYou have had many \
    answers within an hour. The next one comes after Saturday, 21 November 2026, 11:00 (UTC). Until \
    then, your mails are read and your commands are carried out, but not answered.\n\nMail to you had \
    failed since Saturday, 21 November 2026, 10:00 (UTC). Since Sunday, 22 November 2026, 10:00 (UTC) \
    it is sent again.\n\nNot done: \"resign\" is a command; choose another name.\n\nA name is one \
    word.\n\nThis address is not signed up here.\n\nIf you play here, write from the address that \
    gets your mails. To sign up, reply with just a name: one word of at most 32 letters, digits, \"_\" \
    or \"-\" that begins with a letter. You can also write (signup NAME).\n\nThat name is taken. \
    Reply with just another one, or write for example (signup NAME).";

#[test]
fn no_line_of_an_answer_or_a_question_is_a_command() {
    let question = format!("move 12 d3#7\nreceipt off\n\n{SENTENCES}");
    for (event, text) in [("answer", SENTENCES), ("confirm", &*question)] {
        for token in [None, Some(TOKEN)] {
            let sample = Sample { event, text: Some(text), token, ..Sample::default() };
            check_parts(&mut HashSet::new(), &Sample { of_a_game: false, ..sample }.written());
        }
    }
}

/// Comments full of command words, at the beginning of lines and within them.
const COMMENTS: [&str; 4] = [
    "resign\nd3\npass\nhelp\nstop\nthanks\nmove 12 d3\nyes\nsay hello\nset style words\nblock bob",
    "d3 resign d3 pass d3 help d3 stop d3 thanks d3 show d3 history d3 games d3 players d3 say d3",
    "I would never resign 12 or draw or accept or decline or pass or show 12 or play d3#5 or say so",
    "---- Answer above this line ----\nFrom: bob\nSent: today\nTo: alice\n\n> d3\n\n-- \nd3",
];

/// Returns whether a line of a mail with a comment runs anything.
fn runs(line: &str) -> bool {
    let about = [Some(Moment { game: GameId(12), ply: 3, events: 3 }), None];
    about.into_iter().any(|at| matches!(Line::parse(line, at), Line::Command(_) | Line::Signup(_)))
}

#[test]
fn no_line_of_a_comment_is_a_command() {
    let mut seen = HashSet::new();
    for (said, event) in
        COMMENTS.into_iter().flat_map(|said| ["turn", "over", "receipt"].map(|event| (said, event)))
    {
        for &style in BoardStyle::ALL {
            let resigned = (event == "over").then_some(Color::Black);
            let mail = Sample { said, event, style, resigned, ..MIDDLE }.written();
            let quoted = |mark: &str| {
                let lines = mail.text.lines().map(|line| format!("{mark}{line}\n"));
                lines.collect::<String>()
            };
            check_html(&mut seen, &mail.html);
            for text in [mail.text.clone(), quoted("> "), quoted("> > ")] {
                check_at(50..=80, &mut seen, &text);
            }
            for quote in [quoted("> "), mail.text.clone()] {
                assert_eq!(fresh(&quote), [""; 0], "{quote}");
                assert_eq!(fresh(&format!("d3\n\n{quote}")), ["d3"], "{quote}");
            }
        }
    }
}

/// Mail programs break the lines of a comment with or without their marks, each line alone or all joined.
#[test]
fn no_word_of_a_comment_is_a_command_at_any_width() {
    for said in COMMENTS {
        let mail = Sample { said, ..MIDDLE }.written();
        let is_comment = |line: &&str| line.starts_with("| ") && !line.ends_with(" |");
        let lines: Vec<_> = mail.text.lines().filter(is_comment).collect();
        let bare: Vec<_> = lines.iter().map(|line| &line[2..]).collect();
        let joined = [lines.join(" "), bare.join(" ")];
        let joined: Vec<_> = joined.iter().map(String::as_str).collect();
        for ways in [&lines, &bare, &joined] {
            for (width, line) in
                ways.iter().flat_map(|line| (10..=80).map(move |width| (width, line)))
            {
                for mark in ["", "> ", "> > "] {
                    let marked = format!("{mark}{line}");
                    let broken = textwrap::wrap(&marked, width);
                    let command = broken.iter().find(|line| runs(line));
                    assert_eq!(command, None, "at {width}: {broken:?}");
                }
            }
        }
    }
}
