//! External programs as computer players, and their failures.

use std::process::Command;

use super::{events, jobs, with_alice};
use crate::harness::{ALICE, PROGRAM, TestEnvironment, run, skipped};

/// Returns an environment with this script as `bot:broken`.
fn with_script(script: &str) -> TestEnvironment {
    let command = format!("['sh', '-c', '''read line; {script}''']");
    let settings = "protocol = 'nboard'\nseconds_per_move = 1";
    let env =
        TestEnvironment::new().config(&format!("[bots.broken]\ncommand = {command}\n{settings}"));
    env.ok(&format!("new othello {ALICE} bot:broken"));
    env.ok("move 1 d3");
    env.mails();
    env
}

#[test]
fn a_program_plays_a_game_against_a_level() {
    let env = with_alice();
    env.ok("new othello bot:friend bot:0");
    env.ok("new mini bot:0 bot:friend");
    env.ok("send");
    assert_eq!(env.game(1)["status"], "finished");
    assert_eq!(env.game(2)["status"], "finished");
}

#[test]
fn a_program_that_fails_makes_no_move_and_the_opponent_is_notified_once() {
    for (script, why) in [
        ("exit 3", "sh ended with status 3"),
        ("exec sleep 9", "sh gave no move within 1 s"),
        ("echo pong 1; echo === A1; exec sleep 9", "sh chose a1: a1 is illegal"),
    ] {
        let env = with_script(script);
        let line = env.fails(3, "send");
        assert!(line.contains(&format!("bot:broken did not move in game 1: {why}")), "{line}");
        let mail = env.mail_to(ALICE);
        assert!(
            mail.text.contains("The computer player bot:broken cannot move at the moment."),
            "{}",
            mail.text
        );
        assert_eq!(events(&env, 1), ["b d3"]);
        let sent = env.ok("send");
        assert!(sent.starts_with("0 sent. 1 job waits until 2026-11-21 10:0"), "{sent}");
        env.later(2);
        assert!(env.fails(3, "send").contains(why));
        env.no_mail();
        assert_eq!(jobs(&env), ["move 1 1"]);
        assert!(env.ok("bots").contains(why));
        let listed = &env.json("bots")["jobs"][0];
        assert_eq!((listed["job"].as_str(), listed["failures"].as_i64()), (Some("move"), Some(2)));
    }
}

#[test]
fn of_several_failures_the_first_is_reported_in_full() {
    let env = with_script("exit 3");
    env.ok("new othello bot:broken alice");
    env.ok("new mini bot:broken alice");
    let line = env.fails(3, "send");
    assert!(line.contains("ended with status 3; 2 more jobs failed; 2 mails wait"), "{line}");
    assert!(line.ends_with("; see `outflank bots`"), "{line}");
    assert_eq!(env.ok("bots").matches("ended with status 3").count(), 3);
}

#[test]
fn a_program_is_refused_in_a_game_that_its_protocol_cannot_describe() {
    let env =
        TestEnvironment::new().config("[bots.goer]\ncommand = ['sleep', '9']\nprotocol = 'gtp'");
    env.ok(&format!("signup alice {ALICE}"));
    for (game, what) in [
        ("oddthello alice bot:goer", "this board"),
        ("othello bot:goer alice --size 6x5", "this board or these rules"),
        ("othello bot:goer bot:1 --misere", "this board or these rules"),
        ("mini alice bot:goer --position '(b ---- -wb- -bw- b---)'", "began in another position"),
    ] {
        let line = env.fails(1, &format!("new {game}"));
        let begins = "outflank: bot:goer cannot play this game: the protocol gtp cannot describe ";
        assert!(line.starts_with(begins) && line.contains(what), "{line}");
        assert!(line.ends_with("; bot:0 to bot:10 play every game"), "{line}");
    }
    env.ok("new othello alice bot:goer --size 6x6");
    assert!(env.ok("games --all").contains("bot:goer"));
}

#[test]
fn a_game_continues_when_its_program_works_again() {
    let env = with_script("exit 3");
    env.fails(3, "send");
    env.write_config("");
    env.later(2);
    let line = env.fails(3, "send");
    assert!(line.contains("the configuration has no [bots.broken]"), "{line}");
    env.configure(&format!(
        "[bots.broken]\ncommand = ['{PROGRAM}', 'engine', '--protocol', 'gtp', '--level', '0']\n\
         protocol = 'gtp'"
    ));
    env.later(5);
    env.ok("send");
    assert_eq!(env.plies(1), 2);
    assert_eq!(env.ok("send"), "0 sent.\n");
}

#[test]
fn a_line_on_a_terminal_shows_who_thinks() {
    if Command::new("script").arg("--version").output().is_err() {
        return skipped("a_line_on_a_terminal_shows_who_thinks", "there is no script");
    }
    let env = with_script("exec sleep 9");
    let mut command = Command::new("script");
    env.seal(&mut command).args(["-qec", &format!("{PROGRAM} send"), "/dev/null"]);
    command.env("TERM", "xterm").env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
    let shown = run(command).stdout;
    assert!(shown.contains("bot:broken thinks about game 1"), "{shown}");
    // The line disappears before the result.
    assert!(shown.ends_with("see `outflank bots`\r\n"), "{shown}");
    // A pipe shows only the result.
    env.later(5);
    let line = env.fails(3, "send");
    assert!(!line.contains("thinks"), "{line}");
}
