//! `verify`: it finds each value that does not follow from the logs, and changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use crate::harness::{ALICE, BOB, Run, TestEnvironment};

/// The columns that record events and settings. They are not derived from anything.
const FACTS: &[(&str, &[&str])] = &[
    ("absence", &["player", "from_at", "until_at"]),
    ("address_request", &["player", "asked_at"]),
    ("analysis", &["game", "created_at"]),
    // The results of the engine, which depend on its time.
    ("analysis_ply", &["game", "best", "value", "best_value", "depth", "exact", "line", "decided"]),
    ("ban", &["mailbox", "banned_at"]),
    ("blocked", &["player", "author"]),
    (
        "challenge",
        &[
            "id",
            "challenger",
            "opponent",
            "bot",
            "variant",
            "board_rows",
            "board_columns",
            "misere",
            "anywhere",
            "stuck",
            "supply",
            "start",
            "frame",
            "opening",
            "moves",
            "clock",
            "free_weekends",
            "flag",
            "absences",
            "rated",
            "color",
            "thread",
            "mark",
            "created_at",
            "closed_at",
        ],
    ),
    ("attachment", &["mail", "number", "name", "media_type", "content"]),
    ("club", &["id", "sender", "transport", "receive", "web"]),
    ("club_key", &["key", "club"]),
    ("comment", &["game", "at_once", "mail"]),
    ("digest_game", &["mail", "number", "game"]),
    ("entrant", &["tournament", "joined_at", "withdrawn"]),
    ("event", &["game", "at", "author", "turn_starts_at"]),
    ("failure", &["player", "failed_at"]),
    (
        "game",
        &[
            "id",
            "variant",
            "board_rows",
            "board_columns",
            "misere",
            "anywhere",
            "stuck",
            "supply",
            "start",
            "frame",
            "black",
            "white",
            "black_bot",
            "white_bot",
            "thread",
            "mark",
            "created_at",
            "clock",
            "free_weekends",
            "flag",
            "absences",
            "turn_starts_at",
            "rated",
            "local",
            "alarm_error",
        ],
    ),
    (
        "held",
        &[
            "id",
            "player",
            "address",
            "created_at",
            "done_at",
            "had_words",
            "is_new_address",
            "is_verified",
            "mark",
        ],
    ),
    ("clock_doubt", &["id", "known", "since", "last"]),
    ("held_command", &["id", "held", "kind", "words", "events", "sentence"]),
    ("idle", &["is_verified", "mails", "last_at"]),
    ("installation", &["id", "token", "created_at", "deadlines_checked_at", "host_notified_at"]),
    ("installation_mark", &["id", "from_at", "mark"]),
    ("intake", &["disposition", "mails", "last_at"]),
    (
        "job",
        &[
            "id",
            "game",
            "player",
            "queued_at",
            "due_at",
            "lease",
            "lease_until",
            "tries",
            "failures",
            "last_error",
        ],
    ),
    ("mail_outage", &["id", "since", "until"]),
    ("job_count", &["id", "claimed"]),
    ("job_time", &["id", "player", "ended_at", "milliseconds"]),
    ("news", &["kind", "about", "count", "text", "first_at", "last_at", "mail", "told", "next_at"]),
    (
        "outbox",
        &[
            "id",
            "message_id",
            "player",
            "address",
            "game",
            "text",
            "held",
            "is_reply",
            "in_reply_to",
            "for_digest",
            "tries",
            "created_at",
            "due_at",
            "lease",
            "lease_until",
            "sent_to",
            "last_error",
            "bounced_at",
            "bounces",
            "bounced_try",
            "not_before",
            "is_prompt",
            "occasion",
            "first_try_at",
            "shown",
            "suggested",
            "says_turn",
            "challenge",
            "caused_by",
            "mark",
        ],
    ),
    ("plan", &["game", "branches"]),
    (
        "player",
        &[
            "id",
            "name",
            "address",
            "created_at",
            "left_at",
            "receipt",
            "reminders",
            "letter",
            "letter_at",
            "paused_at",
            "failed_from",
            "failed_until",
        ],
    ),
    (
        "probe",
        &[
            "mail", "is_loop", "address", "asked_at", "came_at", "receiver", "server", "results",
            "mark",
        ],
    ),
    (
        "quarantine",
        &["file", "reason", "sender", "subject", "message_id", "date", "bytes", "came_at"],
    ),
    // Work that is still to be done.
    ("received", &["id", "received_at", "player", "sender", "understood", "disposition", "why"]),
    ("recalculation", &["list", "ended_at", "game"]),
    ("reminder", &["game", "stage", "mail", "delivered_at"]),
    ("refusal", &["mailbox", "refused_at"]),
    ("replica", &["id", "settings"]),
    ("handover", &["id", "name", "is_copy"]),
    ("reply", &["is_verified", "has_command", "replied_at"]),
    ("seen", &["digest", "seen_at"]),
    ("signed_game", &["game", "letters"]),
    ("system_user", &["id", "player"]),
    (
        "tournament",
        &[
            "id",
            "name",
            "format",
            "rounds",
            "division_size",
            "moved",
            "began_at",
            "places",
            "lowest",
            "highest",
            "variant",
            "board_rows",
            "board_columns",
            "misere",
            "anywhere",
            "stuck",
            "supply",
            "start",
            "frame",
            "opening",
            "clock",
            "free_weekends",
            "flag",
            "absences",
            "rated",
            "mark",
            "created_at",
            "starts_at",
            "postponed",
            "ended_at",
        ],
    ),
    ("unsubscribed", &["game", "player"]),
    ("watcher", &["game"]),
];

