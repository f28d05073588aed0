//! Games of other sources.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{ALICE, BOB, Running, TestEnvironment};

/// The shortest game of Othello that the board ends, a resignation, a game that is not over, and the first
/// one again.
const PGN: &str = r#"[Event "Cup"]
[Date "1998.05.??"]
[Black "alice"]
[White "Zoë \"Z\""]
[Result "64-0"]

1. e6 f4 2. e3 f6 3. g5 {alice: 13 to nothing} d6 4. e7 f5 5. c5 64-0

[Black "alice"]
[White "bob"]
[Result "0-1"]

1. f5 d6 0-1

[Black "alice"]
[White "bob"]

1.f5 d6 2.c3 *

[Event "Cup"]
[Date "1998.05.??"]
[Black "alice"]
[White "Zoë \"Z\""]
[Result "64-0"]

1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5 64-0
"#;

/// Returns an environment with two players, and a file with games.
fn environment(games: &str) -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    env.ok(&format!("signup bob {BOB}"));
    fs::write(env.path("games"), games).unwrap();
    env
}

/// Returns the command that imports the file.
fn import(env: &TestEnvironment, options: &str) -> String {
    format!("import {} {options}", env.path("games").display())
}

#[test]
fn games_are_imported_once_and_broken_records_are_reported() {
    let env = environment(PGN);
    let ran = env.run(&import(&env, "--format pgn"));
    let report = "2 games imported: 1 to 2. 1 record is known already. 1 record is broken.\n";
    assert_eq!((ran.status, &*ran.stdout), (Some(0), report));
    assert_eq!(ran.stderr, "outflank: record 3, line 15: the game is not over\n");
    let again = env.run(&import(&env, "--format pgn --json"));
    let broken = json!([{ "record": 3, "line": 15, "problem": "the game is not over" }]);
    let expected =
        json!({ "imported": 0, "first": null, "last": null, "known": 3, "broken": broken });
    assert_eq!(serde_json::from_str::<Value>(&again.stdout).unwrap(), expected);
    let shown = env.ok("show 1");
    assert!(
        shown.contains("Game 1: Othello, alice (black, B) - Zoë \"Z\" (white, W)\nImported.\n")
    );
    assert!(shown.ends_with("Result: alice (black) wins 13-0.\n"), "{shown}");
    assert_eq!(
        env.ok("show 2").lines().last(),
        Some("Result: bob (white) wins: alice (black) resigned.")
    );
    let history = env.ok("history 1");
    assert!(history.contains("1998-05-01 00:00Z") && history.contains("13 to nothing"));
    assert_eq!(env.ok("export 1 --format moves"), "e6f4e3f6g5d6e7f5c5\n");
    let exported = env.ok("export 1 --format pgn");
    assert!(exported.contains("{alice: 13 to nothing}") && exported.contains("Zoë \\\"Z\\\""));
    assert_eq!(env.json("analyze 1")["moves"].as_array().unwrap().len(), 9);
    assert!(env.ok("verify").starts_with("Nothing is wrong: "));
}

#[test]
fn imported_games_are_nobodys() {
    let env = environment(PGN);
    let before = env.ok("players");
    env.run(&import(&env, "--format pgn"));
    assert_eq!(env.ok("players"), before);
    for list in ["games --finished", "games --all", "games alice --all", "games --as bob --all"] {
        assert!(env.ok(list).starts_with("No "), "{list}");
    }
    let listed = env.json("games --imported --as bob");
    let numbers = listed["games"].as_array().unwrap().iter().map(|game| game["game"].clone());
    assert_eq!(numbers.collect::<Vec<_>>(), [json!(2), json!(1)]);
    assert_eq!(listed["games"][1]["imported"], true);
    assert_eq!(env.json("show 1")["imported"], true);
    let imported =
        "game 2 was imported: it was played elsewhere and counts for nobody; see `outflank show 2`";
    let lost = "game 2 is over: bob (white) wins: alice (black) resigned";
    for (command, refusal) in [
        ("annul 2", imported),
        ("forfeit 2 alice", imported),
        ("extend 2 1d", lost),
        ("move 2 c3", lost),
        ("watch 2 --as alice", lost),
        ("rematch 2 --as alice", imported),
        ("say 2 hello --as bob", imported),
        ("note 2 hello --as bob", imported),
        ("takeback 2 --as bob", imported),
    ] {
        assert_eq!(env.fails(1, command), format!("outflank: {refusal}"), "{command}");
    }
    env.ok("send");
    assert_eq!(env.outbox(), [""; 0]);
    assert!(env.ok("verify").starts_with("Nothing is wrong: "));
}

