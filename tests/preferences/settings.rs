//! The command `set`.

use std::fs;

use outflank_model::preferences::{SETTINGS, Settings};

use crate::harness::{ALICE, InboundMessage, TestEnvironment};

#[test]
fn a_setting_is_kept_and_shown() {
    let env = TestEnvironment::new().with_game();
    for (words, value) in [
        ("timezone europe/amsterdam", "Europe/Amsterdam"),
        ("timezone america/new york", "America/New_York"),
        ("weekend sat", "sat"),
        ("weekend fri, sat", "fri,sat"),
        ("weekend off", "none"),
        ("quiet 22:00-07:00", "22:00-07:00"),
        ("quiet off", "off"),
        ("mail digest 18:00", "digest 18:00"),
        ("mail NONE", "none"),
        ("style words", "words"),
        ("grace 10m", "10m"),
        ("receipt on", "on"),
        ("watchers ALL", "all"),
        ("letter on", "on"),
        ("named off", "off"),
    ] {
        let name = words.split(' ').next().unwrap();
        let set = env.json(&format!("--as alice set {words}"));
        assert_eq!(set["settings"][name], value, "{words}");
        assert_eq!(env.json("--as alice set"), set, "{words}");
    }
    assert_eq!(
        env.json("--as bob set")["settings"]["style"],
        "figure",
        "bob's settings are unchanged"
    );
    assert_eq!(env.json("--as alice receipt off")["receipt"], false);
    assert_eq!(env.json("--as alice set")["settings"]["receipt"], "off");
}

#[test]
fn every_setting_has_a_row_with_its_first_value_and_a_valid_example() {
    let page = fs::read_to_string("docs/settings.md").unwrap();
    let rows: Vec<Vec<_>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|row| row.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    let first = Settings::default();
    let expected = SETTINGS.iter().map(|it| match it.is_address() {
        true => (it.word, "as signed up".to_owned()),
        false => (it.word, it.value(&first)),
    });
    let found = rows.iter().map(|row| (row[1], row[row.len() - 2].to_owned()));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for setting in &SETTINGS {
        let mut settings = first.clone();
        let words: Vec<_> = setting.example.split(' ').map(str::to_owned).collect();
        setting.change(&mut settings, &words).unwrap();
        assert_ne!(settings, first, "{}", setting.word);
        assert_eq!(setting.value(&settings), setting.example);
    }
}

#[test]
fn an_invalid_value_is_refused() {
    let env = TestEnvironment::new().with_game();
    let before = env.json("--as alice set");
    for (words, why) in [
        ("colour red", "\"colour\" is not a setting; settings are `timezone`,"),
        ("timezone Amsterdam", "did you mean Europe/Amsterdam?"),
        ("timezone Europe/Amsterdamm", "did you mean Europe/Amsterdam?"),
        ("timezone Mars", "\"Mars\" is not a time zone; use one such as"),
        ("weekend fri,sat,sun", "at most two days"),
        ("quiet 10:00-23:00", "12 hours"),
        ("mail weekly", "mail is each, digest"),
        ("mail digest", "such as digest 18:00"),
        ("style big", "style is figure, compact or words"),
        ("grace 3d", "at most 24h"),
        ("receipt perhaps", "receipt is on or off"),
        ("watchers friends", "watchers is none or all"),
        ("subject long", "subject is turn or off"),
    ] {
        let line = env.fails(1, &format!("--as alice set {words}"));
        assert!(line.contains(why), "{words}: {line}");
    }
    assert_eq!(env.json("--as alice set"), before);
    assert!(env.fails(2, "set").contains("needs --as NAME"));
}

#[test]
fn settings_are_changed_by_mail() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    let text = "set timezone Europe/Amsterdam\nset mail digest 18:00\nset";
    assert_eq!(env.receive(&mail.reply(text)), "done");
    let reply = env.mail_to(ALICE);
    reply
        .says("timezone: Europe/Amsterdam\n")
        .says("mail: digest 18:00\n")
        .says("Settings of alice");
    // The answer to unverified mail repeats only valid settings.
    env.later(60);
    let unverified =
        InboundMessage::new(ALICE, "set quiet 23:00-06:00\nset style http://x.example");
    assert_eq!(env.receive(&unverified), "held");
    let confirm = env.mail_to(ALICE);
    confirm.says("set quiet 23:00-06:00");
    assert!(!confirm.text.contains("x.example"), "{}", confirm.text);
    assert_eq!(env.receive(&confirm.reply("yes")), "done");
    assert_eq!(env.json("--as alice set")["settings"]["quiet"], "23:00-06:00");
    env.mails();
}

#[test]
fn times_are_shown_in_the_players_zone() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    let shown = |env: &TestEnvironment| {
        env.later(60);
        env.mails();
        assert_eq!(env.receive(&env.mails_to(ALICE)[0].reply("history")), "done");
        env.last_mail_to(ALICE).text
    };
    assert!(shown(&env).contains("2026-11-21 10:00Z"));
    env.ok("--as alice set timezone Asia/Kolkata");
    let text = shown(&env);
    assert!(text.contains("2026-11-21 15:30+05:30\n"), "{text}");
    assert!(env.ssh("alice", "history 1").ok().contains("2026-11-21 15:30+05:30\n"));
    assert!(env.ok("--as alice history 1").contains("2026-11-21 15:30+05:30\n"));
    let json = env.json("--as alice history 1");
    assert_eq!(json["moves"][0]["at"], "2026-11-21T10:00:00Z");
}

#[test]
fn mails_show_the_board_in_the_readers_style() {
    let env = TestEnvironment::new().with_game();
    env.ok("--as alice set style words");
    env.ok("--as bob set style compact");
    let to_bob = env.turn_after("f5");
    assert!(to_bob.text.contains("\n5  . . . b B[B]. .  5\n"), "{}", to_bob.text);
    let to_alice = env.turn_after("d6");
    to_alice.says("Last move, number 2: bob (white) took d6 and flipped 1 disc. Up: d5 (1 disc).");
    to_alice.says("Rows 1 to 3: empty. Row 4: white d; black e. Row 5: white d; black e, f.");
    assert!(!to_alice.text.contains("+--"), "{}", to_alice.text);
    // The answers to their mails have the same style.
    env.mails();
    for (mail, board) in
        [(to_alice, "Row 4: white d; black e.\n"), (to_bob, "\n5  . . . W b b . .  5\n")]
    {
        assert_eq!(env.receive(&mail.reply("show 1\nreplay 1 --from 2")), "done");
        let shown = env.mail_to(&mail.to);
        assert!(shown.text.matches(board).count() >= 2, "{}", shown.text);
        assert!(!shown.text.contains("+--"), "{}", shown.text);
    }
    // Commands in the shell and over ssh use it too.
    for words in ["show 1", "show 1 --arrows", "preview 1 c3", "replay 1"] {
        let shown = env.ssh("alice", words).ok();
        assert!(shown.contains("\nRow 4: "), "{words}: {shown}");
        assert!(!shown.contains("+--"), "{words}: {shown}");
        assert_eq!(env.ok(&format!("--as alice {words}")), shown);
    }
    assert!(env.ok("--as bob show 1").contains("\n5  . . . W b b . .  5\n"));
    assert!(env.ok("show 1").contains("+--"));
}
