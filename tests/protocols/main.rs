//! Protocols between programs: scripted dialogues, which show that the engine keeps to them, and any
//! other lines, which it survives.

mod dialogues;
mod programs;
mod properties;

use std::io;
use std::time::Duration;

use outflank::ai::Engine;
use outflank::game::Level;
use outflank::protocol::{Desk, Protocol};

/// The lines that the engine answers to these, at this level.
fn answers(protocol: &str, level: u8, lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let protocol: Protocol = protocol.parse().unwrap();
    let inbox = protocol.inbox();
    lines.into_iter().for_each(|line| inbox.push(line));
    inbox.close();
    let mut printed = Vec::new();
    let mut print = |line: &str| -> io::Result<()> {
        printed.push(line.to_owned());
        Ok(())
    };
    let mut desk = Desk {
        engine: Engine::new(1 << 20, 1),
        level: Level::new(level).unwrap(),
        seed: 0,
        inbox,
        now: &|| Duration::ZERO,
        print: &mut print,
    };
    protocol.respond(&mut desk).unwrap();
    printed
}
