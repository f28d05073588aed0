//! The mails to players in a Maildir: their headers, and snapshots of their text, which are read
//! before they are accepted.

mod commands;
mod engine;

use std::collections::HashSet;

use crate::harness::{ALICE, BOB, Mail, TestEnvironment, run, tokens_in};
use crate::mails::wrapped;

/// Returns an environment with no settings.
fn unconfigured() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.write_config("");
    env
}

/// Returns an environment with no settings except for incoming mail.
fn receiving() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.write_config("[receive]");
    env
}

/// Runs a command that must succeed, and returns its mails. All commands have the same seed.
fn sent(env: &TestEnvironment, words: &str) -> Vec<Mail> {
    // A busy machine may leave a mail to `send`.
    for words in [words, "send"] {
        let mut command = env.command(words);
        command.env("OUTFLANK_SEED", "1");
        run(command).ok();
    }
    env.mails()
}

fn without_html(mail: &Mail) -> String {
    let (header, _) = mail.raw.split_once("\n\n").unwrap();
    format!("{header}\n\n{}", mail.text)
}

fn to<'a>(mails: &'a [Mail], address: &str) -> &'a Mail {
    mails.iter().find(|mail| mail.to == address).unwrap()
}

#[test]
fn a_game_in_mails() {
    let env = receiving();
    let started = sent(&env, &format!("new mini {ALICE} {BOB}"));
    assert_eq!(started.len(), 2);
    insta::assert_snapshot!("started-black", without_html(to(&started, ALICE)));
    insta::assert_snapshot!("started-white", without_html(to(&started, BOB)));

    let turn = sent(&env, "move 1 b1");
    assert_eq!(turn.len(), 1, "no mail to the player who moved");
    insta::assert_snapshot!("turn", without_html(to(&turn, BOB)));

    let receipt = sent(&env, "move 1 a1 --receipt");
    assert_eq!(receipt.len(), 2);
    insta::assert_snapshot!("receipt", to(&receipt, BOB).text);

    let several = sent(&env, "move 1 c4 d4 d3 b4 a4 c1 d1");
    assert_eq!(several.len(), 1, "one mail reports several moves");
    assert_eq!(several[0].to, BOB);

    let again = sent(&env, "move 1 d2");
    assert_eq!(again.len(), 1);
    insta::assert_snapshot!("turn-again", to(&again, BOB).text);

    sent(&env, "move 1 a3");
    let over = sent(&env, "move 1 a2");
    assert_eq!(over.len(), 2);
    insta::assert_snapshot!("over-black", to(&over, ALICE).text);
    assert!(
        to(&over, BOB).text.starts_with("You won, 12-4.\nGame 1 against alice (black) is over.\n")
    );

    let all = env.all_mails();
    for mail in all.values() {
        let thread = mail.header("References");
        assert!(thread.starts_with("<game-1.") && thread.ends_with("@localhost>"), "{thread}");
        assert_eq!(mail.header("In-Reply-To"), thread);
        assert!(!all.contains_key(thread.trim_matches(['<', '>'])));
        assert_eq!(mail.header("Subject"), "Mini Othello #1");
        assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
        assert_eq!(mail.header("From"), "outflank@localhost");
        assert!(mail.text.lines().all(|line| line.chars().count() <= 78), "{}", mail.text);
        assert!(!mail.text.contains("\n\n\n"), "no gap is wider than a line:\n{}", mail.text);
    }
}

#[test]
fn a_game_with_a_clock_in_mails() {
    const DAY: i64 = 24 * 60;
    let env = receiving();
    sent(&env, &format!("new mini {ALICE} {BOB} --clock 10d+1d --free-weekends"));
    sent(&env, &format!("new mini {BOB} {ALICE} --clock total=12d"));
    sent(&env, "set timezone Europe/Amsterdam --as bob");
    let turn = sent(&env, "move 1 b1");
    insta::assert_snapshot!("timed-turn", to(&turn, BOB).text);
    env.later(11 * DAY);
    let reminder = sent(&env, "send");
    insta::assert_snapshot!("reminder", without_html(to(&reminder, BOB)));
    env.later(2 * DAY);
    let mut flagged = sent(&env, "send");
    flagged.retain(|mail| mail.text.contains("is over"));
    assert_eq!(flagged.len(), 2);
    insta::assert_snapshot!("flagged-opponent", to(&flagged, ALICE).text);
    insta::assert_snapshot!("flagged", to(&flagged, BOB).text);
    let extended = sent(&env, "extend 1 2d --reason 'the server was down'");
    insta::assert_snapshot!("extended", to(&extended, BOB).text);
    let away = sent(&env, "away 2026-12-24 2026-12-31 --as bob");
    insta::assert_snapshot!("away", without_html(&away[0]));
}

#[test]
fn the_mail_to_a_player_who_must_pass_says_so() {
    let env = receiving();
    let mails =
        sent(&env, &format!("new twente {ALICE} {BOB} --position '(b wb-- ---- ---- ----)'"));
    insta::assert_snapshot!("must-pass", to(&mails, ALICE).text);
    let mails = sent(&env, "pass 1#1");
    assert!(mails[0].text.contains("Last move: 1. alice (black) passed\n"), "{}", mails[0].text);
}

