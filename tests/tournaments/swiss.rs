//! Swiss tournaments.

use serde_json::{Value, json};

use super::{games, join, model};
use crate::harness::{Mail, TestEnvironment};

const NAMES: [&str; 5] = ["ann", "bob", "cleo", "dan", "eva"];

/// Returns an environment with five players. Ann has the highest rating, bob the lowest.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new();
    for name in NAMES {
        env.ok(&format!("signup {name} {name}@example.org"));
    }
    env.ok("new mini ann bob --rated");
    for _ in 0..6 {
        env.ok(&format!("move 1 {}", env.legal(1)));
    }
    env.ok("resign 1 --as bob");
    env.mails();
    env
}

/// Lets a player win each game that is under way.
fn lose_to(env: &TestEnvironment, name: &str, winners: &[&str]) {
    for game in
        games(env, name).iter().filter(|it| it["game"].is_number() && it["result"].is_null())
    {
        let [black, white] = ["black", "white"].map(|side| game[side].as_str().unwrap());
        let loser = if winners.contains(&black) { white } else { black };
        env.ok(&format!("resign {} --as {loser}", game["game"]));
    }
}

fn row(env: &TestEnvironment, name: &str, player: &str) -> Value {
    let shown = env.json(&format!("tournament {name}"));
    let rows = shown["players"].as_array().unwrap();
    rows.iter().find(|row| row["player"] == player).unwrap().clone()
}

#[test]
fn a_swiss_is_paired_round_by_round() {
    let env = club();
    let made = env.json("tournament new cup mini --format swiss");
    assert_eq!((&made["clock"], &made["absences"]), (&json!("total=20d"), &json!(false)));
    join(&env, &NAMES, "cup");
    env.ok("tournament start cup");
    let shown = env.json("tournament cup");
    assert_eq!(shown["rounds"], 4, "one more than a knockout of five players needs");
    assert_eq!(row(&env, "cup", "bob")["bye"], 1, "the lowest rating has the bye");
    assert_eq!(row(&env, "cup", "bob")["points"], 0.0, "it counts when the round is over");
    let started = env.mails();
    assert_eq!(started.len(), 5);
    let of = |mails: &[Mail], name: &str| {
        let to = format!("{name}@example.org");
        let is_own = |mail: &&Mail| mail.to == to && mail.header("Subject").contains("tournament");
        mails.iter().find(is_own).unwrap().clone()
    };
    insta::assert_snapshot!("swiss_started", of(&started, "ann").text);
    of(&started, "bob")
        .says("In round 1 you have no opponent. That counts as a win without a game.");
    env.ok("send");
    assert!(env.ok("show 2").contains("\nTournament: cup, round 1\n"));
    lose_to(&env, "cup", &["ann", "cleo"]);
    env.mails();
    env.ok("send");
    assert_eq!(row(&env, "cup", "bob")["points"], 1.0);
    let paired = env.mails();
    insta::assert_snapshot!("swiss_round", of(&paired, "ann").text);
    insta::assert_snapshot!("swiss_table", env.ok("tournament cup"));
    for round in 3..=4 {
        lose_to(&env, "cup", &["ann", "cleo"]);
        env.ok("send");
        assert_eq!(
            games(&env, "cup").iter().map(|it| it["round"].as_i64()).max().flatten(),
            Some(round)
        );
    }
    assert!(env.fails(1, "join cup --as ann").contains("cup is running; nobody can join it"));
    lose_to(&env, "cup", &["ann", "cleo"]);
    env.mails();
    env.ok("send");
    assert_eq!(env.json("tournament cup")["state"], "finished");
    let ended = of(&env.mails(), "ann");
    assert_eq!(ended.header("Subject"), "The tournament cup is over");
    model::check(&env.sqlite(), &env.json("tournament cup"));
    assert!(env.ok("player ann").contains("Titles: cup"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn one_who_withdraws_is_not_paired_again_and_keeps_the_results() {
    let env = club();
    env.ok("tournament new cup mini --format swiss --rounds 3 --clock 3d");
    assert_eq!(env.json("tournament cup")["absences"], true, "the host has given a clock");
    join(&env, &NAMES, "cup");
    env.ok("tournament start cup");
    env.ok("send");
    // Bob has a bye, but there are more rounds.
    assert!(env.ok("withdraw cup --as bob").contains("You have withdrawn from cup."));
    let opponent = games(&env, "cup")[0]["white"].as_str().unwrap().to_owned();
    let said = env.ok(&format!("withdraw cup --as {opponent}"));
    assert!(said.contains("Resigned: game"), "{said}");
    lose_to(&env, "cup", &[]);
    env.ok("send");
    assert_eq!(row(&env, "cup", "bob")["points"], 1.0);
    assert!(row(&env, "cup", &opponent)["place"].is_number(), "results stay");
    let second = games(&env, "cup").into_iter().filter(|it| it["round"] == 2);
    assert!(second.clone().all(|it| ![&it["black"], &it["white"]].contains(&&json!("bob"))));
    assert_eq!(second.count(), 1);
    // Three are left, of whom one has a bye in each round until no two can meet.
    for _ in 0..4 {
        lose_to(&env, "cup", &[]);
        env.ok("send");
    }
    assert_eq!(env.json("tournament cup")["state"], "finished");
    model::check(&env.sqlite(), &env.json("tournament cup"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn a_swiss_without_another_pairing_ends() {
    let env = club();
    env.ok("tournament new cup mini --format swiss --rounds 4");
    join(&env, &NAMES, "cup");
    env.ok("tournament start cup");
    env.ok("send");
    for name in ["ann", "bob", "cleo"] {
        env.ok(&format!("withdraw cup --as {name}"));
    }
    for _ in 0..3 {
        lose_to(&env, "cup", &[]);
        env.ok("send");
    }
    let rounds = games(&env, "cup").iter().filter_map(|it| it["round"].as_i64()).max();
    assert!(rounds < Some(4), "{rounds:?}");
    assert_eq!(env.json("tournament cup")["state"], "finished");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn options_belong_to_their_format() {
    let env = club();
    for (words, why) in [
        ("--format swiss --double", "a Swiss tournament has no --double"),
        ("--format league --double", "a league has no --double"),
        ("--rounds 3", "a round robin has no --rounds"),
        ("--move 3", "a round robin has no --move"),
        ("--format swiss --divisions-of 8", "a Swiss tournament has no --divisions-of"),
        ("--format swiss --rounds 12", "a Swiss tournament has 1 to 11 rounds"),
        ("--format swiss --rounds 0", "a Swiss tournament has 1 to 11 rounds"),
        ("--format swiss --places 65", "a Swiss tournament has 3 to 64 players"),
        ("--format league --divisions-of 5", "a division has 6 to 12 players"),
        ("--format league --move 3", "in divisions of 8, 1 to 2 players move up and down"),
    ] {
        let line = env.fails(1, &format!("tournament new cup mini {words}"));
        assert!(line.contains(why), "{words}: {line}");
    }
    env.ok("tournament new cup mini --format league --divisions-of 12 --move 4");
}