/// The other columns: each with a statement that makes it wrong, and the column that `verify` names if that
/// is another one, or nothing if it names none. Game 1 is over and rated, 2 has a clock, reminders and a
/// plan, in 3 a computer player must move, 4 was analyzed, 5 came from a challenge, and 7 was in a digest.
const DERIVED: &[(&str, &str, &str)] = &[
    ("analysis_ply.ply", "UPDATE analysis_ply SET ply = 99 WHERE ply = 3", "analysis_ply"),
    ("analysis_ply.choices", "UPDATE analysis_ply SET choices = choices + 1 WHERE ply = 3", ""),
    ("challenge.state", "UPDATE challenge SET state = 'declined' WHERE id = 5", ""),
    ("comment.event", "UPDATE comment SET event = event - 1", "comment"),
    ("comment.reader", "UPDATE comment SET reader = 3 - reader", ""),
    ("comment.said_at", "UPDATE comment SET said_at = said_at + 1", ""),
    ("digest_game.ply", "UPDATE digest_game SET ply = ply + 1", ""),
    ("digest_game.events", "UPDATE digest_game SET events = 99", ""),
    ("event.number", "UPDATE event SET number = 99 WHERE game = 2 AND number = 1", "event"),
    ("event.action", "UPDATE event SET action = 'a1' WHERE game = 2 AND number = 1", "event"),
    ("game.digest", "UPDATE game SET digest = x'00' WHERE id = 1", ""),
    ("game.opening", "UPDATE game SET opening = 'balanced' WHERE id = 2", ""),
    ("game.ply", "UPDATE game SET ply = ply + 1 WHERE id = 2", ""),
    ("game.events", "UPDATE game SET events = events + 1 WHERE id = 2", ""),
    ("game.position_event", "UPDATE game SET position_event = 0 WHERE id = 2", ""),
    ("game.turn", "UPDATE game SET turn = iif(turn = 'black', 'white', 'black') WHERE id = 2", ""),
    ("game.to_move", "UPDATE game SET to_move = NULL WHERE id = 2", ""),
    ("game.to_wait", "UPDATE game SET to_wait = to_move WHERE id = 2", ""),
    ("game.since", "UPDATE game SET since = since - 1 WHERE id = 2", ""),
    ("game.black_discs", "UPDATE game SET black_discs = black_discs + 1 WHERE id = 1", ""),
    ("game.white_discs", "UPDATE game SET white_discs = 0 WHERE id = 1", ""),
    ("game.winner", "UPDATE game SET winner = NULL WHERE id = 1", ""),
    ("game.reason", "UPDATE game SET reason = 'discs' WHERE id = 1", ""),
    ("game.deadline", "UPDATE game SET deadline = deadline + 1 WHERE id = 2", ""),
    ("game.alarm_at", "UPDATE game SET alarm_at = alarm_at + 1 WHERE id = 2", ""),
    ("game.alarm_at", "UPDATE game SET alarm_at = NULL WHERE id = 2", ""),
    ("game.offer_event", "UPDATE game SET offer_event = 1 WHERE id = 2", ""),
    ("game.paused", "UPDATE game SET paused = 1 WHERE id = 2", ""),
    ("game.claim_event", "UPDATE game SET claim_event = 1 WHERE id = 2", ""),
    ("idle.mailbox", "INSERT INTO idle VALUES ('player 99', 1, 1, 0)", "-"),
    ("installation.secret", "UPDATE installation SET secret = x'00'", "-"),
    ("job.kind", "UPDATE job SET kind = 'answer'", ""),
    ("job.event", "UPDATE job SET event = 0", ""),
    ("job.rank", "UPDATE job SET rank = 2 - rank", ""),
    ("outbox.kind", "UPDATE outbox SET kind = 'turned' WHERE game = 2", "outbox"),
    ("outbox.state", "UPDATE outbox SET state = 'lost' WHERE game = 2", "outbox"),
    ("outbox.ply", "UPDATE outbox SET ply = ply + 1 WHERE game = 2", ""),
    ("outbox.events", "UPDATE outbox SET events = 99 WHERE game = 2", ""),
    ("plan.player", "UPDATE plan SET player = 4", "-"),
    ("plan.event", "UPDATE plan SET event = 99", ""),
    ("player.secret", "UPDATE player SET secret = x'00' WHERE name = 'alice'", ""),
    ("player.failures", "UPDATE player SET failures = 1 WHERE name = 'alice'", ""),
    ("player.clock", "UPDATE player SET clock = 'x' WHERE name = 'dave'", "player"),
    ("player.mail_mode", "UPDATE player SET mail_mode = 'x' WHERE name = 'dave'", "player"),
    ("player.style", "UPDATE player SET style = 'x' WHERE name = 'dave'", "player"),
    ("player.grace", "UPDATE player SET grace = 'x' WHERE name = 'dave'", "player"),
    ("player.subject", "UPDATE player SET subject = 'x' WHERE name = 'dave'", "player"),
    ("player.watchers", "UPDATE player SET watchers = 'x' WHERE name = 'dave'", "player"),
    ("player.named", "UPDATE player SET named = 'x' WHERE name = 'dave'", "player"),
    ("player.challenges", "UPDATE player SET challenges = 'x' WHERE name = 'dave'", "player"),
    ("player.active", "UPDATE player SET active = active + 1 WHERE name = 'alice'", ""),
    ("player.won", "UPDATE player SET won = won + 1 WHERE name = 'alice'", ""),
    ("player.lost", "UPDATE player SET lost = lost + 1 WHERE name = 'alice'", ""),
    ("player.drawn", "UPDATE player SET drawn = drawn + 1 WHERE name = 'alice'", ""),
    ("player.timed_turns", "UPDATE player SET timed_turns = 99 WHERE name = 'alice'", ""),
    ("player.late_turns", "UPDATE player SET late_turns = 99 WHERE name = 'alice'", ""),
    ("rating.list", "UPDATE rating SET list = '6x6' WHERE player = 1", "rating"),
    ("rating.player", "UPDATE rating SET player = 4 WHERE player = 1", "rating"),
    ("rating.game", "UPDATE rating SET game = 2 WHERE player = 1", "rating"),
    ("rating.ended_at", "UPDATE rating SET ended_at = ended_at + 1 WHERE player = 1", ""),
    ("rating.opponent", "UPDATE rating SET opponent = 4 WHERE player = 1", ""),
    ("rating.score", "UPDATE rating SET score = 'drawn' WHERE player = 1", ""),
    ("rating.rating", "UPDATE rating SET rating = rating + 0.001 WHERE player = 1", ""),
    ("rating.deviation", "UPDATE rating SET deviation = deviation - 1 WHERE player = 1", ""),
    ("rating.volatility", "UPDATE rating SET volatility = 0.05 WHERE player = 1", ""),
    ("rating.games", "UPDATE rating SET games = 7 WHERE player = 1", ""),
    (
        "record.player",
        "UPDATE record SET player = 4 WHERE player = 1 AND about = '8x8'",
        "record.won",
    ),
    (
        "record.kind",
        "UPDATE record SET kind = 'bot' WHERE player = 1 AND about = '8x8'",
        "record.won",
    ),
    (
        "record.about",
        "UPDATE record SET about = '6x6' WHERE player = 1 AND about = '8x8'",
        "record.won",
    ),
    ("record.won", "UPDATE record SET won = won + 1 WHERE player = 1", ""),
    ("record.drawn", "UPDATE record SET drawn = drawn + 1 WHERE player = 1", ""),
    ("record.lost", "UPDATE record SET lost = lost + 1 WHERE player = 1", ""),
    ("pairing.tournament", "UPDATE pairing SET tournament = 2 WHERE number = 1", "pairing"),
    ("pairing.season", "UPDATE pairing SET season = 2 WHERE number = 1", "pairing"),
    ("pairing.division", "UPDATE pairing SET division = 2 WHERE number = 1", "pairing"),
    ("pairing.number", "UPDATE pairing SET number = 9 WHERE number = 1", "pairing"),
    ("pairing.round", "UPDATE pairing SET round = 7 WHERE number = 1", "pairing"),
    (
        "pairing.black",
        "UPDATE pairing SET (black, white) = (white, black) WHERE number = 1",
        "pairing",
    ),
    (
        "pairing.white",
        "UPDATE pairing SET (black, white) = (white, black) WHERE number = 2",
        "pairing",
    ),
    ("pairing.game", "UPDATE pairing SET game = 1 WHERE number = 3", "pairing"),
    ("entrant.player", "UPDATE entrant SET player = 4 WHERE player = 1", "pairing"),
    ("entrant.season", "UPDATE entrant SET season = 2 WHERE player = 1", "entrant.number"),
    ("entrant.division", "UPDATE entrant SET division = 2 WHERE player = 1", "entrant.number"),
    ("entrant.bye", "UPDATE entrant SET bye = 1 WHERE player = 1", "pairing"),
    ("entrant.number", "UPDATE entrant SET number = 9 WHERE player = 1", ""),
    ("reminder.event", "UPDATE reminder SET event = 0", ""),
    ("reply.mailbox", "INSERT INTO reply VALUES ('player 99', 1, 1, 0)", "-"),
    ("seen.sender", "INSERT INTO seen VALUES (x'00', 'player 99', 0)", "-"),
    ("tournament.doubled", "UPDATE tournament SET doubled = 1", "pairing"),
    ("tournament.season", "UPDATE tournament SET season = 0", "entrant.number"),
    ("tournament.state", "UPDATE tournament SET state = 'finished' WHERE id = 1", ""),
    ("tournament.due_at", "UPDATE tournament SET due_at = NULL WHERE id = 1", ""),
    ("watcher.player", "INSERT INTO watcher VALUES (2, 1)", "-"),
];

