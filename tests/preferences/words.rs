//! Comments: `say`, `block` and comments in mails.

use std::collections::HashSet;

use outflank::app::Line;
use outflank_model::Moment;
use outflank_model::log::GameId;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Mail, Purpose, TestEnvironment};

fn env() -> TestEnvironment {
    TestEnvironment::new().with_game()
}

/// Returns the comments in game 1.
fn said(env: &TestEnvironment) -> Vec<String> {
    let history = env.json("history 1");
    let said = history["said"].as_array().cloned().unwrap_or_default();
    said.iter().map(|said| said["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn comments_are_sent_with_the_next_mail_of_the_game() {
    let env = env();
    let printed = env.ok("--as alice say 1 'Good luck!'");
    assert_eq!(printed, "bob reads it with the next mail of game 1.\n");
    env.no_mail();
    let mail = env.turn_after("f5");
    assert!(mail.text.starts_with("| alice: Good luck!\n\nYour turn, bob"), "{}", mail.text);
    assert!(mail.html().unwrap().contains("| alice: Good luck!"));
    // The comment is sent once, and to the opponent only.
    let mail = env.turn_after("d6");
    assert!(!mail.text.contains("Good luck"), "{}", mail.text);
    let mail = env.turn_after("c3");
    assert!(!mail.text.contains("Good luck"), "{}", mail.text);
}

#[test]
fn comments_of_a_superseded_mail_are_sent_with_the_next_one() {
    let env = env();
    env.ok("--as bob set grace 1h");
    env.ok("--as alice set grace 1h");
    env.ok("--as alice say 1 first");
    env.ok("move 1 f5");
    env.ok("--as alice say 1 second");
    env.ok("move 1 d6 c3");
    env.later(60);
    env.ok("send");
    let mail = env.mail_to(BOB);
    assert!(mail.text.contains("| alice: first\n\n| alice: second\n"), "{}", mail.text);
}

#[test]
fn words_go_with_the_mail_that_goes_first() {
    let env = env();
    env.ok("--as alice set grace 1h");
    env.ok("--as alice say 1 'Good luck!'");
    env.ok("move 1 f5");
    env.turn_after("d6");
    // The mail about f5 is due, but the one about the takeback goes before it.
    env.later(70);
    env.ok("--as alice takeback 1");
    env.mail_to(BOB).says("| alice: Good luck!").says("alice asks to take back");
    env.ok("send");
    env.no_mail();
}

#[test]
fn words_stay_with_the_mail_about_a_move_until_it_is_due() {
    let env = env();
    env.ok("--as alice set grace 1h");
    env.ok("--as alice say 1 'Now for the edge.'");
    env.ok("move 1 f5");
    env.ok("--as alice draw 1");
    let mail = env.mail_to(BOB);
    assert!(!mail.text.contains("edge"), "{}", mail.text);
    env.later(60);
    env.ok("send");
    env.mail_to(BOB).says("| alice: Now for the edge.");
}

#[test]
fn comments_of_a_superseded_mail_outlive_its_record() {
    let env = env();
    env.ok("--as alice set grace 1h");
    env.ok("--as alice say 1 first");
    env.ok("move 1 f5");
    env.ok("move 1 d6");
    env.later(11 * 24 * 60);
    env.ok("send");
    env.mails();
    env.ok("move 1 c3");
    env.later(60);
    env.ok("send");
    let mail = env.mail_to(BOB);
    assert!(mail.text.starts_with("| alice: first\n\nYour turn, bob"), "{}", mail.text);
}

#[test]
fn a_mail_that_waits_has_what_was_said_since() {
    let env = env();
    env.ok("--as alice set grace 1h");
    env.ok("move 1 f5");
    env.ok("--as alice say 1 'Good luck!'");
    env.later(60);
    env.ok("send");
    let mail = env.mail_to(BOB);
    assert!(mail.text.starts_with("| alice: Good luck!\n\nYour turn, bob"), "{}", mail.text);
}

#[test]
fn comments_can_be_mailed_at_once() {
    let env = env();
    env.ok("--as alice say 1 earlier");
    for number in 1..=5 {
        env.ok(&format!("--as alice say 1 --now 'word {number}'"));
        let mail = env.mail_to(BOB);
        assert!(mail.text.contains(&format!("| alice: word {number}\n")), "{}", mail.text);
        assert!(mail.text.starts_with("| alice: "), "{}", mail.text);
        mail.says("alice says something to you. Game 1 against alice.");
        assert_eq!(mail.header("Subject"), "Othello #1", "what is said is in the thread");
        assert_eq!(mail.text.contains("| alice: earlier"), number == 1);
    }
    let line = env.fails(1, "--as alice say 1 --now 'word 6'");
    assert!(
        line.contains("limit of 5 comments a day mailed at once") && line.contains("without --now"),
        "{line}"
    );
    env.no_mail();
    assert_eq!(said(&env).len(), 6);
    env.later(24 * 60);
    env.ok("--as alice say 1 --now 'word 6'");
    env.mail_to(BOB).says("| alice: word 6");
}

#[test]
fn comments_after_the_end_are_mailed_at_once() {
    let env = env();
    env.ok("--as alice resign 1");
    env.mails();
    let printed = env.ok("--as bob say 1 'Well played'");
    assert!(printed.starts_with("Game 1 is over, so alice is mailed what you said."), "{printed}");
    env.mail_to(ALICE).says("| bob: Well played");
    let results = env.json("players");
    assert_eq!(results["players"][1]["won"], 1, "{results}");
}

#[test]
fn comments_have_limits() {
    let env = env();
    let long = "x".repeat(4001);
    assert!(env.fails(1, &format!("--as alice say 1 {long}")).contains("4001 characters; 4000"));
    assert!(env.fails(1, "--as alice say 1 ' '").contains("no words to pass on"));
    assert!(env.fails(2, "say 1 hello").contains("needs --as NAME"));
    env.ok(&format!("new mini {CAROL} {BOB}"));
    assert!(env.fails(1, "--as carol say 1 hello").contains("carol does not play in game 1"));
    for number in 0..20 {
        env.ok(&format!("--as alice say 1 {number}"));
    }
    assert!(env.fails(1, "--as alice say 1 more").contains("limit of 20 comments a day"));
    env.ok("--as bob say 1 more");
    assert_eq!(said(&env).len(), 21);
}

#[test]
fn comments_of_a_blocked_player_are_not_sent() {
    let env = env();
    env.ok("--as alice say 1 'before'");
    env.ok("--as bob block alice");
    let line = env.fails(1, "--as alice say 1 'after'");
    assert!(line.contains("bob has blocked your comments"), "{line}");
    assert_eq!(said(&env), ["before"]);
    assert!(!env.turn_after("f5").text.contains("before"));
    assert!(!env.ok("--as bob history 1").contains("before"));
    assert!(!env.ok("--as bob show 1").contains("before"));
    assert!(env.ok("--as alice show 1").contains("| alice: before"));
    // alice still gets bob's comments.
    env.ok("--as bob say 1 hello");
    env.turn_after("d6").says("| bob: hello");
    env.ok("--as bob unblock alice");
    env.ok("--as alice say 1 'again'");
    env.turn_after("c3").says("| alice: again");
    assert!(env.ok("--as bob history 1").contains("| alice: before"));
    assert!(env.fails(1, "--as bob block bob").contains("cannot block yourself"));
}

#[test]
fn only_the_players_and_the_host_can_read_comments() {
    let env = env();
    env.ok("signup carol carol@example.org");
    env.ok("--as alice say 1 secret");
    for (actor, reads) in
        [("", true), ("--as alice", true), ("--as bob", true), ("--as carol", false)]
    {
        for command in ["show 1", "history 1", "--json history 1"] {
            let shown = env.ok(&format!("{actor} {command}"));
            assert_eq!(shown.contains("secret"), reads, "{actor} {command}: {shown}");
        }
    }
    assert!(env.ok("history 1").contains("Before the first move:\n| alice: secret\n"));
}

#[test]
fn a_mail_can_add_a_comment_to_a_move() {
    let env = env();
    let start = env.last_mail_to(ALICE);
    start.says("To add a word to bob, write ‹say› and your text below your move, if any.");
    let text =
        "f5\nsay Good luck, bob!\n\nI have not played for years.\nMove slowly.\n-- \nAlice\n";
    let quote = start.quoted();
    let reply =
        format!("{text}\nOn Sat, 21 Nov 2026 at 11:00, Outflank <o@x.example> wrote:\n{quote}");
    assert_eq!(env.receive(&start.reply(&reply)), "done");
    let mail = env.mail_to(BOB);
    let said = "| alice: Good luck, bob!\n|\n| I have not played for years.\n| Move slowly.\n\n";
    assert!(mail.text.contains(said), "{}", mail.text);
    assert!(!mail.text.contains("Alice\n"), "{}", mail.text);
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_comment_without_a_move_is_confirmed() {
    let env = env();
    let start = env.last_mail_to(ALICE);
    assert_eq!(env.receive(&start.reply("say --now\nIs d3 any good?")), "done");
    let mails = env.mails();
    assert_eq!(mails.len(), 2);
    mails[0].says("bob is mailed what you said in game 1.");
    mails[1].says("| alice: Is ‹d3› any good?");
    // The token of the older mail is still valid.
    assert_eq!(env.receive(&start.reply("say thanks\nfor the game")), "done");
    env.mail_to(ALICE).says("bob reads it with the next mail of game 1.");
    assert_eq!(env.receive(&start.reply("f5")), "done");
    env.mail_to(BOB).says("| alice: thanks | for the game");
}

#[test]
fn a_comment_is_sent_even_if_its_move_is_refused() {
    let env = env();
    let start = env.last_mail_to(ALICE);
    assert_eq!(env.receive(&start.reply("a1\nsay hello")), "done");
    let reply = env.mail_to(ALICE);
    reply.says("Reply to ‹say›:").says("bob reads it with the next").says("‹a1› was not done:");
    // The corrected mail repeats the comment.
    assert_eq!(env.receive(&start.reply("f5\nsay hello")), "done");
    assert_eq!(said(&env), ["hello"]);
    let mails = env.mails();
    mails.iter().find(|mail| mail.to == BOB).unwrap().says("| alice: hello");
}

#[test]
fn a_comment_that_may_be_a_quote_is_refused() {
    let env = env();
    let start = env.last_mail_to(ALICE);
    let ours = &start.text;
    let unclear = [
        // The line above the quote is in no known language.
        format!("f5\nsay hello\n\nOutflank qatlho' ghItlhpu':\n{ours}"),
        format!("f5\nsay hello\n\nOutflank qatlho' ghItlhpu':\n{}", start.quoted()),
        format!("f5\nsay hello\n{ours}"),
        format!("f5\nsay hello\n{}\nand more", start.quoted()),
    ];
    for (number, text) in unclear.iter().enumerate() {
        let env = TestEnvironment::new().with_game();
        let start = env.last_mail_to(ALICE);
        assert_eq!(env.receive(&start.reply(text)), "done", "{number}");
        let mails = env.mails();
        let to = |address: &str| -> &Mail { mails.iter().find(|it| it.to == address).unwrap() };
        to(ALICE)
            .says("‹say› was not done: what you said was not passed on, because it cannot be told");
        assert!(!to(BOB).text.contains("| alice"), "{number}: {}", to(BOB).text);
        assert_eq!((env.plies(1), said(&env).len()), (1, 0), "the move is made");
    }
    assert_eq!(env.receive(&start.reply("f5")), "done");
    env.mail_to(BOB);
}

#[test]
fn a_comment_in_html_is_sent_if_the_attribution_is_marked() {
    let wrote = "On Sat, 21 Nov 2026, Outflank wrote:<br>";
    let unknown = "Outflank qatlho' ghItlhpu':";
    let quote = "<blockquote>d3<br>resign</blockquote>";
    for (below, is_clear) in [
        (format!("<div class=\"gmail_quote\"><div>{unknown}</div>{quote}</div>"), true),
        (format!("<div class=\"moz-cite-prefix\">{unknown}</div>{quote}"), true),
        (format!("<div>{wrote}</div>{quote}"), true),
        (format!("<div>{unknown}</div>{quote}"), false),
        (format!("<div class=\"gmail_quote\">{unknown}{quote}And more.</div>"), false),
    ] {
        let env = env();
        let start = env.last_mail_to(ALICE);
        let html = format!("<div>f5</div><div>say <b>Hello</b> bob</div>{below}");
        let mail = start.reply(&html).with("Content-Type", "text/html; charset=utf-8");
        assert_eq!(env.receive(&mail), "done", "{below}");
        assert_eq!(said(&env) == ["Hello bob"], is_clear, "{below}: {:?}", said(&env));
        assert_eq!(env.plies(1), 1);
        env.mails();
    }
}

#[test]
fn unverified_comments_are_not_sent() {
    let env = env();
    let mail = InboundMessage::new(ALICE, "move 1 f5\nsay Click on http://evil.example");
    assert_eq!(env.receive(&mail), "held");
    let asked = env.mail_to(ALICE);
    assert!(!asked.text.contains("evil") && !asked.text.contains("- say"), "{}", asked.text);
    assert_eq!(env.receive(&asked.reply("yes")), "done");
    assert_eq!(said(&env), [""; 0]);
    env.mails();
}

#[test]
fn reply_tokens_are_removed_from_comments() {
    let env = env();
    let start = env.last_mail_to(ALICE);
    let token = env.token(Purpose::Play, "alice", 1, 0);
    let text = format!("f5\nsay write to outflank+{token}@club.example");
    assert_eq!(env.receive(&start.reply(&text)), "done");
    env.mail_to(BOB).says("| alice: write to").says("| outflank+...@club.example");
    assert!(!said(&env)[0].contains(&token));
}

#[test]
fn markup_is_escaped() {
    let env = env();
    env.ok("--as alice say 1 '<img src=x> & \"so on\"'");
    let html = env.turn_after("f5").html().unwrap();
    assert!(html.contains("| alice: &lt;img src=x&gt; &amp;"), "{html}");
}

/// Commands in every place of a line.
const COMMANDS: &str = "resign\nd3\npass\nhelp\nstop\nthanks\nmove 1 d3\nyes\nno\n\
    and now I resign 1 or d3 or pass and help and show 1 too\nundo say block alice\n\
    On Sat, 21 Nov 2026 Bob <bob@example.org> wrote:\n> d3\nFrom: bob\nSent: today\nTo: alice\n\
    ---- Answer above this line ----\n-- \ndraw\naccept\ntakeback\nresign 1 now\nhistory";

#[test]
fn commands_in_a_comment_are_never_run() {
    let env = env();
    let start = env.last_mail_to(BOB);
    let said = InboundMessage::new(BOB, &format!("say {COMMANDS}")).to(&start.reply_to());
    assert_eq!(env.receive(&said), "done");
    env.mails();
    env.ok(
        "--as bob say 1 'd3 resign d3 pass d3 d3 resign help stop thanks show history d3 d3 d3'",
    );
    env.ok("move 1 f5");
    env.mails();
    let mail = env.turn_after("d6");
    assert!(mail.text.contains("‹resign› ‹d3›"), "{}", mail.text);
    let at = Some(Moment { game: GameId(1), ply: 2, events: 4 });
    let mut seen = HashSet::new();
    for width in 50..=80 {
        for mark in ["", "> ", "> > "] {
            let room = width - mark.len();
            for line in mail.text.lines().flat_map(|line| textwrap::wrap(line, room)) {
                if seen.insert(line.trim().to_owned()) {
                    let read = Line::parse(&line, at);
                    let is_harmless = matches!(read, Line::Blank | Line::Unknown);
                    assert!(is_harmless, "{line:?} at {width} of:\n{}", mail.text);
                }
            }
        }
    }
    // A reply that quotes the comments does not run them, either.
    for quote in [mail.text.clone(), mail.quoted()] {
        let text = format!("c3\n\nOn Sat, 21 Nov 2026, Outflank <o@x.example> wrote:\n\n{quote}");
        let env_text = outflank::mail::read::quote::fresh(&text);
        assert_eq!(env_text, ["c3"], "{quote}");
        assert_eq!(outflank::mail::read::quote::fresh(&quote), [""; 0], "{quote}");
    }
}
