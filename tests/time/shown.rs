//! The shown deadline holds: no turn begins without time, and mail that cannot be sent costs no game.

use std::net::TcpListener;

use serde_json::Value;

use super::{DAY, HOUR, events, timed};
use crate::harness::{ALICE, BOB, CAROL, TestEnvironment};

const DOWN: &str = "[transport]\nkind = 'sendmail'\ncommand = ['/nowhere/sendmail']";

/// Lets minutes pass while `send` runs every hour, and may fail.
fn later_with_send(env: &TestEnvironment, minutes: i64) {
    for _ in 0..minutes / HOUR {
        env.later(HOUR);
        env.run("send");
    }
}

#[test]
fn a_move_by_the_shown_deadline_is_followed_by_a_turn_with_time() {
    let env = timed("--clock total=13h --flag hard");
    env.ok("set quiet 22:00-07:00 --as bob");
    env.ok("set grace 1h --as bob");
    env.ok("move 1 f5 --as alice");
    // Bob's own time ends at 23:00.
    assert_eq!(env.game(1)["deadline"], "2026-11-22T07:00:00Z");
    env.later(19 * HOUR);
    env.ok("send");
    env.ok("move 1 d6 --as bob");
    // It is night, and his takeback is free.
    env.ok("takeback 1 --as bob");
    assert_eq!(env.game(1)["deadline"], "2026-11-22T07:00:00Z");
    env.ok("move 1 d6 --as bob");
    env.later(3 * HOUR);
    env.ok("move 1 c3 --as alice");
    env.ok("send");
    let game = env.game(1);
    assert_eq!(
        (&game["turn"], &game["deadline"]),
        (&"white".into(), &"2026-11-23T08:00:00Z".into())
    );
}

#[test]
fn no_command_delivers_a_turn_mail_of_a_game_that_is_lost() {
    for options in ["set mail digest 18:00", "set mail each"] {
        let env = timed("--clock 2h --flag hard");
        env.ok(&format!("{options} --as bob"));
        env.ok("set grace 1h --as alice");
        env.ok("move 1 f5 --as alice");
        // The mail waits for the grace or the digest, and bob has until 13:00.
        env.later(8 * HOUR);
        env.ok(&format!("new othello alice {CAROL}"));
        let mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == BOB).collect();
        let [mail] = &mails[..] else { panic!("{options}: {mails:#?}") };
        mail.says("You lost");
    }
}

#[test]
fn a_turn_mail_waits_for_the_new_deadline_after_an_outage() {
    let env = timed("--clock 2h");
    env.ok("send");
    env.ok("set grace 1h --as alice");
    env.ok("move 1 f5 --as alice");
    env.outage_seconds(5 * HOUR * 60);
    env.ok(&format!("new othello alice {CAROL}"));
    assert!(env.mails().iter().all(|mail| mail.to != BOB));
    assert_eq!(env.json("games --as alice")["games"][0]["claimant"], Value::Null);
    env.ok("send");
    let mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == BOB).collect();
    let [mail] = &mails[..] else { panic!("{:?}", env.outbox()) };
    mail.says("so it now ends on Sunday, 22 November 2026, 15:00 (UTC)");
}

#[test]
fn a_flag_that_fell_before_an_outage_can_be_claimed_in_it() {
    let env = timed("--clock 2h");
    env.later(3 * HOUR);
    env.ok("send");
    env.outage_seconds(DAY * 60);
    assert_eq!(env.json("games --as bob")["games"][0]["claimant"], "white");
    env.ok("claim 1 --as bob");
}

