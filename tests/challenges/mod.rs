//! Challenges: from the command to the game, and their ends without one.

mod held;
mod killed;
mod limits;
mod mailed;
mod openings;
mod quota;

use serde_json::json;

use crate::harness::{ALICE, BOB, CAROL, TestEnvironment};

/// Returns an environment with three players, who have finished no game.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new();
    for (name, address) in [("alice", ALICE), ("bob", BOB), ("carol", CAROL)] {
        env.ok(&format!("signup {name} {address}"));
    }
    env
}

#[test]
fn an_accepted_challenge_becomes_the_game_with_its_number() {
    let env = club();
    let made = env.json("challenge BOB mini --moves a2 --clock 3d --color white --as alice");
    assert_eq!((&made["challenge"], &made["state"]), (&json!(1), &json!("open")));
    assert_eq!((&made["to"], &made["color"]), (&json!("bob"), &json!("white")));
    assert_eq!(made["rated"], false, "it begins with a move");
    env.mail_to(BOB).says("alice challenges you to a game of Mini Othello.");

    // A game takes the next number.
    env.ok("new mini alice carol");
    assert_eq!(env.game(2)["game"], 2);
    env.mails();
    for words in
        ["move 1 d3 --as bob", "history 1", "draw 1 --as bob", "annul 1", "mute 1 --as bob"]
    {
        let line = env.fails(1, words);
        assert_eq!(line, "outflank: challenge 1 waits for bob; see `outflank show 1`", "{words}");
    }
    for (player, why) in [("alice", "challenge 1 is your own"), ("carol", "is by alice to bob")] {
        assert!(env.fails(1, &format!("accept 1 --as {player}")).contains(why), "{player}");
    }
    assert!(env.ok("show 1").contains("State: waits for bob: `accept 1` or `decline 1`"));
    let begun = env.json("accept 1 --as bob");
    assert_eq!((&begun["game"], &begun["ply"]), (&json!(1), &json!(1)));
    assert_eq!(begun["white"]["player"], "alice");
    assert!(
        env.mails().iter().all(
            |mail| mail.text.contains("game 1 against") || mail.text.contains("Game 1 against")
        )
    );
    assert!(env.game(1)["deadline"].is_string(), "the clock of the first turn runs");
    assert!(env.fails(1, "accept 1 --as bob").contains("no offer is open in game 1"));
    assert!(env.fails(1, "accept 1 --as carol").contains("challenge 1 is over: game 1 has begun"));

    // The number of a challenge that led to no game is not reused.
    env.ok("challenge bob --as alice");
    env.mails();
    env.ok("decline 3 --as bob");
    env.mail_to(ALICE).says("bob declined your challenge to a game of Othello.");
    assert!(env.fails(1, "accept 3 --as bob").contains("challenge 3 is over: bob declined it"));
    assert_eq!(env.json("show 3 --as bob")["state"], "declined");
    env.ok("new mini alice bob");
    assert_eq!(env.game(4)["game"], 4);
    assert!(env.fails(1, "show 5").contains("there is no game 5"));
}

#[test]
fn a_computer_player_accepts_at_once() {
    let env = club();
    let begun = env.json("challenge bot:0 mini --as alice --color black");
    assert_eq!((&begun["game"], &begun["turn"]), (&json!(1), &json!("black")));
    assert_eq!(begun["white"]["player"], "bot:0");
    assert_eq!(env.json("challenges")["challenges"], json!([]));
    for (words, why) in [
        ("challenge bot:nosuch --as alice", "there is no computer player bot:nosuch"),
        ("challenge bot:99 --as alice", "\"bot:99\" is not a computer player"),
        ("challenge bob otello --as alice", "did you mean othello?"),
        ("challenge zed --as alice", "there is no player \"zed\""),
        ("challenge alice --as alice", "you cannot challenge yourself"),
        ("challenge bob --flag hard --as alice", "--flag hard needs a clock"),
    ] {
        let run = env.run(words);
        assert!(run.stderr.contains(why), "{words}: {}", run.stderr);
    }
    // An address is refused with the same sentence, whether it is known or not.
    let known = env.fails(1, &format!("challenge {BOB} --as alice"));
    assert_eq!(known, env.fails(1, "challenge nobody@example.net --as alice"));
    assert_eq!(env.json("players")["players"].as_array().unwrap().len(), 3);
}

