//! Outages, when no `send` runs: no flag falls, and deadlines move behind the outage.

use super::{DAY, HOUR, events, timed};
use crate::harness::{ALICE, BOB, TestEnvironment};

/// Game 1: bob has until Tuesday at 10:00, and no `send` runs from Monday at 10:00 on.
fn down(options: &str) -> TestEnvironment {
    let env = timed(options);
    env.ok("move 1 f5 --as alice");
    env.later(2 * DAY);
    env.ok("send");
    env.mails();
    env
}

#[test]
fn a_deadline_in_an_outage_moves_behind_it() {
    for flag in ["hard", "claim"] {
        let env = down(&format!("--clock 3d --flag {flag}"));
        env.outage_seconds(3 * DAY * 60);
        // Nothing that happens in the outage drops the flag.
        env.ok("say 1 hello --as alice");
        let shown = env.ok("show 1");
        assert!(
            shown.contains("bob until Tuesday, 24 November 2026, 10:00 (UTC), which has passed")
        );
        let game = env.game(1);
        let clock = &game["clock"];
        assert_eq!((&clock["flagged"], &clock["running"]), (&().into(), &"white".into()));
        let line = env.fails(1, "claim 1 --as alice");
        assert!(line.contains("while the server was down, so it will be extended"), "{line}");
        env.mails();
        env.ok("send");
        let outage = "2026-11-26 10:00 h outage 1763892000";
        let since = env.now().timestamp() - 3 * DAY * 60;
        assert_eq!(
            events(&env, 1),
            ["2026-11-26 10:00 b say hello", &outage.replace("1763892000", &since.to_string())]
        );
        assert_eq!(env.game(1)["deadline"], "2026-11-27T10:00:00Z");
        let mails = env.mails();
        let [to_alice, to_bob] = &mails[..] else { panic!("{mails:#?}") };
        assert_eq!((&*to_alice.to, &*to_bob.to), (ALICE, BOB));
        to_bob.says(
            "The server was down from Monday, 23 November 2026, 10:00 (UTC) to Thursday, 26 November \
             2026, 10:00 (UTC). Your time in game 1 ran out meanwhile, so it now ends on Friday, 27 \
             November 2026, 10:00 (UTC).",
        );
        to_alice.says("bob's time in game 1 ran out meanwhile");
        // A second `send` does nothing.
        env.ok("send");
        env.no_mail();
        env.later(DAY - 1);
        env.ok("move 1 d6 --as bob");
        assert_eq!(env.game(1)["deadline"], "2026-11-30T09:59:00Z");
    }
}

#[test]
fn a_player_is_mailed_once_about_an_outage() {
    let env = down("--clock 3d");
    env.ok("new mini alice bob --clock 3d");
    env.mails();
    env.outage_seconds(4 * DAY * 60);
    env.ok("send");
    let all = env.mails();
    for address in [ALICE, BOB] {
        let mails: Vec<_> = all.iter().filter(|mail| mail.to == address).collect();
        assert_eq!(mails.len(), 1, "{mails:#?}");
        mails[0].says("The server was down from").says("time in game 1 ran out meanwhile");
        mails[0].says("time in game 2 ran out meanwhile");
    }
}

#[test]
fn the_flag_falls_when_the_time_after_an_outage_is_over() {
    let env = down("--clock 3d --flag hard");
    env.outage_seconds(3 * DAY * 60);
    env.ok("send");
    env.later(DAY);
    env.ok("send");
    assert_eq!(env.game(1)["result"]["reason"], "time");
    assert_eq!(events(&env, 1).last().unwrap(), "2026-11-27 10:00 h time-out w");
    // A game that has ended stays ended.
    env.outage_seconds(3 * DAY * 60);
    env.ok("send");
    assert_eq!(env.game(1)["status"], "finished");
}

#[test]
fn two_hours_without_send_are_no_outage() {
    let env = down("--clock 3d --flag hard");
    env.later(DAY - HOUR);
    env.outage_seconds(2 * HOUR * 60);
    env.ok("show 1");
    assert_eq!(env.game(1)["result"]["reason"], "time");
    assert_eq!(events(&env, 1), ["2026-11-24 10:00 h time-out w"]);
}

#[test]
fn without_any_send_there_is_no_outage() {
    let env = timed("--clock 3d --flag hard");
    env.outage_seconds(5 * DAY * 60);
    assert_eq!(env.game(1)["result"]["reason"], "time");
    assert_eq!(events(&env, 1), ["2026-11-24 10:00 h time-out b"]);
}

#[test]
fn a_deadline_before_or_after_an_outage_stays() {
    let env = down("--clock 3d");
    env.ok("new othello alice bob --clock 10d --moves f5");
    env.later(DAY);
    env.ok("send");
    assert_eq!(events(&env, 1), ["2026-11-24 10:00 h flag w"]);
    env.outage_seconds(3 * DAY * 60);
    env.ok("send");
    assert_eq!(events(&env, 1), ["2026-11-24 10:00 h flag w"]);
    assert_eq!(env.game(2)["deadline"], "2026-12-03T10:00:00Z");
    // The flag can still be claimed and lifted.
    env.ok("extend 1 1d");
    assert_eq!(env.game(1)["deadline"], "2026-11-28T10:00:00Z");
    env.ok("send");
    assert_eq!(events(&env, 2), [""; 0]);
}

#[test]
fn a_move_in_an_outage_counts_as_made_in_time() {
    let env = down("--clock total=3d --flag hard");
    env.outage_seconds(3 * DAY * 60);
    env.ok("move 1 d6 --as bob");
    env.ok("send");
    env.ok("move 1 c3 --as alice");
    let game = env.game(1);
    assert_eq!((&game["turn"], &game["clock"]["white_seconds"]), (&"white".into(), &86400.into()));
}

#[test]
fn the_host_extends_the_old_deadline_after_an_outage() {
    let env = down("--clock 3d --flag hard");
    env.outage_seconds(3 * DAY * 60);
    // Even before `send` ran.
    env.ok("extend all 1d");
    env.ok("send");
    assert_eq!(env.game(1)["deadline"], "2026-11-27T10:00:00Z");
    env.ok("extend 1 5d");
    assert_eq!(env.game(1)["deadline"], "2026-11-30T10:00:00Z");
}

#[test]
fn many_sends_end_an_outage_once() {
    let env = down("--clock 3d --flag hard");
    for _ in 0..60 {
        env.ok("new othello alice bob --clock 3d");
    }
    env.mails();
    env.outage_seconds(5 * DAY * 60);
    let sends = env.run_at_once(&["send".to_owned(), "send".to_owned(), "send".to_owned()]);
    sends.into_iter().for_each(|send| drop(send.ok()));
    for game in 1..=61 {
        let events = events(&env, game);
        assert_eq!(events.len(), 1, "{events:?}");
        assert!(events[0].contains("h outage"), "{events:?}");
    }
    let mails = env.mails();
    assert_eq!(mails.len(), 2, "one for each player");
    assert!(mails.iter().all(|mail| mail.text.matches("so it now").count() == 61));
}

#[test]
fn send_stores_when_it_looked_at_most_every_ten_minutes() {
    let env = timed("--clock 3d");
    let looked_at = |env: &TestEnvironment| {
        let sql = "SELECT deadlines_checked_at FROM installation";
        env.sqlite().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    env.ok("send");
    let first = looked_at(&env);
    assert_eq!(first, env.now().timestamp());
    env.outage_seconds(599);
    env.ok("send");
    assert_eq!(looked_at(&env), first);
    env.outage_seconds(1);
    env.ok("send");
    assert_eq!(looked_at(&env), first + 600);
}