#[test]
fn no_game_is_lost_while_the_mail_server_is_down() {
    let env = timed("--clock 6h --flag hard");
    env.ok("send");
    env.configure(DOWN);
    env.ok("move 1 f5 --as alice");
    // The deadline is at 16:00.
    later_with_send(&env, 2 * DAY);
    assert_eq!((env.game(1)["status"].clone(), events(&env, 1)), ("active".into(), vec![]));
    env.ok("verify");
    env.configure("");
    while events(&env, 1).is_empty() {
        env.later(HOUR);
        env.ok("send");
    }
    let logged = events(&env, 1);
    assert!(logged.len() == 1 && logged[0].ends_with(" mail"), "{logged:?}");
    let deadline = env.now() + chrono::TimeDelta::hours(6);
    assert_eq!(
        env.game(1)["deadline"],
        deadline.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    );
    let mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == BOB).collect();
    let (notices, turns): (Vec<_>, Vec<_>) =
        mails.iter().partition(|mail| mail.text.contains("The mail server was down"));
    let ([turn], [notice]) = (&turns[..], &notices[..]) else { panic!("{:?}", env.outbox()) };
    let ends = deadline.format("%A, %-d %B %Y, %H:%M (UTC)").to_string();
    turn.says("Your turn, bob").says(&format!("Your time ends on {ends}."));
    notice.says("The mail server was down from Saturday, 21 November 2026, 10:00").says(&ends);
    env.ok("verify");
    env.later(6 * HOUR);
    env.ok("send");
    assert_eq!(env.game(1)["result"]["reason"], "time");
}

/// The mail server may have accepted a mail without saying so.
#[test]
fn a_turn_mail_that_may_have_been_read_before_an_outage_is_replaced_after_it() {
    let env = timed("--clock 6h --flag hard");
    env.ok("send");
    let kept = env.path("kept");
    let keep = format!("'sh', '-c', 'tee -a {} > /dev/null; exit 75'", kept.display());
    env.configure(&format!("[transport]\nkind = \"sendmail\"\ncommand = [{keep}]"));
    env.ok("move 1 f5 --as alice");
    let kept = std::fs::read_to_string(kept).unwrap();
    env.configure(DOWN);
    later_with_send(&env, DAY);
    env.configure("");
    later_with_send(&env, 5 * HOUR);
    let mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == BOB).collect();
    assert!(mails.iter().any(|mail| mail.text.contains("The mail server was down")));
    let mut turns = mails.iter().filter(|mail| mail.text.starts_with("Your turn, bob"));
    let turn = turns.next().expect("the turn is told");
    let id = turn.message.message_id().expect("it has a Message-ID");
    assert!(kept.contains("Your time ends on Saturday, 21 November"), "{kept}");
    assert!(!kept.contains(id), "{}", turn.text);
}

/// A digest that was being tried is replaced by one that waits for the end of quiet hours.
#[test]
fn no_game_is_lost_while_the_digest_that_tells_of_it_is_replaced() {
    let env = timed("--clock 9h --flag hard");
    env.ok("set mail digest 18:00 --as bob");
    env.ok("set quiet 20:00-08:00 --as bob");
    env.ok("send");
    env.configure(DOWN);
    env.ok("move 1 f5 --as alice");
    // The deadline is at 19:00.
    later_with_send(&env, 11 * HOUR);
    env.ok("pause 1 --as alice");
    later_with_send(&env, 5 * HOUR);
    assert_eq!(env.count("bob digest superseded"), 1);
    assert_eq!(env.game(1)["status"], "active");
}

/// A turn mail that waits gives way to the mail about the flag, and that to the extension.
#[test]
fn a_turn_whose_flag_is_lifted_before_anybody_heard_of_it_is_told() {
    let env = timed("--clock 6h");
    env.ok("set grace 10m --as alice");
    env.ok("move 1 f5");
    env.sqlite().execute("UPDATE outbox SET not_before = due_at + 21600, due_at = due_at + 21600 WHERE kind = 'turn'", []).unwrap();
    for _ in 0..4 {
        env.later(90);
        env.ok("send");
    }
    env.mails();
    env.later(10);
    env.ok("extend 1 2h");
    env.later(10);
    env.ok("send");
    assert_eq!((env.count("bob flagged superseded"), env.count("bob turn sent")), (1, 1));
}

