//! What `standings` and `player` show, in a shell and by mail.

use serde_json::{Value, json};

use crate::harness::{ALICE, TestEnvironment};

/// A day in minutes.
const DAY: i64 = 24 * 60;

/// Stores ratings after games that ended so many days ago.
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
