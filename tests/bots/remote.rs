//! A computer player on another machine, over a real sshd on this one.

use std::fs;
use std::path::Path;

use super::events;
use crate::harness::sshd::{Sshd, free_port, has_sshd};
use crate::harness::{ALICE, PROGRAM, TestEnvironment, until};

/// Returns an environment with a move by alice against `bot:far`, an engine behind ssh.
fn with_far(port: u16, seconds: u32, depth: u32) -> TestEnvironment {
    let env = TestEnvironment::new();
    let folder = env.folder().display();
    let settings = format!(
        "[bots.far]\nprotocol = 'nboard'\nseconds_per_move = {seconds}\ndepth = {depth}\n\
         command = ['ssh', '-F', 'none', '-i', '{folder}/own_key', '-p', '{port}',\n\
           '-o', 'BatchMode=yes', '-o', 'UserKnownHostsFile={folder}/known', '127.0.0.1',\n\
           'outflank', 'engine', '--protocol', 'nboard']"
    );
    env.configure(&settings);
    env.ok(&format!("new othello {ALICE} bot:far"));
    env.ok("move 1 d3");
    env
}

#[test]
fn a_computer_player_on_another_machine_plays() {
    if !has_sshd() {
        return;
    }
    let port = free_port();
    let env = with_far(port, 60, 6);
    let engine = format!("{PROGRAM} engine --protocol nboard --level 0");
    let sshd = Sshd::start(&env, port, &engine);
    env.ok("send");
    assert_eq!(events(&env, 1).len(), 2, "{:?}", fs::read_to_string(env.path("sshd.log")));

    // While the other machine is down, the game waits.
    drop(sshd);
    let reply = env.legal(1);
    env.ok(&format!("move 1 {reply}"));
    let line = env.fails(3, "send");
    assert!(line.contains("bot:far did not move in game 1: ssh ended with status 255"), "{line}");
    assert!(line.contains("Connection refused"), "{line}");
    assert_eq!(events(&env, 1).len(), 3);
}

#[test]
fn an_engine_on_another_machine_ends_with_its_time() {
    if !has_sshd() {
        return;
    }
    let port = free_port();
    let env = with_far(port, 3, 60);
    // This level thinks longer than it may here.
    let pid = env.path("pid");
    let script = format!(
        "#!/bin/sh\necho $$ >{}\nexec {PROGRAM} engine --protocol nboard --level 10\n",
        pid.display()
    );
    fs::write(env.path("engine.sh"), script).unwrap();
    let _sshd = Sshd::start(&env, port, &format!("sh {}", env.path("engine.sh").display()));
    let line = env.fails(3, "send");
    assert!(line.contains("ssh gave no move within 3 s"), "{line}");
    let pid = fs::read_to_string(pid).unwrap();
    until("the engine there has ended", || !Path::new("/proc").join(pid.trim()).exists());
}
