//! The table of a tournament, calculated a second time from the rows of its games, in other words.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

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

/// A player of the division.
struct Entrant {
    name: String,
    /// The games that were over when the player withdrew.
    withdrawn: Option<i64>,
    /// The games of the schedule.
    games: i64,
    has_bye: bool,
    number: i64,
}

/// A player's row.
#[derive(Debug, Clone)]
struct Row {
    name: String,
    number: i64,
    games: u64,
    points: f64,
    quotient: f64,
    discs: f64,
}

/// Checks what `tournament --json` says against the rows of the database.
pub fn check(sqlite: &Connection, shown: &Value) {
    let rows = shown["players"].as_array().unwrap();
    let divisions: BTreeSet<_> = rows.iter().map(|row| row["division"].as_i64().unwrap()).collect();
    for division in divisions {
        let own = rows.iter().filter(|row| row["division"] == division);
        check_division(sqlite, shown, division, &own.collect::<Vec<_>>());
    }
}

fn check_division(sqlite: &Connection, shown: &Value, division: i64, shown_rows: &[&Value]) {
    let name = shown["tournament"].as_str().unwrap();
    let season = shown["season"].as_i64().unwrap();
    let is_swiss = shown["format"] == "swiss";
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
                    AND pairing.season = entrant.season AND player IN (black, white)),
                bye IS NOT NULL, number
             FROM entrant JOIN player ON player.id = player
             WHERE tournament = (SELECT id FROM tournament WHERE name = ?1) AND season = ?2
                AND division = ?3",
        )
        .unwrap();
    let entrant = |row: &rusqlite::Row| {
        Ok(Entrant {
            name: row.get(0)?,
            withdrawn: row.get(1)?,
            games: row.get(2)?,
            has_bye: row.get(3)?,
            number: row.get(4)?,
        })
    };
    let players = select.query_map((name, season, division), entrant).unwrap();
    let players: Vec<_> = players.map(Result::unwrap).collect();
    let is = |name: &str, test: &dyn Fn(&Entrant) -> bool| {
        players.iter().any(|it| it.name == name && test(it))
    };
    let withdrawn = |name: &str| is(name, &|it| it.withdrawn.is_some());
    let is_removed = |name: &str| {
        !is_swiss && is(name, &|it| it.withdrawn.is_some_and(|ended| ended * 2 < it.games))
    };
    let mut select = sqlite
        .prepare(
            "SELECT b.name, w.name, game, winner, reason, black_discs, white_discs
             FROM pairing JOIN player b ON b.id = pairing.black JOIN player w ON w.id = pairing.white
                LEFT JOIN game ON game.id = game
             WHERE tournament = (SELECT id FROM tournament WHERE name = ?1) AND season = ?2
                AND division = ?3",
        )
        .unwrap();
    // A bye is a win against nobody.
    let mut played: Vec<_> = players
        .iter()
        .filter(|it| it.has_bye)
        .map(|it| Played {
            players: [it.name.clone(), String::new()],
            result: counts(cells, Some(0), None),
        })
        .collect();
    let mut rows = select.query((name, season, division)).unwrap();
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
    for Entrant { name, number, .. } in players.iter().filter(|it| !is_removed(&it.name)) {
        let own_points = points_of(name);
        let mut row = Row {
            name: name.clone(),
            number: *number,
            games: 0,
            points: own_points,
            quotient: 0.0,
            discs: 0.0,
        };
        for game in &played {
            let Some(at) = game.players.iter().position(|it| it == name) else { continue };
            let opponent = &game.players[1 - at];
            let left_out = cells / 2.0 + 6.0 * cells / 64.0 * own_points;
            match &game.result {
                Outcome::Nobody => row.quotient += left_out,
                Outcome::Counts(_, discs) => {
                    row.games += 1;
                    row.discs += discs[at];
                    row.quotient += match opponent.is_empty() || withdrawn(opponent) {
                        true => left_out,
                        false => discs[at] + 6.0 * cells / 64.0 * points_of(opponent),
                    };
                }
            }
        }
        table.push(row);
    }
    compare(&table, shown_rows);
    order(&table, &played, shown_rows, shown["format"] == "league");
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

