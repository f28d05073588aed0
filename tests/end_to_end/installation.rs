//! The program under test, with a database and a configuration of its own.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");

/// How long any command may take, on however busy a machine.
const BOUND: Duration = Duration::from_secs(120);

pub struct Installation {
    folder: TempDir,
    program: PathBuf,
    /// Whom all commands run as: user and group. Without it, whoever runs the tests.
    owner: Option<(u32, u32)>,
    /// How far the clock of the commands is ahead.
    ahead: TimeDelta,
}

/// A command that runs.
pub struct Running {
    child: Child,
    output: [File; 2],
    started: Instant,
}

/// A command that has ended.
pub struct Done {
    /// `None` when a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Installation {
    /// An empty one, whose mail goes out by a transport of these settings.
    pub fn new(transport: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = PathBuf::from(PROGRAM);
        let new = Self { folder, program, owner: None, ahead: TimeDelta::zero() };
        new.configure(transport);
        new
    }

    /// An empty one that belongs to this user of the system, whose mail is still to be
    /// configured. Only root can make one.
    pub fn of(user: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let owner = (id("-u", user), id("-g", user));
        chown(folder.path(), Some(owner.0), Some(owner.1)).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        // That user may be unable to reach the program where it was built.
        let program = folder.path().join("outflank");
        fs::hard_link(PROGRAM, &program)
            .or_else(|_| fs::copy(PROGRAM, &program).map(drop))
            .unwrap();
        let new = Self { folder, program, owner: Some(owner), ahead: TimeDelta::zero() };
        new.write_receiver();
        new
    }

    /// The program that a mail server runs for a mail to this installation.
    pub fn receiver(&self) -> PathBuf {
        self.folder.path().join("receive")
    }

    /// A mail server hands on no environment.
    fn write_receiver(&self) {
        let folder = self.folder.path().display();
        let script = format!(
            "#!/bin/sh\n\
             export OUTFLANK_DB={folder}/outflank.db OUTFLANK_CONFIG={folder}/config.toml\n\
             if [ -s {folder}/ahead ]; then\n\
             \tOUTFLANK_NOW=$(date -u -d \"$(cat {folder}/ahead) seconds\" +%FT%TZ) || exit 75\n\
             \texport OUTFLANK_NOW\n\
             fi\n\
             # What a stranger wrote behind the + may begin with a dash.\n\
             exec {folder}/outflank receive -- \"$@\"\n"
        );
        write_program(&self.receiver(), &script);
    }

    /// Changes the transport.
    pub fn configure(&self, transport: &str) {
        let mail = "[mail]\nfrom = 'Outflank <outflank@local.test>'\n";
        let file = self.folder.path().join("config.toml");
        std::fs::write(file, format!("{mail}[transport]\n{transport}")).unwrap();
    }

    /// Puts the clock of all further commands ahead: leases run out, mails become due.
    pub fn later(&mut self, minutes: i64) {
        self.ahead += TimeDelta::minutes(minutes);
        let seconds = self.ahead.num_seconds().to_string();
        fs::write(self.folder.path().join("ahead"), seconds).unwrap();
    }

    /// Starts a command, its words separated by blanks.
    pub fn start(&self, command: &str) -> Running {
        let path = |name| self.folder.path().join(name);
        let output = [(); 2].map(|()| tempfile::tempfile().unwrap());
        let [stdout, stderr] = output.each_ref().map(|file| Stdio::from(file.try_clone().unwrap()));
        let mut outflank = Command::new(&self.program);
        if let Some((user, group)) = self.owner {
            outflank.uid(user).gid(group);
        }
        for name in ["OUTFLANK_AS", "OUTFLANK_NOW", "OUTFLANK_SEED"] {
            outflank.env_remove(name);
        }
        if !self.ahead.is_zero() {
            let now = (Utc::now() + self.ahead).to_rfc3339_opts(SecondsFormat::Secs, true);
            outflank.env("OUTFLANK_NOW", now);
        }
        let child = outflank
            .args(command.split_whitespace())
            .env("OUTFLANK_DB", path("outflank.db"))
            .env("OUTFLANK_CONFIG", path("config.toml"))
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .unwrap();
        Running { child, output, started: Instant::now() }
    }

    /// Runs a command.
    pub fn run(&self, command: &str) -> Done {
        self.start(command).finish()
    }

    /// Runs a command that succeeds, and returns what it prints.
    pub fn ok(&self, command: &str) -> String {
        let done = self.run(command);
        assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{command}");
        done.stdout
    }

    /// Runs a command that succeeds, and returns what it says in JSON.
    pub fn json(&self, command: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("--json {command}"))).unwrap()
    }

    /// The outbox as `mail --json` tells it; of one game, or what is left of all.
    pub fn outbox(&self, game: &str) -> Vec<Value> {
        let mut told = self.json(&format!("mail {game}"));
        serde_json::from_value(told["mails"].take()).unwrap()
    }

    /// A line for each mail of a game: whom to, what about, after which move, what became of it.
    pub fn fates(&self, game: &str) -> Vec<String> {
        let word = |value: &Value| value.to_string().trim_matches('"').to_owned();
        let line =
            |mail: &Value| ["to", "about", "ply", "state"].map(|key| word(&mail[key])).join(" ");
        self.outbox(game).iter().map(line).collect()
    }
}

/// Writes a script that everybody may run.
pub fn write_program(file: &Path, script: &str) {
    fs::write(file, script).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The number of a user (`-u`) or of its group (`-g`).
fn id(option: &str, user: &str) -> u32 {
    let told = Command::new("id").args([option, user]).output().unwrap().stdout;
    String::from_utf8(told).unwrap().trim().parse().unwrap()
}

impl Running {
    /// Waits for the end.
    pub fn finish(mut self) -> Done {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if self.started.elapsed() > BOUND {
                self.child.kill().unwrap();
                panic!("a command does not end");
            }
            thread::sleep(Duration::from_millis(1));
        };
        let took = self.started.elapsed();
        let [stdout, stderr] = self.output.map(|mut file| {
            let mut text = String::new();
            file.rewind().unwrap();
            file.read_to_string(&mut text).unwrap();
            text
        });
        Done { status: status.code(), stdout, stderr, took }
    }

    /// Ends it at once, with SIGKILL.
    pub fn kill(mut self) -> Done {
        let _ = self.child.kill();
        self.finish()
    }
}
