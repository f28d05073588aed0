use super::{DAY, HOUR, events, timed};
use crate::harness::{ALICE, BOB};

#[test]
fn a_deadline_is_shown_and_mailed() {
    let env = timed("--clock 3d");
    env.ok("move 1 f5 --as alice");
    // Only the player to move is mailed the deadline.
    let mail = env.mail_to(BOB);
    mail.says("Your time ends on Tuesday, 24 November 2026, 10:00 (UTC).");
    mail.says("Time control: 3 days for each move. You have 3 days left, alice 3 days.");
    assert!(mail.html().unwrap().contains("Your time ends on"));
    env.later(2 * DAY);
    let game = env.game(1);
    assert_eq!(game["deadline"], "2026-11-24T10:00:00Z");
    assert_eq!(game["seconds_left"], 86400);
    assert_eq!(game["clock"]["control"], "3d");
    assert_eq!(game["clock"]["white_seconds"], 86400);
    assert_eq!(game["clock"]["black_seconds"], 3 * 86400);
    assert_eq!(game["clock"]["running"], "white");
    let shown = env.ok("show 1");
    assert!(shown.contains("Time: 3 days for each move; left: alice 3 days, bob 1 day"), "{shown}");
    assert!(
        shown.contains("Deadline: bob until Tuesday, 24 November 2026, 10:00 (UTC)"),
        "{shown}"
    );
    env.ok("set timezone Europe/Amsterdam --as bob");
    let shown = env.ok("show 1");
    assert!(
        shown.contains("bob until Tuesday, 24 November 2026, 11:00 (Europe/Amsterdam)"),
        "{shown}"
    );
    let without = timed("");
    let game = without.game(1);
    assert!(["deadline", "seconds_left", "clock"].iter().all(|key| game[*key].is_null()), "{game}");
}

#[test]
fn a_malformed_time_control_is_refused() {
    let env = crate::harness::TestEnvironment::new();
    for (options, why) in [
        ("--clock 3x", "3x"),
        ("--clock 10d+1d,max=5d", "max=5d is less than the 10d at the start"),
        ("--clock 3d --flag soft", "soft"),
    ] {
        let line = env.fails(1, &format!("new othello a@example.org b@example.org {options}"));
        assert!(line.contains(why), "{line}");
    }
}

#[test]
fn a_flag_falls_at_its_deadline_and_both_players_are_mailed() {
    let env = timed("--clock 3d");
    env.ok("move 1 f5 --as alice");
    env.mails();
    env.later(3 * DAY - 1);
    assert!(env.fails(1, "claim 1 --as alice").contains("bob has time until"));
    env.later(1 + 5 * HOUR);
    env.ok("send");
    assert_eq!(events(&env, 1), ["2026-11-24 10:00 h flag w"]);
    let mails = env.mails();
    let texts: Vec<_> = mails.iter().filter(|mail| mail.text.contains("is over")).collect();
    assert_eq!(texts.len(), 2, "{mails:#?}");
    assert_eq!(texts[0].to, ALICE);
    texts[0].says("The time of bob (white) in game 1 is over.");
    texts[0].says("Reply ‹claim› to win the game.");
    texts[1].says("Your time in game 1 against alice is over.");
    let game = env.game(1);
    assert_eq!((&game["clock"]["flagged"], &game["seconds_left"]), (&"white".into(), &0.into()));
    env.ok("send");
    env.no_mail();
    let claimed = env.json("claim 1 --as alice");
    assert_eq!(claimed["result"]["reason"], "claimed");
    assert_eq!(claimed["result"]["winner"], "black");
    assert_eq!(env.mails().len(), 2);
    let line = env.fails(1, "move 1 d6 --as bob");
    assert!(line.contains("game 1 is over"), "{line}");
}

#[test]
fn a_move_before_the_claim_is_accepted_and_gets_a_normal_period() {
    let env = timed("--clock 2d+1h");
    env.later(3 * DAY);
    env.ok("move 1 f5 --as alice");
    assert_eq!(events(&env, 1), ["2026-11-23 10:00 h flag b"]);
    let game = env.game(1);
    assert_eq!(game["clock"]["black_seconds"], 86400);
    let line = env.fails(1, "claim 1 --as alice");
    assert!(line.contains("bob has time until Thursday, 26 November 2026, 10:00 (UTC)"), "{line}");
}

#[test]
fn no_claim_is_offered_after_a_late_move() {
    let env = timed("--clock 3d");
    env.ok("set quiet 20:00-08:00 --as bob");
    env.later(3 * DAY + 11 * HOUR);
    env.ok("send");
    assert_eq!(env.count("bob flagged queued"), 1);
    env.mails();
    env.ok("move 1 f5 --as alice");
    assert_eq!(env.count("bob flagged superseded"), 1);
    env.later(11 * HOUR);
    env.ok("send");
    env.mail_to(BOB).says("Your turn, bob (f5 by alice).");
    // The flag is noticed at this move.
    env.later(4 * DAY);
    env.ok("move 1 d6 --as bob");
    assert_eq!(env.mails().len(), 1);
}

#[test]
fn options_about_time_need_a_clock() {
    let env = timed("");
    for option in ["--free-weekends", "--flag hard", "--clock none --flag hard"] {
        let line = env.fails(2, &format!("new othello alice bob {option}"));
        assert!(line.contains(" needs a clock; add one, such as `--clock 3d`"), "{line}");
    }
    env.ok("new othello alice bob --no-away");
    env.ok("new othello alice bob --flag claim");
}

