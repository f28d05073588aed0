use super::{DAY, HOUR, events, timed};
use crate::harness::{ALICE, BOB, CAROL, TestEnvironment};

#[test]
fn clocks_stand_still_while_a_player_is_away_and_opponents_are_notified_once() {
    let env = timed("--clock 3d");
    env.ok("new othello bob alice --clock 3d");
    env.ok(&format!("new othello alice {CAROL} --clock 3d"));
    env.ok("new othello alice bob --clock 3d --no-away");
    env.mails();
    let away = env.json("away 2026-11-23 2026-11-26 --as alice");
    assert_eq!(
        away,
        serde_json::json!({"player": "alice", "days_left": 26,
            "absences": [{"from": "2026-11-23", "to": "2026-11-26"}]})
    );
    let mails = env.mails();
    assert_eq!(mails.iter().map(|mail| &*mail.to).collect::<Vec<_>>(), [BOB, CAROL]);
    mails[0].says(
        "Your opponent alice is absent from 23 to 26 November. In your games alice's clock stands still from \
         Monday, 23 November 2026 to Thursday, 26 November 2026.",
    );
    // As an encoded word of RFC 2047: "alice is away 23-26 November" with a dash.
    assert_eq!(mails[0].message.subject(), Some("alice is away from 23 to 26 November"));
    let deadline = |game| env.game(game)["deadline"].as_str().unwrap().to_owned();
    assert_eq!(deadline(1), "2026-11-28T10:00:00Z");
    assert_eq!(deadline(2), "2026-11-24T10:00:00Z");
    assert_eq!(deadline(4), "2026-11-24T10:00:00Z");
    // This game begins during the absence.
    env.later(3 * DAY);
    env.ok("new othello alice bob --clock 3d");
    assert_eq!(deadline(5), "2026-11-30T00:00:00Z");
    // Without the absence, reminders of game 1 would be due.
    env.mails();
    env.ok("send");
    assert!(env.mails().iter().all(|mail| mail.to != ALICE || !mail.text.contains("Game 1:")));
    env.ok("away off --as alice");
    assert_eq!(deadline(5), "2026-11-27T10:00:00Z");
    assert_eq!(deadline(1), "2026-11-25T20:00:00Z");
    let notices: Vec<_> =
        env.mails().into_iter().filter(|it| it.text.contains("is back")).collect();
    assert_eq!(notices.len(), 2);
    let log = events(&env, 1).last().unwrap().clone();
    assert_eq!(log, "2026-11-24 10:00 b back");
}

#[test]
fn an_absence_ends_with_the_players_day() {
    let env = timed("--clock 3d");
    env.ok("set timezone America/New_York --as alice");
    env.ok("away 2026-11-22 --as alice");
    let notice = env.mail_to(BOB);
    notice.says("alice's clock stands still on Sunday, 22 November 2026.");
    // From 22 November, 05:00 UTC, one day.
    assert_eq!(env.game(1)["deadline"], "2026-11-25T10:00:00Z");
    assert!(events(&env, 1)[0].ends_with("b away 1795323600 1795410000"), "{:?}", events(&env, 1));
}

#[test]
fn an_invalid_absence_is_refused() {
    let env = timed("--clock 3d");
    for (days, why) in [
        ("2026-11-20 2026-11-25", "2026-11-20 is in the past"),
        ("2026-11-25 2026-11-24", "2026-11-24 is before 2026-11-25"),
        ("tomorrow", "is not a day; use one such as 2026-12-24"),
        ("2026-11-31", "is not a day"),
        ("2026-12-01 2026-12-31", "that makes 31 days in 2026; at most 30 are allowed"),
        ("2026-12-01 2028-12-31", "is too long; at most 30 days a year"),
        ("2028-11-20 2028-11-22", "2028-11-22 is more than two years ahead"),
        ("off", "alice is not away"),
    ] {
        let line = env.fails(1, &format!("away {days} --as alice"));
        assert!(line.contains(why), "{line}");
    }
    assert_eq!(events(&env, 1), [""; 0]);
    env.fails(2, "away 2026-12-01");
    env.ok("away 2026-12-20 2027-01-10 --as alice");
    let line = env.fails(1, "away 2027-01-10 2027-01-12 --as alice");
    assert!(
        line.contains(
            "alice is away from Sunday, 20 December 2026 to Sunday, 10 January 2027 already"
        ),
        "{line}"
    );
    // The days of each year are counted separately: 12 and 10.
    env.ok("away 2026-11-23 2026-12-10 --as alice");
    let line = env.fails(1, "away 2026-12-12 --as alice");
    assert!(line.contains("that makes 31 days in 2026"), "{line}");
    env.configure("[games]\naway_days_per_year = 31");
    env.ok("away 2026-12-12 --as alice");
    let shown = env.ok("away --as alice");
    assert!(shown.contains("alice is away on Saturday, 12 December 2026."), "{shown}");
    assert!(shown.ends_with("You can be away 0 more days in 2026.\n"), "{shown}");
    // 2026 has too many, which says nothing about 2027.
    env.configure("[games]\naway_days_per_year = 20");
    env.fails(1, "away 2026-12-15 --as alice");
    env.ok("away 2027-02-01 --as alice");
}

