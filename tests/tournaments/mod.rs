//! Tournaments: from the command that makes one to its last table.

mod killed;
mod league;
mod model;
mod simulated;
mod swiss;

use std::cmp::Ordering;

use outflank_model::log::{Outcome, Reason};
use outflank_model::tournament::{self, Fixture, Format, Scoring, State};
use outflank_rules::{Color, Overrides, Variant};
use serde_json::{Value, json};

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, STRANGER, TestEnvironment};

const DAVE: &str = "dave@example.org";

/// Returns an environment with four players.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new();
    for (name, address) in [("alice", ALICE), ("bob", BOB), ("carol", CAROL), ("dave", DAVE)] {
        env.ok(&format!("signup {name} {address}"));
    }
    env
}

/// Lets these players join a tournament.
fn join(env: &TestEnvironment, players: &[&str], name: &str) {
    for player in players {
        env.ok(&format!("join {name} --as {player}"));
    }
}

/// Makes moves in a game to its end.
fn play_on(env: &TestEnvironment, game: i64) {
    while env.stored(game).game.turn().is_some() {
        env.ok(&format!("move {game} {}", env.legal(game)));
    }
}

fn games(env: &TestEnvironment, name: &str) -> Vec<Value> {
    let shown = env.json(&format!("tournament {name}"));
    shown["games"].as_array().unwrap().clone()
}

#[test]
fn a_round_robin_is_played_to_its_end() {
    let env = club();
    let made = env.json("tournament new spring mini --clock 3d");
    assert_eq!((&made["state"], &made["rated"]), (&json!("open"), &json!(true)));
    join(&env, &["alice", "bob", "carol", "dave"], "Spring");
    assert!(
        env.ok("tournaments").contains("spring      Mini Othello  round robin  open   4 of 16")
    );
    env.ok("tournament start spring");
    let mail = env.mails().into_iter().find(|mail| mail.to == DAVE).unwrap();
    assert_eq!(mail.header("Subject"), "The tournament spring has started");
    insta::assert_snapshot!("started", mail.text);
    assert!(games(&env, "spring").iter().all(|it| it["game"].is_null()), "`send` begins them");

    env.ok("send");
    let all = games(&env, "spring");
    assert_eq!(all.len(), 6);
    assert!(all.iter().all(|it| it["game"].is_number()), "three games each are not too many");
    let begun = env.mails().into_iter().find(|mail| mail.to == ALICE).unwrap();
    begun.says("Tournament: spring, round ");
    assert!(!begun.text.contains("abort"), "{}", begun.text);
    assert!(env.ok("show 1").contains("\nTournament: spring, round 1\n"));
    assert_eq!(env.game(1)["tournament"], json!({ "name": "spring", "round": 1 }));
    assert!(env.ok("games --as alice alice").contains("spring, round 1"));
    assert_eq!(env.game(1)["clock"]["flag"], "hard");

    for game in 1..=6 {
        play_on(&env, game);
    }
    let over = env.mails().into_iter().find(|mail| mail.text.contains("is over")).unwrap();
    assert!(!over.text.contains("rematch"), "{}", over.text);
    env.ok("send");
    let ended: Vec<_> = env.mails();
    assert_eq!(ended.len(), 4);
    let mail = ended.iter().find(|mail| mail.to == ALICE).unwrap();
    assert_eq!(mail.header("Subject"), "The tournament spring is over");
    insta::assert_snapshot!("ended", mail.text);
    insta::assert_snapshot!("table", env.ok("tournament spring"));
    model::check(&env.sqlite(), &env.json("tournament spring"));
    let own = &env.json("player alice")["tournaments"];
    assert_eq!(
        own,
        &json!([{ "tournament": "spring", "season": null, "division": null, "state": "finished",
            "place": 1, "players": 4, "withdrawn": false }])
    );
    assert_eq!(env.json("player alice")["titles"], json!(["spring"]));
    let text = env.ok("player alice");
    assert!(text.contains("spring      Mini Othello  finished  won"), "{text}");
    env.ok("send");
    env.no_mail();
    assert!(env.ok("verify").contains("Nothing is wrong"));
    assert!(
        env.fails(1, "join spring --as dave").contains("spring is finished; nobody can join it")
    );
}

