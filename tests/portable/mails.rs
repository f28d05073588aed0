//! Signed games in mails as people forward them.

use std::fs;

use data_encoding::{BASE64, BASE64_MIME, HEXLOWER};
use outflank::mail::read::texts;
use outflank::portable::{BEGIN, blocks};
use serde_json::Value;

use super::blocks::{broken, wrapped};
use crate::harness::{ALICE, InboundMessage, Mail, Purpose, TestEnvironment};

/// Returns a club where Alice has won a game, and the mail to her about the end.
fn club() -> (TestEnvironment, Mail) {
    let env = TestEnvironment::new();
    env.write_config("[receive]\n[mail]\nfrom = 'First Club <outflank@club.example>'\n");
    let env = env.with_game();
    env.ok("move 1 f5 d6 c3");
    env.ok("--as bob resign 1");
    env.ok("send");
    let mail = env.last_mail_to(ALICE);
    (env, mail)
}

/// Returns what `import --mail` says of a mail.
fn imported(env: &TestEnvironment, mail: &str) -> String {
    fs::write(env.path("forwarded.eml"), mail).unwrap();
    env.ok("import --mail forwarded.eml")
}

/// Returns a mail with a body of this type.
fn forwarded(kind: &str, body: &str) -> String {
    format!(
        "From: Alice <{ALICE}>\r\nTo: host@other.example\r\nSubject: Fwd: Othello #1\r\n\
         MIME-Version: 1.0\r\nContent-Type: {kind}\r\n\r\n{}",
        body.replace('\n', "\r\n")
    )
}

