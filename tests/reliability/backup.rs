//! Copies of a living database.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rusqlite::Connection;

use crate::house::House;
use crate::state;

/// What the house has beside the database's own files and the Maildir.
fn others(house: &House) -> Vec<String> {
    let names = fs::read_dir(house.folder()).unwrap();
    let mut names: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with("outflank."));
    names.sort();
    names
}

#[test]
fn a_copy_made_while_others_move_is_whole() {
    let house = House::new();
    for _ in 0..3 {
        house.done(&["new", "othello", "alice@example.org", "bob@example.org"]);
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let id = (turn % 3 + 1).to_string();
                let game = house.json(&["show", &id]);
                match game["legal"][0].as_str() {
                    Some(played) => house.done(&["move", &id, played]),
                    None => house.done(&["new", "mini", "alice@example.org", "bob@example.org"]),
                };
            }
        });
        let mut earlier = 0;
        for number in 0..10 {
            let copy = house.path(&format!("copy-{number}.db"));
            house.done(&["backup", copy.to_str().unwrap()]);
            // Nothing that the copy needs lies beside it.
            assert!(!house.path(&format!("copy-{number}.db-wal")).exists());
            let plies = moves(&copy);
            assert!(plies >= earlier, "{plies} moves after {earlier}");
            earlier = plies;
            assert!(state::check(&copy) >= 3);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(others(&house).iter().all(|name| name.starts_with("copy-")), "{:?}", others(&house));
}

fn moves(database: &std::path::Path) -> i64 {
    let sqlite = Connection::open(database).unwrap();
    sqlite.query_row("SELECT count(*) FROM move", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_copy_takes_the_place_of_its_database() {
    let house = House::with_game();
    house.done(&["move", "1", "f5"]);
    house.done(&["backup", "copy.db"]);
    house.done(&["move", "1", "f6"]);
    for file in ["outflank.db", "outflank.db-wal", "outflank.db-shm"] {
        fs::remove_file(house.path(file)).unwrap();
    }
    fs::rename(house.path("copy.db"), house.database()).unwrap();

    assert_eq!(house.json(&["show", "1"])["ply"], 1);
    house.done(&["move", "1", "d6"]);
    assert_eq!(house.json(&["show", "1"])["ply"], 2);
    let sqlite = house.sqlite();
    let log: String = sqlite.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(log, "wal", "readers must not keep writers waiting again");
    house.wait(3600);
    house.done(&["send"]);
    state::check(&house.database());
    // The mail about f6 was sent before: that of another database, with another Message-ID.
    let second = house.mails().into_keys().filter(|id| id.starts_with("1.2.turn.")).count();
    assert_eq!(second, 2);
}

#[test]
fn a_backup_overwrites_nothing() {
    let house = House::with_game();
    fs::write(house.path("precious"), "mine").unwrap();
    fs::create_dir(house.path("folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", house.path("link")).unwrap();
    for target in ["precious", "folder", "link", "outflank.db"] {
        let ran = house.run(&["backup", target]);
        let line = ran.failed(1);
        assert!(line.contains(target) && line.contains("exists already"), "{line}");
    }
    assert_eq!(fs::read_to_string(house.path("precious")).unwrap(), "mine");
    assert_eq!(others(&house), ["folder", "link", "precious"]);
    assert_eq!(house.json(&["show", "1"])["ply"], 0);
}

#[test]
fn a_backup_that_fails_leaves_nothing_behind() {
    let house = House::with_game();
    fs::write(house.path("file"), "").unwrap();
    for target in ["missing/copy.db", "file/copy.db", "/proc/copy.db"] {
        let (error, _) = house.run(&["backup", target, "--json"]).failed_in_json(3);
        assert!(error.contains(target), "{error}");
    }
    assert_eq!(others(&house), ["file"]);
}
