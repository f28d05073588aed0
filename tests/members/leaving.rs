//! Players who leave or are removed by the host.

use std::fs;

use serde_json::json;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, TestEnvironment};

const DAY: i64 = 24 * 60;

/// Returns the columns that contain this text, in upper or lower case.
fn found(env: &TestEnvironment, text: &str) -> Vec<String> {
    let sqlite = env.sqlite();
    let columns = "SELECT tables.name, columns.name FROM sqlite_schema tables,
                   pragma_table_info(tables.name) columns WHERE tables.type = 'table'";
    let mut columns = sqlite.prepare(columns).unwrap();
    let columns = columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let columns: Vec<(String, String)> = columns.map(Result::unwrap).collect();
    let has = |(table, column): &(String, String)| {
        let any = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE {column} LIKE ?1)");
        sqlite.query_row(&any, [format!("%{text}%")], |row| row.get::<_, bool>(0)).unwrap()
    };
    columns.iter().filter(|it| has(it)).map(|(table, column)| format!("{table}.{column}")).collect()
}

/// Returns an environment with three games of bob: one with two moves of each player, one with fewer moves,
/// and a finished one with the offer of a rematch.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5 d6 c3 d3");
    env.ok("say 1 farewell --as bob");
    env.ok("note 1 watch the corner --as bob");
    env.ok("note 1 watch the edge --as alice");
    env.ok("new mini bob bot:1");
    env.ok("new mini alice bob");
    env.ok("resign 3 --as alice");
    env.ok("rematch 3 --as bob");
    env.mails();
    env
}

#[test]
fn the_plans_of_a_player_who_leaves_are_erased() {
    let env = club();
    env.ok("plan 1 c4 f4 --as bob");
    let plans = || -> i64 {
        env.sqlite().query_row("SELECT count(*) FROM plan", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(plans(), 1);
    env.ok("leave --yes --as bob");
    assert_eq!(plans(), 0);
}

#[test]
fn a_player_leaves_by_mail_after_a_yes() {
    let env = club();
    let turn = env.mails_to(BOB).remove(0);
    // Traces of bob's address.
    env.receive(&InboundMessage::new(BOB, "games"));
    env.receive(&turn.reply("d6").from(CAROL));
    env.receive(&env.mails_to(ALICE).remove(0).reply("games").from(BOB));
    env.pipe(&InboundMessage::new(BOB, "").with("Content-Type", "multipart/mixed").bytes());
    let long = "x".repeat(183);
    for from in [
        "bob+club@example.org, d@e.example".to_owned(),
        "\"bob\"@example.org".to_owned(),
        format!("{long}@e.example, {BOB}"),
    ] {
        env.pipe(&InboundMessage::new(&from, "").with("Content-Type", "multipart/mixed").bytes());
    }
    env.ok("ssh alice");
    assert!(found(&env, BOB).len() > 3, "{:?}", found(&env, BOB));
    env.mails();
    assert_eq!(env.receive(&turn.reply("leave")), "held");
    let question = env.mail_to(BOB);
    question.says("leave: resigns your open games and deletes your address");
    assert_eq!(env.game(1)["status"], "active");
    assert_eq!(env.receive(&question.reply("no")), "done");
    env.no_mail();
    assert_eq!(env.receive(&turn.reply("leave --yes").id("again@bob.example")), "held");
    let question = env.mail_to(BOB);
    assert_eq!(env.receive(&question.reply("yes")), "done");
    assert_eq!(env.game(1)["result"]["reason"], "resigned");
    assert_eq!(env.game(2)["result"]["reason"], "annulled");
    assert!(env.ok("show 2").contains("Annulled: bob has left."));
    let (to_bob, others): (Vec<_>, Vec<_>) = env.mails().into_iter().partition(|it| it.to == BOB);
    assert_eq!(to_bob.len(), 1, "{to_bob:#?}");
    to_bob[0].says("You have left, bob.").says("Resigned: game 1. Annulled: game 2.");
    let to_alice: Vec<_> = others.iter().map(|mail| mail.header("Subject")).collect();
    assert_eq!(to_alice.len(), 2, "{to_alice:?}");
    assert!(others.iter().any(|mail| mail.text.contains("farewell")));
    for trace in [BOB, "bob@", "+club", "\"bob\""] {
        assert_eq!(found(&env, trace), Vec::<String>::new(), "{trace}");
    }
    for file in ["outflank.db", "outflank.db-wal"] {
        let bytes = fs::read(env.database().with_file_name(file)).unwrap_or_default();
        for trace in [BOB, "watch the corner"] {
            let has = bytes.windows(trace.len()).any(|it| it == trace.as_bytes());
            assert!(!has, "{trace} is in {file}, perhaps in a free page");
        }
    }
    assert_eq!(env.json("inbox")["quarantined"], json!([]));
    assert!(env.ok("show 1").contains("farewell"), "comments stay");
    assert!(env.ok("note 1 --as alice").contains("watch the edge"));
    // His tokens are revoked, and he is a stranger now.
    for text in ["games", "yes"] {
        assert_eq!(env.receive(&question.reply(text).id(text)), "stranger");
    }
    env.no_mail();
    // The name stays his.
    for refused in
        ["--as bob games", "new mini alice bob", "rematch 1 --as alice", "say 1 x --as alice"]
    {
        assert!(env.fails(1, refused).contains("bob has left"), "{refused}");
    }
    assert!(env.fails(1, "accept 3 --as alice").contains("no offer"));
    assert!(env.fails(1, &format!("signup bob {CAROL}")).contains("the name bob is taken"));
    assert_eq!(env.json("players")["players"].as_array().unwrap().len(), 1);
    env.ok(&format!("signup bobby {BOB}"));
}

#[test]
fn an_unverified_mail_is_asked_about_too() {
    let env = club();
    // Commands after `leave` in the mail are too late.
    let text = "leave\nchallenge alice\naway 2026-12-01 2026-12-05";
    assert_eq!(env.receive(&InboundMessage::new(BOB, text)), "held");
    let question = env.mail_to(BOB);
    question.says("leave: resigns your open games");
    assert_eq!(env.receive(&question.reply("yes")), "done");
    assert_eq!(found(&env, BOB), Vec::<String>::new());
    assert_eq!(env.json("challenges")["challenges"], json!([]));
    env.ok("signup carol carol@example.org");
    env.ok("challenge carol --as alice");
    env.mails();
    env.ok("leave --yes --as carol");
    let mails = env.mails();
    assert!(mails.iter().any(|mail| mail.text.contains("carol has left, so your challenge")));
    assert_eq!(env.json("player bob")["absences"], json!([]));
}

#[test]
fn erasing_an_address_leaves_longer_ones_alone() {
    let env = TestEnvironment::new().with_game();
    env.ok("signup ice ice@example.org");
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "set style words\nresign 1")), "held");
    env.ok("remove ice");
    assert_eq!(found(&env, "ice@example.org"), found(&env, ALICE));
}

