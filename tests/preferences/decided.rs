//! Before each try, the server decides again whether and when to send a mail; its first try fixes the
//! content.

use std::collections::BTreeMap;
use std::fs;

use crate::harness::{ALICE, BOB, CAROL, Mail, TestEnvironment};

/// Minutes.
const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

/// Game 1 at 10:00 in UTC.
fn env() -> TestEnvironment {
    TestEnvironment::new().with_game()
}

/// Lets each try of a mail fail. The messages are kept.
fn break_transport(env: &TestEnvironment) {
    let tries = env.path("tries");
    fs::create_dir_all(&tries).unwrap();
    let command = format!("['sh', '-c', 'cat >\"$0/$$\"; exit 75', '{}']", tries.display());
    env.configure(&format!("[transport]\nkind = 'sendmail'\ncommand = {command}"));
}

/// Two games of alice, who gets digests. In the second, a plan of bob answers f5.
fn with_plan() -> TestEnvironment {
    let env = env();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.ok("set mail digest 18:00 --as alice");
    env.ok("plan 2 f5 d6 --as bob");
    env
}

/// Checks that alice got a digest of two games, and no other mail.
#[track_caller]
fn only_a_digest_came(env: &TestEnvironment) {
    let mails = env.mails();
    let to_alice: Vec<_> = mails.iter().filter(|mail| mail.to == ALICE).collect();
    assert_eq!(to_alice.len(), 1, "{:?}", to_alice.iter().map(|it| &it.text).collect::<Vec<_>>());
    to_alice[0].says("2 games wait for you, alice");
}

/// The messages of the tries that failed, by Message-ID.
fn tried(env: &TestEnvironment) -> BTreeMap<String, Vec<Mail>> {
    let mut tried = BTreeMap::<_, Vec<Mail>>::new();
    for file in fs::read_dir(env.path("tries")).unwrap() {
        let mail = Mail::parse(fs::read(file.unwrap().path()).unwrap());
        tried.entry(mail.id()).or_default().push(mail);
    }
    tried
}

/// Lets `send` try for a day, and returns all tries of each mail.
fn tried_for_a_day(env: &TestEnvironment) -> BTreeMap<String, Vec<Mail>> {
    for _ in 0..3 {
        env.later(8 * HOUR);
        env.run("send");
    }
    tried(env)
}

#[test]
fn quiet_off_releases_what_waits() {
    let env = env();
    env.ok("--as bob set quiet 09:00-21:00");
    env.ok("move 1 f5");
    env.no_mail();
    env.ok("--as bob set quiet off");
    env.ok("send");
    env.mail_to(BOB).says("Your turn, bob (f5 by alice).");
}

