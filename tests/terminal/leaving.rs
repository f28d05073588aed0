//! Ways to leave the board for a while or for good: each leaves the terminal as it was.

use std::os::unix::process::ExitStatusExt;

use rustix::process::Signal;

use super::Terminal;
use crate::harness::{PROGRAM, TestEnvironment};

/// Ctrl-C and Ctrl-Z.
const INTERRUPT: &str = "\u{3}";
const SUSPEND: &str = "\u{1a}";

/// Waits until the board of a game against the first computer player fills the terminal.
#[track_caller]
fn is_shown(terminal: &mut Terminal) {
    terminal.until("the board", |screen| {
        screen.alternate_screen() && screen.contents().contains("novice")
    });
}

#[test]
fn keys_and_signals_leave_the_terminal_as_it_was() {
    let env = TestEnvironment::new();
    for (way, status) in [(Ok("Q"), 0), (Ok(INTERRUPT), 0)].into_iter().chain(
        [Signal::INT, Signal::TERM, Signal::HUP].map(|signal| (Err(signal), signal.as_raw())),
    ) {
        let mut terminal = Terminal::of(&env, "play");
        is_shown(&mut terminal);
        assert_ne!(terminal.state(), terminal.before);
        match way {
            Ok(keys) => terminal.keys(keys),
            Err(signal) => terminal.signal(signal),
        }
        let ended = terminal.end();
        assert_eq!(
            (ended.code().unwrap_or(0), ended.signal().unwrap_or(0)),
            (0, status),
            "{way:?}"
        );
        assert_eq!(terminal.state(), terminal.before, "{way:?}");
        assert_eq!(terminal.screen().trim(), "", "{way:?}");
    }
}

#[test]
fn a_stopped_program_gives_the_terminal_back_and_goes_on() {
    let env = TestEnvironment::new();
    let mut terminal = Terminal::shell(&env);
    let before = terminal.state();
    terminal.keys(&format!("{PROGRAM} play\r"));
    is_shown(&mut terminal);
    let during = terminal.state();
    for way in [Ok(SUSPEND), Err(Signal::TSTP), Ok(SUSPEND)] {
        match way {
            Ok(keys) => terminal.keys(keys),
            Err(signal) => terminal.signal(signal),
        }
        terminal.shows_prompt();
        assert_eq!(terminal.state(), before, "{way:?}");
        terminal.keys("fg\r");
        is_shown(&mut terminal);
        assert_eq!(terminal.state(), during, "{way:?}");
    }
    terminal.keys("Q");
    terminal.shows_prompt();
    assert_eq!(terminal.state(), before);
}

#[test]
fn over_ssh_nothing_stops_the_program() {
    let env = TestEnvironment::new();
    env.ok("signup alice alice@example.org");
    let mut terminal = Terminal::shell(&env);
    terminal.keys(&format!("SSH_ORIGINAL_COMMAND= {PROGRAM} ssh alice\r"));
    is_shown(&mut terminal);
    terminal.keys(SUSPEND);
    terminal.signal(Signal::TSTP);
    terminal.keys("d3\r");
    terminal.until("a move", |_| env.plies(1) > 0);
    is_shown(&mut terminal);
    terminal.keys("Q");
    terminal.shows_prompt();
}

#[test]
fn over_ssh_a_terminal_without_a_cursor_gets_the_list() {
    let env = TestEnvironment::new().with_game();
    let mut command = env.command("ssh alice");
    command.env("SSH_ORIGINAL_COMMAND", "");
    let mut terminal = Terminal::of_kind("dumb", command);
    assert!(terminal.end().success());
    assert!(terminal.screen().contains("alice's turn"), "{}", terminal.screen());
}

#[test]
fn a_closed_terminal_ends_the_program() {
    let env = TestEnvironment::new();
    let mut terminal = Terminal::of(&env, "play");
    is_shown(&mut terminal);
    assert_eq!(terminal.close().signal(), Some(Signal::HUP.as_raw()));
    // The shell gets the signal and ignores it; the program gets none.
    let mut shell = std::process::Command::new("sh");
    env.seal(&mut shell).args(["-c", "trap '' HUP; \"$0\" play; echo $? >status", PROGRAM]);
    let mut terminal = Terminal::start(shell);
    is_shown(&mut terminal);
    assert!(terminal.close().success());
    assert_eq!(std::fs::read_to_string(env.path("status")).unwrap(), "129\n");
}
