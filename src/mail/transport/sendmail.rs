//! Delivery through the `sendmail` program of this machine, or a compatible one.

use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;

use super::{BadSettings, DeliveryError, Message, Seconds, Transport, one_line, time_left};
use crate::clock::Deadline;

/// The bytes that are kept of the end of the program's output.
const KEPT_OUTPUT: usize = 4096;
/// The default time limit of the program.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The wait for a killed program to end, and for the last output of a program that ended.
const AFTERMATH: Duration = Duration::from_millis(500);

/// The statuses of `sysexits.h` for permanent failures: bad data, no such user, no such host.
const PERMANENT: [i32; 3] = [65, 67, 68];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default = "default_command")]
    command: Vec<String>,
    timeout: Option<Seconds>,
}

fn default_command() -> Vec<String> {
    vec!["/usr/sbin/sendmail".into(), "-i".into()]
}

/// A program that reads one message from its standard input.
struct Sendmail {
    program: String,
    arguments: Vec<String>,
    timeout: Duration,
}

/// Opens the transport with the settings `command` and `timeout`. Runs nothing yet.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let Settings { command, timeout } = settings.try_into()?;
    let mut words = command.into_iter();
    let program = words.next().filter(|program| !program.is_empty());
    let program = program.ok_or_else(|| {
        BadSettings(
            "[transport] command is empty; give the program and its options, such as \
             [\"/usr/sbin/sendmail\", \"-i\"]"
                .into(),
        )
    })?;
    Ok(Box::new(Sendmail {
        program,
        arguments: words.collect(),
        timeout: timeout.map_or(TIMEOUT, Duration::from),
    }))
}

impl Transport for Sendmail {
    fn deliver(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError> {
        message.envelope()?;
        // The recipient follows `--`; a sender like this could be taken for an option.
        if message.from.starts_with('-') {
            return Err(DeliveryError::Unavailable(format!(
                "{:?} is not a safe sender address for {}; correct from in [mail]",
                message.from, self.program
            )));
        }
        self.run(message, self.timeout.min(time_left(deadline)?))
    }
}

impl Sendmail {
    /// Runs the program for one message and checks its exit status. Takes hardly longer than
    /// `limit`, however the program uses its input and output.
    fn run(&self, message: &Message, limit: Duration) -> Result<(), DeliveryError> {
        let deadline = Deadline::after(limit);
        let program = &self.program;
        let mut child = Command::new(program)
            .args(&self.arguments)
            .args(["-f", &message.from, "--", &message.to])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // In a group of its own it can be killed with its children, and a Ctrl-C in the
            // terminal does not interrupt a delivery.
            .process_group(0)
            .spawn()
            .map_err(|e| DeliveryError::Unavailable(format!("cannot run {program}: {e}")))?;

        let outputs = match serve(&mut child, message.with_lf()) {
            Ok(outputs) => outputs,
            Err(error) => {
                kill(child);
                let why = format!("cannot talk to {program}: {error}");
                return Err(DeliveryError::Unavailable(why));
            }
        };
        let Some(status) = poll(deadline, || child.try_wait().ok().flatten()) else {
            kill(child);
            let limit = limit.as_secs_f32();
            let why = format!("{program} did not end within {limit:.1} s and was stopped");
            return Err(DeliveryError::Temporary(why));
        };
        if status.success() {
            return Ok(());
        }
        let words = outputs.into_iter().find_map(Output::last_line);
        let words = words.map_or_else(String::new, |line| format!(": {line}"));
        let why = format!("{program} {}{words}", describe(status));
        Err(match status.code() {
            Some(code) if PERMANENT.contains(&code) => DeliveryError::Permanent(why),
            _ => DeliveryError::Temporary(why),
        })
    }
}

/// Feeds the program `input` and collects its stderr, then its stdout. Each has a thread, so no
/// order in which the program reads and writes can block. The threads end when the program and
/// its children have closed their ends.
fn serve(child: &mut Child, input: Vec<u8>) -> io::Result<Vec<Output>> {
    if let Some(mut stdin) = child.stdin.take() {
        // The status of the program decides, even if it does not read everything.
        in_background(move || drop(stdin.write_all(&input)))?;
    }
    let mut outputs = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        outputs.push(Output::collect(stderr)?);
    }
    if let Some(stdout) = child.stdout.take() {
        outputs.push(Output::collect(stdout)?);
    }
    Ok(outputs)
}

