//! `standings` and `player` in a shell and by mail.

use serde_json::{Value, json};

use crate::harness::{ALICE, TestEnvironment};

/// A day in minutes.
const DAY: i64 = 24 * 60;

/// Stores ratings: the player, the days since the game, the rating and its deviation.
fn rated(env: &TestEnvironment, ratings: &[(&str, i64, f64, f64)]) {
    for (game, (name, days, rating, deviation)) in (100..).zip(ratings) {
        let ended_at = env.now().timestamp() - days * 60 * DAY;
        let sqlite = env.sqlite();
        sqlite.pragma_update(None, "foreign_keys", false).unwrap();
        let sql = "INSERT INTO rating (list, player, ended_at, game, opponent, score, rating,
                deviation, volatility, games)
            SELECT '8x8', id, ?2, ?3, 1, 'won', ?4, ?5, 0.06, 7 FROM player WHERE name = ?1";
        sqlite.execute(sql, (name, ended_at, game, rating, deviation)).unwrap();
    }
}

#[test]
fn a_list_begins_with_the_ratings_that_are_certain() {
    let env = TestEnvironment::new();
    for name in ["ann", "ben", "cat", "dan", "eve"] {
        env.ok(&format!("signup {name} {name}@example.org"));
    }
    rated(
        &env,
        &[
            ("ann", 40, 1480.0, 80.0),
            ("ann", 20, 1490.0, 80.0),
            ("ann", 2, 1500.6, 80.0),
            ("ben", 30, 1700.0, 70.0),
            ("cat", 3, 1900.0, 140.0),
            // The deviation has grown beyond 110 since.
            ("dan", 30, 2000.0, 109.9),
            ("eve", 200, 1800.0, 60.0),
        ],
    );
    let shown = |words: &str| {
        let listed = env.json(words);
        let row = |row: &Value| {
            json!([row["place"], row["player"], row["deviation"], row["change"], row["standing"]])
        };
        let rows: Vec<_> = listed["players"].as_array().unwrap().iter().map(row).collect();
        (json!(rows), listed["inactive"].clone(), listed["recalculating"].clone())
    };
    let active = [
        json!([1, "ben", 75, 0, "established"]),
        json!([2, "ann", 80, 21, "established"]),
        json!([null, "dan", 113, 0, "provisional"]),
        json!([null, "cat", 140, null, "provisional"]),
    ];
    assert_eq!(shown("standings"), (json!(active), json!(1), json!(false)));
    let inactive = json!([null, "eve", 91, 0, "inactive"]);
    let all = [&active[..], &[inactive]].concat();
    assert_eq!(shown("standings --all"), (json!(all), json!(1), json!(false)));
    let text = env.ok("standings --as eve");
    let hint = "1 inactive player is not listed; see `outflank standings othello --all`.";
    assert!(text.contains(hint) && text.contains("You: 1800 \u{b1} 91, 7 games."), "{text}");
    // Until `send` has calculated them again, the ratings are marked.
    let sql = "INSERT INTO recalculation (list, ended_at, game) VALUES ('8x8', 0, 1)";
    env.sqlite().execute(sql, []).unwrap();
    assert_eq!(env.json("standings")["recalculating"], true);
    assert!(env.ok("standings").contains("These ratings are being calculated again"));
}

#[test]
fn a_long_list_shows_its_top_and_the_readers_neighbours() {
    let env = TestEnvironment::new();
    env.ok("signup p001 p001@example.org");
    let sql = "INSERT INTO player (name, address, secret, created_at)
        WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 70)
        SELECT printf('p%03d', i), 'p' || i || '@example.org', randomblob(32), 0 FROM n";
    env.sqlite().execute(sql, []).unwrap();
    let names: Vec<_> = (1..=70).map(|number| format!("p{number:03}")).collect();
    let one = |(at, name): (usize, &String)| (name.clone(), 2000.0 - at as f64);
    let all: Vec<_> = names.iter().enumerate().map(one).collect();
    let all: Vec<_> = all.iter().map(|(name, rating)| (name.as_str(), 1, *rating, 80.0)).collect();
    rated(&env, &all);
    let listed = |words: &str| {
        let text = env.ok(words);
        let is_listed =
            |name: &&String| text.lines().any(|line| line.contains(&format!(" {name} ")));
        let found: Vec<_> =
            names.iter().filter(is_listed).map(|name| name[1..].to_owned()).collect();
        (found, text)
    };
    let numbers = |ranges: &[std::ops::RangeInclusive<usize>]| {
        let all = ranges.iter().cloned().flatten();
        all.map(|number| format!("{number:03}")).collect::<Vec<_>>()
    };
    for (words, expected, hidden) in [
        ("standings", numbers(&[1..=50]), Some(20)),
        ("standings --as p050", numbers(&[1..=50]), Some(20)),
        ("standings --as p051", numbers(&[1..=53]), Some(17)),
        ("standings --as p060", numbers(&[1..=50, 58..=62]), Some(15)),
        ("standings --as p070", numbers(&[1..=50, 68..=70]), Some(17)),
        ("standings --as p060 --count 10", numbers(&[1..=10]), Some(60)),
        ("standings --count all", numbers(&[1..=70]), None),
        ("standings --all", numbers(&[1..=70]), None),
    ] {
        let (found, text) = listed(words);
        assert_eq!(found, expected, "{words}: {text}");
        let hint = |more| {
            format!(
                "{more} more players are not listed; see `outflank standings othello --count all`."
            )
        };
        match hidden {
            Some(more) => assert!(text.contains(&hint(more)), "{words}: {text}"),
            None => assert!(!text.contains("not listed"), "{words}: {text}"),
        }
        assert_eq!(
            text.contains("Around you:"),
            expected.len() > 50 && hidden.is_some(),
            "{words}"
        );
    }
    assert_eq!(env.json("standings")["players"].as_array().unwrap().len(), 70);
    let refused = env.fails(1, "standings --count none");
    assert!(refused.contains("--count needs a number from 1 on, or `all`"), "{refused}");
}

#[test]
fn a_player_has_a_plot_in_a_shell_and_a_table_in_a_mail() {
    let env = TestEnvironment::new().with_game();
    let mail = env.mails_to(ALICE)[0].clone();
    rated(
        &env,
        &[("bob", 70, 1600.0, 200.0), ("bob", 33, 1700.0, 150.0), ("bob", 2, 1650.0, 120.0)],
    );
    // Results under these rules, so that the list is shown.
    let sql = "INSERT INTO record (player, kind, about, won) VALUES (2, 'black', '8x8', 3)";
    env.sqlite().execute(sql, []).unwrap();
    let text = env.ok("--ascii player bob");
    assert!(text.contains("\n 1750 |") && text.contains("2026-09-12  "), "{text}");
    env.mails();
    env.receive(&mail.reply("player bob"));
    let reply = env.mail_to(ALICE);
    let text = reply.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let table = "Day Rating Rated 2026-10-01 1600 7 2026-11-01 1700 7 2026-11-21 1650 7";
    assert!(text.contains(table) && !text.contains('*'), "{text}");
    assert!(
        text.contains("Games under way: Game Variant Plays Against Moves 1 Othello white alice 0")
    );
}