fn quoted(text: &str, mark: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

#[test]
fn a_game_is_read_from_a_mail_however_it_was_forwarded() {
    let (env, mail) = club();
    let game = "Game 1 of First Club, alice against bob, is";
    let signed =
        [" game 2 now", " known already"].map(|it| format!("{game}{it}: signed by First Club.\n"));
    let text = &mail.text;
    let html = mail.html().unwrap();
    let begin = "Look at this\n\n---------- Forwarded message ---------\nFrom: Outflank\n\n";
    let narrow = textwrap::fill(text, textwrap::Options::new(30));
    let plain = "text/plain; charset=utf-8";
    let spaced = text.replace(' ', "\u{a0}");
    let attached = format!(
        "--b\nContent-Type: {plain}\n\nLook at this\n--b\nContent-Type: message/rfc822\n\n{}\n--b--\n",
        mail.raw.replace("\r\n", "\n")
    );
    let encoded = format!(
        "--b\nContent-Type: {plain}\nContent-Transfer-Encoding: base64\n\n{}\n--b--\n",
        BASE64_MIME.encode(text.as_bytes())
    );
    let broken_html = html.replacen("<br>", "<br>K<br>", 1);
    let both = format!(
        "--b\nContent-Type: text/html\n\n{broken_html}\n--b\nContent-Type: {plain}\n\n{text}\n--b--\n"
    );
    let forms = [
        mail.raw.clone(),
        text.clone(),
        forwarded(plain, &format!("{begin}{text}")),
        forwarded(plain, &format!("{begin}{}", quoted(&quoted(&narrow, "> "), ">"))),
        forwarded(
            "text/plain; charset=utf-8; format=flowed",
            &quoted(&text.replace('\n', " \n"), "> "),
        ),
        forwarded(plain, &spaced),
        forwarded(
            "text/html; charset=utf-8",
            &format!("<p>Look</p><blockquote>{html}</blockquote>"),
        ),
        forwarded("multipart/mixed; boundary=b", &attached),
        forwarded("multipart/mixed; boundary=b", &encoded),
        forwarded("multipart/mixed; boundary=b", &both),
    ];
    for form in &forms {
        // However it comes, it is one game.
        assert_eq!(imported(&env, form), signed[usize::from(*form != forms[0])], "{form}");
    }
    let json = env.json("import --mail forwarded.eml");
    assert_eq!(
        (&json["games"][0]["signed_by"], &json["games"][0]["game"]),
        (&"First Club".into(), &Value::Null)
    );
    assert_eq!(env.moves(2), env.moves(1));
    assert_eq!(env.game(2)["result"], env.game(1)["result"]);
    for command in ["show 2", "history 2"] {
        assert!(
            env.ok(command).ends_with("This was game 1 of First Club, signed by First Club.\n")
        );
    }
    assert_eq!(env.ok("history 2 --portable"), env.ok("history 1 --portable"));
    assert!(env.ok("verify").contains("Nothing is wrong"));
}

#[test]
fn a_club_knows_its_own_key_and_those_that_its_host_has_given() {
    let ((first, mail), other) = (club(), TestEnvironment::new());
    // Another seed makes another key.
    other.ok("help");
    let other = other.with_game();
    let game = "Game 1 of First Club, alice against bob, is";
    let said = imported(&other, &mail.raw);
    assert_eq!(said, format!("{game} game 2 now: signed by an unknown key.\n"));
    let (_, key) = outflank::portable::read(&blocks(&mail.text)[0]).unwrap();
    for (line, club) in [
        (format!("\n{key} The First\n"), "The First"),
        (format!("{} Their club\n", key.to_string().to_uppercase()), "Their club"),
    ] {
        fs::write(other.path("clubs.txt"), line).unwrap();
        assert_eq!(other.ok("import --key clubs.txt"), "1 key known.\n");
        let said = imported(&other, &mail.raw);
        assert_eq!(said, format!("{game} known already: signed by {club}.\n"));
        assert!(other.ok("show 2").contains(&format!("signed by {club}.")));
    }
    fs::write(other.path("clubs.txt"), format!("- {key}\n{} Another", "ab".repeat(32))).unwrap();
    assert_eq!(other.ok("import --key clubs.txt"), "1 key known, 1 key forgotten.\n");
    assert!(other.ok("show 2").contains("signed by an unknown key."));
    // A restored backup has the same key.
    first.ok("backup copy.db");
    fs::write(first.path("mail.eml"), &mail.raw).unwrap();
    let said = first.ok("--db copy.db import --mail mail.eml");
    assert_eq!(said, format!("{game} game 2 now: signed by First Club.\n"));
    for (keys, error) in [
        ("", "clubs.txt has no key"),
        (
            "abc The First",
            "line 1 of clubs.txt: \"abc\" is not a key; a key has 64 hexadecimal digits",
        ),
        (
            &format!("\n{key}"),
            "line 2 of clubs.txt: the name of the club is missing; write the key and then the name",
        ),
    ] {
        fs::write(other.path("clubs.txt"), keys).unwrap();
        assert!(other.fails(1, "import --key clubs.txt").contains(error), "{error}");
    }
}

#[test]
fn a_block_comes_by_mail_and_does_no_harm_in_a_reply() {
    let env = TestEnvironment::new().with_game();
    let mail = |text: &str| {
        let address = env.token_address(Purpose::Play, "alice", 1, 0);
        env.later(60);
        env.receive(&InboundMessage::new(ALICE, text).to(&address))
    };
    mail("history --portable");
    let answer = env.mail_to(ALICE);
    let parts = texts(answer.raw.as_bytes());
    assert_eq!(parts.len(), 2, "text and HTML");
    for text in parts {
        assert_eq!(blocks(&text), blocks(&env.ok("history 1 --portable")), "{text}");
    }
    let block = answer.text;
    let block = &block[block.find(BEGIN).unwrap()..];
    for width in [10, 11, 23, 37, 63, 64, 65, 80] {
        mail(&broken(block, width, width % 2 == 0));
        mail(&wrapped(block, width));
        assert_eq!(env.plies(1), 0, "{width}");
    }
    let answers = env.mails();
    assert!(answers.iter().all(|it| !it.text.contains("Done")), "{answers:#?}");
    mail(&format!("f5\n\n{}", broken(block, 10, true)));
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn the_private_key_is_in_no_export() {
    let (env, mail) = club();
    let secret: Vec<u8> =
        env.sqlite().query_row("SELECT secret FROM installation", [], |row| row.get(0)).unwrap();
    let seen = ["json", "csv", "ggf", "pgn", "moves"]
        .map(|format| env.ok(&format!("export --all --format {format}")));
    let block = env.ok("history 1 --portable");
    let (_, key) = outflank::portable::read(&blocks(&block)[0]).unwrap();
    assert!(seen[0].contains(&format!("\"key\":\"{key}\"")), "{}", seen[0]);
    for text in seen.iter().chain([&block, &mail.raw]) {
        for shown in [HEXLOWER.encode(&secret), BASE64.encode(&secret), format!("{secret:?}")] {
            assert!(!text.contains(&shown), "{text}");
        }
        assert!(!text.as_bytes().windows(secret.len()).any(|it| it == secret), "{text}");
    }
}

#[test]
fn an_altered_game_and_one_that_is_not_over_are_refused() {
    let (env, mail) = club();
    let block = mail.text.split_once(BEGIN).unwrap().1;
    let fifth = block.chars().nth(5).unwrap();
    let other = if fifth == 'K' { 'L' } else { 'K' };
    let begin: String = block.chars().take(5).collect();
    let altered =
        mail.text.replace(&format!("{BEGIN}{begin}{fifth}"), &format!("{BEGIN}{begin}{other}"));
    let cut = mail.text.split("-----END").next().unwrap();
    let cut = &cut[..cut.len() - 20];
    env.ok("new mini alice bob");
    for (text, error) in [
        (
            altered.as_str(),
            "the game in mail.eml is altered; import the mail as the club has sent it",
        ),
        (cut, "the game in mail.eml is altered; import the mail as the club has sent it"),
        (
            "Hello",
            "mail.eml has no signed game; a game stands below the line -----BEGIN OUTFLANK GAME-----",
        ),
        (
            &env.ok("history 2 --portable"),
            "game 2 of First Club is not over; import the mail about its end",
        ),
    ] {
        fs::write(env.path("mail.eml"), text).unwrap();
        assert!(env.fails(1, "import --mail mail.eml").contains(error), "{error}");
    }
    assert_eq!(env.ok("games --imported"), "No imported games.\n");
}
