//! `analyze`: its table, its storage, and its mails.

use std::process::Command;

use serde_json::{Value, json};

use super::waiting;
use crate::harness::{ALICE, BOB, CAROL, PROGRAM, TestEnvironment, run, skipped};

/// The moves of a game on 4x4, which White wins by eight.
const MINI: &str = "b1a1c4d4d3b4a4c1d1d2a3a2";

fn finished() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok(&format!("new mini {ALICE} {BOB} --moves {MINI}"));
    env.mails();
    env
}

#[test]
fn each_move_is_compared_with_the_best_one() {
    let env = finished();
    let analysis = env.json("analyze 1");
    let moves = analysis["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 13);
    let history = env.json("history 1");
    for (it, made) in moves.iter().zip(history["moves"].as_array().unwrap()) {
        assert_eq!(
            (&it["ply"], &it["by"], &it["move"]),
            (&made["ply"], &made["by"], &made["move"])
        );
        let number = |key: &str| it[key].as_i64().unwrap();
        assert_eq!(number("loss"), (number("best_value") - number("value")).max(0), "{it}");
        assert_eq!(it["loss"] == 0, it["best"] == it["move"], "{it}");
    }
    // 4x4 is solved from the start: White wins by eight, as in this game.
    assert!(moves.iter().all(|it| it["exact"] == true), "{analysis}");
    assert_eq!((&moves[0]["best_value"], &moves[0]["value"]), (&json!(-8), &json!(-8)));
    assert_eq!(moves[12]["value"], json!(-8), "Black made the last move");
    for player in ["black", "white"] {
        let accuracy = analysis["accuracy"][player].as_f64().unwrap();
        assert!((0.0..=100.0).contains(&accuracy), "{analysis}");
    }
}

#[test]
fn the_last_moves_on_8x8_are_proved() {
    let env = TestEnvironment::new();
    let position = "(b -wb-bbbb -wb-bbb- wwbbbbb- wwbwbbb- wwwwwbww bwwwbbbb -wwwwbbb --bbbbbb)";
    let moves = "a1d2a2h3h4d1a7h2b8a8";
    env.ok(&format!("new othello {ALICE} {BOB} --position \"{position}\" --moves {moves}"));
    let analysis = env.json("analyze 1");
    let plies = analysis["moves"].as_array().unwrap();
    assert_eq!(plies.len(), 11);
    assert!(plies.iter().all(|it| it["exact"] == true), "{analysis}");
    assert_eq!((&plies[10]["by"], &plies[10]["value"]), (&json!("black"), &json!(44 - 20)));
    // The value after a move is the value before the next one, for the other player.
    for pair in plies.windows(2) {
        let sign = if pair[0]["by"] == pair[1]["by"] { 1 } else { -1 };
        let before = pair[1]["best_value"].as_i64().unwrap();
        assert_eq!(pair[0]["value"].as_i64(), Some(sign * before), "{analysis}");
    }
}

#[test]
fn the_text_has_a_table_a_plot_and_the_turning_point() {
    let env = finished();
    let text = env.ok("analyze 1");
    assert!(text.starts_with(" #  By             Played  Score  Loss  Better  Depth\n"), "{text}");
    assert!(
        text.contains("\nBy how many discs alice (black) can expect to win:\n\n  +14 \u{2502}"),
        "{text}"
    );
    assert!(text.contains("\u{2022}"), "{text}");
    assert!(text.contains("Accuracy: alice (black) "), "{text}");
    assert!(text.contains("All values are proved."), "{text}");
    let costly = "3. c4 by alice (black) gave up the corner d4 and cost 6 discs.\nBetter was 3.a2, then 4.c1 5.d4";
    assert!(text.contains(costly), "{text}");
    let ascii = env.ok("--ascii analyze 1");
    assert!(ascii.is_ascii() && ascii.contains("    0 |-"), "{ascii}");
}

#[test]
fn the_turning_point_is_named() {
    let env = TestEnvironment::new();
    // The first game makes the first legal moves, the next one the second ones, and so on.
    for place in 0..4 {
        env.ok(&format!("new mini {ALICE} {BOB}"));
        let game = place + 1;
        while env.game(game)["turn"] != Value::Null {
            let legal = env.game(game)["legal"].clone();
            let legal = legal.as_array().unwrap();
            let mv = legal[place as usize % legal.len()].as_str().unwrap();
            env.ok(&format!("move {game} {mv}"));
        }
        let (analysis, text) =
            (env.json(&format!("analyze {game}")), env.ok(&format!("analyze {game}")));
        let Some(turned) = analysis["turned"].as_u64() else {
            assert!(text.contains("No single move turned the game."), "{text}");
            continue;
        };
        let it = &analysis["moves"][turned as usize - 1];
        let (mv, best) = (it["move"].as_str().unwrap(), it["best"].as_str().unwrap());
        assert!(text.contains(&format!("The game turned with {turned}. {mv} by ")), "{text}");
        assert!(text.contains(&format!("Better was {turned}.{best}")), "{text}");
        assert_eq!(it["line"][0], best);
        assert!(it["loss"].as_i64().unwrap() > 0);
        // The board at that moment.
        let (_, board) = text.split_once(&format!("Before move {turned}, ")).unwrap();
        let shown = env.ok(&format!("show {game}#{}", turned - 1));
        let figure = shown.split("\n\n").find(|part| part.starts_with('+')).unwrap();
        assert!(board.contains(figure), "{text}");
    }
}

#[test]
fn a_game_without_moves_has_nothing_to_compare() {
    let env = TestEnvironment::new().with_game();
    env.ok("resign 1 --as alice");
    assert_eq!(env.json("analyze 1")["moves"], json!([]));
    assert_eq!(env.ok("analyze 1"), "Game 1 has no moves to analyze.\n");
}

#[test]
fn a_line_on_a_terminal_counts_moves_and_positions() {
    if Command::new("script").arg("--version").output().is_err() {
        return skipped("a_line_on_a_terminal_counts_moves_and_positions", "there is no script");
    }
    let env = finished();
    for (words, expected) in [
        ("verify", "] 0 of 1 games checked"),
        ("analyze 1", "[                    ] 0 of 13 moves of game 1 analyzed"),
        ("solve mini", "] 0 of 4 moves solved, 0.0 million of about 10^4 positions"),
    ] {
        let mut command = Command::new("script");
        env.seal(&mut command).args(["-qec", &format!("{PROGRAM} {words}"), "/dev/null"]);
        command.env("TERM", "xterm").env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
        let shown = run(command).stdout;
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn an_analysis_is_computed_once() {
    let env = finished();
    let first = env.json("analyze 1 --depth 1");
    let at = |env: &TestEnvironment| -> i64 {
        env.sqlite().query_row("SELECT created_at FROM analysis", [], |row| row.get(0)).unwrap()
    };
    let stored = at(&env);
    env.later(10);
    assert_eq!(env.json("analyze 1"), first, "it was stored");
    assert_eq!(env.json("analyse 1 --as alice"), first);
    assert_eq!(at(&env), stored);
    let again = env.json("analyze 1 --time 60");
    assert_ne!(again, first, "the host asked for more");
    assert_eq!(env.json("analyze 1"), again);
}

#[test]
fn an_active_game_is_not_analyzed() {
    let env = TestEnvironment::new().with_game();
    let expected = "outflank: game 1 is not over; a game can be analyzed after its end";
    assert_eq!(env.fails(1, "analyze 1"), expected);
    assert_eq!(env.ssh("alice", "analyze 1").failed(1), expected);
    assert_eq!(waiting(&env), [""; 0]);
    assert!(env.fails(1, "analyze 7").contains("there is no game 7"));
}

#[test]
fn every_variant_is_analyzed() {
    let env = TestEnvironment::new();
    let games = [
        ("othello", "--misere --moves f5d6c3"),
        ("oddthello", "--moves A4"),
        ("othello", "--size 4x5 --anywhere --moves a1b1c1"),
        ("twente", "--position \"(b wwb- ---- ---- ----)\" --moves pass"),
    ];
    for (game, (variant, options)) in (1..).zip(games) {
        env.ok(&format!("new {variant} {ALICE} {BOB} {options}"));
        let made = env.plies(game);
        env.ok(&format!("resign {game} --as bob"));
        let analysis = env.json(&format!("analyze {game} --depth 3"));
        assert_eq!(analysis["moves"].as_array().unwrap().len() as u64, made, "{analysis}");
        env.ok(&format!("analyze {game}"));
    }
}

#[test]
fn a_game_with_takebacks_is_analyzed() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --moves f5d6"));
    env.ok("takeback 1 --as alice");
    env.ok("accept 1 --as bob");
    env.ok("move 1 d3 --as alice");
    env.ok("resign 1 --as bob");
    let analysis = env.json("analyze 1 --depth 2");
    assert_eq!(analysis["moves"].as_array().unwrap().len(), 1);
    assert_eq!(analysis["moves"][0]["move"], "d3");
}

#[test]
fn over_ssh_an_analysis_is_queued_mailed_and_then_shown() {
    let env = finished();
    let queued = env.ssh("alice", "analyze 1").ok();
    assert_eq!(queued, "Game 1 is being analyzed. You will be mailed the result.\n");
    env.ssh("bob", "analyze 1").ok();
    assert_eq!(waiting(&env), ["analysis 1 alice", "analysis 1 bob"]);
    env.ok("send");
    for address in [ALICE, BOB] {
        let mail = env.mails_to(address).pop().unwrap();
        mail.says("The analysis of game 1:").says("Accuracy: alice (black)");
        assert!(mail.text.contains("    0 |-"), "{}", mail.text);
        let html = mail.html().unwrap();
        assert!(html.contains("<pre") && html.contains("Accuracy"), "{html}");
    }
    assert_eq!(waiting(&env), [""; 0]);
    let shown = env.ssh("alice", "analyze 1").ok();
    assert!(shown.contains("Accuracy: "), "{shown}");
    assert_eq!(waiting(&env), [""; 0]);
}

#[test]
fn a_player_who_does_not_play_in_the_game_can_ask_for_its_analysis() {
    let env = finished();
    env.ok(&format!("signup carol {CAROL}"));
    env.ssh("carol", "analyze 1").ok();
    env.ok("send");
    env.mail_to(CAROL).says("The analysis of game 1:");
}

#[test]
fn the_mail_about_the_end_offers_an_analysis() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    env.ok("resign 1 --as bob");
    let over = env.mails_to(ALICE).pop().unwrap();
    over.says("Reply ‹analyze› to see where the game turned.");
    let html = over.html().unwrap();
    assert!(html.contains("Analyze the game</a>") && html.contains("body=analyze"), "{html}");
    // The reply quotes the offer, as mail programs do.
    let quoted = over.quoted();
    assert_eq!(env.receive(&over.reply(&format!("analyze\n\n{quoted}"))), "done");
    env.mails_to(ALICE).pop().unwrap().says("Game 1 is being analyzed.");
    assert_eq!(waiting(&env), ["analysis 1 alice"]);
    let sqlite = env.sqlite();
    sqlite.execute_batch("DELETE FROM job").unwrap();
}

#[test]
fn a_stopped_analysis_stores_nothing() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --moves f5d6c3d3c4f4"));
    env.ok("resign 1 --as alice");
    let running = env.start("analyze 1 --time 60");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let line = running.stop("TERM").failed(1).to_owned();
    assert!(line.contains("the analysis was stopped"), "{line}");
    let count: i64 =
        env.sqlite().query_row("SELECT count(*) FROM analysis", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 0);
}