#[test]
fn only_those_join_who_can_play() {
    let env = club();
    env.ok("signup ann --no-mail");
    env.ok("tournament new cup othello --places 3 --rated-between 1400-1500");
    assert!(env.fails(1, "join cup --as ann").contains("ann has no address for mails"));
    assert!(env.fails(1, "join cop --as alice").contains("there is no tournament \"cop\""));
    env.ok("new mini alice bob --rated");
    env.ok("tournament new small mini --rated-between 1600-2000");
    let line = env.fails(1, "join small --as alice");
    assert!(line.contains("small is for ratings from 1600 to 2000, and yours is 1500"), "{line}");
    join(&env, &["alice", "bob"], "cup");
    assert!(env.fails(1, "tournament start cup").contains("cup has 2 players; it needs 3"));
    env.ok("withdraw cup --as bob");
    assert!(env.fails(1, "withdraw cup --as bob").contains("you have not joined cup"));
    join(&env, &["bob"], "cup");
    assert!(env.ok("join cup --as carol").contains("It is full now and starts at once."));
    assert!(env.fails(1, "join cup --as dave").contains("cup is full"));
    env.ok("send");
    assert_eq!(env.json("tournament cup")["state"], "running");
    // Tournament games are not those that a player has chosen.
    env.ok("set challenges 2 --as alice");
    env.ok("challenge alice --as dave");
}

#[test]
fn the_host_makes_starts_and_cancels_tournaments() {
    let env = club();
    for (words, why) in [
        ("new start mini", "\"start\" is not a name"),
        ("new move mini", "\"move\" is a command"),
        ("new a-b mini --places 17", "a round robin has 3 to 16 players"),
        ("new a-b mini --starts 2026-11-21", "would start in the past"),
        ("new a-b mini --starts tomorrow", "\"tomorrow\" is not a day; use one such as 2026-12-24"),
        ("new a-b mini --clock none", "need a clock"),
        ("new a-b mini --clock 3d --flag claim", "a player out of time loses"),
        ("new a-b mini --opening balanced", "is for Othello on 8x8"),
    ] {
        let line = env.fails(1, &format!("tournament {words}"));
        assert!(line.contains(why), "{words}: {line}");
    }
    env.fails(1, "tournament new a-b mini --rated-between 5");
    env.fails(2, "tournament");
    env.ok("tournament new cup mini");
    assert!(env.fails(1, "tournament new CUP mini").contains("there is a tournament CUP already"));
    for words in ["new x mini", "start cup", "cancel cup"] {
        let line = env.fails(1, &format!("tournament {words} --as alice"));
        assert!(line.contains("only the host"), "{words}: {line}");
    }
    join(&env, &["alice"], "cup");
    env.ok("tournament cancel cup");
    env.mail_to(ALICE)
        .says("The tournament cup does not take place.")
        .says("The host has cancelled it.");
    assert!(env.fails(1, "tournament start cup").contains("cup is cancelled already"));
    assert!(env.fails(1, "withdraw cup --as alice").contains("cup is cancelled already"));
    assert!(env.ok("tournaments").contains("There are no tournaments."));
}

