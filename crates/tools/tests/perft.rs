//! The tool `perft`, run as by a script.

use std::process::{Command, Output};

fn perft(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank-tools"));
    command.arg("perft").args(words.split(' ')).output().expect("the tool runs")
}

#[test]
fn perft_prints_a_line_for_each_depth_and_the_speed() {
    let output = perft("othello 4 --size 4x4 --misere --pass explicit");
    let text = String::from_utf8(output.stdout).expect("text");
    let (counted, speed) = text.trim_end().rsplit_once('\n').expect("several lines");
    assert_eq!(counted, "depth 1 nodes 4\ndepth 2 nodes 12\ndepth 3 nodes 44\ndepth 4 nodes 128");
    assert!(speed.strip_suffix(" nodes/s").expect("a speed").parse::<u64>().is_ok(), "{speed}");
    assert_eq!(perft("oddthello 3 --misere").status.code(), Some(1));
    assert_eq!(perft("othello 3 --size 2x2").status.code(), Some(2));
}