/// Returns a database with a row in each table that has derived columns.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new();
    // 1: rated, and over.
    env.ok(&format!("new othello {ALICE} {BOB} --rated --clock 3d"));
    env.ok("move 1 f5 d6 c3 d3");
    env.ok("resign 1 --as bob");
    // 2: with a clock and a plan.
    env.ok("new othello alice bob --clock 3d");
    env.ok("move 2 f5");
    env.ok("say 2 hello --as alice");
    env.ok("plan 2 d6 c3 --as alice");
    // 3: a computer player must move.
    env.ok("new othello alice bot:0");
    let started = env.last_mail_to(ALICE);
    // 4: analyzed.
    env.ok("new mini alice bob --moves 'b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2'");
    env.ok("analyze 4 --depth 4");
    // 5: from a challenge.
    env.ok("signup carol carol@example.org");
    env.ok("signup dave dave@example.org");
    env.ok("challenge carol --as alice");
    env.ok("accept 5 --as carol");
    env.ok("challenge bob --as alice");
    // 7: in a digest.
    env.ok("--as dave set mail digest 18:00");
    env.ok("new othello carol dave");
    env.ok("move 7 f5");
    env.later(60 * 9);
    env.ok("send");
    // A tournament whose games have not begun.
    env.ok("tournament new cup mini");
    for name in ["alice", "bob", "carol"] {
        env.ok(&format!("join cup --as {name}"));
    }
    // Reminders of game 2.
    env.later(60 * 50);
    env.ok("send");
    env.receive(&started.reply("d3"));
    env.ok("tournament start cup");
    env
}

