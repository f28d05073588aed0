//! Games that a mail brings as files.

use std::fs;

use mail_parser::{MessagePart, MimeHeaders};

use crate::harness::{ALICE, InboundMessage, Mail, TestEnvironment};

/// Returns a club with a game, and the mail to Alice that she replies to.
fn club() -> (TestEnvironment, Mail) {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5 d6");
    (env, turn)
}

/// Returns the names of the files of a mail, and their contents with LF line ends.
fn files(mail: &Mail) -> Vec<(&str, String)> {
    let content = |file: &MessagePart| file.text_contents().unwrap().replace("\r\n", "\n");
    let attachments = mail.message.attachments();
    attachments.map(|file| (file.attachment_name().unwrap(), content(file))).collect()
}

/// Returns a file of a mail.
fn file(name: &'static str, content: &str) -> (&'static str, String) {
    (name, content.to_owned())
}

fn stored_files(env: &TestEnvironment) -> i64 {
    let sql = "SELECT count(*) FROM attachment";
    env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_mail_brings_games_as_the_shell_prints_them() {
    let (env, turn) = club();
    let commands = "export --format pgn\nexport --player alice --format json\nshow 1";
    env.receive(&turn.reply(commands));
    let answer = env.mail_to(ALICE);
    answer
        .says("Reply to ‹export --format pgn›:\n1 game is attached as game-1.pgn.")
        .says("1 game is attached as game-1.json.")
        .says("Legal moves:");
    let printed = ["pgn", "json"].map(|format| env.ok(&format!("export 1 --format {format}")));
    assert_eq!(files(&answer), [file("game-1.pgn", &printed[0]), file("game-1.json", &printed[1])]);
    assert!(answer.message.body_html(0).unwrap().contains("game-1.pgn"));
    assert_eq!(stored_files(&env), 0, "what was sent is not kept");

    env.ok("new othello alice bob --size 6x6");
    env.mails();
    let refused =
        "export 2 --format pgn\nexport --all --format csv\nexport 1 --format csv --output x";
    env.receive(&turn.reply(&format!("{refused}\nexport --player alice --format moves")));
    let answer = env.mail_to(ALICE);
    answer
        .says("game 2 is not played on 8x8, which pgn cannot hold")
        .says("only the host can export all games")
        .says("--output names a file of the host's shell")
        .says("1 game is attached as alice.moves.\n\nLeft out 1 game that moves cannot hold, such as 2; use --format json.");
    assert_eq!(files(&answer), [file("alice.moves", "f5d6\n")]);
    assert!(!env.path("x").exists());
}

#[test]
fn the_files_of_a_mail_have_at_most_a_megabyte() {
    let (env, turn) = club();
    env.ok("--as alice say 1 hello");
    env.mails();
    let say = |bytes: usize| {
        let sql = "UPDATE event SET action = 'say ' || ?1 WHERE action LIKE 'say %'";
        env.sqlite().execute(sql, ["a".repeat(bytes)]).unwrap();
    };
    say(600_000);
    env.receive(
        &turn.reply("export 1 --format json\nexport 1 --format pgn\nexport 1 --format csv"),
    );
    let answer = env.mail_to(ALICE);
    answer
        .says("the files of one mail can be 1 MB in all; write this command in a mail of its own");
    assert_eq!(
        files(&answer).iter().map(|it| it.0).collect::<Vec<_>>(),
        ["game-1.json", "game-1.csv"]
    );
    say(1_000_000);
    env.receive(&turn.reply("export 1 --format json"));
    let answer = env.mail_to(ALICE);
    answer.says("the games are larger than 1 MB, too large for a mail; ask for fewer in each mail");
    assert_eq!(files(&answer), []);
}

#[test]
fn files_that_cannot_be_sent_do_not_pile_up() {
    let (env, turn) = club();
    env.receive(&turn.reply("export 1 --format moves"));
    env.mails();
    let wait = |bytes: usize| {
        let sql = "INSERT INTO attachment SELECT max(id), 1, '', '', ?1 FROM outbox WHERE kind = 'answer'";
        env.sqlite().execute(sql, ["é".repeat(bytes / 2)]).unwrap();
        env.sqlite()
            .execute("UPDATE outbox SET state = 'failed' WHERE kind = 'answer'", [])
            .unwrap();
    };
    wait(5_000_000);
    env.receive(&turn.reply("export 1 --format moves"));
    assert_eq!(files(&env.mail_to(ALICE)), [file("game-1.moves", "f5d6\n")]);
    wait(2);
    env.receive(&turn.reply("export 1 --format moves"));
    let answer = env.mail_to(ALICE);
    answer.says(
        "earlier files still wait to be sent to you; write this command again when they have come",
    );
    assert_eq!(files(&answer), []);
}

#[test]
fn files_go_to_nobody_who_has_not_asked_for_them() {
    let (env, _) = club();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "export 1 --format moves")), "held");
    let asked = env.mail_to(ALICE);
    asked.says("export 1 --format moves");
    assert_eq!((files(&asked), stored_files(&env)), (vec![], 0));
    assert_eq!(env.receive(&asked.reply("yes")), "done");
    assert_eq!(files(&env.mail_to(ALICE)), [file("game-1.moves", "f5d6\n")]);
}

#[test]
fn a_later_try_brings_the_same_bytes() {
    let (env, turn) = club();
    let keep = |name: &str, status: i32| {
        let (file, folder) = (env.path(name), env.path("kept"));
        fs::create_dir_all(&folder).unwrap();
        let command = format!("cat > {}; exit {status}", file.display());
        env.configure(&format!(
            "[transport]\nkind = 'sendmail'\ncommand = ['sh', '-c', '{command}']"
        ));
        env.forget_club();
        file
    };
    let first = keep("first", 75);
    env.receive(&turn.reply("export 1 --format moves"));
    assert_eq!(stored_files(&env), 1);
    let second = keep("second", 0);
    env.ok("--as alice move 1 c3");
    env.later(60);
    env.ok("send");
    let [first, second] = [first, second].map(|file| fs::read(file).unwrap());
    assert_eq!(String::from_utf8(first).unwrap(), String::from_utf8(second).unwrap());
    assert_eq!(stored_files(&env), 0);
}