#[test]
fn over_ssh_it_needs_an_option() {
    let env = club();
    let ran = env.ssh("bob", "leave");
    assert!(ran.failed(1).ends_with("; to do it, write `leave --yes`"), "{ran:?}");
    let left = env.ssh("bob", "--json leave --yes").json();
    assert_eq!(left, json!({"player": "bob", "resigned": [1], "annulled": [2]}));
    assert!(env.ssh("bob", "games").failed(1).contains("bob has left"));
}

#[test]
fn the_host_bans_a_mailbox() {
    let env = club();
    let text = env.ok("remove BOB@example.org --ban");
    assert!(text.contains("bob is removed. Resigned: game 1. Annulled: game 2."), "{text}");
    let farewell = env.mails().into_iter().find(|mail| mail.to == BOB).unwrap();
    farewell.says("The host has ended your membership, bob.");
    assert_eq!(found(&env, BOB), Vec::<String>::new());
    for (from, disposition) in [("bob+x@EXAMPLE.org", "ignored: banned"), (CAROL, "held")] {
        assert_eq!(env.receive(&InboundMessage::new(from, "signup hank")), disposition, "{from}");
    }
    env.mail_to(CAROL);
    assert!(env.fails(1, "remove bob").contains("bob has left"));
    // The host lifts the ban.
    env.ok(&format!("signup bobby {BOB}"));
    assert_eq!(env.receive(&InboundMessage::new("bob+x@example.org", "signup hank")), "held");
}

#[test]
fn an_address_is_erased_when_its_farewell_has_failed_or_waited_for_three_days() {
    let env = club();
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['false']");
    env.run("leave --yes --as bob");
    env.later(3 * DAY - 1);
    env.run("send");
    assert_eq!(found(&env, BOB), ["outbox.address", "outbox.sent_to"]);
    assert_eq!(env.count("bob@example.org farewell queued"), 1);
    env.later(1);
    env.run("send");
    assert_eq!(found(&env, BOB), Vec::<String>::new());
    // The process was killed after the last try.
    env.run("leave --yes --as alice");
    let failed = "UPDATE outbox SET state = 'failed' WHERE kind = 'farewell'";
    env.sqlite().execute(failed, []).unwrap();
    env.run("send");
    assert_eq!(found(&env, ALICE), Vec::<String>::new());
}