fn compare(table: &[Row], rows: &[&Value]) {
    for row in rows.iter().filter(|row| !row["place"].is_null()) {
        let own = table.iter().find(|it| row["player"] == it.name.as_str());
        let own = own.unwrap_or_else(|| panic!("{row} of {rows:?}"));
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

/// Checks the places of each two players. In a league the players' numbers decide shared places.
fn order(table: &[Row], played: &[Played], rows: &[&Value], is_league: bool) {
    let place = |name: &str| {
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
            let by_points = points[1].total_cmp(&points[0]);
            let by_number =
                if is_league { first.number.cmp(&second.number) } else { Ordering::Equal };
            let expected = by_points.then(by_number);
            assert_eq!(places[0].cmp(&places[1]), expected, "{first:?} {second:?}");
        }
    }
}

/// Checks who plays in which division of a season, given the tables of the season before.
pub fn check_moves(before: &Value, now: &Value, sqlite: &Connection) {
    let [size, moved] = ["divisions_of", "move"].map(|key| now[key].as_u64().unwrap() as usize);
    let divisions = |shown: &Value| {
        let mut divisions = BTreeMap::<u64, Vec<String>>::new();
        for row in shown["players"].as_array().unwrap() {
            let own = divisions.entry(row["division"].as_u64().unwrap()).or_default();
            own.push(row["player"].as_str().unwrap().to_owned());
        }
        divisions.into_values().collect::<Vec<_>>()
    };
    // Each place of the old order goes to the player who has earned it.
    let old = divisions(before);
    let mut order = Vec::new();
    for (level, division) in old.iter().enumerate() {
        for (place, name) in division.iter().enumerate() {
            let is_last = place + moved >= division.len();
            let from_below = (place + moved).saturating_sub(division.len());
            let from_above = level.checked_sub(1).map(|upper| &old[upper]);
            let owner = match (old.get(level + 1), from_above) {
                (Some(lower), _) if is_last && from_below < lower.len() => &lower[from_below],
                (_, Some(upper)) if place < moved => &upper[upper.len() - moved + place],
                _ => name,
            };
            order.push(owner.clone());
        }
    }
    let mut select = sqlite
        .prepare(
            "SELECT name, withdrawn IS NOT NULL, season FROM entrant
             JOIN player ON player.id = player WHERE season IN (?1, ?1 - 1)",
        )
        .unwrap();
    let season = now["season"].as_u64().unwrap();
    let rows = select.query_map([season], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let rows: Vec<(String, bool, u64)> = rows.unwrap().map(Result::unwrap).collect();
    let plays = |name: &String| rows.iter().any(|it| it.0 == *name && it.2 == season);
    let withdrew = |name: &String| rows.iter().any(|it| it.0 == *name && it.1 && it.2 < season);
    order.retain(|name| plays(name) && !withdrew(name));
    let stayed = order.len();
    // Nobody has a rating, so the new players stand in any order.
    let playing = rows.iter().filter(|it| it.2 == season).map(|it| it.0.clone());
    let new: BTreeSet<_> = playing.filter(|name| !order.contains(name)).collect();
    let found = in_order(now, sqlite, season);
    assert_eq!(found[..stayed], order);
    assert_eq!(found[stayed..].iter().cloned().collect::<BTreeSet<_>>(), new);

    let sizes: Vec<_> = divisions(now).iter().map(Vec::len).collect();
    let (last, others) = sizes.split_last().unwrap();
    assert!(others.iter().all(|it| *it == size) && (4..size + 4).contains(last), "{sizes:?}");
}

/// Returns the players of a season by their divisions and numbers.
fn in_order(now: &Value, sqlite: &Connection, season: u64) -> Vec<String> {
    let sql = "SELECT name FROM entrant JOIN player ON player.id = player WHERE season = ?1
        AND tournament = (SELECT id FROM tournament WHERE name = ?2) ORDER BY division, number";
    let mut select = sqlite.prepare(sql).unwrap();
    let name = now["tournament"].as_str().unwrap();
    let rows = select.query_map((season, name), |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}
