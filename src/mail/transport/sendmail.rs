//! Delivery through the `sendmail` program of this machine, or a compatible one.

use std::env;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::fs::{Access, access};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;

use super::kind::{BadSettings, Delivered, Readiness, Seconds, Transport, Whole};
use super::message::{DeliveryError, Message, one_line};
use crate::clock::Deadline;

/// The bytes that are kept of the end of each output.
const MAX_OUTPUT_BYTES: usize = 4096;
/// The longest wait for a killed program to end, and for the rest of a program's output.
const MAX_EXIT_WAIT: Duration = Duration::from_millis(500);

/// The status of `sysexits.h` for a message that will never be accepted: bad data.
const BAD_DATA: i32 = 65;
/// The statuses of `sysexits.h` for a recipient that does not exist: no such user, no such host.
const NO_RECIPIENT: [i32; 2] = [67, 68];

/// A program that reads one message from its standard input.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Sendmail {
    command: Vec<String>,
    timeout: Seconds,
}

impl Default for Sendmail {
    fn default() -> Self {
        Self { command: vec!["/usr/sbin/sendmail".into(), "-i".into()], timeout: Whole(60) }
    }
}

/// Opens the transport with the settings `command` and `timeout`. Runs nothing yet.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let sendmail: Sendmail = settings.try_into()?;
    if sendmail.program().is_empty() {
        return Err(BadSettings(
            "[transport] command is empty; give the program and its options, such as \
             [\"/usr/sbin/sendmail\", \"-i\"]"
                .into(),
        ));
    }
    Ok(Box::new(sendmail))
}

impl Transport for Sendmail {
    fn send(&mut self, message: &Message, _: bool, deadline: Deadline) -> Delivered {
        message.envelope()?;
        // The recipient follows `--`; a sender like this could be taken for an option.
        if message.from.starts_with('-') {
            return Err(DeliveryError::Unavailable(format!(
                "{:?} is not a safe sender address for {}; correct from in [mail]",
                message.from,
                self.program()
            )));
        }
        self.run(message, Duration::from(self.timeout).min(deadline.remaining()))
    }

    fn check(&mut self, _: Deadline) -> Result<Readiness, DeliveryError> {
        let program = self.program();
        let cannot = |why: &str| DeliveryError::Unavailable(format!("cannot run {program}: {why}"));
        let path = find_program(program).ok_or_else(|| cannot("there is no such program"))?;
        if !path.is_file() || access(&path, Access::EXEC_OK).is_err() {
            return Err(cannot("it is not a program that this user may run"));
        }
        Ok(Readiness::good(format!("the program {} can be run", path.display())))
    }
}

/// Returns the file of a program, which is looked up in `PATH` if it is a name without a folder; `None` if
/// there is no such file.
pub fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.exists());
    }
    let folders = env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let is_runnable =
        |path: &PathBuf| path.is_file() && access(path.as_path(), Access::EXEC_OK).is_ok();
    env::split_paths(&folders).map(|folder| Path::new(&folder).join(program)).find(is_runnable)
}

impl Sendmail {
    fn program(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    /// Runs the program for one message and checks its exit status. Kills it after `limit`.
    fn run(&self, message: &Message, limit: Duration) -> Delivered {
        let deadline = Deadline::after(limit);
        let program = self.program();
        let mut child = Command::new(program)
            .args(self.command.iter().skip(1))
            .args(["-f", &message.from, "--", &message.to])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // In a group of its own it can be killed with its children, and a Ctrl-C in the
            // terminal does not interrupt a delivery.
            .process_group(0)
            .spawn()
            .map_err(|e| DeliveryError::Unavailable(format!("cannot run {program}: {e}")))?;

        let outputs = serve(&mut child, message.with_lf());
        if let Err(error) = &outputs {
            let why = format!("cannot talk to {program}: {error}");
            kill(child);
            return Err(DeliveryError::Unavailable(why));
        }
        let Some(status) = deadline.poll(|| child.try_wait().ok().flatten()) else {
            kill(child);
            let limit = limit.as_secs_f32();
            let why = format!("{program} did not end within {limit:.1} s and was stopped");
            return Err(DeliveryError::Temporary(why));
        };
        if status.success() {
            return Ok(());
        }
        let words = outputs.into_iter().flatten().find_map(Output::last_line);
        let words = words.map_or_else(String::new, |line| format!(": {line}"));
        let why = format!("{program} {}{words}", describe(status));
        Err(match status.code() {
            Some(code) if NO_RECIPIENT.contains(&code) => DeliveryError::refused_recipient(why),
            Some(BAD_DATA) => DeliveryError::Permanent(why),
            _ => DeliveryError::Temporary(why),
        })
    }
}

/// Writes `input` to the program and collects its stderr and its stdout. Each has its own thread,
/// so the program may read and write in any order. The threads end when the program and its
/// children have closed the pipes.
fn serve(child: &mut Child, input: Vec<u8>) -> io::Result<Vec<Output>> {
    if let Some(mut stdin) = child.stdin.take() {
        // The program may succeed without reading everything, so only its status counts.
        in_background(move || drop(stdin.write_all(&input)))?;
    }
    let mut outputs = Vec::new();
    outputs.extend(child.stderr.take().map(Output::collect).transpose()?);
    outputs.extend(child.stdout.take().map(Output::collect).transpose()?);
    Ok(outputs)
}

fn in_background(job: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().spawn(job)
}

/// Kills the program and its children.
fn kill(mut child: Child) {
    // The program has not been waited for, so its id cannot belong to another group yet.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    // The program may have left its group.
    let _ = child.kill();
    if Deadline::after(MAX_EXIT_WAIT).poll(|| child.try_wait().ok().flatten()).is_none() {
        // The program runs as another user (set-uid) or hangs in the kernel.
        let _ = in_background(move || drop(child.wait()));
    }
}

fn describe(status: ExitStatus) -> String {
    let signal = || format!("was killed by signal {}", status.signal().unwrap_or_default());
    status.code().map_or_else(signal, |code| format!("ended with status {code}"))
}

/// The end of one output of the program.
struct Output {
    tail: Tail,
    reader: JoinHandle<()>,
}

#[derive(Clone, Default)]
struct Tail(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn collect(mut pipe: impl Read + Send + 'static) -> io::Result<Self> {
        let tail = Tail::default();
        let mut kept = tail.clone();
        let reader = in_background(move || drop(io::copy(&mut pipe, &mut kept)))?;
        Ok(Self { tail, reader })
    }

    /// Returns the last line that is not blank. The wait for the end of the output is short,
    /// because a process that the program left behind can hold the pipe open for ever.
    fn last_line(self) -> Option<String> {
        let _ = Deadline::after(MAX_EXIT_WAIT).poll(|| self.reader.is_finished().then_some(()));
        let tail = self.tail.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&tail).lines().rev().map(one_line).find(|line| !line.is_empty())
    }
}

impl Write for Tail {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(piece);
        let surplus = tail.len().saturating_sub(MAX_OUTPUT_BYTES);
        tail.drain(..surplus);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_settings() {
        let Sendmail { command, timeout: Whole(seconds) } = toml::from_str("").unwrap();
        assert_eq!(command, ["/usr/sbin/sendmail", "-i"]);
        assert_eq!(seconds, 60);
    }
}
