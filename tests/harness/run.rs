//! Processes: their start, their input, and their result.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;
use similar_asserts::assert_eq;

/// The time limit of any command, long enough for a busy machine.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(120);

/// A running command.
pub struct Running {
    child: Child,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
    /// Its standard error so far.
    said: Arc<Mutex<Vec<u8>>>,
    started: Instant,
}

/// The result of a command.
#[derive(Debug)]
pub struct Run {
    /// `None` if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end.
pub fn run(command: Command) -> Run {
    Running::start(command).finish()
}

/// Reads a pipe to its end.
fn read(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).unwrap();
        text
    })
}

/// A pipe, and a copy of the bytes read from it.
struct Copied<P> {
    pipe: P,
    to: Arc<Mutex<Vec<u8>>>,
}

impl<P: Read> Read for Copied<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.pipe.read(buffer)?;
        self.to.lock().unwrap().extend(&buffer[..count]);
        Ok(count)
    }
}

impl Running {
    pub fn start(command: Command) -> Self {
        Self::try_start(command).unwrap()
    }

    pub fn try_start(mut command: Command) -> io::Result<Self> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // A process that another test forks can hold a script open for a moment after it was written.
        let mut spawned = command.spawn();
        for _ in 0..100 {
            let Err(error) = &spawned else { break };
            if error.kind() != io::ErrorKind::ExecutableFileBusy {
                break;
            }
            thread::sleep(Duration::from_millis(10));
            spawned = command.spawn();
        }
        let mut child = spawned?;
        let stdout = read(child.stdout.take().unwrap());
        let said = Arc::new(Mutex::new(Vec::new()));
        let stderr = read(Copied { pipe: child.stderr.take().unwrap(), to: Arc::clone(&said) });
        Ok(Self { child, stdout, stderr, said, started: Instant::now() })
    }

    /// Starts a command with `input` on its standard input, a pipe.
    pub fn start_with_input(mut command: Command, input: &[u8]) -> Self {
        command.stdin(Stdio::piped());
        let mut running = Self::start(command);
        let (mut stdin, input) = (running.child.stdin.take().unwrap(), input.to_vec());
        // The command may close its standard input early.
        thread::spawn(move || drop(stdin.write_all(&input)));
        running
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it has ended.
    pub fn finish(mut self) -> Run {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if self.started.elapsed() > COMMAND_TIMEOUT {
                self.child.kill().unwrap();
                panic!("a command does not end");
            }
            thread::sleep(Duration::from_millis(1));
        };
        let (stdout, stderr) = (self.stdout.join().unwrap(), self.stderr.join().unwrap());
        Run { status: status.code(), stdout, stderr }
    }

    /// Returns whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Returns whether it has written this text to standard error.
    pub fn has_said(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.said.lock().unwrap()).contains(text)
    }

    /// Kills it with SIGKILL.
    pub fn kill(mut self) -> Run {
        let _ = self.child.kill();
        self.finish()
    }

    /// Sends it a signal, and waits until it has ended.
    pub fn stop(self, signal: &str) -> Run {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        self.finish()
    }
}

/// Runs a command with `input` on its standard input, a pipe.
pub fn run_with_input(command: Command, input: &[u8]) -> Run {
    Running::start_with_input(command, input).finish()
}

impl Run {
    /// Checks that it succeeded without a warning, and returns its output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.status, &*self.stderr), (Some(0), ""), "{self:?}");
        self.stdout
    }

    /// Checks that it ended with this status and printed nothing.
    #[track_caller]
    pub fn silent(&self, status: i32) {
        assert_eq!((self.status, &*self.stdout, &*self.stderr), (Some(status), "", ""), "{self:?}");
    }

    /// Checks that it failed with this status and one line on standard error, and returns that line.
    #[track_caller]
    pub fn failed(&self, status: i32) -> &str {
        assert_eq!((self.status, &*self.stdout), (Some(status), ""), "{self:?}");
        let line = self.stderr.strip_suffix('\n').unwrap_or_else(|| panic!("no line: {self:?}"));
        assert!(!line.is_empty() && !line.contains('\n'), "one line: {self:?}");
        line
    }

    /// Checks that a command with `--json` failed with this status; returns `error` and `hint`.
    #[track_caller]
    pub fn failed_in_json(&self, status: i32) -> (String, String) {
        let line = self.failed(status);
        let error: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let text = |key: &str| error[key].as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
        assert_eq!(error.as_object().unwrap().len(), 2, "{line}");
        (text("error"), text("hint"))
    }

    /// Checks that it succeeded, and parses its output as JSON.
    #[track_caller]
    pub fn json(self) -> Value {
        let stdout = self.ok();
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
    }
}
