use super::{DAY, HOUR, events, timed};
use crate::harness::{ALICE, BOB, TestEnvironment};

/// Returns the recipients and Subjects of the new reminders.
fn reminders(env: &TestEnvironment) -> Vec<(String, String)> {
    let mails =
        env.mails().into_iter().filter(|mail| mail.header("Subject").contains(" left in game "));
    mails.map(|mail| (mail.to, mail.text)).collect()
}

#[test]
fn reminders_come_twice_in_a_turn() {
    let env = timed("--clock 5d");
    env.later(4 * DAY - 1);
    env.ok("send");
    assert_eq!(reminders(&env), []);
    env.later(1);
    env.ok("send");
    env.ok("send");
    let came = reminders(&env);
    assert_eq!(came.len(), 1, "{came:#?}");
    let (to, text) = &came[0];
    assert_eq!(to, ALICE);
    assert!(text.starts_with("1 day left in game 1 against bob.\nYour time ends on"), "{text}");
    assert!(text.contains("10:00 (UTC). After that bob\ncan claim the game.\n"), "{text}");
    assert!(text.contains("Reply with your move, such as c4"), "{text}");
    // 5 % of 5 days are 6 hours.
    env.later(18 * HOUR - 1);
    env.ok("send");
    assert_eq!(reminders(&env), []);
    env.later(1);
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
    env.ok("send");
    assert_eq!(reminders(&env), []);
    // The next turn has its own reminders.
    env.ok("move 1 f5 --as alice");
    env.later(4 * DAY);
    env.ok("send");
    let came = reminders(&env);
    assert_eq!((came.len(), &*came[0].0), (1, BOB));
}

#[test]
fn who_wants_no_reminders_gets_none_and_nobody_else_gets_them() {
    for (name, other) in [("alice", BOB), ("bob", ALICE)] {
        let env = timed("--clock 5d");
        env.ok("new othello bob alice --clock 5d");
        env.ok(&format!("set reminders off --as {name}"));
        env.mails();
        env.later(4 * DAY);
        env.ok("send");
        let came = reminders(&env);
        assert_eq!((came.len(), &*came[0].0), (1, other));
        assert!(!came[0].1.contains("more wait"), "{}", came[0].1);
    }
}

#[test]
fn one_mail_reminds_of_all_games_the_most_urgent_first() {
    let env = timed("--clock 10d");
    env.ok("new mini alice bob --clock 5d");
    env.ok("new othello alice bob --clock 9d");
    env.ok("new othello bob alice --clock 5d");
    env.mails();
    env.later(8 * DAY);
    env.ok("send");
    let came = reminders(&env);
    let texts: Vec<_> = came.iter().filter(|(to, _)| to == ALICE).collect();
    let [(_, text)] = texts[..] else { panic!("{came:#?}") };
    let (third, first) = (text.find("Game 3:").unwrap(), text.find("Game 1:").unwrap());
    assert!(third < first && !text.contains("Game 2:"), "{text}");
    assert!(text.contains("game 3 against bob, and 1 more waits."), "{text}");
}

/// A player without turn mails hears of a move from a reminder, of one game or of several.
#[test]
fn a_move_that_a_reminder_has_shown_is_not_taken_back_freely() {
    for games in 1..=2 {
        let env = timed("--clock 5d");
        (1..games).for_each(|_| drop(env.ok("new othello alice bob --clock 5d")));
        env.ok("set mail none --as bob");
        (1..=games).for_each(|game| drop(env.ok(&format!("move {game} f5"))));
        env.mails();
        assert!(env.ok("takeback 1 --as alice").contains("is taken back"));
        env.ok("move 1 f5");
        env.later(4 * DAY);
        env.ok("send");
        assert!(reminders(&env).iter().any(|(to, _)| to == BOB), "{games}");
        assert!(env.ok("takeback 1 --as alice").starts_with("bob was asked"), "{games}");
    }
}

