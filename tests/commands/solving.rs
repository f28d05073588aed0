//! `solve` is stopped by Ctrl-C.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::PROGRAM;

/// Starts `solve` on a board that takes hours, and stops it with Ctrl-C.
fn stopped(options: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let solve = Command::new(PROGRAM)
        .args(["solve", "othello", "--size", "6x6", "--threads", "2"])
        .args(options)
        .env("HOME", home.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(1));
    kill_process(Pid::from_child(&solve), Signal::INT).unwrap();
    solve.wait_with_output().unwrap()
}

#[test]
fn a_stopped_solve_prints_its_proved_values() {
    let output = stopped(&[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("Stopped. This is proved so far:\n"), "{text}");
    assert!(output.status.success());
    // Without a terminal, there is no progress line.
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_stopped_solve_is_not_complete_in_json() {
    let output = stopped(&["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["complete"], &json["value"]), (&false.into(), &serde_json::Value::Null));
    assert!(output.status.success());
}