#[test]
fn a_late_send_sends_nothing_in_quiet_hours() {
    let env = env();
    env.ok("--as alice set grace 10m");
    env.ok("--as bob set quiet 22:00-07:00");
    env.ok("--as alice set quiet 22:00-07:00");
    env.ok("--as alice set mail digest 18:00");
    env.ok("move 1 f5");
    env.ok("new othello bob alice");
    env.mails();
    env.ok("move 2 f5");
    env.later(13 * HOUR);
    env.ok("send");
    env.no_mail();
    env.later(8 * HOUR - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    let mails = env.mails();
    assert_eq!(mails.iter().map(|mail| &*mail.to).collect::<Vec<_>>(), [ALICE, BOB]);
    mails[0].says("1 game waits for you, alice.");
}

#[test]
fn a_grace_is_as_it_was_when_the_move_was_made() {
    let env = env();
    env.ok("--as alice set grace 10m");
    env.ok("move 1 f5");
    env.ok("--as alice set grace 24h");
    env.later(10);
    env.ok("send");
    env.mail_to(BOB);
}

#[test]
fn the_grace_is_that_of_the_player_whose_plan_has_moved() {
    let env = env();
    env.ok("--as bob set grace 10m");
    env.ok("--as bob plan 1 f5 d6");
    env.mails();
    env.ok("--as alice move 1 f5");
    let moved = env.mails();
    assert!(moved.iter().all(|mail| mail.to == BOB), "{moved:#?}");
    env.later(10);
    env.ok("send");
    env.mail_to(ALICE).says("Your turn, alice (d6 by bob).");
}

#[test]
fn a_digest_has_no_game_in_grace() {
    let env = env();
    env.ok(&format!("new othello {CAROL} {BOB}"));
    env.ok("--as bob set mail digest 18:00");
    env.ok("--as alice set grace 2h");
    env.mails();
    env.later(7 * HOUR);
    env.ok("move 1 f5");
    env.ok("move 2 f5");
    env.later(HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    digest.says("1 game waits for you, bob.").says("Game 2 against carol");
    env.later(DAY);
    env.ok("send");
    env.mail_to(BOB).says("2 games wait for you, bob");
}

#[test]
fn a_turn_mail_that_has_become_pointless_is_not_sent() {
    for (change, says) in [
        ("move 1 d6 --as bob", "Your turn, alice (d6 by bob)."),
        ("mute 1 --as bob", ""),
        ("resign 1 --as bob", "You won"),
        ("set mail none --as bob", ""),
    ] {
        let env = env();
        env.ok("--as bob set quiet 09:00-21:00");
        env.ok("move 1 f5");
        env.ok(change);
        if !says.is_empty() {
            env.mail_to(ALICE).says(says);
        }
        env.later(12 * HOUR);
        env.ok("send");
        let mails = env.mails();
        assert!(mails.iter().all(|mail| !mail.text.starts_with("Your turn, bob")), "{mails:#?}");
        assert_eq!(env.count("bob turn superseded"), 1, "{change}");
    }
}

#[test]
fn a_mail_shows_what_holds_at_its_first_try() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
    env.ok("--as alice set grace 10m");
    env.mails();
    env.ok("move 1 f5");
    env.ok("extend 1 2d bob");
    env.ok("draw 1 --as alice");
    env.mails();
    env.later(10);
    env.ok("send");
    let mail = env.mail_to(BOB);
    mail.says("Your time ends on Thursday, 26 November 2026, 10:10 (UTC).");
    mail.says("alice offers a draw in this game.");
    assert_eq!(mail.header("Date"), "Sat, 21 Nov 2026 10:10:00 +0000");
}

#[test]
fn each_try_sends_the_same_message() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
    env.mails();
    env.ok("set subject turn --as bob");
    break_transport(&env);
    env.run("move 1 f5");
    for command in [
        "say 1 hello --as alice",
        "note 1 corner --as bob",
        "set subject off --as bob",
        "away 2027-01-05 --as alice",
    ] {
        env.later(8 * HOUR);
        env.run(command);
        env.run("send");
    }
    let turns: Vec<_> = tried(&env).into_iter().filter(|(id, _)| id.contains(".turn.")).collect();
    let [(_, tries)] = &turns[..] else { panic!("{turns:#?}") };
    assert!(tries.len() > 3, "{}", tries.len());
    assert!(tries.iter().all(|mail| mail.raw == tries[0].raw));
    assert_eq!(tries[0].header("Subject"), "Othello #1 (your move)");
}

#[test]
fn each_try_of_a_challenge_has_the_same_record() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.mails();
    break_transport(&env);
    env.run("challenge bob othello --as alice");
    env.run("resign 1 --as alice");
    let tried = tried_for_a_day(&env);
    let (_, tries) = tried.iter().find(|(id, _)| id.contains(".challenge.")).unwrap();
    assert!(tries.len() > 2, "{}", tries.len());
    tries[0].says("alice has not finished a game yet.");
    assert!(tries.iter().all(|mail| mail.raw == tries[0].raw));
}

#[test]
fn each_try_of_words_about_a_challenge_has_the_same_answers() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.ok("challenge bob othello --as alice");
    env.mails();
    break_transport(&env);
    env.run("say 2 hello --as alice");
    env.run("resign 1 --as alice");
    env.run("decline 2 --as alice");
    let tried = tried_for_a_day(&env);
    let has_answers = |mail: &Mail| mail.text.contains("accept 2");
    let (_, tries) = tried.iter().find(|(_, tries)| tries.iter().any(has_answers)).unwrap();
    assert!(tries.len() > 2, "{}", tries.len());
    tries[0].says("alice has not finished a game yet.").says("accept 2");
    assert!(tries.iter().all(|mail| mail.raw == tries[0].raw));
}