#[test]
fn a_reminder_that_no_longer_matters_is_not_sent() {
    let env = timed("--clock 5d");
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['false']");
    env.later(4 * DAY);
    env.run("send");
    assert_eq!(env.count("alice reminder queued"), 1);
    env.ok("--json move 1 f5 --as alice".trim_start_matches("--json "));
    assert_eq!(env.count("alice reminder superseded"), 1);
}

#[test]
fn a_late_reminder_is_sent_once() {
    let env = timed("--clock 5d");
    env.later(5 * DAY - 1);
    env.ok("send");
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
}

/// `send` does not run between the reminder's time and the beginning of the absence.
#[test]
fn a_late_reminder_waits_for_the_end_of_an_absence() {
    let env = timed("--clock 5d");
    env.ok("away 2026-11-26 2026-11-28 --as alice");
    // The reminder is due on 25 November at 10:00.
    env.later(5 * DAY);
    env.ok("send");
    assert_eq!(reminders(&env), []);
    env.later(3 * DAY - 10 * HOUR - 1);
    env.ok("send");
    assert_eq!(reminders(&env), []);
    env.later(1);
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
}

#[test]
fn a_player_who_is_away_is_reminded_of_games_whose_clocks_run_on() {
    let env = timed("--clock 5d --no-away");
    env.ok("away 2026-11-22 2026-11-30 --as alice");
    env.later(4 * DAY);
    env.ok("send");
    let came = reminders(&env);
    assert_eq!((came.len(), &*came[0].0), (1, ALICE));
}

#[test]
fn a_game_without_a_clock_can_be_claimed_after_two_reminders() {
    let env = timed("");
    env.later(29 * DAY);
    env.ok("send");
    assert_eq!(reminders(&env), []);
    env.later(DAY);
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
    let line = env.fails(1, "claim 1 --as bob");
    assert!(line.contains("without a clock can be claimed after 60 days"), "{line}");
    assert!(line.contains("from Wednesday, 20 January 2027, 10:00 (UTC) on"), "{line}");
    // `send` does not run for a month.
    env.later(35 * DAY);
    let line = env.fails(1, "claim 1 --as bob");
    assert!(
        line.contains("alice must be reminded twice first, 7 days apart; one reminder"),
        "{line}"
    );
    env.ok("send");
    let came = reminders(&env);
    assert_eq!(came.len(), 1);
    assert!(came[0].1.contains("bob can claim the game from"), "{}", came[0].1);
    let claimed = env.json("claim 1 --as bob");
    assert_eq!(
        (&claimed["result"]["winner"], &claimed["result"]["reason"]),
        (&"white".into(), &"claimed".into())
    );
}

#[test]
fn a_reminder_without_a_clock_comes_before_quiet_hours() {
    let env = timed("");
    env.ok("set timezone Europe/Amsterdam --as bob");
    env.ok("set quiet 22:00-07:00 --as bob");
    // The 10th of March, 21:30 in Amsterdam, before the clocks change.
    env.later(109 * DAY + 21 * HOUR / 2);
    env.ok("move 1 f5");
    env.mails();
    // The reminder would be due 30 days later, at 22:30, so it comes at 21:00.
    env.later(30 * DAY - 3 * HOUR / 2 - 1);
    env.ok("send");
    assert_eq!(reminders(&env), []);
    env.later(1);
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
}

#[test]
fn the_opponent_is_told_when_a_game_without_a_clock_can_be_claimed() {
    let env = timed("");
    for days in [30, 23] {
        env.later(days * DAY);
        env.ok("send");
        assert_eq!(reminders(&env).len(), 1);
    }
    env.later(7 * DAY - 1);
    env.ok("send");
    env.no_mail();
    assert_eq!(env.json("games")["games"][0]["claimant"], serde_json::Value::Null);
    env.later(1);
    env.ok("send");
    let mail = env.mail_to(BOB);
    mail.says("alice has not moved for 60 days, so you can claim the game.");
    mail.says("Reply ‹claim› to win the game.");
    env.ok("send");
    env.no_mail();
    assert_eq!(env.json("games")["games"][0]["claimant"], "white");
    env.ok("move 1 f5");
    env.mails();
    assert_eq!(env.json("games")["games"][0]["claimant"], serde_json::Value::Null);
}