#[test]
fn a_start_with_too_few_players_is_put_off_twice() {
    let env = club();
    env.ok("tournament new cup mini --starts 2026-12-01");
    join(&env, &["alice", "bob"], "cup");
    env.ok("send");
    env.no_mail();
    for day in ["8 December", "15 December"] {
        env.later(10 * 24 * 60);
        env.ok("send");
        let mails = env.mails();
        assert_eq!(mails.len(), 2);
        mails[0].says("The tournament cup starts later.").says(day);
    }
    env.later(10 * 24 * 60);
    env.ok("send");
    let mails = env.mails();
    assert_eq!(mails.len(), 2);
    mails[0].says("does not take place").says("Fewer than three have joined it.");
    assert_eq!(env.json("tournament cup")["state"], "cancelled");
    env.ok("send");
    env.no_mail();

    // With three it starts on its day.
    env.ok("tournament new other mini --starts 2027-01-10");
    join(&env, &["alice", "bob", "carol"], "other");
    env.later(9 * 24 * 60);
    env.ok("send");
    assert_eq!(env.json("tournament other")["state"], "open");
    env.later(24 * 24 * 60);
    env.ok("send");
    assert_eq!(env.json("tournament other")["state"], "running");
}

#[test]
fn what_would_change_a_tournament_is_refused_in_its_games() {
    let env = club();
    env.ok("tournament new cup mini --clock 3d");
    join(&env, &["alice", "bob", "carol"], "cup");
    env.ok("tournament start cup");
    env.ok("send");
    let [black, white] =
        ["black", "white"].map(|side| env.game(1)[side]["player"].as_str().unwrap().to_owned());
    for (words, why) in [
        (format!("abort 1 --as {white}"), "no game is ended without a result"),
        (format!("pause 1 --as {white}"), "games are not paused"),
    ] {
        let line = env.fails(1, &words);
        assert!(
            line.contains("game 1 belongs to the tournament cup") && line.contains(why),
            "{line}"
        );
    }
    env.ok(&format!("set grace 30m --as {black}"));
    env.ok(&format!("move 1 {} --as {black}", env.legal(1)));
    env.ok(&format!("takeback 1 --as {black}"));
    env.ok(&format!("move 1 {} --as {black}", env.legal(1)));
    env.later(31);
    env.ok("send");
    let line = env.fails(1, &format!("takeback 1 --as {black}"));
    assert!(line.contains("moves stand once the opponent has heard of them"), "{line}");
    env.ok(&format!("draw 1 --as {black}"));
    env.ok(&format!("accept 1 --as {white}"));
    assert!(env.fails(1, &format!("rematch 1 --as {white}")).contains("there is no rematch"));
    let drawn = games(&env, "cup").into_iter().find(|it| it["game"] == 1).unwrap();
    assert_eq!(drawn["result"], "draw");
    env.ok("annul 1");
    let annulled = games(&env, "cup").into_iter().find(|it| it["game"] == 1).unwrap();
    assert_eq!(annulled["result"], "none");
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn one_who_withdraws_or_leaves_loses_the_games_of_the_tournament() {
    let env = club();
    env.ok("tournament new cup mini");
    env.ok("tournament new later mini");
    join(&env, &["alice", "bob", "carol", "dave"], "cup");
    join(&env, &["dave"], "later");
    env.ok("tournament start cup");
    env.ok("send");
    let of = |player: &str| {
        let mut all = games(&env, "cup").into_iter();
        all.find(|it| it["black"] == player || it["white"] == player).unwrap()["game"].clone()
    };
    play_on(&env, of("carol").as_i64().unwrap());
    let said = env.ok("withdraw cup --as bob");
    assert!(said.starts_with("You have withdrawn from cup. Resigned: games "), "{said}");
    assert!(env.fails(1, "withdraw cup --as bob").contains("you have withdrawn from cup already"));
    let left = env.json("leave --yes --as dave");
    assert!(!left["resigned"].as_array().unwrap().is_empty(), "{left}");
    let shown = env.json("tournament cup");
    let row = |name: &str| {
        let mut rows = shown["players"].as_array().unwrap().iter();
        rows.find(|row| row["player"] == name).unwrap().clone()
    };
    assert_eq!(
        (row("bob")["withdrawn"].clone(), row("bob")["place"].clone()),
        (json!(true), Value::Null)
    );
    assert_eq!(
        (row("dave")["withdrawn"].clone(), row("dave")["games"].clone()),
        (json!(true), json!(0))
    );
    assert_eq!(env.json("tournament later")["players"], json!([]));
    assert!(
        env.json("tournament cup")["games"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| { it["result"] != "none" || it["game"].is_null() })
    );
    for left in games(&env, "cup").into_iter().filter(|it| it["result"].is_null()) {
        play_on(&env, left["game"].as_i64().unwrap());
    }
    env.ok("send");
    assert_eq!(env.json("tournament cup")["state"], "finished");
    model::check(&env.sqlite(), &env.json("tournament cup"));
}

#[test]
fn one_whose_games_are_over_does_not_withdraw() {
    let env = club();
    env.ok("tournament new cup mini --clock 1d");
    join(&env, &["alice", "bob", "carol"], "cup");
    env.ok("tournament start cup");
    env.ok("send");
    let of_alice: Vec<_> = games(&env, "cup")
        .into_iter()
        .filter(|it| it["black"] == "alice" || it["white"] == "alice")
        .collect();
    for game in &of_alice {
        env.ok(&format!("resign {} --as alice", game["game"]));
    }
    let before = env.json("tournament cup");
    assert!(env.fails(1, "withdraw cup --as alice").contains("all your games in cup are over"));
    env.ok("leave --yes --as alice");
    assert_eq!(env.json("tournament cup"), before, "the results of the others stay as they are");
}

#[test]
fn a_tournament_goes_on_after_a_clock_that_was_ahead() {
    let env = club();
    env.ok("tournament new cup mini --clock 3d --double");
    join(&env, &["alice", "bob", "carol", "dave"], "cup");
    env.ok("tournament start cup");
    env.ok("send");
    let begun = |env: &TestEnvironment| {
        games(env, "cup").iter().filter(|it| it["game"].is_number()).count()
    };
    let before = begun(&env);
    env.later(300 * 24 * 60);
    let sql = "SELECT name FROM game JOIN player ON player.id = to_move WHERE game.id = 1";
    let name: String = env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap();
    env.run(&format!("resign 1 --as {name}"));
    env.later(-300 * 24 * 60);
    env.ok("send");
    assert!(begun(&env) > before, "{before}");
}

#[test]
fn one_who_does_not_play_is_withdrawn() {
    let env = club();
    env.ok("tournament new cup othello --clock 1d --opening balanced --double");
    join(&env, &["alice", "bob", "carol", "dave"], "cup");
    env.ok("tournament start cup");
    env.ok("send");
    let of_pair = |env: &TestEnvironment| {
        let all = games(env, "cup");
        let (one, other) = (
            &all[0],
            all.iter()
                .find(|it| it["black"] == all[0]["white"] && it["white"] == all[0]["black"])
                .unwrap(),
        );
        [one["game"].as_i64(), other["game"].as_i64()]
    };
    let [Some(one), Some(other)] = of_pair(&env) else { panic!("both have begun") };
    assert_eq!(env.moves(one), env.moves(other), "a pair has one opening");
    // Each day, all but carol move.
    for _ in 0..3 {
        for game in
            1..=env.sqlite().query_row("SELECT max(id) FROM game", [], |row| row.get(0)).unwrap()
        {
            let shown = env.game(game);
            let turn = shown["turn"].as_str().map(|turn| shown[turn]["player"].clone());
            if turn.is_some_and(|name| name != "carol") {
                env.ok(&format!("move {game} {}", env.legal(game)));
            }
        }
        env.later(23 * 60);
        env.ok("send");
    }
    let shown = env.json("tournament cup");
    let carol =
        shown["players"].as_array().unwrap().iter().find(|it| it["player"] == "carol").unwrap();
    assert_eq!(carol["withdrawn"], true);
    let told = env.mails().into_iter().filter(|mail| {
        mail.to == CAROL
            && mail.text.contains("You are out of the tournament cup after losing on time.")
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told.len(), 1, "{:?}", env.outbox());
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn a_damaged_tournament_does_not_stop_what_concerns_others() {
    let env = club();
    env.ok("tournament new cup mini");
    env.ok("tournament new other mini");
    join(&env, &["alice", "bob", "carol"], "cup");
    env.ok("tournament start cup");
    env.ok("send");
    let damaged = |sql: &str| {
        env.sqlite().execute(sql, []).unwrap();
        assert!(env.ok("player alice").contains("alice"));
        assert!(env.ok("tournaments").contains("other"));
        let verified = env.run("verify");
        assert!(verified.stdout.contains("tournament number 1: the stored "), "{verified:?}");
    };
    env.ok("resign 1 --as alice");
    damaged("UPDATE game SET reason = 'xyz' WHERE id = 1");
    damaged("UPDATE tournament SET clock = 'zz' WHERE name = 'cup'");
    env.ok("leave --yes --as alice");
}

#[test]
fn a_member_joins_by_mail_and_a_stranger_signs_up() {
    let env = club();
    env.ok("tournament new cup mini");
    env.ok("new mini alice bob");
    let mail = env.mails().into_iter().find(|mail| mail.to == ALICE).unwrap();
    assert_eq!(env.receive(&mail.reply("join cup")), "done");
    assert_eq!(env.json("tournament cup")["players"][0]["player"], "alice");
    env.mail_to(ALICE).says("You joined cup, as number 1.");
    assert_eq!(env.receive(&mail.reply("tournaments").id("second@alice.example")), "done");
    env.mail_to(ALICE).says("Mini Othello");
    env.receive(&InboundMessage::new(STRANGER, "join eve"));
    env.mail_to(STRANGER).says("signup eve");
}

#[test]
fn the_table_in_the_docs_follows_from_its_games() {
    let page = include_str!("../../docs/tournaments.md");
    let example = page.split_once("For example, four players").unwrap().1;
    let rows: Vec<Vec<_>> = example
        .lines()
        .filter(|line| {
            line.starts_with("| ") && !line.starts_with("| game") && !line.starts_with("| place")
        })
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let (games, table_rows): (Vec<&Vec<&str>>, Vec<_>) =
        rows.iter().partition(|row| row.len() == 2);
    let names = ["ann", "bob", "cleo", "dan"];
    let number = |name: &str| names.iter().position(|it| *it == name).unwrap();
    let fixtures: Vec<_> = games
        .iter()
        .map(|row| {
            let (black, white) = row[0].split_once(" – ").unwrap();
            let last = row[1].rsplit(' ').next().unwrap();
            let (own, other) = last.split_once('-').unwrap();
            let [black_discs, white_discs] =
                [own, other].map(|count| count.parse::<u32>().unwrap());
            let winner = match black_discs.cmp(&white_discs) {
                Ordering::Greater => Some(Color::Black),
                Ordering::Less => Some(Color::White),
                Ordering::Equal => None,
            };
            let outcome =
                Outcome { winner, reason: Reason::Discs, black: black_discs, white: white_discs };
            let players = [number(black), number(white)];
            Fixture { round: 1, players, state: State::Finished(outcome) }
        })
        .collect();
    let rules = Variant::named("othello").unwrap().rules(&Overrides::default()).unwrap();
    let scoring = Scoring::of(&rules, Format::RoundRobin);
    let table = tournament::table(4, scoring, &fixtures, &[], &[]);
    let calculated: Vec<Vec<_>> = table
        .iter()
        .map(|row| {
            let place = row.place.unwrap().to_string();
            let numbers = [row.brightwell, row.discs].map(|discs| discs.to_string());
            let first = [place, names[row.player].to_owned(), row.points.to_string()];
            first.into_iter().chain(numbers).collect()
        })
        .collect();
    assert_eq!(calculated, table_rows.into_iter().cloned().collect::<Vec<_>>());
}