#[test]
fn a_hex_game_in_mails() {
    let env = receiving();
    let mails = sent(&env, &format!("new oddthello {ALICE} {BOB} --moves c4"));
    insta::assert_snapshot!("hex-turn", to(&mails, BOB).text);
    let over = sent(&env, "resign 1 --as alice");
    assert_eq!(over.len(), 2);
    insta::assert_snapshot!("resigned", to(&over, BOB).text);
}

#[test]
fn a_game_that_is_over_at_once_sends_two_mails_to_each_player() {
    let env = receiving();
    let mails = sent(&env, &format!("new othello {ALICE} {BOB} --position '(b bbb bbb bbw)'"));
    assert_eq!(mails.len(), 4);
    let over = mails.iter().filter(|mail| mail.text.contains("\nGame 1 against "));
    assert_eq!(over.count(), 2);
}

#[test]
fn long_lists_are_wrapped_and_wide_figures_are_not() {
    let env = receiving();
    let mails = sent(&env, &format!("new othello {ALICE} {BOB} --size 99x26 --anywhere"));
    let text = &to(&mails, ALICE).text;
    let grid = |line: &&str| line.starts_with(['|', '+']) || line.starts_with("  a   b");
    assert!(text.lines().filter(|line| !grid(line)).all(|line| line.len() <= 78));
    assert!(text.lines().any(|line| line.ends_with("| 99")));
    assert!(text.contains("Legal moves: any empty cell (2570 moves)"));
}

#[test]
fn the_configured_sender_and_templates_are_used() {
    let env = receiving();
    let own = env.path(".config/outflank/own");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("turn.txt"), "{{ you.name }}, {{ last_move }}\n").unwrap();
    let config =
        "[receive]\n[mail]\nfrom = \"Der Wirt <wirt@club.example>\"\ntemplates = \"own\"\n";
    env.write_config(config);
    let started = sent(&env, &format!("new othello {ALICE} {BOB}"));
    assert!(started[0].raw.contains("\nFrom: \"Der Wirt\" <wirt@club.example>\n"));
    assert!(started[0].id().ends_with("@club.example>"));
    let turn = sent(&env, "move 1 f5");
    assert_eq!(turn[0].text, "bob, 1. alice (black) f5 (flipped e5)\n");

    env.write_config(&format!("{config}subject = \"turn\"\n"));
    let turn = sent(&env, "move 1 d6");
    assert_eq!(turn[0].header("Subject"), "Othello #1 (your move)");
    env.write_config(config);

    // A broken template does not prevent a move. The mail waits until the template is repaired.
    std::fs::write(own.join("turn.txt"), "{{ yuo.name }}").unwrap();
    assert!(sent(&env, "move 1 c3").is_empty());
    let listed = env.ok("--json mail 1");
    assert!(listed.contains("the template turn.txt line 1 fails: undefined value"), "{listed}");
    std::fs::remove_file(own.join("turn.txt")).unwrap();
    let mended = sent(&env, "mail retry 5");
    assert!(mended[0].text.starts_with("Your turn, bob (c3 by alice).\nMove number 4 of game 1."));
}

/// Checks a mail that the player can answer only in a shell.
#[track_caller]
fn check_for_the_shell(mail: &Mail) {
    for header in ["Reply-To", "List-Unsubscribe"] {
        assert!(!mail.raw.contains(&format!("\n{header}:")), "{}", mail.raw);
    }
    assert_eq!(tokens_in(&mail.raw), [], "{}", mail.raw);
    let html = mail.html().unwrap();
    for text in [&mail.text, &html] {
        let text = text.to_lowercase();
        for word in ["reply", "answer", "mailto", "href", "token"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }
    let command = mail.text.lines().find(|line| line.starts_with("  outflank ")).unwrap();
    assert!(html.contains(&format!(">{}</code>", command.trim())), "{html}");
    wrapped::check(&mut HashSet::new(), &mail.text);
}

#[test]
fn without_a_receive_table_mails_are_for_the_shell() {
    let env = unconfigured();
    let started = sent(&env, &format!("new mini {ALICE} {BOB}"));
    insta::assert_snapshot!("shell-started", without_html(to(&started, ALICE)));
    let turn = sent(&env, "move 1 b1 --receipt");
    insta::assert_snapshot!("shell-turn", to(&turn, BOB).text);
    let over = sent(&env, "resign 1 --as bob");
    insta::assert_snapshot!("shell-over", to(&over, ALICE).text);
    assert_eq!((started.len(), turn.len(), over.len()), (2, 2, 2));
    let pass = sent(&env, "new twente alice bob --position '(b wb-- ---- ---- ----)'");
    let hex = sent(&env, "new oddthello alice bob --moves c4");
    [started, turn, over, pass, hex].iter().flatten().for_each(check_for_the_shell);
    for mail in env.all_mails().into_values() {
        assert!(!mail.raw.contains("outflank+"), "{}", mail.raw);
    }

    // An empty table is sufficient.
    env.write_config("[receive]");
    let turn = sent(&env, "move 3 d3");
    assert!(turn[0].reply_to().starts_with("outflank+"), "{}", turn[0].raw);
}