fn in_background(job: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().spawn(job)
}

/// Calls `ask` until it returns something, or returns None at `deadline`.
fn poll<T>(deadline: Deadline, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    // The first pauses are short, since most programs end fast.
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(result) = ask() {
            return Some(result);
        }
        let left = deadline.remaining();
        if left.is_zero() {
            return None;
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(25));
    }
}

/// Kills the program and its children.
fn kill(mut child: Child) {
    // The program has not been waited for, so its id cannot belong to another group yet.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    if poll(Deadline::after(AFTERMATH), || child.try_wait().ok().flatten()).is_none() {
        // It runs as another user (set-uid) or hangs in the kernel.
        let _ = in_background(move || drop(child.wait()));
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in an unknown way".into(),
    }
}

/// One output of the program, of which the end is kept.
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

    /// The last line that is not blank. Waits only a moment for the end, because a process that
    /// the program left behind can hold the pipe open for ever.
    fn last_line(self) -> Option<String> {
        let _ = poll(Deadline::after(AFTERMATH), || self.reader.is_finished().then_some(()));
        let tail = self.tail.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&tail).lines().rev().map(one_line).find(|line| !line.is_empty())
    }
}

impl Write for Tail {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(piece);
        let surplus = tail.len().saturating_sub(KEPT_OUTPUT);
        tail.drain(..surplus);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::tests::{error, message, refused, soon};
    use super::*;

