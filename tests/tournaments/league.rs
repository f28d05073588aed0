//! Leagues.

use serde_json::json;

use super::{games, join, model};
use crate::harness::TestEnvironment;

/// Returns an environment with a league of these many players in divisions of six.
fn league(players: usize) -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok("tournament new club mini --format league --divisions-of 6");
    for number in 0..players {
        env.ok(&format!("signup {0} {0}@example.org", name(number)));
        join(&env, &[&name(number)], "club");
    }
    env
}

fn name(number: usize) -> String {
    format!("p{number:02}")
}

/// Plays a season to its end: of two players, the one who comes first by name wins.
fn play(env: &TestEnvironment) {
    env.ok("send");
    while env.json("tournament club")["state"] == "running" {
        for game in games(env, "club") {
            if game["game"].is_number() && game["result"].is_null() {
                let names = ["black", "white"].map(|side| game[side].as_str().unwrap().to_owned());
                env.ok(&format!("resign {} --as {}", game["game"], names.iter().max().unwrap()));
            }
        }
        env.ok("send");
    }
}

/// Returns the players of a division in the order of the table.
fn division(env: &TestEnvironment, number: u64) -> Vec<String> {
    let shown = env.json("tournament club");
    let rows = shown["players"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["division"] == number);
    rows.map(|row| row["player"].as_str().unwrap().to_owned()).collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn two_move_up_and_two_down() {
    let env = league(10);
    env.ok("new mini p08 p09 --rated");
    for _ in 0..6 {
        env.ok(&format!("move 1 {}", env.legal(1)));
    }
    env.ok("resign 1 --as p08");
    env.mails();
    env.ok("tournament start club");
    let started = env.mails();
    assert_eq!(started.len(), 10);
    assert_eq!(started[0].header("Subject"), "Season 1 of the league club has started");
    let [first, second] = [division(&env, 1), division(&env, 2)];
    assert_eq!((first.len(), second.len()), (6, 4));
    assert_eq!((&*first[0], &*second[3]), ("p09", "p08"), "by their ratings");
    env.ok("send");
    assert!(env.ok("show 2").contains("\nTournament: club, season 1, division 1, round 1\n"));
    assert_eq!(
        env.game(2)["tournament"],
        json!({ "name": "club", "round": 1, "season": 1, "division": 1 })
    );
    env.mails();
    play(&env);
    let shown = env.json("tournament club");
    model::check(&env.sqlite(), &shown);
    let [first, second] = [sorted(first), sorted(second)];
    assert_eq!([division(&env, 1), division(&env, 2)], [first.clone(), second.clone()]);
    assert_eq!(shown["champions"], json!([{ "season": 1, "player": first[0] }]));
    let mails = env.mails();
    let over = |name: &str| {
        let to = format!("{name}@example.org");
        let own = mails.iter().find(|mail| mail.to == to && mail.text.starts_with("Season 1"));
        own.unwrap().clone()
    };
    over(&first[0]).says("You are the champion.");
    over(&first[3]).says("Your place is 4 of 6 in division 1.");
    over(&first[5]).says("You move down to division 2.");
    over(&second[1]).says("Your place is 2 of 4 in division 2. You move up to division 1.");
    over(&second[1]).says("Season 2 starts on Saturday, 28 November 2026").says("withdraw club");
    assert!(env.ok(&format!("player {}", first[0])).contains("Titles: club, season 1\n"));

    // One leaves the first division, one joins.
    let said = env.ok(&format!("withdraw club --as {}", first[1]));
    assert!(said.contains("You will not play in season 2 of club."), "{said}");
    env.ok("signup nora nora@example.org");
    let said = env.ok("join club --as nora");
    assert!(said.contains("It starts on Saturday, 28 November 2026"), "{said}");
    insta::assert_snapshot!("league_between", env.ok("tournament club --as nora"));
    env.later(7 * 24 * 60);
    env.ok("send");
    let [upper, lower] = [division(&env, 1), division(&env, 2)];
    let expected = [&first[0], &first[2], &first[3], &second[0], &second[1], &first[4]];
    assert_eq!(upper, expected.map(Clone::clone));
    let expected = [first[5].clone(), second[2].clone(), second[3].clone(), "nora".to_owned()];
    assert_eq!(lower, expected);
    assert!(env.ok("tournaments").contains("league  running"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn a_league_rests_until_there_are_three() {
    let env = league(3);
    env.ok("tournament start club");
    // One who joins during a season plays in the next one.
    env.ok("signup nora nora@example.org");
    let said = env.ok("join club --as nora");
    assert!(
        said.contains("You play in season 2, which starts a week after this one ends."),
        "{said}"
    );
    assert!(env.fails(1, "join club --as nora").contains("you have joined club already"));
    env.ok("withdraw club --as nora");
    let line = env.fails(1, "withdraw club --as nora");
    assert!(line.contains("you have not joined club"), "{line}");
    play(&env);
    env.ok("withdraw club --as p00");
    env.mails();
    env.later(7 * 24 * 60);
    env.ok("send");
    let mails = env.mails();
    assert_eq!(mails.len(), 2);
    mails[0].says("The league club rests.");
    // 28 November 2026 is a Saturday.
    let shown = env.json("tournament club");
    assert_eq!(
        (&shown["state"], &shown["starts"]),
        (&json!("open"), &json!("2026-11-30T00:00:00Z"))
    );
    env.later(2 * 24 * 60);
    env.ok("send");
    env.no_mail();
    assert_eq!(env.json("tournament club")["starts"], "2026-12-07T00:00:00Z");
    assert!(env.ok("verify").contains("Nothing is wrong"));
    env.ok("join club --as p00");
    env.later(7 * 24 * 60);
    env.ok("send");
    let shown = env.json("tournament club");
    assert_eq!((&shown["state"], &shown["season"]), (&json!("running"), &json!(2)));
    let line = env.fails(1, "tournament cancel club");
    assert!(line.contains("club is running already"), "{line}");
    play(&env);
    env.mails();
    assert!(env.ok("tournament cancel club").contains("club has ended."));
    let told = env.mails();
    assert_eq!(told.len(), 3);
    told[0].says("The league club has no more seasons.");
    assert_eq!(env.json("tournament club")["state"], "finished");
    assert_eq!(env.json("tournament club")["next"], json!([]));
    assert!(env.fails(1, "join club --as nora").contains("club is finished"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn a_reply_to_a_mail_from_before_the_season_does_not_resign() {
    let env = league(3);
    env.ok("tournament start club");
    play(&env);
    let mails = env.mails();
    let over =
        mails.iter().find(|mail| mail.text.starts_with("Season 1 of the league club is over"));
    let over = over.unwrap();
    env.later(7 * 24 * 60);
    env.ok("send");
    env.mails();
    env.receive(&over.reply("withdraw club"));
    let refused = env.mail_to(&over.to);
    refused.says("club has started since the mail that you replied to");
    assert_eq!(env.json("tournament club")["next"].as_array().unwrap().len(), 3);
    env.receive(&refused.reply("withdraw club").id("second@p.example"));
    assert_eq!(env.json("tournament club")["next"].as_array().unwrap().len(), 2);
}

#[test]
fn one_who_has_lost_the_last_game_on_time_is_out_of_the_league() {
    let env = TestEnvironment::new();
    env.ok("tournament new club mini --format league --clock 1d");
    for number in 0..3 {
        env.ok(&format!("signup {0} {0}@example.org", name(number)));
        join(&env, &[&name(number)], "club");
    }
    env.ok("tournament start club");
    env.ok("send");
    // One plays a game and resigns it, and never moves in the last one.
    let all = games(&env, "club");
    let last = all.last().unwrap();
    let absent = env.game(last["game"].as_i64().unwrap())["turn"].clone();
    let absent = last[absent.as_str().unwrap()].as_str().unwrap().to_owned();
    for game in &all[..2] {
        let sides = ["black", "white"].map(|side| game[side].as_str().unwrap());
        let loser = sides.iter().find(|it| **it == absent).unwrap_or(&sides[0]);
        env.ok(&format!("resign {} --as {loser}", game["game"]));
    }
    env.mails();
    env.later(25 * 60);
    env.ok("send");
    let shown = env.json("tournament club");
    assert_eq!(shown["state"], "open");
    assert!(!shown["next"].as_array().unwrap().contains(&json!(absent)), "{shown}");
    let told = env.mails().into_iter().find(|mail| mail.text.contains("You are out of the league"));
    assert_eq!(told.unwrap().to, format!("{absent}@example.org"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn the_mail_at_the_end_says_which_division_is_next() {
    let env = league(10);
    env.ok("tournament start club");
    env.ok("send");
    let leaver = division(&env, 2).pop().unwrap();
    env.ok(&format!("withdraw club --as {leaver}"));
    env.mails();
    play(&env);
    // Nine are one division.
    let mails = env.mails();
    let over: Vec<_> = mails.iter().filter(|it| it.text.starts_with("Season 1")).collect();
    assert_eq!(over.len(), 10);
    assert!(over.iter().all(|mail| !mail.text.contains("You move down")));
    let up = over.iter().filter(|mail| mail.text.contains("You move up to division 1.")).count();
    assert_eq!(up, 3);
}

#[test]
fn a_mail_that_waits_says_what_holds_when_it_is_sent() {
    let env = league(4);
    for (number, hours) in [(0, "09:00-21:00"), (1, "09:00-21:00")] {
        env.ok(&format!("set quiet {hours} --as {}", name(number)));
    }
    env.ok("tournament start club");
    play(&env);
    env.ok("withdraw club --as p00");
    env.mails();
    // The mail about the start is out of date; the one about the end knows who has withdrawn.
    env.later(12 * 60);
    env.ok("send");
    let mails = env.mails();
    let of = |name: &str| {
        let to = format!("{name}@example.org");
        let own = mails.iter().filter(|it| it.to == to && it.header("Subject").contains("league"));
        own.collect::<Vec<_>>()
    };
    let [over] = of("p00")[..] else { panic!("{mails:?}") };
    over.says("Season 1 of the league club is over.").says("You do not play in it unless you");
    let [over] = of("p01")[..] else { panic!("{mails:?}") };
    over.says("You play in it unless you");
}

#[test]
fn a_season_that_a_fast_clock_has_put_off_begins_in_a_week() {
    let env = league(3);
    env.ok("tournament start club");
    env.ok("send");
    env.later(10 * 24 * 60);
    play(&env);
    env.outage_seconds(-10 * 24 * 60 * 60);
    env.ok("send");
    let starts = env.json("tournament club")["starts"].as_str().unwrap().to_owned();
    assert!(*starts <= *"2026-11-28T10:00:00Z", "{starts}");
}

#[test]
fn one_who_has_withdrawn_begins_again_at_the_end() {
    let env = league(10);
    env.ok("tournament start club");
    env.ok("send");
    let first = division(&env, 1);
    let said = env.ok(&format!("withdraw club --as {}", first[0]));
    assert!(said.contains("Resigned: games"), "{said}");
    env.ok(&format!("join club --as {}", first[0]));
    play(&env);
    env.ok("tournament start club");
    assert_eq!(division(&env, 2).last(), Some(&first[0]));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}
