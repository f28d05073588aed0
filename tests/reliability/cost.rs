//! Commands with many games and players.

use std::process::Command;

use serde_json::Value;

use crate::harness::{ALICE, BOB, PROGRAM, TestEnvironment, run, run_with_input};

/// Returns an environment with two players and `games` games, a third of them active.
fn many_games(games: u32) -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    env.ok(&format!("signup a-player-with-a-long-name {BOB}"));
    env.ok("new othello alice a-player-with-a-long-name --moves f5");
    let fill = format!(
        "INSERT INTO game (id, variant, board_rows, board_columns, misere, anywhere, black, white,
             thread, created_at, ply, turn, to_move, to_wait, since, black_discs, white_discs,
             winner, reason)
         WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {games})
         SELECT i, 'othello', 8, 8, 0, 0, 1, 2, 'game-' || i, i, 1, iif(i % 3, NULL, 'white'),
             iif(i % 3, NULL, 2), iif(i % 3, NULL, 1), i * 7919 % 1000000, 4, 1,
             iif(i % 3, iif(i < 1000, 'black', 'white'), NULL), iif(i % 3, 'discs', NULL) FROM n"
    );
    env.sqlite().execute_batch(&fill).unwrap();
    env
}

#[test]
fn a_long_list_is_complete_and_aligned() {
    let games = 1700;
    let env = many_games(games);
    let printed = env.ok("games --all");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 1 + games as usize, "one line of titles");
    // The columns move to the right for a longer entry, and never back.
    let column = |line: &&str| line.find("4-1").unwrap();
    assert!(lines[1..].iter().map(column).is_sorted());
    assert_eq!(column(&lines[1]), column(&lines[500]));

    let json = env.ok("--json games --all");
    let parsed: Value = serde_json::from_str(&json).unwrap();
    let listed = parsed["games"].as_array().unwrap();
    let mut ids: Vec<_> = listed.iter().map(|game| game["game"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1..=u64::from(games)));
    let states: Vec<_> = listed.iter().map(|game| game["status"].as_str().unwrap()).collect();
    assert!(states.is_sorted(), "active games first");
    // The parts of the list are joined correctly.
    let active = env.ok("--json games");
    let finished = env.ok("--json games --finished");
    let elements = |json: &str| {
        let json = json.strip_prefix("{\"games\":[").unwrap();
        json.strip_suffix("]}\n").unwrap().to_owned()
    };
    assert_eq!(elements(&json), format!("{},{}", elements(&active), elements(&finished)));
}

#[test]
fn a_list_is_printed_while_it_is_read() {
    let env = many_games(100_000);
    let list = run(with_little_memory(&env, "--json games --all")).json();
    assert_eq!(list["games"].as_array().unwrap().len(), 100_000);
}

#[test]
fn a_list_for_a_mail_is_read_only_up_to_the_limit_of_a_reply() {
    let env = many_games(100_000);
    let question = env.mails_to(ALICE)[0].reply("games --all");
    let mut receive = with_little_memory(&env, "receive \"$@\"");
    receive.args([&question.recipient, ALICE, ""]);
    run_with_input(receive, &question.bytes()).silent(0);
    let reply = env.last_mail_to(ALICE).text;
    assert!(reply.contains("The rest of this reply was too long for a mail."), "{reply}");
}

/// Returns a command with too little memory for a list of many games.
fn with_little_memory(env: &TestEnvironment, words: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v 100000 && exec \"$0\" {words}");
    env.seal(&mut command).args(["-c", &script, PROGRAM]);
    command
}

#[test]
fn a_name_is_suggested_among_many() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    env.sqlite()
        .execute_batch(
            "INSERT INTO player (name, address, secret, created_at)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             SELECT 'player' || i, i || '@example.net', x'00', 0 FROM n",
        )
        .unwrap();
    for (written, meant) in [("aliec", "alice"), ("Alise", "alice"), ("player4999x", "player4999")]
    {
        let line = env.fails(1, &format!("games {written}"));
        assert!(line.ends_with(&format!("did you mean {meant}?")), "{line}");
    }
}
