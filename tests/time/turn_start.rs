//! When the clock of a turn starts: after the mover's grace and the quiet hours of the player to move.

use super::{DAY, HOUR, timed};
use crate::harness::{BOB, TestEnvironment, with_marks};

/// Returns the shown deadline of game 1.
fn deadline(env: &TestEnvironment) -> String {
    env.game(1)["deadline"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_clock_starts_after_the_grace_of_the_player_who_moved() {
    let env = timed("--clock 1d --flag hard");
    env.ok("set grace 24h --as alice");
    env.ok("set grace 2h --as bob");
    env.ok("move 1 f5 --as alice");
    assert_eq!(deadline(&env), "2026-11-23T10:00:00Z");
    env.ok("set grace off --as alice");
    assert_eq!(deadline(&env), "2026-11-23T10:00:00Z");
    env.later(DAY);
    env.ok("send");
    let mail = env.mail_to(BOB);
    mail.says("Your turn, bob (f5 by alice).");
    mail.says("Your time ends on Monday, 23 November 2026, 10:00 (UTC).");
    env.later(DAY - 1);
    env.ok("send");
    env.ok("move 1 d6 --as bob");
}

#[test]
fn a_clock_starts_after_quiet_hours() {
    let env = timed("--clock 13h");
    env.ok("set quiet 22:00-07:00 --as bob");
    env.ok("set grace 1h --as alice");
    env.later(11 * HOUR + 30);
    env.ok("move 1 f5 --as alice");
    assert_eq!(deadline(&env), "2026-11-22T20:00:00Z");
    let shown = env.ok("show 1");
    let start = "Clock: bob's starts on Sunday, 22 November 2026, 07:00 (UTC)";
    assert!(shown.contains(start), "{shown}");
    env.later(9 * HOUR + 30);
    let shown = env.ok("show 1");
    assert!(!shown.contains("starts on"), "{shown}");
}

#[test]
fn the_mover_is_the_player_who_moved_also_by_the_host_or_a_plan() {
    let by_host = timed("--clock 1d");
    by_host.ok("set grace 2h --as alice");
    by_host.ok("move 1 f5");
    assert_eq!(deadline(&by_host), "2026-11-22T12:00:00Z");
    let by_plan = timed("--clock 1d");
    by_plan.ok("set grace 3h --as bob");
    by_plan.ok("plan 1 f5 d6 --as bob");
    by_plan.ok("move 1 f5 --as alice");
    assert_eq!(by_plan.plies(1), 2);
    assert_eq!(deadline(&by_plan), "2026-11-22T13:00:00Z");
}

#[test]
fn the_first_turn_starts_after_quiet_hours_without_grace() {
    let env = timed("");
    for player in ["alice", "bob"] {
        env.ok(&format!("set grace 5h --as {player}"));
        env.ok(&format!("set quiet 09:00-11:00 --as {player}"));
    }
    env.ok("new othello alice bob --clock 6h");
    assert_eq!(env.game(2)["deadline"], "2026-11-21T17:00:00Z");
    // The moves that the game starts with have no author who could take them back.
    env.ok("new othello alice bob --clock 6h --moves f5");
    assert_eq!(env.game(3)["deadline"], "2026-11-21T17:00:00Z");
    env.ok("resign 2 --as alice");
    env.ok("rematch 2 --as alice");
    env.ok("accept 2 --as bob");
    assert_eq!(env.game(4)["deadline"], "2026-11-21T17:00:00Z");
}

#[test]
fn the_turn_after_an_accepted_takeback_starts_after_quiet_hours_without_grace() {
    let env = timed("--clock 1d");
    for player in ["alice", "bob"] {
        env.ok(&format!("set grace 2h --as {player}"));
    }
    env.ok("set quiet 12:00-14:00 --as alice");
    env.ok("move 1 f5 --as alice");
    env.later(2 * HOUR);
    env.ok("send");
    env.ok("takeback 1 --as alice");
    env.ok("accept 1 --as bob");
    assert_eq!(deadline(&env), "2026-11-22T14:00:00Z");
}

#[test]
fn a_turn_that_comes_back_starts_at_once() {
    let passed = timed("");
    passed.ok("new mini alice bob --clock 1d");
    passed.ok("move 2 b1 a1 c4 d4 d3 b4 a4 c1 d1");
    for player in ["alice", "bob"] {
        passed.ok(&format!("set grace 2h --as {player}"));
        passed.ok(&format!("set quiet 09:00-09:30 --as {player}"));
    }
    passed.later(23 * HOUR + 15);
    passed.ok("move 2 d2 --as bob");
    let game = passed.game(2);
    assert_eq!((&game["turn"], &game["last"]["auto"]), (&"white".into(), &true.into()));
    // A day later it is 09:15, in quiet hours.
    assert_eq!(game["deadline"], "2026-11-23T09:30:00Z");

    let taken_back = timed("--clock 1d");
    taken_back.ok("set grace 2h --as alice");
    taken_back.ok("set quiet 10:30-11:30 --as alice");
    taken_back.ok("move 1 f5 --as alice");
    taken_back.later(HOUR);
    taken_back.ok("takeback 1 --as alice");
    // The hour is alice's thinking time.
    assert_eq!(deadline(&taken_back), "2026-11-22T10:00:00Z");
}

#[test]
fn a_move_before_the_start_uses_no_time() {
    let env = timed("--clock 2d+1d");
    env.ok("set grace 5h --as alice");
    env.later(HOUR);
    env.ok("move 1 f5 --as alice");
    env.later(4 * HOUR);
    env.ok("move 1 d6 --as bob");
    let clock = &env.game(1)["clock"];
    let left = ["white_seconds", "black_seconds"].map(|key| clock[key].as_i64());
    assert_eq!(left, [Some(72 * 3600), Some(71 * 3600)]);
}

#[test]
fn grace_stops_no_clock() {
    let env = timed("--clock 1d");
    env.ok("set grace 12h --as alice");
    env.later(20 * HOUR);
    let shown = deadline(&env);
    for _ in 0..3 {
        env.ok("move 1 f5 --as alice");
        env.later(HOUR);
        env.ok("takeback 1 --as alice");
        assert_eq!(deadline(&env), shown);
    }
    env.ok("move 1 f5 --as alice");
    env.later(HOUR);
    let line = env.fails(1, "takeback 1 --as alice");
    assert_eq!(
        line,
        "outflank: no time would be left for you without f5: the time since the move counts, too; \
         the move stands"
    );
    // A request is mailed at once, and with it the move: so bob must be asked.
    env.ok("draw 1 --as alice");
    env.ok("decline 1 --as bob");
    env.mails();
    env.ok("takeback 1 --as alice");
    let mail = env.mails().pop().unwrap();
    let only_decline = "so it can only be declined: reply ‹decline› on a line of its own.";
    assert!(mail.body().replace('\n', " ").contains(only_decline), "{}", mail.body());
    let html = with_marks(&mail.html().unwrap());
    let buttons = ["accept", "decline"].map(|word| html.contains(&format!("Reply ‹{word}›")));
    assert_eq!(buttons, [false, true], "{html}");
    assert_eq!(env.receive(&mail.reply("Who are you?")), "done");
    env.mail_to(BOB).says("alice waits for your answer: reply ‹decline 1›.");
    let offer = |reader| {
        let shown = env.ok(&format!("show 1 --as {reader}"));
        shown.lines().find_map(|line| line.strip_prefix("Offer: ")).unwrap().to_owned()
    };
    let asked = "alice asks to take back 1.f5.";
    assert_eq!(
        offer("bob"),
        format!(
            "{asked} alice would have no time left without that move, so `decline 1` is the only answer"
        )
    );
    assert_eq!(offer("alice"), format!("{asked} `decline 1` withdraws it"));
    let line = env.fails(1, "draw 1 --as bob");
    assert!(line.ends_with("; answer with `outflank decline 1`"), "{line}");
    let line = env.fails(1, "accept 1 --as bob");
    assert_eq!(
        line,
        "outflank: no time would be left for alice without f5: the time since the move counts, too; \
         `outflank decline 1` declines the request"
    );
    assert_eq!(env.plies(1), 1);
}

#[test]
fn an_accepted_takeback_leaves_time_after_the_quiet_hours() {
    let env = timed("--clock 8h");
    env.ok("set quiet 20:15-08:15 --as bob");
    env.later(3 * HOUR);
    env.ok("move 1 f5 --as alice");
    // The own time ends in the quiet hours, so the deadline is at their end.
    assert_eq!(deadline(&env), "2026-11-22T08:15:00Z");
    env.later(9 * HOUR);
    env.ok("move 1 d6 --as bob");
    env.ok("takeback 1 --as bob");
    env.later(9 * HOUR);
    // That deadline would hold again, and the clock would start then.
    let line = env.fails(1, "accept 1 --as alice");
    let why =
        "no time would be left for bob without d6: the earlier deadline would pass in quiet hours";
    assert!(line.starts_with(&format!("outflank: {why};")), "{line}");
    env.ok("set quiet off --as bob");
    env.ok("accept 1 --as alice");
    assert_eq!(deadline(&env), "2026-11-22T08:15:00Z");
}

#[test]
fn what_the_player_reads_and_how_changes_no_start() {
    for setting in ["set mail digest 18:00", "set mail none", "mute 1", "set style words"] {
        let env = timed("--clock 1d");
        env.ok("set grace 1h --as alice");
        env.ok(&format!("{setting} --as bob"));
        env.ok("move 1 f5 --as alice");
        env.ok("show 1 --as bob");
        env.ok("next --as bob");
        assert_eq!(deadline(&env), "2026-11-22T11:00:00Z", "{setting}");
        env.later(HOUR);
        env.ok("send");
        assert_eq!(deadline(&env), "2026-11-22T11:00:00Z", "{setting}");
    }
}

#[test]
fn an_absence_does_not_move_a_start() {
    let env = timed("--clock 1d");
    env.ok("set grace 24h --as alice");
    env.ok("away 2026-11-21 2026-11-22 --as bob");
    env.ok("move 1 f5 --as alice");
    assert_eq!(deadline(&env), "2026-11-24T00:00:00Z");
    env.ok("away off --as bob");
    assert_eq!(deadline(&env), "2026-11-23T10:00:00Z");
}

#[test]
fn a_computer_player_has_no_grace_and_its_opponent_quiet_hours() {
    let env = timed("");
    env.ok("set quiet 09:00-12:00 --as alice");
    env.ok("set grace 5h --as alice");
    env.ok("new othello alice bot:1 --clock 6h");
    assert_eq!(env.game(2)["deadline"], "2026-11-21T18:00:00Z");
    env.ok("move 2 f5 --as alice");
    env.ok("send");
    let game = env.game(2);
    assert_eq!((&game["ply"], &game["deadline"]), (&2.into(), &"2026-11-21T18:00:00Z".into()));
    let started: i64 = env
        .sqlite()
        .query_row("SELECT count(*) FROM event WHERE turn_starts_at IS NOT NULL", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(started, 1, "only the turn of alice has a clock");
}

#[test]
fn a_game_without_a_clock_counts_from_the_start_of_a_turn() {
    let env = timed("");
    env.ok("set grace 10h --as alice");
    env.ok("move 1 f5 --as alice");
    let line = env.fails(1, "claim 1 --as alice");
    assert!(line.contains("from Wednesday, 20 January 2027, 20:00 (UTC) on"), "{line}");
}

#[test]
fn a_turn_that_begins_in_a_pause_has_the_settings_of_its_player() {
    let env = timed("--clock 10d --free-weekends");
    env.ok("set weekend none --as bob");
    env.ok("pause 1 --as alice");
    env.ok("accept 1 --as bob");
    env.later(2 * DAY + 6 * HOUR);
    env.ok("move 1 f5 --as alice");
    env.later(DAY);
    env.ok("unpause 1 --as alice");
    assert_eq!(deadline(&env), "2026-12-04T16:00:00Z");
}

/// Bob's time is used up on a Friday at 23:00, in his quiet hours, after which his clock stands still
/// until Monday.
#[test]
fn nothing_ends_a_game_between_the_end_of_a_players_time_and_the_deadline() {
    for (options, away) in [("--free-weekends", false), ("", true)] {
        for (flag, word) in
            [("hard", "note 1 x"), ("claim", "say 1 x"), ("claim", "draw 1"), ("hard", "pause 1")]
        {
            let env = timed("");
            env.later(5 * DAY);
            env.ok(&format!("new othello alice bob --clock 15h30m --flag {flag} {options}"));
            env.ok("set quiet 22:00-07:00 --as bob");
            env.ok("resign 1 --as alice");
            env.ok("extend 2 1d");
            env.later(21 * HOUR + 30);
            env.ok("move 2 f5 --as alice");
            if away {
                env.ok("away 2026-11-28 2026-11-29 --as bob");
            }
            let expected = "2026-11-30T07:00:00Z";
            assert_eq!(env.game(2)["deadline"], expected, "{options} {flag}");
            env.later(28 * HOUR);
            env.ok(&format!("{} --as alice", word.replace(" 1", " 2")));
            env.ok("send");
            let game = env.game(2);
            assert_eq!(game["deadline"], expected, "{options} {flag} {word}");
            assert!(game["result"].is_null() && game["clock"]["flagged"].is_null(), "{game}");
            let refused = env.fails(1, "claim 2 --as alice");
            assert!(refused.contains("bob has time until"), "{refused}");
        }
    }
}

#[test]
fn a_reminder_comes_before_quiet_hours() {
    let env = timed("--clock 14h");
    env.ok("set quiet 22:00-07:00 --as bob");
    env.ok("move 1 f5 --as alice");
    env.mails();
    // 80 % are used at 21:12, and 42 minutes are left at 23:18.
    env.later(11 * HOUR - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    env.mail_to(BOB).says("Your time ends on Sunday, 22 November 2026, 07:00 (UTC).");
    env.later(9 * HOUR);
    env.ok("send");
    assert_eq!(env.count("bob reminder"), 1);
}