#[test]
fn each_try_of_a_mail_about_an_end_suggests_the_same() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.mails();
    break_transport(&env);
    env.run("resign 1 --as alice");
    env.run("leave --yes --as alice");
    let tried = tried_for_a_day(&env);
    // alice gets none any more.
    let mut tried = tried.iter().filter(|(id, _)| id.contains(".over."));
    let (_, tries) = tried.find(|(_, tries)| tries.len() > 2).unwrap();
    tries[0].says("rematch");
    assert!(tries.iter().all(|mail| mail.raw == tries[0].raw));
}

#[test]
fn a_mail_whose_deadline_has_changed_is_replaced_by_one_with_its_words() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
    env.mails();
    env.ok("say 1 hello --as alice");
    break_transport(&env);
    env.run("move 1 f5");
    env.run("extend 1 1d");
    env.configure("");
    env.later(HOUR);
    env.ok("send");
    let mails: Vec<_> =
        env.mails().into_iter().filter(|mail| mail.text.contains("turn,")).collect();
    let [mail] = &mails[..] else { panic!("{mails:#?}") };
    mail.says("Your time ends on Wednesday, 25 November 2026, 10:00 (UTC).").says("| alice: hello");
    let tried = tried(&env);
    assert!(!tried.contains_key(&mail.id()));
    let before = tried.values().flatten().find(|mail| mail.id().contains(".turn.")).unwrap();
    before.says("Your time ends on Tuesday, 24 November 2026, 10:00 (UTC).");
    assert_eq!((env.count("bob turn superseded"), env.count("bob turn sent")), (1, 1));
}

/// The mail about an offer that was answered meanwhile is pointless, but not what it was to bring.
#[test]
fn words_beside_an_offer_come_with_the_mail_about_its_answer() {
    let env = TestEnvironment::new().with_game();
    env.ok("say 1 hello --as alice");
    break_transport(&env);
    env.run("draw 1 --as alice");
    env.configure("");
    env.ok("accept 1 --as bob");
    env.later(HOUR);
    env.ok("send");
    let mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == BOB).collect();
    let [mail] = &mails[..] else { panic!("{mails:#?}") };
    mail.says("Draw by agreement").says("| alice: hello");
    assert_eq!(env.count("bob notice superseded"), 1);
}

#[test]
fn a_reminder_whose_deadline_has_changed_is_replaced() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --clock 5d"));
    env.mails();
    break_transport(&env);
    env.later(4 * DAY);
    env.run("send");
    // The remaining mail is the one of the first try.
    env.later(30);
    env.run("send");
    let reminders = tried(&env);
    let (_, tries) = reminders.iter().find(|(id, _)| id.contains("reminder")).unwrap();
    assert_eq!((reminders.len(), tries.len()), (1, 2));
    assert_eq!(tries[0].header("Subject"), "1 day left in game 1 against bob");
    assert_eq!(tries[1].raw, tries[0].raw);
    env.run("away 2026-11-25 2026-11-25 --as alice");
    env.configure("");
    env.later(10);
    env.ok("send");
    let mails = env.mails();
    let reminders: Vec<_> = mails.iter().filter(|mail| mail.to == ALICE).collect();
    let [reminder] = reminders[..] else { panic!("{mails:#?}") };
    reminder.says("Your time ends on Thursday, 26 November 2026, 23:30 (UTC).");
    assert_eq!(env.count("alice reminder superseded"), 1);
    env.later(DAY);
    env.ok("send");
}

