//! The letter of the club.

use std::fs;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Mail, TestEnvironment};

/// An hour, a day and a week in minutes.
const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;
/// From the beginning, Saturday at 10:00 UTC, to Monday.
const TO_MONDAY: i64 = 38 * HOUR;

/// Returns an environment with these settings and with alice, who gets letters, bob and carol.
fn club(settings: &str) -> TestEnvironment {
    let env = TestEnvironment::new().config(settings);
    for (name, address) in [("alice", ALICE), ("bob", BOB), ("carol", CAROL)] {
        env.ok(&format!("signup {name} {address}"));
    }
    env.ok("set letter on --as alice");
    env
}

/// Lets these players play a rated game, which the first one of them loses.
fn game(env: &TestEnvironment, loser: &str, winner: &str) {
    let game = env.json(&format!("new othello {loser} {winner} --rated"))["game"].clone();
    env.ok(&format!("move {game} f5 d6 c3 d3"));
    env.ok(&format!("resign {game} --as {loser}"));
    env.mails();
}

/// Plays a rated game of these players on the smallest board to its end.
fn mini(env: &TestEnvironment, black: &str, white: &str) {
    let game = env.json(&format!("new mini {black} {white} --rated"))["game"].as_i64().unwrap();
    while env.stored(game).game.turn().is_some() {
        env.ok(&format!("move {game} {}", env.legal(game)));
    }
    env.mails();
}

/// Lets `send` run, and returns the letters that it has sent.
fn letters(env: &TestEnvironment) -> Vec<Mail> {
    env.ok("send");
    env.mails().into_iter().filter(|mail| mail.header("Subject").starts_with("The club ")).collect()
}

