//! Words that are not commands.

use crate::harness::{ALICE, TestEnvironment};

#[test]
fn words_of_other_programs_are_explained() {
    let env = TestEnvironment::new().with_game();
    for (word, hint) in [
        ("list", "did you mean `outflank games`?"),
        ("version", concat!("this is version ", env!("CARGO_PKG_VERSION"))),
        ("quit", "each command ends by itself"),
        ("exit", "each command ends by itself"),
    ] {
        let line = env.fails(2, word);
        assert!(line.contains(&format!("no command \"{word}\"; {hint}")), "{line}");
        assert!(env.fails(2, &format!("help {word}")).contains(hint), "{word}");
        let over_ssh = env.ssh("alice", word);
        assert!(over_ssh.failed(2).contains(&hint.replace("outflank ", "")), "{over_ssh:?}");
    }
}

#[test]
fn words_of_other_programs_are_explained_by_mail() {
    let env = TestEnvironment::new().config("[receive]\ntoken_only = true").with_game();
    let mail = env.mails_to(ALICE).remove(0);
    for (word, hint) in [
        ("list", "did you mean ‹games›?"),
        ("version", "this is version"),
        ("exit", "each command ends by itself"),
    ] {
        env.later(60);
        assert_eq!(env.receive(&mail.reply(word)), "done", "{word}");
        let reply = env.last_mail_to(ALICE);
        reply.says(&format!("‹{word}› was not done:")).says(hint);
        assert!(!reply.text.contains("?."), "{}", reply.text);
    }
}

#[test]
fn other_words_for_commands_are_for_the_shell_and_ssh() {
    let env = TestEnvironment::new().config("[receive]\ntoken_only = true").with_game();
    assert_eq!(env.ok("board 1 --compact"), env.ok("show 1 --compact"));
    assert_eq!(env.ok("status alice"), env.ok("games alice"));
    assert_eq!(env.ok("help undo"), env.ok("help takeback"));
    env.ok("move 1 f5");
    assert!(env.ssh("alice", "chat 1 'Hi bob' --now").ok().contains("bob"));
    env.ssh("alice", "undo 1").ok();
    assert!(env.ok("show 1").contains("alice asks to take back 1.f5."));
    let mail = env.mails_to(ALICE).remove(0);
    env.receive(&mail.reply("board"));
    env.last_mail_to(ALICE).says("No command was found");
}

#[test]
fn the_number_of_the_only_game_that_waits_is_suggested() {
    let env = TestEnvironment::new().with_game();
    let refused = "\"d3\" is not a game number; ";
    let line = env.fails(1, "move d3");
    assert!(line.ends_with(&format!("{refused}did you mean `outflank move 1 d3`?")), "{line}");
    let line = env.fails(1, "--as alice say \"Good luck\"");
    assert!(line.ends_with("did you mean `outflank --as alice say 1 'Good luck'`?"), "{line}");
    let over_ssh = env.ssh("alice", "move d3");
    assert!(over_ssh.failed(1).ends_with("did you mean `move 1 d3`?"), "{over_ssh:?}");
    // At first no game waits for bob, later two do.
    for words in ["--as bob move d3", "--as nobody move d3"] {
        assert!(
            env.fails(1, words).ends_with(&format!("{refused}use a positive integer, such as 12"))
        );
    }
    env.ok("new mini alice bob");
    assert!(env.fails(1, "move d3").ends_with("such as 12"));
}

#[test]
fn resign_is_never_suggested() {
    let env = TestEnvironment::new().with_game();
    for typo in ["resing", "Resig", "resign.", "resigne", "design", "sign"] {
        for words in [format!("{typo} 1"), format!("help {typo}")] {
            let line = env.fails(2, &words);
            assert!(!line.contains("resign`"), "{line}");
            let over_ssh = env.ssh("alice", &words);
            assert!(!over_ssh.failed(2).contains("resign`"), "{over_ssh:?}");
        }
    }
    assert!(env.fails(2, "mvoe 1 d3").ends_with("did you mean `outflank move`?"));
    assert!(env.ssh("alice", "hsitory 1").failed(2).ends_with("did you mean `history`?"));
}
