//! The table of a tournament, calculated a second time from the rows of its games, in other words.

use std::cmp::Ordering;

use rusqlite::Connection;
use serde_json::Value;

/// A game: its players, the winner (0 is black) and the discs of both.
struct Played {
    players: [String; 2],
    result: Outcome,
}

enum Outcome {
    /// The points and the discs of both.
    Counts([f64; 2], [f64; 2]),
    /// It is left out.
    Nobody,
}

/// A player's row.
#[derive(Debug, Clone)]
struct Row {
    name: String,
    games: u64,
    points: f64,
    quotient: f64,
    discs: f64,
}

/// Checks what `tournament --json` says against the rows of the database.
pub fn check(sqlite: &Connection, name: &str, shown: &Value) {
    let column = |column: &str| -> Option<i64> {
        let sql = format!("SELECT {column} FROM tournament WHERE name = ?1");
        sqlite.query_row(&sql, [name], |row| row.get(0)).unwrap()
    };
    let cells = match (column("board_rows"), column("board_columns")) {
        (Some(rows), Some(columns)) => (rows * columns) as f64,
        _ => 64.0,
    };
    let is_misere = column("misere") == Some(1);
    let mut select = sqlite
        .prepare(
            "SELECT player.name, withdrawn,
                (SELECT count(*) FROM pairing WHERE pairing.tournament = entrant.tournament
                    AND player IN (black, white))
             FROM entrant JOIN player ON player.id = player
             WHERE tournament = (SELECT id FROM tournament WHERE name = ?1)",
        )
        .unwrap();
    let players: Vec<(String, Option<i64>, i64)> = select
        .query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let withdrawn = |name: &str| players.iter().any(|it| it.0 == name && it.1.is_some());
    let is_removed = |name: &str| {
        players.iter().any(|it| it.0 == name && it.1.is_some_and(|ended| ended * 2 < it.2))
    };
    let mut select = sqlite
        .prepare(
            "SELECT b.name, w.name, game, winner, reason, black_discs, white_discs
             FROM pairing JOIN player b ON b.id = pairing.black JOIN player w ON w.id = pairing.white
                LEFT JOIN game ON game.id = game
             WHERE tournament = (SELECT id FROM tournament WHERE name = ?1)",
        )
        .unwrap();
    let mut played = Vec::new();
    let mut rows = select.query([name]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let players: [String; 2] = [row.get(0).unwrap(), row.get(1).unwrap()];
        if players.iter().any(|name| is_removed(name)) {
            continue;
        }
        let game: Option<i64> = row.get(2).unwrap();
        let (winner, reason): (Option<String>, Option<String>) =
            (row.get(3).unwrap(), row.get(4).unwrap());
        let side = |word: &str| usize::from(word == "white");
        let result = match (game, reason.as_deref()) {
            (None, _) => match players.each_ref().map(|name| withdrawn(name)) {
                [false, false] => continue,
                [true, true] => Outcome::Nobody,
                [black, _] => counts(cells, Some(usize::from(black)), None),
            },
            (Some(_), None) => continue,
            (Some(_), Some("annulled" | "declined")) => Outcome::Nobody,
            (Some(_), Some(reason)) => {
                let on_board: [i64; 2] = [row.get(5).unwrap(), row.get(6).unwrap()];
                let mut discs = on_board.map(|count| count as f64);
                if is_misere {
                    discs.swap(0, 1);
                }
                let winner = winner.as_deref().map(side);
                counts(cells, winner, Some((discs, reason == "discs")))
            }
        };
        played.push(Played { players, result });
    }
    let points_of = |name: &str| -> f64 {
        let own = played.iter().filter_map(|game| {
            let at = game.players.iter().position(|it| it == name)?;
            if let Outcome::Counts(points, _) = &game.result { Some(points[at]) } else { None }
        });
        own.sum()
    };
    let mut table: Vec<Row> = Vec::new();
    for (name, ..) in players.iter().filter(|it| !is_removed(&it.0)) {
        let own_points = points_of(name);
        let mut row =
            Row { name: name.clone(), games: 0, points: own_points, quotient: 0.0, discs: 0.0 };
        for game in &played {
            let Some(at) = game.players.iter().position(|it| it == name) else { continue };
            let opponent = &game.players[1 - at];
            let left_out = cells / 2.0 + 6.0 * cells / 64.0 * own_points;
            match &game.result {
                Outcome::Nobody => row.quotient += left_out,
                Outcome::Counts(_, discs) => {
                    row.games += 1;
                    row.discs += discs[at];
                    row.quotient += match withdrawn(opponent) {
                        true => left_out,
                        false => discs[at] + 6.0 * cells / 64.0 * points_of(opponent),
                    };
                }
            }
        }
        table.push(row);
    }
    compare(&table, shown);
    order(&table, &played, shown);
}