/// The mail about the flag waits for the morning; by then the game is paused, and cannot be claimed.
#[test]
fn nobody_is_told_in_a_pause_that_a_game_can_be_claimed() {
    let env = timed("--clock 6h");
    env.ok("set quiet 15:30-03:00 --as bob");
    env.ok("pause 1 --as bob");
    env.later(7 * HOUR);
    env.ok("send");
    assert_eq!((env.count("alice flagged sent"), env.count("bob flagged queued")), (1, 1));
    env.ok("accept 1 --as alice");
    let shown = env.ok("show 1");
    assert!(shown.contains("bob can claim the game after the pause"), "{shown}");
    env.later(12 * HOUR);
    env.ok("send");
    assert_eq!(env.count("bob flagged superseded"), 1);
    env.fails(1, "claim 1 --as bob");
    let said = env.ok("unpause 1 --as alice");
    assert!(said.contains("The time of alice is over, so no clock runs."), "{said}");
    let mail = env.last_mail_to(BOB);
    mail.says("The time of alice is over, so you can claim the game.");
    mail.says("Reply \u{2039}claim\u{203a} to win the game.");
    env.ok("claim 1 --as bob");
}

/// The mail about the end of the pause waits for the morning; by then the host has given more time.
#[test]
fn nobody_is_told_after_a_pause_of_a_claim_that_more_time_has_ended() {
    let env = timed("--clock 6h");
    env.ok("set quiet 15:30-03:00 --as bob");
    env.ok("pause 1 --as bob");
    env.later(7 * HOUR);
    env.ok("send");
    env.ok("accept 1 --as alice");
    env.ok("unpause 1 --as alice");
    let waiting = env.count("bob notice queued");
    env.ok("extend 1 2d");
    env.mails();
    env.later(12 * HOUR);
    env.ok("send");
    assert!(waiting > 0 && env.count("bob notice superseded") > 0);
    let texts: Vec<_> = env.mails().into_iter().map(|mail| mail.text).collect();
    assert!(!texts.is_empty() && texts.iter().all(|text| !text.contains("claim")), "{texts:?}");
}

#[test]
fn nobody_can_claim_a_game_whose_turn_mail_waits_for_the_mail_server() {
    let env = timed("--clock 6h");
    env.ok("send");
    env.configure(DOWN);
    env.ok("move 1 f5 --as alice");
    later_with_send(&env, 8 * HOUR);
    assert_eq!(env.json("games --as alice")["games"][0]["claimant"], Value::Null);
    let line = env.fails(1, "claim 1 --as alice");
    assert!(line.contains("while the mail server was down, so it will be extended"), "{line}");
}

#[test]
fn who_leaves_while_the_mail_server_is_down_loses_no_game_on_time() {
    let env = timed("--clock 6h --flag hard");
    env.ok("send");
    env.configure(DOWN);
    env.ok("move 1 f5 --as alice");
    later_with_send(&env, 8 * HOUR);
    env.ok("leave --yes --as bob");
    assert_eq!(env.game(1)["result"]["reason"], "annulled");
}

#[test]
fn a_game_waits_at_most_five_days_for_its_mail() {
    let env = timed("--clock 6h --flag hard");
    env.ok("send");
    env.configure(DOWN);
    env.ok("move 1 f5 --as alice");
    later_with_send(&env, 5 * DAY - HOUR);
    assert_eq!(events(&env, 1), [""; 0]);
    later_with_send(&env, DAY);
    let logged = events(&env, 1);
    assert!(logged[0].contains("outage") && logged[1].contains("time-out"), "{logged:?}");
}

#[test]
fn the_last_try_ends_an_outage_whatever_it_fails_of() {
    let env = timed("--clock 6h");
    env.ok("send");
    env.configure(DOWN);
    env.ok("move 1 f5 --as alice");
    later_with_send(&env, DAY);
    // The server works again, but does not take this mail.
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['sh', '-c', 'exit 75']");
    later_with_send(&env, 5 * DAY);
    let logged = events(&env, 1);
    assert!(logged[0].contains("outage") && logged[1].contains("flag"), "{logged:?}");
}

