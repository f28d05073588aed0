//! `hint`: its list of moves, the games that allow it, and its record in the history.

use serde_json::{Value, json};

use super::waiting;
use crate::harness::{ALICE, BOB, InboundMessage, TestEnvironment, until};

/// Starts a 4x4 game of alice against a computer player; it is alice's turn.
fn against_bot() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok(&format!("new mini {ALICE} bot:1"));
    env.mails();
    env
}

fn values(hint: &Value) -> Vec<i64> {
    let moves = hint["moves"].as_array().unwrap();
    moves.iter().map(|it| it["value"].as_i64().unwrap()).collect()
}

#[test]
fn a_hint_shows_every_legal_move_the_best_first() {
    let env = against_bot();
    let hint = env.json("hint 1 --depth 4");
    assert_eq!(
        (&hint["game"], &hint["ply"], &hint["turn"]),
        (&json!(1), &json!(0), &json!("black"))
    );
    let mut moves: Vec<_> = hint["moves"].as_array().unwrap().iter().collect();
    assert!(values(&hint).is_sorted_by(|a, b| a >= b), "{hint}");
    for it in &moves {
        assert_eq!(it["line"][0], it["move"], "{it}");
        assert!(it["depth"].as_u64().unwrap() > 0 && it["exact"].is_boolean(), "{it}");
    }
    moves.sort_by_key(|it| it["move"].as_str());
    let labels: Vec<_> = moves.iter().map(|it| it["move"].clone()).collect();
    assert_eq!(json!(labels), env.game(1)["legal"]);
    let text = env.ok("hint 1 --depth 4");
    assert!(text.starts_with(
        "Game 1, move 1: the moves of alice (black). Values are discs at the end.\n\nSquare  Value  Depth  Main line"
    ));
    assert_eq!(text.lines().count(), 3 + labels.len(), "{text}");
}

#[test]
fn a_small_board_is_solved() {
    let env = against_bot();
    // White wins by eight if both play well.
    let hint = env.json("hint 1 --as alice");
    assert!(hint["moves"].as_array().unwrap().iter().all(|it| it["exact"] == true), "{hint}");
    assert_eq!(values(&hint)[0], -8, "{hint}");
}

#[test]
fn a_hint_in_a_game_against_a_computer_player_is_recorded() {
    let env = against_bot();
    env.ok("hint 1 --depth 2 --as alice");
    assert!(env.game(1)["ply"] == 0, "a hint is not a move");
    env.ok("move 1 b1 --as alice");
    env.ok("hint 1 --depth 2");
    let history = env.json("history 1");
    assert_eq!(
        history["hints"],
        json!([
            {"ply": 0, "by": "black", "at": "2026-11-21T10:00:00Z"},
            {"ply": 2, "by": "black", "at": "2026-11-21T10:00:00Z"},
        ])
    );
    let text = env.ok("history 1");
    let hints: Vec<_> = text.lines().filter(|line| line.contains(" hint ")).collect();
    assert_eq!(hints.len(), 2, "{text}");
    assert!(hints[0].trim_start().starts_with("0  alice (black)  hint"), "{text}");
    assert_eq!(text.lines().nth(1), Some(hints[0]), "it comes before the first move: {text}");
}

#[test]
fn a_hint_stays_recorded_when_moves_are_taken_back() {
    let env = against_bot();
    env.ok("move 1 b1 --as alice");
    env.ok("hint 1 --depth 2 --as alice");
    let hints = env.json("history 1")["hints"].clone();
    env.ok("takeback 1 --as alice");
    assert_eq!(env.game(1)["ply"], 0);
    assert_eq!(env.json("history 1")["hints"], hints);
    env.ok("hint 1 --depth 2 --as alice");
    assert_eq!(env.json("history 1")["hints"][1]["ply"], 0);
}

#[test]
fn an_active_game_between_people_has_no_hints() {
    let env = TestEnvironment::new().with_game();
    let refused = "outflank: game 1 between two people is not over; \
                   its moves can be evaluated after its end";
    for words in ["hint 1", "hint 1 --as alice", "hint 1#0 --as bob"] {
        assert_eq!(env.fails(1, words), refused, "{words}");
    }
    assert_eq!(env.ssh("alice", "hint 1").failed(1), refused);
    assert_eq!(env.json("history 1")["hints"], Value::Null);
    env.ok("resign 1 --as alice");
    assert_eq!(env.json("hint 1 --depth 2")["moves"].as_array().unwrap().len(), 4);
    assert_eq!(env.json("history 1")["hints"], Value::Null, "nothing is recorded after the end");
}