#[test]
fn a_claim_that_is_no_longer_possible_is_not_announced() {
    let env = timed("");
    for days in [30, 23] {
        env.later(days * DAY);
        env.ok("send");
    }
    env.ok("set quiet 09:00-21:00 --as bob");
    env.later(7 * DAY);
    env.ok("send");
    assert_eq!(env.count("bob notice queued"), 1);
    env.ok("move 1 f5");
    env.mails();
    env.later(12 * HOUR);
    env.ok("send");
    env.mail_to(BOB).says("Your turn, bob");
    assert_eq!(env.count("bob notice superseded"), 1);
}

#[test]
fn a_late_reminder_names_no_day_that_is_over() {
    let env = timed("");
    env.later(70 * DAY);
    env.ok("send");
    let came = reminders(&env);
    let day = "from Saturday, 6 February 2027, 10:00 (UTC) on.";
    assert!(came[0].1.replace('\n', " ").contains(day), "{}", came[0].1);
    env.fails(1, "claim 1 --as bob");
    env.later(7 * DAY);
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
    env.ok("claim 1 --as bob");
}

#[test]
fn a_reminder_that_was_not_delivered_allows_no_claim() {
    let env = timed("");
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['false']");
    env.later(30 * DAY);
    env.run("send");
    env.later(31 * DAY);
    env.run("send");
    assert_eq!(env.count("alice reminder"), 1, "{:?}", env.outbox());
    let line = env.fails(1, "claim 1 --as bob");
    assert!(line.contains("no reminder was delivered so far"), "{line}");
    // The first reminder is delivered, and the second one a week later.
    env.configure("");
    env.ok("mail retry 3");
    env.later(6 * DAY);
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
    env.later(DAY);
    env.ok("send");
    assert_eq!(reminders(&env).len(), 1);
    env.ok("claim 1 --as bob");
}

#[test]
fn everything_happens_once_in_twenty_processes() {
    let env = timed("--clock 5d");
    for _ in 0..20 {
        env.ok("new othello alice bob --clock 5d");
        env.ok("new othello bob alice --clock 5d --flag hard");
    }
    env.mails();
    env.later(4 * DAY);
    env.run_at_once(&vec!["send".to_owned(); 20]).into_iter().for_each(|run| {
        run.ok();
    });
    let came = reminders(&env);
    let to = |address: &str| came.iter().filter(|(to, _)| to == address).count();
    assert_eq!((to(ALICE), to(BOB)), (1, 1), "{came:#?}");
    let listed = |text: &str| (1..=41).filter(|id| text.contains(&format!("Game {id}:"))).count();
    assert_eq!(came.iter().map(|(_, text)| listed(text)).sum::<usize>(), 41);
    env.later(DAY + 1);
    env.run_at_once(&vec!["send".to_owned(); 20]).into_iter().for_each(|run| {
        run.ok();
    });
    for game in 1..=41 {
        let flag = if game > 1 && game % 2 == 1 { "h time-out b" } else { "h flag b" };
        assert_eq!(events(&env, game), [format!("2026-11-26 10:00 {flag}")], "{game}");
    }
    for name in ["alice", "bob"] {
        assert_eq!(env.count(&format!("{name} flagged sent")), 21);
        assert_eq!(env.count(&format!("{name} over sent")), 20);
        assert_eq!(env.count(&format!("{name} reminder sent")), 1);
    }
}

#[test]
fn more_frequent_housekeeping_gives_the_same_events() {
    let play = |steps: i64| {
        let env = timed("--clock 2d --free-weekends");
        env.ok("set quiet 22:00-09:00 --as bob");
        for _ in 0..3 {
            for _ in 0..steps {
                env.later(5 * DAY / steps);
                env.ok("send");
            }
            let legal = env.legal(1);
            env.ok(&format!("move 1 {legal}"));
        }
        events(&env, 1)
    };
    let coarse = play(1);
    assert_eq!(coarse.len(), 4, "{coarse:?}");
    assert_eq!(play(5), coarse);
    assert_eq!(play(24), coarse);
}