#[test]
fn turn_mails_wait_for_the_end_of_an_absence_and_come_together() {
    let env = env();
    for _ in 2..=3 {
        env.ok(&format!("new othello {ALICE} {BOB}"));
    }
    env.ok(&format!("new othello {ALICE} {BOB} --no-away"));
    env.ok("away 2026-11-22 2026-11-24 --as bob");
    env.later(DAY);
    env.mails();
    env.ok("move 4 f5");
    env.mail_to(BOB).says("Your turn, bob (f5 by alice).");
    env.ok("move 1 f5");
    env.later(DAY);
    env.ok("move 2 f5");
    env.later(DAY);
    env.ok("send");
    env.no_mail();
    env.later(14 * HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    digest.says("3 games wait for you, bob").says("Game 1 against").says("Game 2 against");
    env.later(DAY);
    env.ok("send");
    env.no_mail();
    env.ok("move 3 f5");
    env.mail_to(BOB).says("Your turn, bob (f5 by alice).");
}

#[test]
fn a_turn_mail_in_grace_comes_with_those_of_the_absence_that_follows() {
    let env = env();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.mails();
    env.ok("set grace 30m --as alice");
    env.ok("move 1 f5");
    env.ok("away 2026-11-21 2026-11-24 --as bob");
    env.ok("move 2 f5");
    env.mails();
    env.later(5 * DAY);
    env.ok("send");
    env.mail_to(BOB).says("2 games wait for you, bob");
    // So do two that were both in grace.
    for game in [1, 2] {
        env.ok(&format!("move {game} d6"));
        env.mails();
        env.ok(&format!("move {game} c3"));
    }
    env.ok("away 2026-11-26 2026-11-28 --as bob");
    env.mails();
    env.later(5 * DAY);
    env.ok("send");
    env.mail_to(BOB).says("2 games wait for you, bob");
}

#[test]
fn a_digest_takes_the_place_of_a_turn_mail_that_is_being_tried() {
    let env = env();
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.ok(&format!("new othello {ALICE} {BOB} --no-away"));
    env.ok("away 2026-11-21 2026-11-22 --as bob");
    env.mails();
    break_transport(&env);
    for game in 1..=3 {
        env.ok(&format!("move {game} f5"));
    }
    // The absence ends at midnight.
    for _ in 0..39 {
        env.later(HOUR);
        env.run("send");
    }
    env.configure("");
    env.later(DAY);
    env.ok("send");
    env.mail_to(BOB).says("3 games wait for you, bob");
}

#[test]
fn a_digest_takes_the_place_of_a_turn_mail_that_goes_with_it() {
    let env = with_plan();
    env.mails();
    break_transport(&env);
    // The plan answers at once, so the mail about alice's next turn waits for no digest.
    env.run("move 2 f5 --as alice");
    env.run("move 1 f5 --as alice");
    env.run("move 1 d6 --as bob");
    env.configure("");
    env.later(DAY);
    env.ok("send");
    only_a_digest_came(&env);
}

#[test]
fn a_digest_that_is_tried_again_takes_the_place_of_a_turn_mail_that_goes_with_it() {
    let env = with_plan();
    env.ok("move 1 f5 --as alice");
    env.mails();
    break_transport(&env);
    env.run("move 1 d6 --as bob");
    env.later(9 * HOUR);
    env.run("send");
    env.run("move 2 f5 --as alice");
    env.configure("");
    env.later(DAY);
    env.ok("send");
    only_a_digest_came(&env);
}

#[test]
fn a_single_turn_mail_comes_as_it_is_after_an_absence() {
    let env = env();
    env.ok("away 2026-11-21 2026-11-24 --as bob");
    env.mails();
    env.ok("move 1 f5");
    env.no_mail();
    env.later(4 * DAY);
    env.ok("send");
    env.mail_to(BOB).says("Your turn, bob (f5 by alice).");
}

#[test]
fn away_off_releases_the_turn_mails() {
    let env = TestEnvironment::new();
    for _ in 1..=2 {
        env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
    }
    env.ok("away 2026-11-21 2026-11-24 --as bob");
    env.ok("move 1 f5");
    env.ok("move 2 f5");
    env.mails();
    env.later(HOUR);
    env.ok("away off --as bob");
    let mails = env.mails();
    let [_, digest] = &mails[..] else { panic!("{mails:#?}") };
    digest.says("2 games wait for you, bob");
    digest.says("Your time ends on Tuesday, 24 November 2026, 11:00 (UTC).");
    env.ok("send");
    env.no_mail();
}

#[test]
fn the_words_of_a_blocked_player_are_not_announced() {
    let env = env();
    env.ok("--as bob set quiet 09:00-21:00");
    env.ok("say 1 --now hello --as alice");
    env.ok("block alice --as bob");
    env.later(12 * HOUR);
    env.ok("send");
    env.no_mail();
    assert_eq!(env.count("bob notice superseded"), 1);
}

#[test]
fn an_offer_that_is_no_longer_open_is_not_announced() {
    let env = env();
    env.ok("--as bob set quiet 09:00-21:00");
    env.ok("draw 1 --as alice");
    env.ok("move 1 f5");
    env.ok("move 1 d6 --as bob");
    env.mails();
    env.later(12 * HOUR);
    env.ok("send");
    env.no_mail();
}

#[test]
fn an_offer_is_announced_with_what_holds_then() {
    let env = env();
    env.ok("--as bob set quiet 09:00-21:00");
    env.ok("draw 1 --as alice");
    env.ok("move 1 f5");
    env.later(12 * HOUR);
    env.ok("send");
    let mails = env.mails();
    let offer = mails.iter().find(|mail| mail.text.starts_with("alice offers")).unwrap();
    offer.says("Game 1 against alice. It is your turn.").says("Last move: 1. alice (black) f5");
}

#[test]
fn an_offer_that_was_not_announced_is_not_withdrawn_by_mail() {
    let env = env();
    env.ok("--as bob set quiet 09:00-21:00");
    env.ok("draw 1 --as alice");
    env.ok("decline 1 --as alice");
    env.later(12 * HOUR);
    env.ok("send");
    env.no_mail();
}

#[test]
fn a_player_gets_five_mails_a_day_about_offers_and_the_open_one_the_next_day() {
    let env = env();
    for _ in 0..4 {
        env.ok("draw 1 --as alice");
        env.ok("decline 1 --as alice");
    }
    let told: Vec<_> = env.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(told, [BOB; 5]);
    env.ok("draw 1 --as alice");
    env.no_mail();
    // Another game has a limit of its own.
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.mails();
    env.ok("draw 2 --as alice");
    env.mail_to(BOB);
    env.later(DAY - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    env.mail_to(BOB).says("alice offers a draw");
    env.ok("decline 1 --as alice");
    env.mails();
}

#[test]
fn a_mail_about_an_offer_shows_no_move_in_grace() {
    let env = env();
    env.ok("--as alice set grace 2h");
    env.ok("--as bob set quiet 09:00-11:00");
    env.ok("draw 1 --as alice");
    env.ok("move 1 f5");
    env.later(HOUR);
    env.ok("send");
    let offer = env.mail_to(BOB);
    assert!(offer.text.starts_with("alice offers a draw"), "{}", offer.text);
    assert!(!offer.text.contains("f5"), "{}", offer.text);
    env.ok("takeback 1 --as alice");
    assert_eq!(env.plies(1), 0, "without asking");
    env.mails();
}

#[test]
fn the_rating_in_the_mail_about_an_end_is_fixed() {
    let env = env();
    for game in [2, 3] {
        env.ok("new othello alice bob --rated");
        env.ok(&format!("move {game} f5 d6 c3 d3"));
        env.mails();
        if game == 3 {
            break_transport(&env);
        }
        env.run(&format!("resign {game} --as alice"));
        if game == 2 {
            let mails = env.mails();
            mails[0].says("Your first rating in Othello is 1338 \u{b1} 290.");
            mails[1].says("Your first rating in Othello is 1662 \u{b1} 290.");
        }
    }
    let first = tried(&env);
    let says = |words| first.values().filter(|tries| tries[0].text.contains(words)).count();
    let changes = ["Othello went down from 1338 to", "Othello went up from 1662 to"];
    assert_eq!(changes.map(says), [1, 1]);
    env.run("annul 2");
    env.later(HOUR);
    env.run("send");
    let ratings = "SELECT count(*) FROM rating WHERE game = 3 AND games = 1";
    assert_eq!(env.sqlite().query_row(ratings, [], |row| row.get(0)), Ok(2));
    let again = tried(&env);
    for (id, tries) in first {
        assert_eq!(tries.len(), 1);
        let all: Vec<_> = again[&id].iter().map(|mail| &mail.raw).collect();
        assert_eq!(all, [&tries[0].raw; 2]);
    }
}
