//! Mail from a player's address that is not verified: answers, and questions about held commands.

use std::fs;

use crate::harness::{ALICE, BOB, InboundMessage, Mail, TestEnvironment};
use crate::intake::maildir::receive_all;

const NOT_KEPT: &str = "A comment or note was not kept, because the mail with it could not be \
                        verified. To send it again, write it in a reply to a mail about the game.";

/// The commands that a question asks about.
fn asked(question: &Mail) -> Vec<&str> {
    let lines = question.text.lines().filter_map(|line| line.strip_prefix("- "));
    lines.map(|line| line.strip_suffix(" (not done yet)").unwrap()).collect()
}

/// Receives these texts from alice in one run, which then sends the questions.
fn receive_texts(env: &TestEnvironment, texts: &[&str]) -> Vec<Mail> {
    receive_all(env, texts.iter().map(|text| InboundMessage::new(ALICE, text).bytes()));
    let mut mails = env.mails();
    mails.sort_by_key(|mail| asked(mail).join(" "));
    mails
}

#[test]
fn commands_that_only_read_are_answered_at_once() {
    let env = TestEnvironment::new().with_game();
    let message = InboundMessage::new("Alice <ALICE@example.org>", "show 1\nshow 1\ngames\nshow 9");
    assert_eq!(env.receive(&message), "done");
    let answer = env.mail_to(ALICE);
    answer.says("Reply to ‹show 1›").says("Reply to ‹games›").says("there is no game 9");
    assert_eq!(answer.text.matches("Reply to ‹show 1›").count(), 1);
    for text in ["help", "history 1", "players", "preview 1 f5", "replay 1", "set", "next"] {
        env.later(24 * 60);
        assert_eq!(env.receive(&InboundMessage::new(ALICE, text)), "done", "{text}");
        env.mail_to(ALICE).says(&format!("Reply to ‹{text}›"));
    }
}

#[test]
fn commands_that_write_or_queue_a_job_get_a_question() {
    let env = TestEnvironment::new().with_game();
    env.ok("new mini alice bot:0");
    env.mails();
    for text in [
        "move 1 f5",
        "receipt on",
        "hint 2",
        "resign 1",
        "mute 1",
        "away tomorrow",
        "draw 1",
        "plan 1 d3 c5 c4 e3 / c4 e3 f5 d6",
    ] {
        env.later(24 * 60);
        assert_eq!(env.receive(&InboundMessage::new(ALICE, text)), "held", "{text}");
        let word = text.split(' ').next().unwrap();
        assert!(asked(&env.mail_to(ALICE))[0].starts_with(word), "{text}");
    }
    assert_eq!(env.moves(1), [""; 0]);
}