#[test]
fn under_the_hard_rule_the_game_is_lost() {
    let env = timed("--clock 3d --flag hard");
    env.later(4 * DAY);
    // The command at which the flag is noticed is refused, but the flag is recorded.
    let line = env.fails(1, "move 1 f5 --as alice");
    assert!(
        line.contains("game 1 is over: bob (white) wins: alice (black) ran out of time"),
        "{line}"
    );
    assert_eq!(events(&env, 1), ["2026-11-24 10:00 h time-out b"]);
    env.ok("send");
    let mails = env.mails();
    assert_eq!(mails.len(), 2, "{mails:#?}");
    mails[0].says("You lost: you ran out of time.");
    assert_eq!(env.game(1)["result"]["reason"], "time");
    let players = env.json("players");
    assert_eq!(
        (&players["players"][0]["lost"], &players["players"][1]["won"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn a_refused_command_leaves_the_flag_recorded() {
    let env = timed("--clock 3d");
    env.later(4 * DAY);
    env.fails(1, "move 1 a1 --as alice");
    assert_eq!(events(&env, 1), ["2026-11-24 10:00 h flag b"]);
}

#[test]
fn a_flag_falls_in_a_reply_and_its_mail_can_be_answered() {
    let env = timed("--clock 3d");
    env.later(4 * DAY);
    env.ok("send");
    let mails = env.mails();
    let to_bob = mails.iter().find(|mail| mail.to == BOB && mail.text.contains("is over"));
    assert_eq!(env.receive(&to_bob.unwrap().reply("claim")), "done");
    assert_eq!(env.game(1)["result"]["reason"], "claimed");
}

#[test]
fn settings_count_from_the_next_turn() {
    let env = timed("--clock 2d --free-weekends");
    // Saturday, 21 November 2026, 10:00: free until Monday.
    assert_eq!(env.game(1)["deadline"], "2026-11-25T00:00:00Z");
    env.ok("set weekend none --as alice");
    env.ok("set timezone Asia/Tokyo --as bob");
    assert_eq!(env.game(1)["deadline"], "2026-11-25T00:00:00Z");
    env.ok("move 1 f5 --as alice");
    // In Tokyo, Monday begins at 15:00 UTC.
    assert_eq!(env.game(1)["deadline"], "2026-11-24T15:00:00Z");
    env.ok("move 1 d6 --as bob");
    assert_eq!(env.game(1)["deadline"], "2026-11-23T10:00:00Z");
    assert_eq!(
        events(&env, 1),
        [
            "2026-11-21 10:00 w settings Asia/Tokyo sat,sun none",
            "2026-11-21 10:00 b settings UTC none none"
        ]
    );
}

#[test]
fn clocks_stand_still_in_a_pause() {
    let env = timed("--clock 3d");
    env.later(DAY);
    env.ok("pause 1 --as alice");
    assert_eq!(env.game(1)["seconds_left"], 2 * 86400);
    env.ok("accept 1 --as bob");
    let game = env.game(1);
    assert!(game["deadline"].is_null() && game["clock"]["running"].is_null(), "{game}");
    assert_eq!(game["clock"]["black_seconds"], 2 * 86400);
    assert!(env.ok("show 1").contains("Deadline: none while the game is paused"));
    env.mails();
    env.later(10 * DAY);
    env.ok("send");
    env.no_mail();
    assert!(env.fails(1, "claim 1 --as bob").contains("game 1 is paused"));
    env.ok("unpause 1 --as bob");
    assert_eq!(env.game(1)["deadline"], "2026-12-04T10:00:00Z");
}

#[test]
fn a_takeback_returns_no_thinking_time() {
    let env = timed("--clock 10d+1d");
    env.later(2 * DAY);
    env.ok("move 1 f5 --as alice");
    env.later(DAY);
    env.ok("move 1 d6 --as bob");
    env.later(DAY);
    env.ok("takeback 1 --as alice");
    env.later(DAY);
    env.ok("accept 1 --as bob");
    // Black has thought for 2 days and 2 more, White for 1.
    let game = env.game(1);
    let left = ["black_seconds", "white_seconds"].map(|side| game["clock"][side].as_i64().unwrap());
    assert_eq!(left, [6 * 86400, 9 * 86400]);
    assert_eq!(game["clock"]["running"], "black");
}

#[test]
fn quiet_hours_move_a_deadline() {
    let env = timed("--clock 12h");
    env.ok("set quiet 20:00-08:00 --as bob");
    env.ok("move 1 f5 --as alice");
    assert_eq!(env.game(1)["deadline"], "2026-11-22T08:00:00Z");
    env.later(21 * HOUR);
    env.ok("send");
    assert_eq!(events(&env, 1).len(), 1);
    env.later(HOUR);
    env.ok("send");
    assert_eq!(events(&env, 1)[1], "2026-11-22 08:00 h flag w");
}

#[test]
fn a_claim_needs_a_player_a_late_opponent_and_an_active_game() {
    let env = timed("--clock 3d");
    env.fails(2, "claim 1");
    let line = env.fails(1, "claim 1 --as alice");
    assert!(line.contains("it is your own turn in game 1"), "{line}");
    env.ok("resign 1 --as alice");
    let line = env.fails(1, "claim 1 --as bob");
    assert!(line.contains("game 1 is over"), "{line}");
}
