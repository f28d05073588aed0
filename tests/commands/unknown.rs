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
        ("list", "did you mean (games)?"),
        ("version", "this is version"),
        ("exit", "each command ends by itself"),
    ] {
        env.later(60);
        assert_eq!(env.receive(&mail.reply(word)), "done", "{word}");
        let reply = env.last_mail_to(ALICE);
        reply.says(&format!("Not done ({word}):")).says(hint);
        assert!(!reply.text.contains("?."), "{}", reply.text);
    }
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