#[test]
fn an_absence_can_be_mailed() {
    let env = timed("--clock 3d");
    let mail = env.last_mail_to(ALICE);
    assert_eq!(env.receive(&mail.reply("away 2026-12-24 2026-12-31")), "done");
    assert_eq!(env.count("bob notice"), 1);
    let reply = env.last_mail_to(ALICE).text;
    assert!(reply.contains("alice is away from Thursday, 24 December 2026"), "{reply}");
    assert_eq!(env.receive(&mail.reply("away off")), "done");
    assert_eq!(events(&env, 1).len(), 2);
}

#[test]
fn off_ends_the_present_absence_and_else_cancels_the_next_one() {
    let env = timed("--clock 3d");
    env.ok("away 2026-11-21 2026-11-22 --as alice");
    env.ok("away 2026-12-01 2026-12-02 --as alice");
    env.later(HOUR);
    let days = |env: &TestEnvironment| {
        let away = env.json("away --as alice");
        let absences = away["absences"].as_array().unwrap().iter();
        absences.map(|it| it["from"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    env.mails();
    env.ok("away off --as alice");
    env.mail_to(BOB).says("Your opponent alice is back.");
    assert_eq!(days(&env), ["2026-12-01"]);
    assert_eq!(env.game(1)["deadline"], "2026-11-24T11:00:00Z");
    env.later(DAY);
    env.ok("away 2026-12-10 2026-12-11 --as alice");
    env.mails();
    env.ok("away off --as alice");
    env.mail_to(BOB).says("Your opponent alice is not absent after all.");
    assert_eq!(days(&env), ["2026-12-10"]);
    // The clock of the game stands still in the absence that is left.
    env.ok("move 1 f5 d6");
    env.later(16 * DAY);
    env.ok("extend 1 20d alice");
    let (_, away) = (env.mails(), events(&env, 1));
    assert!(away.iter().any(|event| event.ends_with("b away 1796860800 1797033600")), "{away:?}");
    env.ok("away off --as alice");
    env.fails(1, "away off --as alice");
}

#[test]
fn opponents_get_three_mails_a_day_about_absences_and_the_state_of_things_the_next_day() {
    let env = timed("--clock 3d");
    for _ in 0..4 {
        env.ok("away 2026-12-01 2026-12-02 --as alice");
        env.ok("away off --as alice");
    }
    env.ok("away 2026-12-05 --as alice");
    let told: Vec<_> = env.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(told, [BOB; 3]);
    env.later(DAY - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    let mail = env.mail_to(BOB);
    mail.says("alice's clock stands still on Saturday, 5 December 2026.");
    env.ok("send");
    env.no_mail();
}

/// Alice's days end at 15:00 UTC, and Bob's quiet hours, in which it is 10:00 now, at 21:00.
fn far_away_in_quiet_hours(absences: &[&str]) -> TestEnvironment {
    let env = timed("--clock 3d");
    env.ok("set timezone Asia/Tokyo --as alice");
    for days in absences {
        env.ok(&format!("away {days} --as alice"));
    }
    env.mails();
    env.ok("set quiet 09:00-21:00 --as bob");
    env
}

/// Returns the mails that Bob gets when his quiet hours are over.
fn after_quiet_hours(env: &TestEnvironment) -> Vec<String> {
    assert!(env.mails().iter().all(|mail| mail.to != BOB));
    env.later(11 * HOUR);
    env.ok("send");
    env.mails().into_iter().filter(|mail| mail.to == BOB).map(|mail| mail.text).collect()
}

#[test]
fn an_absence_that_is_over_when_its_mail_can_go_is_not_announced() {
    let env = far_away_in_quiet_hours(&[]);
    env.ok("away 2026-11-21 --as alice");
    assert_eq!(after_quiet_hours(&env), [""; 0]);
}

#[test]
fn a_mail_about_a_return_says_when_the_player_is_away_again_by_then() {
    let env = far_away_in_quiet_hours(&["2026-11-21", "2026-11-22"]);
    env.ok("away off --as alice");
    let mails = after_quiet_hours(&env);
    let [mail] = &mails[..] else { panic!("{mails:?}") };
    assert!(mail.contains("clock stands still on Sunday, 22 November 2026."), "{mail}");
}

#[test]
fn an_absence_is_not_announced_when_no_game_is_left_that_it_concerns() {
    let env = far_away_in_quiet_hours(&[]);
    env.ok("new othello alice bob --clock 3d --no-away");
    env.ok("away 2026-11-25 --as alice");
    env.ok("resign 1 --as alice");
    let mails = after_quiet_hours(&env);
    assert!(mails.iter().all(|mail| !mail.contains("absent")), "{mails:?}");
}
