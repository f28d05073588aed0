//! Protocols between programs: scripted dialogues, random lines, and external programs.

mod dialogues;
mod programs;
mod properties;

use std::io;
use std::time::Duration;

use outflank::protocol::{EngineSession, Protocol};
use outflank_engine::Engine;
use outflank_engine::Level;

use crate::harness::TestEnvironment;

/// Returns the engine's answers to some lines.
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
    let mut session = EngineSession {
        engine: Engine::new(1 << 20, 1),
        level: Level::new(level).unwrap(),
        seed: 0,
        inbox,
        now: &|| Duration::ZERO,
        print: &mut print,
    };
    protocol.respond(&mut session).unwrap();
    printed
}

/// `cargo test` builds the examples, too; `docs/engine.md` explains this one.
#[test]
fn a_match_prints_score_and_elo() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_outflank"));
    let example = program.with_file_name("examples/match");
    if !example.exists() {
        return eprintln!("skipped: build the example `match` first");
    }
    let external = format!("gtp:{} engine --protocol gtp --level 0", program.display());
    let mut command = std::process::Command::new(example);
    command.args(["level:1", &external, "--variant", "mini", "--opening", "3", "--games", "4"]);
    let output = command.args(["--sprt", "0,50"]).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("pair 1: "), "{text}");
    assert!(lines[lines.len() - 2].contains(" losses; score "), "{text}");
    assert_eq!(lines.last(), Some(&"undecided: play more games"), "{text}");
}

/// The whole of an exported game, with comments, times and the result, is the position that NBoard's engine
/// searches.
#[test]
fn an_exported_game_is_read_over_nboard() {
    let env = TestEnvironment::new();
    env.ok("new othello a@x.example b@x.example --clock 10d+1d --moves f5d6c3d3c4f4f6f3");
    env.ok("--as b say 1 '[B[a1] ;) (;GM[Amazons]'");
    let ggf = env.ok("export 1 --format ggf");
    let go = |game: String| answers("nboard", 1, [game, "go".to_owned()]);
    let exported = go(format!("set game {}", ggf.trim_end()));
    let start = ggf.find("BO[").unwrap();
    let board = &ggf[start..=start + ggf[start..].find(']').unwrap()];
    let labels = ["F5", "D6", "C3", "D3", "C4", "F4", "F6", "F3"];
    let colors = ["B", "W"].into_iter().cycle();
    let plain: String = colors.zip(labels).map(|(by, label)| format!("{by}[{label}]")).collect();
    let expected = go(format!("set game (;GM[Othello]PC[x]PB[a]PW[b]{board}{plain};)"));
    assert_eq!(exported, expected);
    assert!(exported.iter().any(|line| line.starts_with("===")), "{exported:?}");
}