/// Returns a result that counts. Without a board nobody has played.
fn counts(cells: f64, winner: Option<usize>, board: Option<([f64; 2], bool)>) -> Outcome {
    let Some(winner) = winner else {
        return Outcome::Counts([0.5; 2], [cells / 2.0; 2]);
    };
    let least = cells / 2.0 + 2.0;
    let own = match board {
        None => least,
        // The empty squares are the winner's.
        Some((discs, true)) => cells - discs[1 - winner],
        Some((discs, false)) => (cells - discs[1 - winner]).max(least),
    };
    let mut points = [0.0; 2];
    let mut discs = [cells - own; 2];
    (points[winner], discs[winner]) = (1.0, own);
    Outcome::Counts(points, discs)
}

fn compare(table: &[Row], shown: &Value) {
    let rows = shown["players"].as_array().unwrap();
    for row in rows.iter().filter(|row| !row["place"].is_null()) {
        let own = table.iter().find(|it| row["player"] == it.name.as_str());
        let own = own.unwrap_or_else(|| panic!("{row} of {shown}"));
        assert_eq!(row["games"], own.games, "{row}");
        for (key, expected) in
            [("points", own.points), ("brightwell", own.quotient), ("discs", own.discs)]
        {
            let found = row[key].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-6, "{key} of {row}, not {expected}");
        }
    }
    assert_eq!(rows.iter().filter(|row| !row["place"].is_null()).count(), table.len());
}

/// Checks the places of each two players.
fn order(table: &[Row], played: &[Played], shown: &Value) {
    let place = |name: &str| {
        let rows = shown["players"].as_array().unwrap();
        rows.iter().find(|row| row["player"] == name).unwrap()["place"].as_u64().unwrap()
    };
    let key =
        |row: &Row| [row.points, row.quotient, row.discs].map(|it| (it * 128.0).round() as i64);
    for one in table {
        for other in table {
            match key(one).cmp(&key(other)) {
                Ordering::Greater => {
                    assert!(place(&one.name) < place(&other.name), "{one:?} {other:?}")
                }
                Ordering::Less => {
                    assert!(place(&one.name) > place(&other.name), "{one:?} {other:?}")
                }
                Ordering::Equal => {}
            }
        }
        // Two who are equal have their games.
        let equal: Vec<_> = table.iter().filter(|it| key(it) == key(one)).collect();
        if let [first, second] = equal[..] {
            let mut points = [0.0; 2];
            for game in played {
                let names = [&first.name, &second.name];
                let at = names.map(|name| game.players.iter().position(|it| it == name));
                if let ([Some(first), Some(second)], Outcome::Counts(got, _)) = (at, &game.result) {
                    points[0] += got[first];
                    points[1] += got[second];
                }
            }
            let places = [place(&first.name), place(&second.name)];
            assert_eq!(points[0] > points[1], places[0] < places[1], "{first:?} {second:?}");
            assert_eq!(points[0] == points[1], places[0] == places[1], "{first:?} {second:?}");
        }
    }
}
