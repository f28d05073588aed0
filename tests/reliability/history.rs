//! After a backup is restored, nothing acts in another game or position than its mail, page or question showed.

use std::fs;

use outflank::app::Visit;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, Mail, TestEnvironment};
use crate::intake::bounces::{FAILED, Server, report};

const CONFIG: &str =
    "[web]\nurl = 'https://club.example/othello/'\n[receive]\nauthserv_id = 'mx.example'";
const LOST: &str = "ignored: a reply to what was lost with a restore";
const HOST: &str = "host@club.example";

/// Alice and bob in game 1, and others.
fn club() -> TestEnvironment {
    let env = TestEnvironment::new().config(CONFIG).with_game().with_envelopes();
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("signup dave dave@example.org");
    for player in ["alice", "bob", "carol", "dave"] {
        env.ok(&format!("--as {player} set watchers all"));
    }
    env.mails();
    env
}

/// Puts the copy in the place of the database, as docs/operating.md says.
fn restore(env: &TestEnvironment, copy: &str) {
    for file in ["outflank.db-wal", "outflank.db-shm"] {
        let _ = fs::remove_file(env.path(file));
    }
    fs::copy(env.path(copy), env.database()).unwrap();
    env.later(1);
}

/// Returns the state that commands change, without mails and the records of incoming mail.
fn state(env: &TestEnvironment) -> Vec<String> {
    let tables = [
        ("event", "game, number, author, action"),
        ("challenge", "id, state"),
        ("held", "id, done_at IS NULL"),
        ("player", "id, address, receipt, mail_mode"),
        ("watcher", "game, player"),
        ("unsubscribed", "game, player"),
        ("probe", "mail, came_at"),
        ("outbox", "id, bounces"),
    ];
    let sqlite = env.sqlite();
    let mut rows = Vec::new();
    for (table, columns) in tables {
        // Answers add mails, which have not bounced.
        let only = if table == "outbox" { "bounces > 0" } else { "TRUE" };
        let sql = format!("SELECT concat_ws(' ', {columns}) FROM {table} WHERE {only} ORDER BY 1");
        let mut select = sqlite.prepare(&sql).unwrap();
        let found = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.extend(found.map(|row| format!("{table}: {}", row.unwrap())));
    }
    rows
}

/// The token behind these words.
fn token_behind(words: &str, text: &str) -> String {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("no {words} in {text}"));
    rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap().to_owned()
}

/// The token in the link of a mail to a page of this kind.
fn link(mail: &Mail, path: &str) -> String {
    token_behind(&format!("/{path}/"), &mail.text)
}

fn visit(env: &TestEnvironment, token: &str) -> Option<Visit> {
    env.app().visit(token).unwrap()
}

/// A mail of bob without a token and without proof.
fn unverified(env: &TestEnvironment, text: &str) -> Mail {
    assert_eq!(env.receive(&InboundMessage::new(BOB, text)), "held");
    env.last_mail_to(BOB)
}

/// The reply to `games` in a mail of alice that replies to none.
fn list(env: &TestEnvironment) -> Mail {
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "games")), "done");
    env.last_mail_to(ALICE)
}

/// One of two histories after the backup. Its numbers are those of the other one.
struct Time {
    probe: Mail,
    turn: Mail,
    begun: Mail,
    watched: Mail,
    challenged: Mail,
    asked: Mail,
    list: Mail,
    digest: Mail,
    own_page: Mail,
}

fn go_on(env: &TestEnvironment, mv: &str, opponent: &str, held: &str) -> Time {
    env.ok(&format!("doctor --mail {HOST}"));
    let probe = env.last_mail_to(HOST);
    env.ok(&format!("move 1 {mv}"));
    let turn = env.last_mail_to(BOB);
    env.ok(&format!("new othello alice {opponent}"));
    let begun = env.last_mail_to(ALICE);
    env.ok("--as bob watch 2");
    env.ok("move 2 f5");
    env.mails();
    let watched = env.last_mail_to(BOB);
    env.ok(&format!("--as {opponent} challenge alice"));
    env.mails();
    let challenged = env.last_mail_to(ALICE);
    let asked = unverified(env, held);
    let list = list(env);
    env.ok("--as alice page");
    let own_page = env.last_mail_to(ALICE);
    env.ok("--as alice set mail digest 18:00");
    env.ok(&format!("move 2 d6 --as {opponent}"));
    env.later(24 * 60);
    env.ok("send");
    let digest = env.last_mail_to(ALICE);
    digest.says("waits for you, alice");
    Time { probe, turn, begun, watched, challenged, asked, list, digest, own_page }
}