#[test]
fn the_letter_has_the_week_before() {
    let env = club("");
    game(&env, "bob", "carol");
    game(&env, "carol", "bob");
    assert!(letters(&env).is_empty());
    env.later(TO_MONDAY);
    letters(&env);
    env.ok("signup dave dave@example.org");
    env.ok("signup eve eve@example.org");
    game(&env, "alice", "bob");
    game(&env, "bob", "dave");
    mini(&env, "carol", "bob");
    mini(&env, "alice", "carol");
    env.ok("new othello alice bot:1");
    env.ok("resign 7 --as alice");
    env.ok("new mini bob carol");
    env.ok("annul 8");
    env.ok("tournament new spring mini --places 3");
    for player in ["alice", "bob", "carol"] {
        env.ok(&format!("join spring --as {player}"));
    }
    env.ok("send");
    for game in [9, 10, 11] {
        while env.stored(game).game.turn().is_some() {
            env.ok(&format!("move {game} {}", env.legal(game)));
        }
    }
    env.ok("tournament new advent othello --opening balanced --starts 2026-12-07");
    env.ok("join advent --as dave");
    assert!(letters(&env).is_empty());
    env.later(WEEK);
    let letters_of_week = letters(&env);
    let [letter] = &letters_of_week[..] else { panic!("{letters_of_week:#?}") };
    assert_eq!(letter.header("Subject"), "The club from 23 to 29 November");
    assert_eq!(letter.to, ALICE);
    insta::assert_snapshot!("letter", letter.text);
    assert!(letter.text.lines().all(|line| line.chars().count() <= 76), "{}", letter.text);
    env.later(WEEK);
    assert!(letters(&env).is_empty(), "nothing has happened in this week");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn a_long_list_is_cut() {
    let env = club("");
    for _ in 0..22 {
        env.ok("new othello bob carol --rated");
    }
    let sql = "UPDATE game SET turn = NULL, to_move = NULL, to_wait = NULL, reason = 'resigned',
        winner = 'black'";
    env.sqlite().execute(sql, []).unwrap();
    env.later(TO_MONDAY);
    let letter = letters(&env).remove(0);
    letter.says("Others played 22 games to the end.").says("And 2 more.");
    assert_eq!(letter.text.matches("bob beat carol by resignation").count(), 20);
}

#[test]
fn it_comes_on_monday_in_the_zone_of_the_reader_and_after_quiet_hours() {
    for (zone, quiet, hours) in [
        ("UTC", "off", 38),
        ("Pacific/Auckland", "off", 25),
        ("America/New_York", "22:00-07:00", 50),
    ] {
        let env = club("");
        game(&env, "bob", "carol");
        env.ok(&format!("set quiet {quiet} --as alice"));
        env.ok(&format!("set timezone {zone} --as alice"));
        env.later(hours * HOUR - 1);
        assert!(letters(&env).is_empty(), "{zone}");
        env.later(1);
        assert_eq!(letters(&env).len(), 1, "{zone}");
    }
}

#[test]
fn a_late_letter_comes_in_its_week_and_those_of_missed_weeks_never() {
    let env = club("");
    game(&env, "bob", "carol");
    env.later(TO_MONDAY + 4 * DAY);
    letters(&env).remove(0).says("The club from 16 to 22 November");
    game(&env, "carol", "bob");
    env.later(2 * WEEK);
    game(&env, "bob", "carol");
    env.later(WEEK);
    let letters_now = letters(&env);
    let [letter] = &letters_now[..] else { panic!("{letters_now:#?}") };
    letter.says("The club from 7 to 13 December").says("Others played 1 game to the end.");
    assert!(letters(&env).is_empty());
}

#[test]
fn a_letter_that_has_waited_for_a_week_does_not_come() {
    let env = club("");
    game(&env, "bob", "carol");
    env.ok("set quiet 00:00-10:00 --as alice");
    env.later(TO_MONDAY);
    assert!(letters(&env).is_empty());
    game(&env, "bob", "carol");
    env.later(WEEK + 11 * HOUR);
    // A command delivers due mail, too, but queues no letters.
    env.ok("new mini bob carol");
    assert!(env.mails().iter().all(|mail| mail.to != ALICE));
    letters(&env).remove(0).says("The club from 23 to 29 November");
}

#[test]
fn a_letter_that_was_written_but_not_tried_does_not_come_after_its_week() {
    let env = club("");
    game(&env, "bob", "carol");
    env.later(TO_MONDAY);
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['false']");
    env.run("send");
    env.configure("");
    // As if no time had been left for the try.
    let sql = "UPDATE outbox SET first_try_at = NULL, tries = 0 WHERE kind = 'letter'";
    assert_eq!(env.sqlite().execute(sql, []).unwrap(), 1);
    env.later(WEEK + 11 * HOUR);
    env.ok("new mini bob carol");
    assert!(env.mails().iter().all(|mail| mail.to != ALICE));
}

/// Neither switching it off and on nor another time zone brings a second letter for a Monday.
#[test]
fn a_monday_has_one_letter() {
    let env = club("");
    game(&env, "bob", "carol");
    env.ok("set timezone Pacific/Auckland --as alice");
    env.later(25 * HOUR);
    assert_eq!(letters(&env).len(), 1);
    env.ok("set letter off --as alice");
    env.ok("set timezone America/New_York --as alice");
    env.ok("set letter on --as alice");
    for _ in 0..6 {
        game(&env, "bob", "carol");
        env.later(DAY);
        assert!(letters(&env).is_empty(), "{}", env.now());
    }
    env.later(DAY + 18 * HOUR);
    letters(&env).remove(0).says("The club from 23 to 29 November");
}

#[test]
fn a_letter_that_waits_keeps_to_a_new_time_zone() {
    let env = club("");
    game(&env, "bob", "carol");
    env.ok("set quiet 00:00-10:00 --as alice");
    env.ok("set timezone Pacific/Auckland --as alice");
    env.later(26 * HOUR);
    assert!(letters(&env).is_empty());
    env.ok("set quiet off --as alice");
    env.ok("set timezone America/New_York --as alice");
    assert!(letters(&env).is_empty(), "it is Sunday there");
    env.later(17 * HOUR);
    letters(&env).remove(0).says("The club from 16 to 22 November");
}

#[test]
fn a_clock_that_was_ahead_brings_no_second_letter() {
    let env = club("");
    game(&env, "bob", "carol");
    env.later(TO_MONDAY + WEEK);
    assert_eq!(letters(&env).len(), 0, "in the last week, nothing happened");
    game(&env, "bob", "carol");
    env.later(2 * WEEK);
    env.ok("send");
    env.later(-2 * WEEK - DAY);
    for _ in 0..14 {
        env.later(DAY);
        assert!(letters(&env).is_empty(), "{}", env.now());
    }
    // A clock that was a year ahead does not end the letters.
    env.sqlite().execute("UPDATE player SET letter_at = letter_at + 31536000", []).unwrap();
    game(&env, "bob", "carol");
    assert!(letters(&env).is_empty());
    env.later(WEEK);
    assert_eq!(letters(&env).len(), 1);
}

#[test]
fn a_restored_backup_sends_the_same_letter() {
    for settings in ["", "[receive]\nplus_addressing = false"] {
        let env = club(settings);
        game(&env, "bob", "carol");
        env.ok("backup copy.db");
        env.later(TO_MONDAY);
        let before = letters(&env).remove(0);
        for file in ["outflank.db-wal", "outflank.db-shm"] {
            let _ = fs::remove_file(env.path(file));
        }
        fs::remove_file(
            env.path("outflank.maildir/new").join(before.id().trim_matches(['<', '>'])),
        )
        .unwrap();
        fs::copy(env.path("copy.db"), env.database()).unwrap();
        env.later(HOUR);
        env.ok("send");
        assert_eq!(env.last_mail_to(ALICE).id(), before.id());
    }
}

#[test]
fn players_who_are_not_named_stand_only_in_the_letters_of_their_opponents() {
    let env = club("");
    env.ok("set letter on --as bob");
    env.ok("set letter on --as carol");
    env.ok("set named off --as carol");
    env.ok("signup dave dave@example.org");
    game(&env, "bob", "carol");
    game(&env, "bob", "dave");
    env.ok("tournament new spring mini --places 3");
    for player in ["carol", "bob", "dave"] {
        env.ok(&format!("join spring --as {player}"));
    }
    env.ok("send");
    env.ok("withdraw spring --as bob");
    env.ok("withdraw spring --as dave");
    env.ok("send");
    env.mails();
    env.later(TO_MONDAY);
    let found = letters(&env);
    let [alice, bob, carol] = &found[..] else { panic!("{found:#?}") };
    alice.says("dave beat bob by resignation").says("New members: bob and dave.");
    alice.says("Others played 2 games to the end.").says("\n- spring\n");
    assert!(!alice.raw.contains("carol"), "{}", alice.text);
    bob.says("1  Othello  carol    lost by resignation").says("\n- spring\n");
    assert_eq!(bob.text.matches("carol").count(), 2, "only bob's own games name her: {}", bob.text);
    carol.says("1  Othello  bob      won by resignation").says("\n- spring, won by carol\n");
}

#[test]
fn a_letter_that_was_tried_names_nobody_who_does_not_want_that_any_more() {
    for (change, is_sent) in [("set named off --as bob", false), ("set style words --as bob", true)]
    {
        let env = club("");
        game(&env, "bob", "carol");
        env.later(TO_MONDAY);
        env.configure("[transport]\nkind = 'sendmail'\ncommand = ['false']");
        env.run("send");
        assert_eq!(env.count("alice letter queued"), 1);
        env.configure("");
        env.ok(change);
        env.later(HOUR);
        assert_eq!(letters(&env).len(), usize::from(is_sent), "{change}");
    }
}

#[test]
fn a_letter_that_was_switched_off_does_not_come() {
    let env = club("");
    env.ok("set quiet 00:00-10:00 --as alice");
    game(&env, "bob", "carol");
    env.later(TO_MONDAY);
    assert!(letters(&env).is_empty());
    env.ok("set letter off --as alice");
    env.later(10 * HOUR);
    assert!(letters(&env).is_empty());
    assert_eq!(env.count("alice letter superseded"), 1);
    env.later(WEEK);
    env.ok("set letter on --as alice");
    env.ok("leave --as alice --yes");
    env.later(WEEK);
    assert!(letters(&env).is_empty());
    assert_eq!(env.count("alice"), 0);
}

/// Mail that is held back because it bounces does not pile up.
#[test]
fn only_the_last_letter_waits_for_an_address() {
    let env = club("");
    for _ in 0..3 {
        game(&env, "bob", "carol");
        env.sqlite().execute("UPDATE player SET paused_at = 1 WHERE name = 'alice'", []).unwrap();
        env.later(WEEK);
        assert!(letters(&env).is_empty());
    }
    assert_eq!(env.count("alice letter paused"), 1);
}

#[test]
fn a_mail_program_ends_the_letters_with_one_click() {
    let env = club("[web]\nurl = 'https://club.example/othello'");
    game(&env, "bob", "carol");
    env.later(TO_MONDAY);
    let letter = letters(&env).remove(0);
    // A reply may quote it without marks.
    env.receive(&letter.reply(&format!("players\n\n{}", letter.text)));
    let answer = env.mail_to(ALICE);
    assert_eq!(answer.text.matches("Reply to ").count(), 1, "{}", answer.text);
    assert_eq!(letter.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let link = letter.header("List-Unsubscribe");
    let to = link.split("mailto:").nth(1).unwrap().split('?').next().unwrap();
    let mail = InboundMessage::new(ALICE, "unsubscribe").to(&to.replace("%2B", "+"));
    assert_eq!(env.receive(&mail), "done");
    env.mail_to(ALICE).says("Reply to ‹set letter off›:").says("letter: off");
    assert_eq!(env.receive(&letter.reply("set letter on")), "done");
    assert_eq!(env.json("set --as alice")["settings"]["letter"], "on");
}