    /// A transport that runs `script` with /bin/sh. An executable file could be "busy": a fork in
    /// another test thread can hold it open.
    fn shell(script: &str) -> Sendmail {
        Sendmail {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into(), "sendmail".into()],
            timeout: Duration::from_mins(1),
        }
    }

    fn large() -> Message {
        message(&"x".repeat(1 << 20))
    }

    fn deliver(script: &str) -> Result<(), DeliveryError> {
        shell(script).deliver(&message("x\r\n"), soon())
    }

    #[track_caller]
    fn temporary(end: Result<(), DeliveryError>) -> String {
        let (kind, why) = error(end);
        assert_eq!(kind, "temporary", "{why}");
        why
    }

    #[test]
    fn hands_over_arguments_and_lf_lines() {
        let home = tempfile::tempdir().unwrap();
        let taken = home.path().join("taken");
        let script = format!("{{ printf '%s|' \"$@\"; echo; cat; }} > '{}'", taken.display());
        let to = "-alice@example.org".into();
        let message = Message { to, ..message("Subject: hi\r\n\r\n.\r\nx\r\n") };
        shell(&script).deliver(&message, soon()).unwrap();
        assert_eq!(
            fs::read_to_string(taken).unwrap(),
            "-f|outflank@example.org|--|-alice@example.org|\nSubject: hi\n\n.\nx\n"
        );
    }

    #[test]
    fn each_status_has_a_meaning() {
        for code in PERMANENT {
            let end = deliver(&format!("cat >/dev/null; echo 'no way' >&2; exit {code}"));
            let why = format!("/bin/sh ended with status {code}: no way");
            assert_eq!(error(end), ("permanent", why));
        }
        for code in [1, 64, 69, 75, 77, 78, 127] {
            let why = temporary(deliver(&format!("exit {code}")));
            assert_eq!(why, format!("/bin/sh ended with status {code}"));
        }
        let why = temporary(deliver("kill -s TERM $$"));
        assert_eq!(why, "/bin/sh was killed by signal 15");
    }

    #[test]
    fn the_last_line_is_cleaned() {
        let why =
            temporary(deliver(r"printf 'first\nl\033[1ma\tst\r\n\n \n' >&2; echo out; exit 75"));
        assert_eq!(why, "/bin/sh ended with status 75: l [1ma st");
        let why = temporary(deliver("echo only out; exit 75"));
        assert_eq!(why, "/bin/sh ended with status 75: only out");
        let why = temporary(deliver(
            "i=0; while [ $i -lt 200 ]; do printf 1234567890 >&2; i=$((i+1)); done; exit 75",
        ));
        assert_eq!(why.chars().filter(char::is_ascii_digit).count(), 302);
    }

    #[test]
    fn the_program_need_not_read_its_input() {
        assert_eq!(shell("exit 0").deliver(&large(), soon()), Ok(()));
        let why = temporary(shell("exit 75").deliver(&large(), soon()));
        assert_eq!(why, "/bin/sh ended with status 75");
    }

    #[test]
    fn the_program_may_flood_its_outputs_before_it_reads() {
        let flood = "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero; echo; \
                     echo end >&2; cat >/dev/null; exit 75";
        let why = temporary(shell(flood).deliver(&large(), soon()));
        assert_eq!(why, "/bin/sh ended with status 75: end");
    }

    #[test]
    fn a_slow_program_is_killed_with_its_children() {
        let home = tempfile::tempdir().unwrap();
        let pid = home.path().join("pid");
        // Two processes, neither of which reads its input.
        let script = format!("sleep 60 & echo $! > '{}'; wait", pid.display());
        let bound = Deadline::after(Duration::from_secs(10));
        let end = shell(&script).deliver(&large(), Deadline::after(Duration::from_millis(400)));
        assert!(temporary(end).contains("was stopped"));
        assert!(!bound.has_passed());
        let pid = fs::read_to_string(pid).unwrap();
        let gone = || {
            // A killed orphan stays as a zombie until its new parent has waited for it.
            fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"))
                .map_or(true, |stat| stat.contains(") Z "))
        };
        let patience = Deadline::after(Duration::from_secs(10));
        while cfg!(target_os = "linux") && !gone() && !patience.has_passed() {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!cfg!(target_os = "linux") || gone());
    }

    #[test]
    fn the_shorter_of_timeout_and_deadline_counts() {
        let mut hanging = shell("sleep 60");
        hanging.timeout = Duration::from_millis(50);
        let bound = Deadline::after(Duration::from_secs(10));
        temporary(hanging.deliver(&message(""), Deadline::after(Duration::from_mins(1))));
        assert!(!bound.has_passed());
        let late = shell("exit 0").deliver(&message(""), Deadline::after(Duration::ZERO));
        temporary(late);
    }

    #[test]
    fn a_process_left_behind_does_not_delay_delivery() {
        let bound = Deadline::after(Duration::from_secs(8));
        deliver("sleep 9 & exit 0").unwrap();
        temporary(deliver("sleep 9 & exit 75"));
        assert!(!bound.has_passed());
    }

    #[test]
    fn a_missing_program_makes_the_transport_unavailable() {
        let home = tempfile::tempdir().unwrap();
        let plain = home.path().join("plain");
        fs::write(&plain, "text").unwrap();
        for program in [home.path().join("missing"), plain] {
            let mut transport = shell("");
            transport.program = program.to_str().unwrap().into();
            let (kind, why) = error(transport.deliver(&message(""), soon()));
            assert!(kind == "unavailable" && why.contains(&transport.program), "{why}");
        }
    }

    #[test]
    fn bad_addresses_are_refused() {
        for (from, to, kind) in [
            ("outflank@example.org", "a@b,c@d", "permanent"),
            ("a @b", "alice@example.org", "unavailable"),
            ("-oQ@example.org", "alice@example.org", "unavailable"),
        ] {
            let bad = Message { from: from.into(), to: to.into(), ..message("") };
            assert_eq!(error(shell("exit 0").deliver(&bad, soon())).0, kind, "{from} {to}");
        }
    }

    #[test]
    fn settings_have_defaults_and_are_checked() {
        assert!(open(toml::Table::new()).is_ok());
        let Settings { command, timeout } = toml::from_str("").unwrap();
        assert_eq!(command, ["/usr/sbin/sendmail", "-i"]);
        assert!(timeout.is_none());
        assert!(refused(open, "command = []").starts_with("[transport] command is empty"));
        assert!(refused(open, "command = ['']").starts_with("[transport] command is empty"));
        assert!(refused(open, "command = 'sendmail'").starts_with("[transport] command: "));
        for wrong in ["0", "-1", "3601", "'x'", "1.5"] {
            assert_eq!(
                refused(open, &format!("timeout = {wrong}")),
                "[transport] timeout: must be a whole number from 1 to 3600"
            );
        }
        assert!(refused(open, "host = 'x'").contains("`host`"));
    }
}