#[test]
fn nothing_of_a_lost_history_acts_in_a_restored_one() {
    let env = club();
    let early = env.last_mail_to(ALICE);
    let early_list = list(&env);
    let early_asked = unverified(&env, "receipt on");
    env.ok("--as alice page");
    let early_page = env.last_mail_to(ALICE);
    env.later(1);
    env.ok("backup kept.db");
    env.later(1);

    let lost = go_on(&env, "f5", "carol", "resign 1");
    // In the original, mails from before and after the backup can be answered.
    for mail in [&early_list, &lost.list] {
        assert_eq!(env.receive(&mail.reply("receipt on")), "done");
    }
    assert!(visit(&env, &link(&early_page, "me")).is_some());
    assert!(visit(&env, &link(&lost.own_page, "me")).is_some());
    let pages = ["play", "watch"]
        .map(|path| link(if path == "play" { &lost.begun } else { &lost.watched }, path));
    assert!(pages.iter().all(|token| visit(&env, token).is_some()));
    let stopping = lost.watched.header("List-Unsubscribe");
    let stop = token_behind("/unsubscribe/", &stopping);
    assert!(env.app().unsubscription(&stop).unwrap().is_some());
    let forms = [env.history(1), env.history(2)];

    restore(&env, "kept.db");
    let now = go_on(&env, "d3", "dave", "mute 1");
    assert_ne!([env.history(1), env.history(2)], forms);
    let before = state(&env);
    env.mails();
    for (mail, text) in [
        (&lost.turn, "resign"),
        (&lost.turn, "f6"),
        (&lost.begun, "resign"),
        (&lost.begun, "say hello"),
        (&lost.watched, "unwatch 2"),
        (&lost.challenged, "accept"),
        (&lost.challenged, "accept 3"),
        (&lost.asked, "yes"),
        (&lost.list, "resign 2"),
        (&lost.list, "receipt off"),
        (&lost.digest, "resign 2"),
        (&lost.digest, "c3"),
    ] {
        assert_eq!(env.receive(&mail.reply(text)), LOST, "{text} in reply to {}", mail.text);
        assert_eq!(state(&env), before, "{text} in reply to {}", mail.text);
        env.mail_to(&mail.to).says("lost when this server was restored from a backup");
    }
    // Proof of the sender changes nothing.
    let results = "mx.example; dmarc=pass header.from=example.org";
    let proved = lost.turn.reply("resign").with("Authentication-Results", results);
    assert_eq!(env.receive(&proved), LOST);
    let address = format!("outflank+{}@club.example", token_behind("outflank%2B", &stopping));
    assert_eq!(env.receive(&InboundMessage::new(BOB, "").to(&address)), LOST);
    assert_eq!(
        env.receive(&lost.probe.reply("Here it is.")),
        "ignored: another reply to a test mail"
    );
    let bounced = report(Server::Postfix, &lost.turn, FAILED);
    assert_eq!(env.receive(&bounced), "ignored: a report about an unknown mail");
    for token in [&pages[0], &pages[1], &link(&lost.own_page, "me")] {
        assert_eq!(visit(&env, token), None);
    }
    assert_eq!(env.app().unsubscription(&stop).unwrap(), None);
    // Forms of pages that are still open.
    for (game, known) in (1..).zip(&forms) {
        let page = visit(&env, &link(if game == 1 { &early } else { &now.begun }, "play")).unwrap();
        let refused = env.app().run_for(&page, "resign", known).unwrap_err();
        assert_eq!(refused.kind(), outflank::app::Kind::Stale, "{refused}");
    }
    assert_eq!(state(&env), before);

    // Mails of this history work, from before the backup and after it.
    assert_eq!(env.receive(&early_list.reply("receipt on")), "done");
    assert_eq!(env.receive(&early_asked.reply("yes")), "done");
    assert_eq!(env.receive(&now.list.reply("receipt off")), "done");
    assert_eq!(env.receive(&now.probe.reply("Here it is.")), "probe");
    assert_eq!(env.receive(&now.challenged.reply("accept")), "done");
    assert_eq!(env.receive(&now.watched.reply("unwatch 2")), "done");
    assert_eq!(env.receive(&report(Server::Postfix, &now.turn, FAILED)), "bounce");
    assert_eq!(env.receive(&now.digest.reply("resign 2")), "done");
    assert_eq!(env.receive(&now.asked.reply("yes")), "done");
    assert_eq!(env.receive(&early.reply("resign")), "done");
    assert!([1, 2].iter().all(|&game| env.stored(game).game.outcome().is_some()));
}

/// A copy of the file has the marks of the original, so only the age of a mail tells.
#[test]
fn a_mail_about_no_game_acts_in_no_game_that_began_later() {
    let env = club();
    env.ok("send");
    fs::copy(env.database(), env.path("plain.db")).unwrap();
    env.ok("new othello alice carol");
    let lost = list(&env);
    restore(&env, "plain.db");
    env.ok("new othello alice bob");
    env.mails();
    for text in ["resign 2", "move 2 f5", "say 2 hello", "plan 2 f5 d6 c3"] {
        assert_eq!(env.receive(&lost.reply(text)), "done");
        env.mail_to(ALICE).says("game 2 is newer than the mail that you replied to");
        assert_eq!(env.stored(2).game.events().len(), 0);
    }
    assert_eq!(env.receive(&lost.reply("show 2")), "done");
    env.mail_to(ALICE).says("Game 2");
    assert_eq!(env.receive(&lost.reply("resign 1")), "done");
    assert!(env.stored(1).game.outcome().is_some());
}

/// Erased words belong to no history.
#[test]
fn tokens_survive_that_words_are_erased() {
    let env = club();
    env.ok("--as alice say 1 Good luck");
    env.ok("--as alice note 1 A note");
    let turn = env.turn_after("f5");
    let erase = "UPDATE event SET action = substr(action, 1, 4) WHERE action LIKE 'say %' OR action LIKE 'note %'";
    assert_eq!(env.sqlite().execute(erase, []).unwrap(), 2);
    assert_eq!(env.receive(&turn.reply("d6")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
}
