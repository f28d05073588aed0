//! Invariants of every database.

use std::path::Path;
use std::process::Command;

use outflank::store::Store;
use outflank_model::log::{GameId, Offer};
use outflank_rules::Color;
use rusqlite::{Connection, Row};
use serde_json::Value;

use crate::harness::{PROGRAM, TestEnvironment, run};
use crate::ratings;

/// The columns of `game` that are derived from its events.
#[derive(Debug, PartialEq, Eq)]
struct Derived {
    ply: i64,
    turn: Option<String>,
    to_move: Option<String>,
    to_wait: Option<String>,
    discs: (u32, u32),
    winner: Option<String>,
    reason: Option<String>,
    offer_event: Option<usize>,
    paused: bool,
}

impl Derived {
    fn stored(row: &Row) -> rusqlite::Result<Self> {
        Ok(Self {
            ply: row.get("ply")?,
            turn: row.get("turn")?,
            to_move: row.get("to_move")?,
            to_wait: row.get("to_wait")?,
            discs: (row.get("black_discs")?, row.get("white_discs")?),
            winner: row.get("winner")?,
            reason: row.get("reason")?,
            offer_event: row.get("offer_event")?,
            paused: row.get("paused")?,
        })
    }
}

pub fn store(env: &TestEnvironment) -> Store {
    Store::open(&env.database(), false).unwrap()
}

/// The results of all players, counted from their games.
const RECOUNT: &str = "
SELECT id, (SELECT count(*) FROM game WHERE turn IS NOT NULL AND player.id IN (black, white)),
    (SELECT count(*) FROM game WHERE iif(winner = 'black', black, white) = player.id
        AND winner IS NOT NULL),
    (SELECT count(*) FROM game WHERE iif(winner = 'black', white, black) = player.id
        AND winner IS NOT NULL),
    (SELECT count(*) FROM game WHERE turn IS NULL AND winner IS NULL
        AND reason NOT IN ('annulled', 'declined') AND player.id IN (black, white))
FROM player ORDER BY id";