fn verify(env: &TestEnvironment, database: &Path) -> Run {
    env.run(&format!("--db {} --json verify", database.display()))
}

fn faults(ran: &Run) -> Vec<Value> {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    json["faults"].as_array().unwrap().clone()
}

/// Returns the tables of the schema with their columns.
fn schema(sqlite: &Connection) -> BTreeMap<String, Vec<String>> {
    let mut select = sqlite
        .prepare(
            "SELECT schema.name, info.name FROM sqlite_schema AS schema
             JOIN pragma_table_info(schema.name) AS info
             WHERE schema.type = 'table' AND schema.name NOT LIKE 'sqlite_%'",
        )
        .unwrap();
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for (table, column) in rows.map(Result::unwrap) {
        tables.entry(table).or_default().push(column);
    }
    tables
}

/// After an upgrade that changes deadlines, the next `send` checks every clock.
#[test]
fn deadlines_are_stored_again_after_an_upgrade() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} bob@example.org --clock 10d"));
    env.ok("move 1 f5");
    env.mails();
    let deadline = || -> i64 {
        let sql = "SELECT deadline FROM game";
        env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let right = deadline();
    let sql = "UPDATE game SET deadline = deadline - 7200, alarm_at = 0";
    env.sqlite().execute(sql, []).unwrap();
    assert_eq!(env.run("verify").status, Some(0));
    env.ok("send");
    assert_eq!(deadline(), right);
    assert_eq!(env.run("verify").status, Some(0));
    assert_eq!(env.mails().len(), 0, "nobody is mailed");
}

