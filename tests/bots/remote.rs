//! A computer player on another machine, over a real sshd on this one.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use super::events;
use crate::harness::{ALICE, PROGRAM, TestEnvironment, skipped, until};

const SSHD: &str = "/usr/sbin/sshd";

/// An sshd that accepts one key, and runs one command for it.
struct Sshd(Child);

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn make_key(file: &Path) -> String {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(file)
        .status()
        .expect("ssh-keygen");
    assert!(made.success());
    fs::read_to_string(file.with_extension("pub")).unwrap()
}

impl Sshd {
    /// Starts an sshd that answers the key of the environment with this command.
    fn start(env: &TestEnvironment, port: u16, command: &str) -> Self {
        let host = make_key(&env.path("host_key"));
        let own = make_key(&env.path("own_key"));
        fs::write(env.path("known"), format!("[127.0.0.1]:{port} {host}")).unwrap();
        let allowed = format!("restrict,command=\"{command}\" {own}");
        fs::write(env.path("allowed"), allowed).unwrap();
        let folder = env.folder().display();
        let config = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host_key\nPidFile none\n\
             AuthorizedKeysFile {folder}/allowed\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nPermitRootLogin prohibit-password\n"
        );
        fs::write(env.path("sshd_config"), config).unwrap();
        // Where sshd runs as root, it needs this folder, which the start of the system creates.
        let _ = fs::create_dir_all("/run/sshd");
        let log = fs::File::create(env.path("sshd.log")).unwrap();
        let child = Command::new(SSHD)
            .args(["-D", "-e", "-f"])
            .arg(env.path("sshd_config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let sshd = Self(child);
        until("sshd listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        sshd
    }
}

/// Returns whether an sshd is installed; otherwise reports a skipped test.
fn has_sshd() -> bool {
    let there = Path::new(SSHD).exists();
    let required = std::env::var("OUTFLANK_E2E").is_ok_and(|value| value == "required");
    assert!(there || !required, "OUTFLANK_E2E=required, but there is no {SSHD}");
    if !there {
        let current = thread::current();
        skipped(current.name().unwrap_or("test"), "needs sshd, which .ci/run installs");
    }
    there
}

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
