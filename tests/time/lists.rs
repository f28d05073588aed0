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
    // Overdue games stand first.
    env.ok("send");
    assert_eq!(env.json("next --as alice")["game"], 3);
}