#[test]
fn a_flag_falls_at_its_deadline_whatever_was_said_since() {
    let env = timed("--clock 6h");
    env.ok("send");
    env.configure(DOWN);
    env.ok("move 1 f5 --as alice");
    let deadline = env.game(1)["deadline"].clone();
    later_with_send(&env, DAY);
    env.ok("say 1 hello --as bob");
    // No unsent mail about the turn is left.
    env.ok("set mail none --as bob");
    env.run("send");
    let logged = events(&env, 1);
    assert!(logged[1].contains("flag"), "{logged:?}");
    assert_eq!(env.game(1)["deadline"], deadline);
}

#[test]
fn what_a_recipient_or_a_message_causes_stops_no_clock() {
    let env = timed("--clock 6h --flag hard");
    env.ok("send");
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['false']");
    env.ok("move 1 f5 --as alice");
    later_with_send(&env, 7 * HOUR);
    assert_eq!(env.game(1)["result"]["reason"], "time");
}

#[test]
fn a_command_that_gives_up_begins_no_outage() {
    let env = timed("--clock 6h");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let server = format!("kind = 'smtp'\nhost = '127.0.0.1'\nport = {port}\nsecurity = 'none'");
    env.configure(&format!("[transport]\n{server}"));
    let is_down = || {
        let sql = "SELECT count(*) FROM mail_outage";
        env.sqlite().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 1
    };
    env.ok("move 1 f5 --as alice");
    assert!(!is_down());
    drop(silent);
    env.run("send");
    assert!(is_down());
}

#[test]
fn a_clock_that_is_years_ahead_moves_nothing_until_the_host_confirms_it() {
    let env = timed("--clock 3d --flag hard");
    env.configure("[host]\nmail = 'host@example.org'");
    env.ok("send");
    let deadline = env.game(1)["deadline"].clone();
    let years = 9 * 365 * DAY * 60;
    env.outage_seconds(years);
    // Commands with the wrong clock do not confirm it.
    env.ok("say 1 hello --as bob");
    for words in ["send", "send"] {
        let line = env.fails(3, words);
        assert!(line.contains("if it is right, run `outflank send --after-outage`"), "{line}");
    }
    let doctor = env.run("doctor").stdout;
    assert!(doctor.contains("send --after-outage"), "{doctor}");
    let told = env.mails().into_iter().filter(|mail| mail.to == "host@example.org");
    assert_eq!(told.filter(|mail| mail.text.contains("The clock may be wrong")).count(), 1);
    env.outage_seconds(-years);
    env.ok("send");
    assert_eq!(
        (&env.game(1)["deadline"], env.game(1)["status"].clone()),
        (&deadline, "active".into())
    );
    env.ok("verify");

    // An outage of three weeks.
    env.outage_seconds(21 * DAY * 60);
    env.fails(3, "send");
    env.fails(1, "claim 1 --as bob");
    env.ok("send --after-outage");
    assert!(events(&env, 1).last().unwrap().contains("h outage"));
    env.ok("send");
}

#[test]
fn a_clock_is_believed_when_send_has_run_with_it_for_two_weeks() {
    let env = timed("--clock 3d");
    env.ok("send");
    env.outage_seconds(30 * DAY * 60);
    for _ in 0..14 {
        env.fails(3, "send");
        env.outage_seconds(DAY * 60);
    }
    assert_eq!(events(&env, 1), [""; 0]);
    env.ok("send");
    assert!(events(&env, 1)[0].contains("h outage"));
}

#[test]
fn an_extension_in_quiet_hours_moves_the_deadline() {
    let env = timed("--clock 13h");
    env.ok("set quiet 22:00-07:00 --as bob");
    env.ok("move 1 f5 --as alice");
    env.later(11 * HOUR);
    env.ok("extend 1 1h");
    assert_eq!(env.game(1)["deadline"], "2026-11-22T08:00:00Z");
    env.later(6 * HOUR);
    env.ok("extend 1 1h");
    assert_eq!(env.game(1)["deadline"], "2026-11-22T09:00:00Z");
}