#[test]
fn a_mail_with_both_gets_an_answer_and_a_question() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5\nshow 1")), "held");
    let mut mails = env.mails();
    mails.sort_by_key(|mail| asked(mail).len());
    let [answer, question] = &mails[..] else { panic!("{mails:#?}") };
    answer.says("Reply to ‹show 1›");
    assert_eq!(asked(question), ["move 1 f5#1"]);
    // The game stands as before the move.
    assert!(answer.text.contains("Score: black 2, white 2"), "{}", answer.text);
    assert_eq!(env.receive(&question.reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn the_question_and_the_answer_say_that_words_were_not_kept() {
    for words in
        ["move 1 f5\nsay good luck", "say good luck\n", "note 1 a plan (a secret one)\nreceipt on"]
    {
        let env = TestEnvironment::new().with_game();
        let text = if words.contains("receipt") {
            words.to_owned()
        } else {
            format!("receipt on\n{words}")
        };
        assert_eq!(env.receive(&InboundMessage::new(ALICE, &text)), "held", "{text}");
        let question = env.mail_to(ALICE);
        question.says(NOT_KEPT);
        assert!(question.html().unwrap().contains("A comment or note was not kept"));
        assert_eq!(env.receive(&question.reply("yes")), "done");
        let mails = env.mails();
        let answer = mails.iter().find(|mail| mail.to == ALICE).unwrap();
        answer.says(NOT_KEPT);
        for mail in mails.iter().chain([&question]) {
            assert!(!mail.raw.contains("luck") && !mail.raw.contains("secret"), "{}", mail.raw);
        }
        assert!(!env.ok("show 1 --as bob").contains("luck"));
    }
    // Without a comment or note, the answer does not mention them.
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    let question = env.mail_to(ALICE);
    env.receive(&question.reply("yes"));
    for mail in env.mails().iter().chain([&question]) {
        assert!(!mail.text.contains("not kept"), "{}", mail.text);
    }
}

#[test]
fn words_alone_or_with_commands_that_read_are_reported_too() {
    let env = TestEnvironment::new().with_game();
    for text in ["say 1 good luck", "say good luck", "show 1\nsay good luck"] {
        assert_eq!(env.receive(&InboundMessage::new(ALICE, text)), "done", "{text}");
        let answer = env.mail_to(ALICE);
        answer.says(NOT_KEPT);
        assert!(!answer.text.contains("luck"), "{}", answer.text);
        assert_eq!(answer.text.contains("Reply to ‹show 1›"), text.contains("show"), "{text}");
    }
    assert_eq!(env.count("bob"), 1);
}

#[test]
fn commands_are_added_to_a_question_that_was_not_tried_yet() {
    let env = TestEnvironment::new().with_game();
    let texts = ["move 1 f5", "show 1", "receipt on\nMOVE 1 f5", "mute 1\nsay hello", "Receipt on"];
    receive_all(&env, texts.map(|text| InboundMessage::new(ALICE, text).bytes()));
    let mut mails = env.mails();
    mails.sort_by_key(|mail| asked(mail).len());
    let [answer, question] = &mails[..] else { panic!("{mails:#?}") };
    answer.says("Reply to ‹show 1›");
    assert_eq!(asked(question), ["move 1 f5#1", "receipt on", "mute 1"]);
    question.says(NOT_KEPT);
    assert_eq!(env.dispositions()["held"], 4);
    assert_eq!(env.receive(&question.reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5"]);
    assert!(env.receive(&question.reply("yes")).starts_with("ignored"));
}

#[test]
fn a_question_answers_the_mail_whose_commands_were_added_to_it() {
    let env = TestEnvironment::new().with_game();
    env.ssh("alice", "set address alice@new.example").ok();
    env.mail_to(ALICE);
    // As if no process had tried to send it yet.
    let untried = "UPDATE outbox SET state = 'queued', tries = 0, first_try_at = NULL
         WHERE kind = 'confirm'";
    env.sqlite().execute(untried, []).unwrap();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "receipt on")), "held");
    let question = env.mail_to(ALICE);
    assert_eq!(asked(&question).len(), 2);
    assert_eq!(question.header("Auto-Submitted"), "auto-replied");
    assert!(question.header("In-Reply-To").starts_with('<'));
}

#[test]
fn a_yes_runs_what_its_own_question_shows() {
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    let old = env.mail_to(ALICE);
    env.receive(&InboundMessage::new(ALICE, "receipt on"));
    let new = env.mail_to(ALICE);
    assert_eq!((asked(&old), asked(&new)), (vec!["move 1 f5#1"], vec!["receipt on"]));
    assert_eq!(env.receive(&old.reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5"]);
    assert!(!env.ok("set --as alice").contains("receipt   on"));
    assert_eq!(env.receive(&new.reply("no")), "done");
    assert!(env.receive(&old.reply("yes")).starts_with("ignored"));
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn a_question_has_at_most_twenty_commands() {
    let env = TestEnvironment::new().with_game();
    let texts: Vec<_> = (0..25).map(|number| format!("note 1 n{number}")).collect();
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let mut counts: Vec<_> = receive_texts(&env, &texts).iter().map(|it| asked(it).len()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [5, 20]);
}

#[test]
fn commands_that_contradict_a_waiting_question_get_another_one() {
    let env = TestEnvironment::new().with_game();
    let questions = receive_texts(&env, &["move 1 f5", "move 1 d3\nreceipt on"]);
    let asked: Vec<_> = questions.iter().map(asked).collect();
    assert_eq!(asked, [vec!["move 1 d3#1", "receipt on"], vec!["move 1 f5#1"]]);
    assert_eq!(env.receive(&questions[1].reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn a_flood_of_forged_commands_causes_three_questions() {
    let env = TestEnvironment::new().with_game();
    let texts: Vec<_> =
        (0..50).map(|n| format!("move 1 {}", ["f5", "d3", "c4", "e6"][n % 4])).collect();
    for text in &texts[..8] {
        env.receive(&InboundMessage::new(ALICE, text));
    }
    assert_eq!((env.count("alice confirm"), env.dispositions()["flood"]), (3, 5));
    // The same while no question can be sent.
    env.later(24 * 60);
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['/bin/false']");
    let texts: Vec<_> = texts.iter().map(|text| InboundMessage::new(ALICE, text).bytes()).collect();
    receive_all(&env, texts);
    assert_eq!(env.count("alice confirm"), 6);
    let held: u32 = env
        .sqlite()
        .query_row("SELECT count(*) FROM held WHERE done_at IS NULL", [], |row| row.get(0))
        .unwrap();
    assert_eq!(held, 6, "no commands are left that nobody is asked about");
}

#[test]
fn copies_of_a_mail_at_the_same_moment_are_asked_about_once() {
    let env = TestEnvironment::new().with_game();
    let message = InboundMessage::new(ALICE, "move 1 f5\nshow 1");
    let dispositions = env.receive_at_once(&vec![message; 6]);
    assert_eq!(dispositions.iter().filter(|it| *it == "held").count(), 1, "{dispositions:?}");
    assert_eq!(dispositions.iter().filter(|it| *it == "copy").count(), 5, "{dispositions:?}");
    let mails = env.mails();
    assert_eq!(mails.len(), 2, "{mails:#?}");
    assert_eq!(mails.iter().flat_map(asked).collect::<Vec<_>>(), ["move 1 f5#1"]);
}

/// A transport that receives the mail `second` while it sends the first mail to alice. It puts mails
/// into the Maildir.
const RECEIVES: &str = r#"if mv second now 2>/dev/null; then
OUTFLANK_SEED=99 "$1" receive <now || exit 1; fi
new=$(mktemp outflank.maildir/tmp/XXXXXXXX) && cat >"$new" && mv "$new" outflank.maildir/new/"#;

#[test]
fn commands_that_come_during_the_first_try_get_another_question() {
    let env = TestEnvironment::new().with_game();
    let program = crate::harness::PROGRAM;
    fs::write(env.path("send.sh"), RECEIVES).unwrap();
    env.configure(&format!(
        "[transport]\nkind = 'sendmail'\ncommand = ['sh', '{}', '{program}']",
        env.path("send.sh").display()
    ));
    fs::write(env.path("second"), InboundMessage::new(ALICE, "receipt on").bytes()).unwrap();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5")), "held");
    assert!(!env.path("second").exists() && env.path("now").exists());
    let mut questions = env.mails();
    questions.sort_by_key(|mail| asked(mail).join(" "));
    let all: Vec<_> = questions.iter().map(asked).collect();
    assert_eq!(all, [["move 1 f5#1"], ["receipt on"]]);
    assert_eq!(env.receive(&questions[0].reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5"]);
    assert!(env.mails().iter().all(|mail| !mail.text.contains("receipt on")));
}

#[test]
fn a_question_stays_as_it_was_at_its_first_try() {
    let env = TestEnvironment::new().with_game();
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['/bin/false']");
    env.receive(&InboundMessage::new(ALICE, "move 1 f5"));
    env.receive(&InboundMessage::new(ALICE, "receipt on"));
    assert_eq!((env.count("alice confirm queued"), env.count("alice confirm")), (2, 2));
    env.configure("");
    env.later(60);
    env.ok("send");
    let mut questions = env.mails();
    questions.sort_by_key(|mail| asked(mail).join(" "));
    let all: Vec<_> = questions.iter().map(asked).collect();
    assert_eq!(all, [["move 1 f5#1"], ["receipt on"]]);
}

#[test]
fn where_no_address_carries_a_token_a_changed_question_has_a_new_one() {
    let env = TestEnvironment::new().config("[receive]\nplus_addressing = false").with_game();
    let questions = receive_texts(&env, &["move 1 f5", "receipt on"]);
    let [question] = &questions[..] else { panic!("{questions:#?}") };
    assert_eq!(asked(question), ["move 1 f5#1", "receipt on"]);
    assert_eq!(env.receive(&question.reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5"]);
    assert_eq!(env.count(&format!("{BOB} turn")) + env.count("bob turn"), 1);
}