#[test]
fn a_wrong_value_in_any_derived_column_is_found() {
    let env = club();
    env.ok("backup copy.db");
    let ran = verify(&env, &env.path("copy.db"));
    assert_eq!(faults(&ran), [Value::Null; 0], "nothing is wrong yet");
    assert_eq!(ran.status, Some(0));

    // Each column is in one of the two lists.
    let facts: BTreeMap<_, _> = FACTS.iter().copied().collect();
    for (table, columns) in schema(&env.sqlite()) {
        for column in columns {
            let name = format!("{table}.{column}");
            let is_fact = facts.get(&*table).is_some_and(|facts| facts.contains(&&*column));
            let is_derived = DERIVED.iter().any(|(derived, ..)| *derived == name);
            assert!(
                is_fact != is_derived,
                "{name} must be in FACTS, or `verify` must check it and it must be in DERIVED"
            );
        }
    }

    for (column, sql, found_in) in DERIVED {
        let copy = env.path("wrong.db");
        fs::copy(env.path("copy.db"), &copy).unwrap();
        let sqlite = Connection::open(&copy).unwrap();
        sqlite.pragma_update(None, "ignore_check_constraints", true).unwrap();
        sqlite.pragma_update(None, "foreign_keys", false).unwrap();
        assert!(sqlite.execute(sql, []).unwrap() > 0, "{column}: no row was changed");
        drop(sqlite);
        let ran = verify(&env, &copy);
        assert_eq!(ran.status, Some(3), "{column}: {ran:?}");
        let found = faults(&ran);
        let is_found = match *found_in {
            "-" => found.iter().any(|fault| fault["column"].is_null()),
            "" => found.iter().any(|fault| fault["column"] == *column),
            other => found.iter().any(|fault| fault["column"] == other),
        };
        assert!(is_found, "{column}: {found:#?}");
    }
}

#[test]
fn what_commands_cannot_read_is_found() {
    let env = club();
    env.ok("backup copy.db");
    for (sql, found) in [
        ("DROP TABLE ban", "the schema: ban is missing, changed or additional"),
        ("DROP INDEX challenge_open", "the schema: challenge_open is missing"),
        ("UPDATE plan SET branches = 'zz'", "a plan is not valid"),
        ("UPDATE challenge SET clock = 'zz' WHERE id = 6", "challenge 6: "),
        ("UPDATE analysis_ply SET best = 'zz'", "its analysis is not valid"),
        ("UPDATE outbox SET due_at = -99999999999999999", "mail 1"),
        ("UPDATE event SET author = 'bx' WHERE game = 2", "unknown author \"bx\""),
        ("DELETE FROM sqlite_sequence WHERE name = 'game'", "the numbers of game: "),
        ("DELETE FROM installation", "the installation: its secret behind reply tokens is missing"),
    ] {
        let copy = env.path("wrong.db");
        fs::copy(env.path("copy.db"), &copy).unwrap();
        let sqlite = Connection::open(&copy).unwrap();
        sqlite.pragma_update(None, "ignore_check_constraints", true).unwrap();
        sqlite.execute_batch(sql).unwrap();
        drop(sqlite);
        let ran = env.run("--db wrong.db verify");
        assert_eq!(ran.status, Some(3), "{sql}: {ran:?}");
        assert!(ran.stdout.contains(found), "{sql}: {}", ran.stdout);
    }
}

#[test]
fn what_a_clock_that_was_ahead_has_put_off_is_no_fault() {
    let env = TestEnvironment::new().with_game();
    env.configure("[transport]\nkind = 'smtp'\nhost = '127.0.0.1'\nport = 1\nsecurity = 'none'");
    env.outage_seconds(90 * 86_400);
    env.run("send");
    env.outage_seconds(-89 * 86_400);
    assert!(env.ok("verify").starts_with("Nothing is wrong: "));
}

