//! No line of a mail that we send is a command, however a mail program wraps it.

use std::collections::HashSet;

use outflank::app::Line;
use outflank::game::{Color, GameId};

use crate::written::{MIDDLE, Sample, TOKEN};
use crate::{ALICE, BOB, Post};

/// Checks that no line is a command, at any width.
#[track_caller]
fn check(seen: &mut HashSet<String>, mail: &str) {
    for width in 20..=80 {
        for line in mail.lines().flat_map(|line| textwrap::wrap(line, width)) {
            if !seen.insert(line.trim().to_owned()) {
                continue;
            }
            let read = Line::parse(&line, Some((GameId(12), 3)));
            let is_harmless = matches!(read, Line::Blank | Line::Unknown);
            assert!(is_harmless, "{line:?} at width {width} of:\n{mail}");
        }
    }
}

/// Games of all kinds, seen by both players.
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

#[test]
fn no_line_about_a_game_is_a_command() {
    let mut seen = HashSet::new();
    for game in games() {
        for event in ["started", "turn", "receipt", "over", "answer", "paused"] {
            let resigned = (event == "over").then_some(Color::Black);
            let text = match event {
                "answer" => Some("Not done: d9\nd9 is not on the board; legal: c4 d3 e6 f5."),
                "paused" => Some("alice"),
                _ => None,
            };
            for (answerable, token) in [(true, None), (true, Some(TOKEN)), (false, None)] {
                let sample = Sample { event, text, resigned, answerable, token, ..game };
                check(&mut seen, &sample.written().text);
            }
        }
    }
}

#[test]
fn no_line_about_a_large_board_is_a_command() {
    let sample = Sample { size: Some("99x26"), anywhere: true, ..Sample::default() };
    check(&mut HashSet::new(), &sample.written().text);
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
        "unsubscribe 1234567890",
        "pass",
        "d3#7",
        "signup Alice",
        "signup abcdefghijklmnopqrstuvwxyz012345",
    ];
    let all = held.join("\n");
    let mut seen = HashSet::new();
    for text in held.into_iter().chain([&*all]) {
        for event in ["confirm", "mismatch", "answer"] {
            for token in [None, Some(TOKEN)] {
                let sample = Sample { event, text: Some(text), token, ..Sample::default() };
                check(&mut seen, &Sample { of_a_game: false, ..sample }.written().text);
            }
        }
    }
}

#[test]
fn no_line_of_an_answer_is_a_command() {
    let post = Post::new();
    post.configure("[receive]\nenabled = true\n");
    post.mails(&["new", "othello", ALICE, BOB, "--moves", "f5d6c3d3c4f4f6f3e6e7d7c5b6"]);
    post.mails(&["new", "twente", ALICE, BOB, "--position", "(b wb-- ---- ---- ----)"]);
    post.mails(&["new", "mini", ALICE, BOB, "--misere", "--moves", "b1a1c4d4d3b4a4c1d1d2"]);
    post.mails(&["new", "mini", ALICE, BOB, "--anywhere", "--size", "12x12"]);
    post.mails(&["new", "oddthello", ALICE, BOB, "--moves", "c4"]);
    let mails = post.mails(&["new", "othello", ALICE, BOB]);
    let views = |number| {
        [format!("show {number} --arrows"), format!("history {number}"), format!("show {number}#0")]
    };
    let commands = "help move show pass resign history games players subscribe receipt help";
    let help: Vec<_> = commands.split(' ').map(|command| format!("help {command}")).collect();
    let refused = [
        "d9",
        "move 1 a1",
        "move 1 d3#7 e3 f4 c5",
        "pass 1",
        "move 99 d3",
        "move 2 c3#99",
        "move 5 zz12",
        "show 1#99",
        "history",
        "resign 99",
        "games carol",
        "games",
        "games --all",
        "players",
        "receipt on",
        "subscribe 12345678",
        "unsubscribe 1",
        "help",
        "move 3 pass",
        "move 5 B-1",
    ];
    let texts = [
        [views(1), views(2)].concat().join("\n"),
        [views(3), views(5)].concat().join("\n"),
        views(4).join("\n"),
        help.join("\n"),
        refused.join("\n"),
    ];
    let mut seen = HashSet::new();
    for (mail, texts) in mails.iter().zip([&texts[..3], &texts[3..]]) {
        for text in texts.iter().map(String::as_str).chain(["Hello there"]) {
            let answers = post.receive(&mail.to, &mail.reply_to(), text);
            assert_eq!(answers.len(), 1, "{text}");
            check(&mut seen, &answers[0].text);
        }
    }
    for text in ["Hello there", "signup carol"] {
        let answers = post.receive("carol@example.org", "outflank@localhost", text);
        check(&mut seen, &answers[0].text);
    }
}
