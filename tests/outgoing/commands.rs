//! No line of a command's reply is a command, however a mail program wraps it.

use std::collections::HashSet;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, TestEnvironment};
use crate::mails::wrapped::check;

#[test]
fn no_line_of_a_reply_is_a_command() {
    let env = TestEnvironment::new();
    for game in [
        "new othello alice@example.org bob@example.org --moves f5d6c3d3c4f4f6f3e6e7d7c5b6",
        "new twente alice bob --position '(b wb-- ---- ---- ----)'",
        "new mini alice bob --misere --moves b1a1c4d4d3b4a4c1d1d2",
        "new othello alice bob --anywhere --size 12x12",
        "new oddthello alice bob --moves c4",
        "new othello alice bob",
    ] {
        env.ok(game);
    }
    let views = |number| {
        [format!("show {number} --arrows"), format!("history {number}"), format!("show {number}#0")]
    };
    let commands = "help move show pass resign history games players subscribe receipt help";
    let help: Vec<_> = commands.split(' ').map(|command| format!("help {command}")).collect();
    let refused = [
        "d9",
        "move 1 a1",
        "move 1 d3#7 e3 f4 c5",
        "pass 1",
        "move 99 d3",
        "move 2 c3#99",
        "move 5 zz12",
        "show 1#99",
        "history",
        "resign 99",
        "games carol",
        "games",
        "games --all",
        "players",
        "receipt on",
        "subscribe 12345678",
        "unsubscribe 1",
        "help",
        "move 3 pass",
        "move 5 B-1",
    ];
    let texts = [
        [views(1), views(2)].concat().join("\n"),
        [views(3), views(5)].concat().join("\n"),
        views(4).join("\n"),
        help.join("\n"),
        refused.join("\n"),
        "Hello there".to_owned(),
    ];
    let mut seen = HashSet::new();
    for player in [ALICE, BOB] {
        let mail = env.last_mail_to(player);
        env.mails();
        for text in &texts {
            assert_eq!(env.receive(&mail.reply(text)), "done");
            let reply = env.mail_to(player);
            check(&mut seen, &reply.text);
            env.later(60);
        }
    }
    for (from, text) in [(CAROL, "help"), (CAROL, "signup carol"), (ALICE, "move 6 d3")] {
        env.receive(&InboundMessage::new(from, text));
        let reply = env.mail_to(from);
        check(&mut seen, &reply.text);
    }
}