#[test]
fn an_open_challenge_goes_to_one_of_those_who_accept_it_at_once() {
    const MANY: usize = 12;
    let env = club();
    for n in 1..=MANY {
        env.ok(&format!("signup player{n} p{n}@example.org"));
    }
    env.ok("challenge anyone mini --as alice");
    let all: Vec<_> = (1..=MANY).map(|n| format!("accept 1 --as player{n}")).collect();
    let ran = env.run_at_once(&all);
    let (done, refused): (Vec<_>, Vec<_>) = ran.iter().partition(|run| run.status == Some(0));
    assert_eq!(done.len(), 1, "{ran:?}");
    let game = env.game(1);
    let names = ["black", "white"].map(|color| game[color]["player"].as_str().unwrap().to_owned());
    let first = names.iter().find(|name| *name != "alice").unwrap();
    for run in refused {
        let line = format!("outflank: {first} was faster: game 1 has begun; ");
        assert!(run.stderr.starts_with(&line), "{run:?}");
    }
    assert_eq!(env.json("games --all")["games"].as_array().unwrap().len(), 1);
}

#[test]
fn a_challenge_expires_after_two_weeks() {
    let env = club();
    env.ok("challenge bob --as alice");
    env.ok("challenge anyone --as carol");
    env.mails();
    env.later(14 * 24 * 60 - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    assert!(env.fails(1, "accept 1 --as bob").contains("challenge 1 is over: nobody accepted it"));
    assert_eq!(env.json("challenges --as bob")["challenges"], json!([]));
    env.ok("send");
    let mails = env.mails();
    let to: Vec<_> = mails.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(to, [ALICE, BOB, CAROL]);
    mails[0].says("Nobody accepted your challenge within 14 days.");
    mails[1].says("The challenge by alice to a game of Othello has expired.");
    env.ok("send");
    env.no_mail();
    assert_eq!(env.json("show 1")["state"], "expired");
}

#[test]
fn lists_show_whom_a_player_can_play() {
    let env = club();
    env.ok("challenge bob --size 6x6 --as alice");
    env.ok("challenge anyone oddthello --as carol");
    let numbers = |words: &str| {
        let list = env.json(words)["challenges"].as_array().unwrap().clone();
        list.iter().map(|it| it["challenge"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        (numbers("challenges --as bob"), numbers("challenges --as alice")),
        (vec![1, 2], vec![1, 2])
    );
    assert_eq!((numbers("challenges --as carol"), numbers("challenges")), (vec![2], vec![1, 2]));
    let games = env.ok("games --as bob");
    assert!(games.contains("alice challenges you to a game of Othello 6x6: `accept 1`"), "{games}");
    assert!(
        games.contains("carol challenges anyone to a game of Oddthello: `accept 2`"),
        "{games}"
    );
    assert!(!env.ok("games --as carol").contains("challenges"));
    // A challenge is not listed if either player has blocked the other.
    env.ok("block carol --as bob");
    assert_eq!(numbers("challenges --as bob"), [1]);
    env.ok("unblock carol --as bob");
    env.ok("block bob --as carol");
    assert_eq!(numbers("challenges --as bob"), [1]);
    assert!(env.fails(1, "accept 2 --as bob").contains("carol has blocked you"));

    // The digest lists challenges, and is composed again when they change.
    env.ok("set mail digest 18:00 --as bob");
    env.ok("new mini bob alice");
    env.mails();
    env.later(9 * 60);
    env.ok("move 3 a2");
    env.ok("move 3 a3 --as alice");
    env.mails();
    env.later(24 * 60);
    env.ok("send");
    env.mail_to(BOB).says("alice challenges you to a game of Othello 6x6: ‹accept 1›");
}

#[test]
fn a_player_without_an_address_plays_unrated() {
    let env = club();
    env.ok("signup ann --no-mail");
    assert_eq!(env.json("challenge ann --as alice")["rated"], false);
    assert!(env.fails(1, "say 1 hello --as alice").contains("ann gets no mail"));
    assert_eq!(env.json("challenge anyone --as alice")["rated"], true);
    assert!(env.ok("accept 2 --as ann").contains("not rated, because you have no address"));
}

#[test]
fn a_first_player_without_a_move_passes_automatically() {
    let env = club();
    let position = "(b wb-- wwbw wbbw wwww)";
    for to in ["bob", "bot:0"] {
        env.ok(&format!("challenge {to} othello --position '{position}' --color white --as alice"));
    }
    env.ok("accept 1 --as bob");
    for game in [1, 2] {
        let log = env.json(&format!("log {game}"));
        assert_eq!(log["events"][0]["what"], "auto-pass", "{log}");
    }
}