#[test]
fn earlier_positions_of_a_finished_game_have_hints() {
    let env = TestEnvironment::new();
    env.ok(&format!("new mini {ALICE} {BOB} --moves b1a1c4d4d3b4a4c1d1d2a3a2"));
    let refused = env.fails(1, "hint 1");
    let expected = "outflank: game 1 has no move to choose any more; \
                    for an earlier move: `outflank hint 1#12`";
    assert_eq!(refused, expected);
    assert_eq!(env.json("hint 1#4")["turn"], "black");
    // Move 11 is an automatic pass.
    assert_eq!(env.json("hint 1#10")["moves"][0]["move"], "pass");
    assert!(env.fails(1, "hint 1#99").contains("has no move #99; its last one is #"));
}

#[test]
fn only_the_players_get_a_hint_in_an_active_game() {
    let env = against_bot();
    env.ok(&format!("signup bob {BOB}"));
    assert!(env.fails(1, "hint 1 --as bob").contains("bob does not play in game 1"));
}

#[test]
fn only_the_host_chooses_the_effort() {
    let env = against_bot();
    for options in ["--depth 3", "--time 1"] {
        let refused = env.ssh("alice", &format!("hint 1 {options}"));
        let expected = "outflank: only the host can say how long the engine thinks; \
                        leave out --depth and --time";
        assert_eq!(refused.failed(1), expected);
        assert_eq!(env.run(&format!("hint 1 {options}")).status, Some(0));
    }
    for (options, expected) in [
        ("--depth 0", "--depth takes a number from 1 to 99, not \"0\""),
        ("--depth x", "--depth takes a whole number, not \"x\""),
        ("--time 1h", "--time takes a whole number, not \"1h\""),
    ] {
        assert_eq!(env.fails(1, &format!("hint 1 {options}")), format!("outflank: {expected}"));
    }
}

#[test]
fn a_stopped_hint_shows_what_is_known() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} bot:novice"));
    let running = env.start("hint 1 --time 600");
    until("the hint is recorded", || env.json("history 1")["hints"] != Value::Null);
    let text = running.stop("INT").ok();
    assert!(text.ends_with("\nStopped. The values are what was known by then.\n"), "{text}");
    for mv in ["c4", "d3", "e6", "f5"] {
        assert!(text.contains(&format!("\n{mv} ")), "{text}");
    }
}

#[test]
fn over_ssh_a_hint_is_queued_and_mailed() {
    let env = against_bot();
    let queued = env.ssh("alice", "hint 1").ok();
    let expected = "The moves in game 1 are being evaluated. You will be mailed the result.\n";
    assert_eq!(queued, expected);
    assert_eq!(env.json("history 1")["hints"].as_array().unwrap().len(), 1);
    assert_eq!(waiting(&env), ["hint 1 alice"]);
    env.no_mail();
    env.ok("send");
    let mail = env.mail_to(ALICE);
    mail.says("The hint that you asked for:").says("Game 1, move 1: the moves of alice (black)");
    mail.says("Main line");
    assert!(mail.html().unwrap().contains("Main line"));
    assert_eq!(waiting(&env), [""; 0]);
    // A reply to the mail can be a move.
    env.receive(&mail.reply("b1"));
    assert_eq!(env.moves(1)[0], "b1");
}

#[test]
fn a_player_can_queue_two_requests() {
    let env = against_bot();
    env.ssh("alice", "hint 1").ok();
    env.ssh("alice", "hint 1").ok();
    let refused = env.ssh("alice", "hint 1");
    let expected = "outflank: 2 hints or analyses are being worked on for you; \
                    ask again when you were mailed the first";
    assert_eq!(refused.failed(1), expected);
    assert_eq!(env.json("history 1")["hints"].as_array().unwrap().len(), 2);
    env.ok("send");
    assert_eq!(env.mails().len(), 2);
    env.ssh("alice", "hint 1").ok();
}

#[test]
fn a_hint_is_asked_for_by_mail() {
    let env = against_bot();
    let started = env.mails_to(ALICE).pop().unwrap();
    assert_eq!(env.receive(&started.reply("hint")), "done");
    env.mail_to(ALICE).says("The moves in game 1 are being evaluated");
    assert_eq!(waiting(&env), ["hint 1 alice"]);
    env.ok("send");
    env.mail_to(ALICE).says("The hint that you asked for:");
    assert_eq!(env.receive(&InboundMessage::new(BOB, "hint 1")), "stranger");
}

#[test]
fn a_move_does_not_run_a_queued_hint() {
    let env = against_bot();
    env.ssh("alice", "hint 1").ok();
    env.ok("move 1 b1 --as alice");
    assert_eq!(waiting(&env), ["hint 1 alice"]);
    env.ok("send");
    // It is about the position at the time of the request.
    env.mails_to(ALICE).pop().unwrap().says("Game 1, move 1: the moves of alice (black)");
}