#[test]
fn a_file_with_broken_records_only_creates_no_database() {
    let env = TestEnvironment::new();
    fs::write(env.path("games"), "f5d6\n").unwrap();
    let ran = env.run(&import(&env, "--format moves"));
    assert_eq!(ran.stdout, "No game imported. 1 record is broken.\n");
    assert!(!env.database().exists());
}

#[test]
fn with_strict_a_broken_record_refuses_all() {
    let env = environment(PGN);
    let ran = env.run(&import(&env, "--format pgn --strict"));
    let expected = "outflank: record 3, line 15: the game is not over
outflank: nothing was imported, because 1 of 4 records are broken; correct them, or leave out --strict to import the others\n";
    assert_eq!((ran.status, &*ran.stderr), (Some(1), expected));
    assert_eq!(env.ok("games --imported"), "No imported games.\n");
    let wrong = env.fails(1, &import(&env, "--format json"));
    let expected = "the first line is not {\"format\":\"outflank-games\",\"version\":1}";
    assert!(wrong.contains(expected), "{wrong}");
    let wrong = env.fails(2, &import(&env, "--format pgn --players WTHOR.JOU"));
    assert!(wrong.contains("--players names the players of a WTHOR file"), "{wrong}");
}

#[test]
fn games_come_from_standard_input_and_other_clubs() {
    let env = environment("");
    let moves = env.command("import - --format moves --black Ann --white Bo");
    let ran =
        Running::start_with_input(moves, b"\xef\xbb\xbfe6f4 e3f6 g5d6 e7f5c5\r\n\r\nf5d6").finish();
    assert_eq!(ran.stdout, "1 game imported: 1. 1 record is broken.\n", "{ran:?}");
    assert_eq!(ran.stderr, "outflank: record 2, line 3: the game is not over\n");
    env.ok("new twente alice bob --size 6x5 --misere --clock 3d --moves b2");
    env.ok("say 2 'so early' --as bob");
    env.later(90);
    env.ok("resign 2 --as bob");
    env.ok("new oddthello alice bob");
    let there = environment(&env.ok("export 1 2 3 --format json"));
    let ran = there.run(&import(&there, "--format json"));
    assert_eq!(ran.stdout, "2 games imported: 1 to 2. 1 record is broken.\n", "{ran:?}");
    assert_eq!(there.ok("history 2"), env.ok("history 2"));
    let cut = |shown: String| shown.replace("\nImported.", "");
    assert_eq!(cut(there.ok("show 2")), cut(env.ok("show 2")));
    assert!(there.ok("verify").starts_with("Nothing is wrong: "));
}

#[test]
fn names_can_be_in_latin_1() {
    let env = environment("");
    fs::write(env.path("games"), b"[Black \"Zo\xeb\"]\n\n1. f5 d6 1-0\n").unwrap();
    env.ok(&import(&env, "--format pgn"));
    assert_eq!(env.json("show 1")["black"]["player"], "Zoë");
}

#[test]
fn ggf_games_on_two_boards_or_with_komi_are_refused() {
    let game = |kind: &str| {
        let board = "8 ---------------------------O*------*O--------------------------- *";
        format!(
            "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RE[-64.000:r]\
             TI[15:00//02:00]TY[{kind}]BO[{board}]B[d3//0.01]W[c5//10];)\n"
        )
    };
    let env = environment(&["8", "s8r20", "8k", "8!"].map(game).concat());
    let ran = env.run(&import(&env, "--format ggf"));
    assert_eq!(ran.stdout, "1 game imported: 1. 3 records are broken.\n", "{ran:?}");
    let refused = |record, kind: &str, what| {
        let record = format!("outflank: record {record}, line {record}");
        format!("{record}: \"{kind}\" is a game {what}, which cannot be imported\n")
    };
    let expected = [
        refused(2, "s8r20", "on two boards"),
        refused(3, "8k", "with komi"),
        refused(4, "8!", "of an unknown type"),
    ];
    assert_eq!(ran.stderr, expected.concat());
    let history = env.json("history 1");
    assert_eq!(history["moves"][1]["at"], "2003-12-15T13:24:13Z");
}
