//! A whole club as JSON.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;
use similar_asserts::assert_eq;

use crate::harness::{ALICE, BOB, Club, InboundMessage, Purpose, TestEnvironment};
use crate::simulator::simulate;

/// The seed of a world with games, comments, challenges and tournaments.
const SEED: u64 = 20;
const STEPS: usize = 300;

/// Returns what the commands that look print about the club in this database.
fn looks(env: &TestEnvironment, database: &Path) -> Vec<(String, String)> {
    let run = |words: &str| env.run(&format!("--db {} --json {words}", database.display())).stdout;
    let json = |words: &str| -> Value { serde_json::from_str(&run(words)).unwrap() };
    let named = |list: &str, key: &str| -> Vec<String> {
        let rows = json(list)[list].as_array().unwrap().clone();
        rows.iter().map(|row| row[key].to_string()).collect()
    };
    let mut words: Vec<_> =
        ["games", "games --finished", "players", "standings", "tournaments", "challenges"]
            .map(str::to_owned)
            .into();
    for name in named("players", "player") {
        words.extend([format!("player {name}"), format!("next --as {name}")]);
    }
    words
        .extend(named("tournaments", "tournament").iter().map(|name| format!("tournament {name}")));
    let sqlite = Connection::open(database).unwrap();
    let mut select = sqlite.prepare("SELECT id FROM game").unwrap();
    let games = select.query_map([], |row| row.get(0)).unwrap();
    for game in games.map(|game| game.unwrap()) {
        let game: i64 = game;
        words.extend(["show", "history", "log"].map(|look| format!("{look} {game}")));
    }
    words.into_iter().map(|look| (look.clone(), run(&look))).collect()
}

#[test]
fn a_club_leaves_sqlite_and_comes_back() {
    let env = TestEnvironment::new();
    let world = env.path("world");
    simulate(SEED, STEPS, None, None).keep(&world).unwrap();
    let old = world.join("outflank.db");
    // The world has no plan that still stands, and perhaps nobody in a tournament. Its mail waits for its own `send`.
    env.run(&format!("--db {} new othello {ALICE} {BOB}", old.display()));
    let game = Connection::open(&old).unwrap();
    let game: i64 = game.query_row("SELECT max(id) FROM game", [], |row| row.get(0)).unwrap();
    env.run(&format!("--db {} plan {game} 'd3 c3' --as bob", old.display()));
    env.run(&format!("--db {} tournament new last mini --clock 3d", old.display()));
    env.run(&format!("--db {} join last --as bob", old.display()));
    env.ok(&format!("--db {} export --all --format json --output club.json", old.display()));
    let mode = env.path("club.json").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let club = fs::read_to_string(env.path("club.json")).unwrap();
    for table in
        ["game", "event", "comment", "plan", "challenge", "tournament", "entrant", "rating"]
    {
        assert!(club.contains(&format!("\n{{\"{table}\":")), "no {table}");
    }
    assert!(!club.contains("secret"));

    env.ok("--db new.db import club.json --format json");
    let new = env.path("new.db");
    assert!(env.ok("--db new.db verify").contains("Nothing is wrong"));
    let (before, after) = (looks(&env, &old), looks(&env, &new));
    assert!(before.len() > 40, "{}", before.len());
    assert_eq!(before, after);
    env.ok("--db new.db export --all --format json --output again.json");
    let again = fs::read_to_string(env.path("again.json")).unwrap();
    let rows = |club: &str| club.split_once('\n').unwrap().1.to_owned();
    assert_eq!(rows(&club), rows(&again));
    assert!(env.fails(1, "--db new.db import club.json --format json").contains("exists already"));
}

#[test]
fn replies_to_mails_from_before_are_refused() {
    let env = TestEnvironment::new().with_game();
    let to = env.token_address(Purpose::Play, "alice", 1, 0);
    env.ok("export --all --format json --output club.json");
    for file in ["outflank.db", "outflank.db-wal", "outflank.db-shm"] {
        let _ = fs::remove_file(env.path(file));
    }
    env.ok("import club.json --format json");
    let reply = InboundMessage::new(ALICE, "d3").to(&to);
    env.receive(&reply);
    env.ok("send");
    env.last_mail_to(ALICE).says("not valid any more, so nothing was done");
    assert_eq!(env.plies(1), 0);
    let newer = env.token_address(Purpose::Play, "alice", 1, 0);
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "d3").to(&newer)), "done");
    env.ok("send");
    env.last_mail_to(BOB).says("d3");
}