/// Checks the file and every game in it. Returns the number of games.
pub fn check(database: &Path) -> usize {
    let sqlite = Connection::open(database).unwrap();
    for check in ["integrity_check", "foreign_key_check"] {
        let mut found = Vec::new();
        sqlite
            .pragma_query(None, check, |row| {
                found.push(row.get::<_, String>(0)?);
                Ok(())
            })
            .unwrap();
        let fine: &[&str] = if check == "integrity_check" { &["ok"] } else { &[] };
        assert_eq!(found, fine, "{check}");
    }
    let mut verify = Command::new(PROGRAM);
    verify.args(["verify", "--json", "--db"]).arg(database).env_clear().env("HOME", "/nonexistent");
    verify.env("OUTFLANK_NOW", "2026-11-21T10:00:00Z");
    let verified = run(verify);
    assert_eq!((verified.status, &*verified.stderr), (Some(0), ""), "{}", verified.stdout);
    let mut games = sqlite
        .prepare(
            "SELECT game.*, mover.name AS to_move, waiter.name AS to_wait
             FROM (SELECT id, ply, turn, to_move AS mover, to_wait AS waiter, since,
                          created_at, black_discs, white_discs, winner, reason, offer_event, paused
                   FROM game) game
             LEFT JOIN player mover ON mover.id = mover LEFT JOIN player waiter ON waiter.id = waiter",
        )
        .unwrap();
    let games: Vec<(i64, i64, Derived)> = games
        .query_map([], |row| Ok((row.get("id")?, row.get("since")?, Derived::stored(row)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let store = Store::open(database, false).unwrap();
    let counts = |sql| {
        let mut select = sqlite.prepare(sql).unwrap();
        let row = |row: &Row| (0..5).map(|at| row.get::<_, i64>(at)).collect();
        let rows: rusqlite::Result<Vec<Vec<i64>>> = select.query_map([], row).unwrap().collect();
        rows.unwrap()
    };
    let kept = counts("SELECT id, active, won, lost, drawn FROM player ORDER BY id");
    assert_eq!(kept, counts(RECOUNT), "the results of the players");
    ratings::model::check(database);
    for (id, since, derived) in &games {
        let stored = store.read(|db| db.game(GameId(*id))).unwrap().unwrap();
        let (game, outcome) = (&stored.game, stored.game.outcome());
        let name = |color: Color| stored.player(color).map(|player| player.name.clone());
        let replayed = Derived {
            ply: game.plies().len() as i64,
            turn: game.turn().map(|color| color.to_string()),
            to_move: game.turn().and_then(name),
            to_wait: game.turn().and_then(|color| name(!color)),
            discs: (game.position().count(Color::Black), game.position().count(Color::White)),
            winner: outcome.and_then(|outcome| outcome.winner).map(|color| color.to_string()),
            reason: outcome.map(|outcome| outcome.reason.word().to_owned()),
            offer_event: game.offer_event(),
            paused: game.is_paused(),
        };
        assert_eq!(*derived, replayed, "game {id}");
        assert!(stored.times.is_sorted(), "game {id}: {:?}", stored.times);
        let created: i64 = sqlite
            .query_row("SELECT created_at FROM game WHERE id = ?1", [id], |row| row.get(0))
            .unwrap();
        // The turn began with the last event that changed the position, unless the game is over.
        let end = (0..=stored.times.len())
            .find(|&events| game.after(events).is_some_and(|earlier| earlier.outcome().is_some()));
        let last = end.unwrap_or(game.position_event());
        let changed = last.checked_sub(1).map_or(created, |at| stored.times[at].timestamp());
        assert_eq!(*since, changed, "game {id}");
        let clocks = stored.clocks();
        let deadline = store.read(|db| db.deadline(stored.id)).unwrap();
        assert_eq!(deadline, clocks.deadline().or(clocks.flagged_at()), "game {id}");

        let job = "SELECT kind || ' ' || event FROM job
             WHERE game = ?1 AND kind IN ('move', 'answer')";
        let job: Vec<String> = sqlite
            .prepare(job)
            .unwrap()
            .query_map([id], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let is_bot = |color| stored.side(color).bot().is_some();
        let is_asked = matches!(game.offer(), Some((by, Offer::Draw)) if is_bot(!by));
        let kind = match game.turn() {
            _ if is_asked => Some("answer"),
            Some(turn) if is_bot(turn) => Some("move"),
            _ => None,
        };
        let expected = kind.map(|kind| format!("{kind} {}", game.position_event()));
        assert_eq!(job, Vec::from_iter(expected), "game {id}: what a computer player must do");

        let numbers: Vec<i64> = sqlite
            .prepare("SELECT number FROM event WHERE game = ?1 ORDER BY number")
            .unwrap()
            .query_map([id], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let events = game.events().len() as i64;
        assert_eq!(numbers, (1..=events).collect::<Vec<_>>(), "game {id}: no event is missing");
    }
    games.len()
}

/// Checks that `games`, `show` and `history` agree.
pub fn check_commands(env: &TestEnvironment) {
    for game in env.json("games --all")["games"].as_array().unwrap() {
        let id = game["game"].to_string();
        let shown = env.json(&format!("show {id}"));
        let history = env.json(&format!("history {id}"));
        for key in ["variant", "status", "turn", "ply"] {
            assert_eq!(game[key], shown[key], "{key} of game {id}");
        }
        for color in ["black", "white"] {
            assert_eq!(game[color], shown[color]["player"], "{color} of game {id}");
            let letter = &color[..1];
            let rows = shown["position"].as_str().unwrap()[2..].matches(letter).count();
            assert_eq!(shown[color]["discs"], rows, "{color} of game {id}");
        }
        let moves = history["moves"].as_array().unwrap();
        assert_eq!(shown["ply"], moves.len(), "game {id}");
        for (number, made) in (1..).zip(moves) {
            assert_eq!(made["ply"], number, "game {id}");
        }
        let Some(last) = moves.last() else { continue };
        for key in ["ply", "by", "move", "flipped"] {
            assert_eq!(last[key], shown["last"][key], "{key} of game {id}");
        }
        for color in ["black", "white"] {
            assert_eq!(last[color], shown[color]["discs"], "{color} of game {id}");
        }
        if shown["result"] == Value::Null || shown["result"]["reason"] != "resigned" {
            assert_eq!(game["since"], last["at"], "game {id}");
        }
    }
}
