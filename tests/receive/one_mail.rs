//! A command by mail brings its author one mail: the answer stands above what the mail shows.

use super::beginners::{club, written};
use crate::harness::{ALICE, BOB, Mail, TestEnvironment};

/// Returns the mails to a player since the last look, after `send`.
fn mails_to(env: &TestEnvironment, address: &str) -> Vec<Mail> {
    env.ok("send");
    env.mails().into_iter().filter(|mail| mail.to == address).collect()
}

/// Returns the only one of these mails.
#[track_caller]
fn only(mut mails: Vec<Mail>) -> Mail {
    let texts: Vec<_> = mails.iter().map(|mail| &mail.text).collect();
    assert_eq!(mails.len(), 1, "{texts:?}");
    mails.remove(0)
}

/// Returns alice's challenge as bob is mailed it.
fn challenged(env: &TestEnvironment, options: &str) -> Mail {
    env.ok(&format!("signup alice {ALICE}"));
    env.ok(&format!("signup bob {BOB}"));
    env.ok(&format!("--as alice challenge bob {options}"));
    env.mail_to(BOB)
}

#[test]
fn accepting_brings_one_mail_to_each() {
    let env = club();
    let asked = challenged(&env, "--color black");
    assert_eq!(env.receive(&asked.reply("accept 1")), "done");
    env.ok("send");
    let mails = env.mails();
    assert_eq!(mails.len(), 2);
    for mail in &mails {
        assert_eq!(mail.header("Subject"), "Othello #1");
        assert!(mail.header("References").starts_with(&asked.header("References")));
        mail.says("has begun");
    }
    let [to_bob] = &mails.iter().filter(|mail| mail.to == BOB).collect::<Vec<_>>()[..] else {
        panic!("{mails:?}")
    };
    assert!(to_bob.text.starts_with("‹accept 1› is done.\n\nGame 1 against alice has begun."));
    assert!(to_bob.raw.contains("Auto-Submitted: auto-replied"));
}

#[test]
fn a_move_below_accept_is_in_the_mails_about_the_start() {
    let env = club();
    let asked = challenged(&env, "--color white");
    assert_eq!(env.receive(&asked.reply("accept 1\nf5")), "done");
    env.ok("send");
    let mails = env.mails();
    assert_eq!(mails.len(), 2);
    for mail in &mails {
        mail.says("Last move: 1. bob (black) f5");
        let is_done = mail.text.starts_with("‹accept 1› is done.\n\n‹f5› is done.\n\nGame 1");
        assert_eq!(is_done, mail.to == BOB, "{}", mail.text);
    }
    // It tells alice of her turn, whose answer is for the position that it shows.
    let to_alice = mails.iter().find(|mail| mail.to == ALICE).unwrap();
    assert_eq!(env.receive(&to_alice.reply("d6")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

#[test]
fn a_takeback_before_the_first_mail_is_in_it() {
    let env = club();
    env.ok(&format!("signup alice {ALICE}"));
    env.ok("--as alice set quiet 09:00-11:00");
    env.ok(&format!("new othello {BOB} alice"));
    env.ok("--as bob move 1 f5");
    env.ok("--as bob takeback 1");
    assert!(mails_to(&env, ALICE).is_empty());
    env.later(120);
    let mail = only(mails_to(&env, ALICE));
    assert!(mail.text.starts_with("Game 1 against bob has begun."), "{}", mail.text);
    assert!(!mail.text.contains("Last move"), "{}", mail.text);
}

#[test]
fn a_game_against_a_computer_player_begins_with_one_mail() {
    let env = club();
    env.ok(&format!("signup alice {ALICE}"));
    env.mails();
    // The computer moves first.
    env.receive(&written(ALICE, "challenge bot:novice --color white"));
    let mail = only(mails_to(&env, ALICE));
    assert!(mail.text.starts_with("‹challenge bot:novice --color white› is done.\n\nYour turn"));
    mail.says("Last move: 1. bot:novice (black)");
    // A first move below it.
    env.receive(&written(ALICE, "challenge bot:novice --color black\nf5"));
    let mail = only(mails_to(&env, ALICE));
    mail.says("‹f5› is done. Your turn, alice").says("Last move: 2. bot:novice (white)");
    // A move for a colour that was open.
    env.receive(&written(ALICE, "challenge bot:novice\n\nf5"));
    let mail = only(mails_to(&env, ALICE));
    mail.says("‹challenge bot:novice› is done. ‹f5› was not done: your colour was open");
    mail.says("write ‹--color black› in the challenge").says("Score: black");
    assert!(env.moves(3).len() < 2, "{:?}", env.moves(3));
    // If the game ends before the computer moves, it does not begin afterwards.
    env.receive(&written(ALICE, "challenge bot:novice --color white"));
    env.no_mail();
    env.ok("resign 4 --as alice");
    env.later(5);
    let mail = only(mails_to(&env, ALICE));
    mail.says("You lost: you resigned.");
    // If it does not move, the mail goes all the same.
    env.receive(&written(ALICE, "challenge bot:novice --color white"));
    env.later(5);
    let mails = mails_to(&env, ALICE);
    assert!(mails.iter().any(|mail| mail.text.contains("Game 5 against bot:novice has begun")));
}

#[test]
fn a_move_below_a_challenge_in_a_reply_about_a_game_is_not_guessed() {
    let env = club().with_game();
    let mail = env.last_mail_to(ALICE);
    assert_eq!(env.receive(&mail.reply("challenge bot:novice --color black\nf5")), "done");
    assert!(env.moves(1).is_empty() && env.moves(2).is_empty());
    env.ok("send");
    env.mail_to(ALICE).says("may be for the old game or for the new one").says("write ‹move 1 f5›");
}

#[test]
fn show_draws_one_board() {
    let env = club().with_game();
    let mail = env.turn_after("f5");
    for text in ["show 1", "show"] {
        assert_eq!(env.receive(&mail.reply(text)), "done");
        let mail = only(mails_to(&env, BOB));
        assert_eq!(mail.text.matches("| W | B |   |   |   | 4").count(), 1, "{}", mail.text);
        assert_eq!(mail.html().unwrap().matches("aria-label=\"The board\"").count(), 1);
        mail.says("Game 1: Othello, alice (black, B)").says("Reply with your move");
        env.later(60);
    }
}