#[test]
fn a_mail_that_was_tried_before_quiet_hours_is_tried_again_in_them() {
    let env = timed("");
    env.ok("set quiet 22:00-07:00 --as bob");
    env.configure(DOWN);
    env.later(11 * HOUR + 50);
    env.ok("move 1 f5 --as alice");
    env.configure("");
    env.later(30);
    env.ok("send");
    env.mail_to(BOB).says("Your turn, bob");
}

#[test]
fn accepting_a_rematch_prints_the_new_game() {
    let env = timed("");
    env.ok("resign 1 --as alice");
    env.ok("rematch 1 --as alice");
    assert_eq!(env.json("accept 1 --as bob")["game"], 2);
}

#[test]
fn a_digest_leaves_muted_games_out() {
    let env = timed("");
    env.ok("new othello alice bob");
    env.ok("set mail digest 18:00 --as bob");
    env.mails();
    env.ok("move 1 f5");
    env.ok("move 2 f5");
    env.ok("mute 1 --as bob");
    env.later(8 * HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    assert!(digest.text.contains("Game 2") && !digest.text.contains("Game 1"), "{}", digest.text);
}

#[test]
fn nobody_is_told_of_the_absence_of_a_player_who_has_left() {
    let env = timed("");
    env.ok("set quiet 09:00-17:00 --as bob");
    env.ok("away 2026-11-23 2026-11-24 --as alice");
    assert_eq!(env.count("bob notice queued"), 1);
    env.ok("remove alice");
    env.later(8 * HOUR);
    env.ok("send");
    assert!(env.mails().iter().all(|mail| mail.to == ALICE || !mail.text.contains("is absent")));
}

#[test]
fn a_reminder_that_was_not_tried_has_only_the_games_that_still_wait() {
    let env = timed("--clock 5d");
    env.ok("new othello alice bob --clock 5d");
    env.configure(DOWN);
    // The server is down for this mail, so the reminder behind it is not tried.
    env.run("say 1 Hello --now --as alice");
    env.later(4 * DAY + HOUR);
    env.run("send");
    assert_eq!(env.count("alice reminder queued"), 1);
    env.run("move 1 f5");
    env.configure("");
    env.later(HOUR);
    env.ok("send");
    assert_eq!(env.count("alice reminder sent"), 1);
    // A later try reads the games from there.
    let sql = "SELECT group_concat(digest_game.game) FROM digest_game JOIN outbox ON id = mail WHERE state = 'sent'";
    let games: String = env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(games, "2");
}

#[test]
fn a_digest_that_could_not_be_sent_shows_a_watched_game_once() {
    let env = timed("");
    env.ok(&format!("signup carol {CAROL}"));
    for words in [
        "alice set watchers all",
        "bob set watchers all",
        "carol watch 1",
        "carol set mail digest 18:00",
    ] {
        env.ok(&format!("--as {words}"));
    }
    env.ok("move 1 f5");
    env.configure(DOWN);
    env.later(8 * HOUR);
    env.run("send");
    assert_eq!(env.count("carol digest queued"), 1);
    env.later(16 * HOUR);
    env.run("move 1 d6");
    env.mails();
    env.configure("");
    env.later(HOUR);
    env.ok("send");
    let digests = || env.mails().into_iter().filter(|mail| mail.to == CAROL).count();
    assert_eq!(digests(), 1);
    env.later(DAY);
    env.ok("send");
    assert_eq!(digests(), 0);
    // Two digests that wait become one.
    env.ok("move 1 c3");
    env.configure(DOWN);
    env.later(DAY);
    env.run("send");
    env.run("move 1 d3");
    env.later(DAY);
    env.run("send");
    assert_eq!(env.count("carol digest queued"), 1, "{:?}", env.outbox());
}
