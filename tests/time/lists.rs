use serde_json::Value;

use super::{DAY, HOUR, timed};

#[test]
fn lists_begin_with_the_least_time_left() {
    let env = timed("");
    env.later(HOUR);
    for clock in ["10d", "2d", "none", "total=5d"] {
        env.ok(&format!("new othello alice bob --clock {clock}"));
    }
    env.later(DAY);
    let list = env.json("games --as alice");
    let games = list["games"].as_array().unwrap();
    let field = |name: &str| games.iter().map(|game| game[name].clone()).collect::<Vec<_>>();
    assert_eq!(field("game"), [3, 5, 2, 1, 4].map(Value::from));
    assert_eq!(field("seconds_left")[..3], [86400, 4 * 86400, 9 * 86400].map(Value::from));
    assert_eq!(field("deadline")[0], "2026-11-23T11:00:00Z");
    assert!(field("seconds_left")[3..].iter().all(Value::is_null));
    assert_eq!(env.json("next --as alice")["game"], 3);
    let shown = env.ok("games --as alice");
    let left: Vec<_> =
        shown.lines().skip(3).map(|line| line.rsplit("  ").next().unwrap()).collect();
    assert_eq!(left[..3], ["1 day", "4 days", "9 days"], "{shown}");
    env.later(19 * HOUR);
    let colored = env.ok("games --as alice --color always");
    assert!(colored.contains("\u{1b}[31m5 hours\u{1b}[0m"), "{colored}");
    env.later(5 * HOUR);
    assert!(env.ok("games --as alice").contains("  over\n"), "{colored}");
    // Overdue games come first.
    env.ok("send");
    assert_eq!(env.json("next --as alice")["game"], 3);
}

#[test]
fn lists_say_who_is_away_and_what_a_game_waits_for() {
    let env = timed("--clock 3d");
    env.ok("new othello alice bob");
    env.ok("away 2026-11-21 2026-11-23 --as bob");
    env.ok("draw 1 --as alice");
    env.ok("mute 1 --as bob");
    let shown = env.ok("show 1");
    assert!(shown.contains("Away: bob until Monday, 23 November 2026\n"), "{shown}");
    assert_eq!(env.game(1)["away"], serde_json::json!({"black": null, "white": "2026-11-23"}));
    let players = env.json("players");
    assert_eq!(players["players"][1]["away_until"], "2026-11-23");
    assert_eq!(players["players"][0]["away_until"], Value::Null);
    assert!(env.ok("players").contains("Away until"));

    let listed = |who: &str| env.json(&format!("games {who}"))["games"][0].clone();
    let game = listed("--as bob");
    assert_eq!(game["game"], 1);
    assert_eq!(game["away"]["white"], "2026-11-23");
    assert_eq!(game["offer"], serde_json::json!({"by": "black", "offer": "draw"}));
    assert_eq!((&game["muted"], &game["paused"]), (&true.into(), &false.into()));
    assert_eq!(listed("--as alice")["muted"], false);
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = flat(env.ok("games --as bob"));
    for words in ["alice offers a draw", "bob is away until 2026-11-23", "muted"] {
        assert!(text.contains(words), "{text}");
    }

    env.ok("decline 1 --as bob");
    env.ok("pause 1 --as bob");
    env.ok("pause 1 --as alice");
    assert_eq!((&listed("")["paused"], &listed("")["offer"]), (&true.into(), &Value::Null));
    assert!(flat(env.ok("games")).contains("alice's turn, paused"));
    env.ok("unpause 1 --as alice");
    env.later(4 * DAY);
    env.ok("send");
    assert_eq!(listed("--as bob")["claimant"], "white");
    assert!(flat(env.ok("games --as bob")).contains("alice's turn, you can claim"));
    assert!(flat(env.ok("games")).contains("bob can claim"));
    env.mails();
}