#[test]
fn a_backup_is_read_and_nothing_else_happens() {
    let env = TestEnvironment::new().with_game();
    env.ok("backup copy.db");
    let before = fs::read(env.path("copy.db")).unwrap();
    let text = env.ok("--db copy.db verify");
    assert_eq!(text, "Nothing is wrong: copy.db with 1 game.\n");
    assert_eq!(env.json("--db copy.db verify")["games"], 1);
    // This also works if the copy was used as a database before and lacks its log.
    env.ok("--db copy.db games");
    for file in ["copy.db-wal", "copy.db-shm", "copy.db-lock"] {
        let _ = fs::remove_file(env.path(file));
    }
    env.ok("--db copy.db verify");
    fs::write(env.path("copy.db"), &before).unwrap();
    env.ok("--db copy.db verify 1");
    assert_eq!(fs::read(env.path("copy.db")).unwrap(), before);
    let beside: Vec<_> = fs::read_dir(env.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("copy"))
        .collect();
    assert_eq!(beside, ["copy.db"]);

    assert_eq!(
        env.fails(3, "--db missing.db verify"),
        "outflank: there is no database missing.db; give another file with --db"
    );
    assert!(!env.path("missing.db").exists());
    assert_eq!(
        env.fails(1, "verify 1 99"),
        "outflank: there is no game 99; see `outflank games --all`"
    );
    fs::write(env.path("text.db"), "not a database").unwrap();
    assert!(env.fails(3, "--db text.db verify").contains("is not an Outflank database"));
    let sqlite = Connection::open(env.path("copy.db")).unwrap();
    sqlite.pragma_update(None, "user_version", 15).unwrap();
    drop(sqlite);
    let line = env.fails(3, "--db copy.db verify");
    assert!(
        line.contains("copy.db has schema 15; this version of outflank reads schema"),
        "{line}"
    );
    assert!(
        line.ends_with("copy it, and update the copy with `outflank --db COPY games`"),
        "{line}"
    );
}

#[test]
fn a_database_in_use_is_verified() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    // The change is still in the log.
    assert!(env.path("outflank.db-wal").metadata().unwrap().len() > 0);
    assert!(env.ok("verify").starts_with("Nothing is wrong: "));
    env.sqlite().execute("UPDATE game SET ply = 7, turn = 'black'", []).unwrap();
    let ran = env.run("verify 1");
    assert_eq!(ran.status, Some(3));
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "game 1: ply is \"7\", should be \"1\"");
    assert_eq!(lines[1], "game 1: turn is \"black\", should be \"white\"");
    assert!(ran.stderr.contains("faults found in 1 game of "), "{}", ran.stderr);
    assert!(ran.stderr.contains("restore a backup in which"), "{}", ran.stderr);
}

#[test]
fn rows_that_refer_to_nothing_and_damage_of_the_file_are_found() {
    let env = TestEnvironment::new().with_game();
    let sqlite = env.sqlite();
    sqlite.pragma_update(None, "foreign_keys", false).unwrap();
    for sql in [
        "INSERT INTO job (kind, game, event, queued_at, due_at) VALUES ('hint', 77, 0, 0, 0)",
        "INSERT INTO watcher VALUES (88, 1)",
        "UPDATE outbox SET player = 99 WHERE id = 1",
        "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'outbox'",
    ] {
        sqlite.execute(sql, []).unwrap();
    }
    let ran = env.run("verify");
    assert_eq!(ran.status, Some(3));
    for part in [
        "of job refers to a row of game that does not exist",
        "of watcher refers to a row of game that does not exist",
        "row 1 of outbox refers to a row of player that does not exist",
        "the numbers of outbox: a number that is in use would be given again",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }

    // An index page with lost bytes.
    let env = TestEnvironment::new().with_game();
    env.ok("backup copy.db");
    let root: u64 = env
        .sqlite()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'game_active'", [], |row| {
            row.get(0)
        })
        .unwrap();
    let mut bytes = fs::read(env.path("copy.db")).unwrap();
    let page = usize::try_from(root - 1).unwrap() * 4096;
    bytes[page + 4000..page + 4096].fill(0);
    fs::write(env.path("copy.db"), bytes).unwrap();
    let ran = env.run("--db copy.db verify");
    assert_eq!(ran.status, Some(3));
    assert!(ran.stdout.contains("the file: "), "{ran:?}");
}
