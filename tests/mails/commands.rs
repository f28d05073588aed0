//! No line of our mails is a command, however a mail program wraps it.

use std::collections::HashSet;

use outflank::mail::read::quote::fresh;
use outflank::preferences::BoardStyle;
use outflank_rules::Color;

use super::wrapped::{check, check_at, check_html};
use super::written::{MIDDLE, Sample, TOKEN};

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
            // Those who watch are mailed after moves.
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
            check(&mut seen, &sample.written().text);
            check(&mut seen, &Sample { timed: true, ..sample }.written().text);
            check(&mut seen, &Sample { has_pages: true, ..sample }.written().text);
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
             to run one of them.\n\nReply to \"say\":\n\nbob reads it with the next mail of game 12.",
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
            check(&mut HashSet::new(), &sample.written().text);
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
                let mail = Sample { of_a_game: false, ..sample }.written();
                check(&mut seen, &mail.text);
                if event == "confirm" {
                    check_html(&mut seen, &mail.html);
                }
            }
        }
    }
}

/// What answers and questions about unverified mail and from strangers say.
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
            check(&mut HashSet::new(), &Sample { of_a_game: false, ..sample }.written().text);
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

/// The lines of a comment are so short that no mail program wraps them.
#[test]
fn no_line_of_a_comment_is_a_command() {
    let mut seen = HashSet::new();
    for (said, event) in
        COMMENTS.into_iter().flat_map(|said| ["turn", "over", "receipt"].map(|event| (said, event)))
    {
        for style in BoardStyle::ALL {
            let resigned = (event == "over").then_some(Color::Black);
            let mail = Sample { said, event, style, resigned, ..MIDDLE }.written();
            assert!(!mail.text.contains("(resign)") || !said.contains("resign"), "{}", mail.text);
            check_at(50..=80, &mut seen, &mail.text);
            let quoted = |mark: &str| {
                let lines = mail.text.lines().map(|line| format!("{mark}{line}\n"));
                lines.collect::<String>()
            };
            for mark in ["> ", "> > "] {
                check_at(50..=80, &mut seen, &quoted(mark));
            }
            for quote in [quoted("> "), mail.text.clone()] {
                assert_eq!(fresh(&quote), [""; 0], "{quote}");
                assert_eq!(fresh(&format!("d3\n\n{quote}")), ["d3"], "{quote}");
            }
        }
    }
}
