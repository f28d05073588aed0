use std::io;
use std::time::Duration;

use outflank::protocol::{EngineSession, Protocol, Record};
use outflank_engine::{Engine, Level};
use outflank_rules::{Overrides, Position, Variant};

/// Answers these lines in this protocol, then reads them as the answers of a program to a question.
pub fn hold(protocol: &str, text: &str) {
    let protocol: Protocol = protocol.parse().expect("a protocol");
    let inbox = protocol.inbox();
    // The time of a search depends on the level, so that the lines must not choose one.
    let lines = || text.lines().filter(|line| !line.contains("level"));
    lines().for_each(|line| inbox.push(line.to_owned()));
    inbox.close();
    let mut print = |answer: &str| -> io::Result<()> {
        assert!(!answer.trim_end().contains("\n\n"), "{answer:?}");
        Ok(())
    };
    let mut session = EngineSession {
        engine: Engine::new(1 << 16, 1),
        level: Level::new(0).expect("a level"),
        seed: 0,
        inbox,
        now: &|| Duration::ZERO,
        print: &mut print,
    };
    protocol.respond(&mut session).expect("printing never fails");

    let rules = Variant::named("othello").expect("a variant").rules(&Overrides::default());
    let record = Record::new(&Position::start(rules.expect("its rules")));
    let mut questioner = protocol.questioner(1);
    questioner.question(&record, Duration::from_secs(1)).expect("Othello can be described");
    for line in lines() {
        let _ = questioner.answer(line);
    }
}