/// The rows are written by the thousand.
#[test]
fn a_club_of_a_thousand_rows_comes_back() {
    let env = TestEnvironment::new().with_game();
    let export = || env.run("export --all --format json").stdout;
    // The first line is no row.
    let missing = 1001 - export().lines().count();
    let sqlite = env.sqlite();
    for number in 0..missing {
        let sql = "INSERT INTO seen (digest, sender, seen_at) VALUES (?1, 'report', 1800000000)";
        sqlite.execute(sql, [number.to_le_bytes()]).unwrap();
    }
    let club = export();
    assert_eq!((club.lines().count(), club.ends_with("}\n")), (1001, true));
    fs::write(env.path("club.json"), club).unwrap();
    env.ok("--db new.db import club.json --format json");
}

#[test]
fn a_club_that_is_wrong_leaves_no_database() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 d3");
    env.ok("export --all --format json --output club.json");
    let club = fs::read_to_string(env.path("club.json")).unwrap();
    let version = club.lines().next().unwrap();
    for (from, to, why) in [
        (version, "{\"format\":\"outflank-club\",\"version\":1}", "has version 1"),
        ("{\"event\":", "{\"events\":", "there is no table \"events\""),
        ("\"action\":", "\"action\":1,\"reason\":", "event has no column \"reason\""),
        ("\"action\":\"d3\"", "\"action\":\"a1\"", "game 1: "),
        ("\"black\":1", "\"black\":9", "refers to another that is missing"),
        ("\"white\":2", "\"white\":true", "this is no row"),
        ("\"white\":2", "\"white\":\"bob\"", "line "),
        ("\"won\":0", "\"won\":1", "won is \"1\", should be \"0\""),
    ] {
        assert!(club.contains(from), "{from}");
        fs::write(env.path("wrong.json"), club.replacen(from, to, 1)).unwrap();
        let said = env.fails(1, "--db new.db import wrong.json --format json");
        assert!(said.contains(why), "{said}");
        assert!(!env.path("new.db").exists());
    }
    let files = fs::read_dir(env.folder()).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(files.filter(|name| name.to_string_lossy().starts_with(".outflank")).count(), 0);
}

/// How many changed clubs are imported unless `OUTFLANK_MUTATIONS` says how many.
const MUTATIONS: usize = 200;

#[test]
fn changed_clubs_are_imported_whole_or_refused() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 d3");
    env.ok("say 1 hello --as alice");
    env.ok("challenge bob --as alice");
    env.ok("tournament new cup othello");
    env.ok("new mini alice bob --moves 'b1'");
    env.ok("resign 3 --as alice");
    env.ok("export --all --format json --output club.json");
    let club = fs::read(env.path("club.json")).unwrap();
    let mut other = Club::new(1, "2026-11-27T12:00:00Z");
    let (database, changed) = (other.database(), env.path("changed.json"));
    let count = std::env::var("OUTFLANK_MUTATIONS");
    let count = count.map_or(MUTATIONS, |count| count.parse().unwrap());
    let mut rng = fastrand::Rng::with_seed(1);
    let mut imported = 0;
    for _ in 0..count {
        fs::write(&changed, mutated(&club, &mut rng)).unwrap();
        let words = format!("import {} --format json", changed.display());
        let is_imported = other.run(None, &words).is_ok();
        assert_eq!(database.exists(), is_imported);
        if is_imported {
            imported += 1;
            fs::remove_file(&database).unwrap();
        }
    }
    assert!((1..count).contains(&imported), "{imported} of {count}");
}

/// Changes a byte, a word or a line.
fn mutated(club: &[u8], rng: &mut fastrand::Rng) -> Vec<u8> {
    let mut changed = club.to_vec();
    let at = rng.usize(..club.len());
    match rng.u8(..4) {
        0 => changed[at] = rng.u8(..),
        1 => drop(changed.remove(at)),
        2 => changed.truncate(at),
        _ => {
            let mut lines: Vec<_> = club.split_inclusive(|&byte| byte == b'\n').collect();
            let (from, to) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
            match rng.bool() {
                true => lines.swap(from, to),
                false => drop(lines.remove(from)),
            }
            changed = lines.concat();
        }
    }
    changed
}
