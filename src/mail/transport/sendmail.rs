//! Delivery through the `sendmail` program of this machine, or one that behaves like it.

use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use super::{BadSettings, DeliveryError, Message, Seconds, Transport};
use crate::clock::Deadline;

/// How much of the end of the program's output is kept, in bytes.
const KEPT_OUTPUT: usize = 4096;
/// The longest line of the program's output that is passed on, in characters.
const LONGEST_LINE: usize = 300;
/// How long the program may take where the settings do not say.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long a killed program may take to go, and the last output to arrive after its end.
const AFTERMATH: Duration = Duration::from_millis(500);

/// The statuses of `sysexits.h` that say that another try would end the same way: bad data, no
/// such user, no such host.
const HOPELESS: [i32; 3] = [65, 67, 68];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default = "usual_command")]
    command: Vec<String>,
    timeout: Option<Seconds>,
}

fn usual_command() -> Vec<String> {
    vec!["/usr/sbin/sendmail".into(), "-i".into()]
}

/// A program that takes one message on its standard input.
struct Sendmail {
    program: String,
    arguments: Vec<String>,
    timeout: Duration,
}

/// Makes the transport of `command` and `timeout`. Runs nothing yet.
///
/// # Errors
/// [`BadSettings`] when `command` is empty, a setting is of the wrong type, or an unknown one
/// is given.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let Settings { command, timeout } = settings.try_into()?;
    let mut words = command.into_iter();
    let program = words.next().filter(|program| !program.is_empty());
    let program = program.ok_or_else(|| {
        BadSettings(
            "[transport] command is empty: give the program and its options, such as \
             [\"/usr/sbin/sendmail\", \"-i\"]"
                .into(),
        )
    })?;
    Ok(Box::new(Sendmail {
        program,
        arguments: words.collect(),
        timeout: timeout.map_or(TIMEOUT, |Seconds(timeout)| timeout),
    }))
}

impl Transport for Sendmail {
    fn deliver(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError> {
        // An address behind `-f` is read as its value, one behind `--` never as an option; a
        // sender that looks like one is refused all the same, for programs less strict.
        if !is_one_address(&message.from) || message.from.starts_with('-') {
            return Err(DeliveryError::Unavailable(format!(
                "{:?} is no sender address that {} could be given",
                message.from, self.program
            )));
        }
        if !is_one_address(&message.to) {
            return Err(DeliveryError::Permanent(format!(
                "{:?} is no address that {} could be given",
                message.to, self.program
            )));
        }
        let limit = self.timeout.min(deadline.remaining());
        if limit.is_zero() {
            return Err(DeliveryError::Temporary("the time for sending was used up".into()));
        }
        self.run(message, limit)
    }
}

impl Sendmail {
    /// Runs the program for one message and judges how it ended. Never takes much longer than
    /// `limit`, whatever the program does with its input and output.
    fn run(&self, message: &Message, limit: Duration) -> Result<(), DeliveryError> {
        let deadline = Deadline::after(limit);
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .args(["-f", &message.from, "--", &message.to])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Of its own, so that what it starts can be killed with it, and a Ctrl-C in the
            // terminal does not cut a delivery short.
            .process_group(0)
            .spawn()
            .map_err(|e| DeliveryError::Unavailable(format!("cannot run {}: {e}", self.program)))?;

        let outputs = match serve(&mut child, message.with_lf()) {
            Ok(outputs) => outputs,
            Err(error) => {
                kill(child);
                let why = format!("cannot talk to {}: {error}", self.program);
                return Err(DeliveryError::Unavailable(why));
            }
        };
        let Some(status) = wait(&mut child, deadline) else {
            kill(child);
            return Err(DeliveryError::Temporary(format!(
                "{} did not end within {:.1} s and was stopped",
                self.program,
                limit.as_secs_f32()
            )));
        };
        if status.success() {
            return Ok(());
        }
        let said = outputs.into_iter().find_map(Output::last_line);
        let why = format!(
            "{} {}{}",
            self.program,
            ending(status),
            said.map_or_else(String::new, |line| format!(": {line}"))
        );
        Err(match status.code() {
            Some(code) if HOPELESS.contains(&code) => DeliveryError::Permanent(why),
            _ => DeliveryError::Temporary(why),
        })
    }
}

/// Whether the text is an address and can be nothing else: no list of several, no comment or
/// quoting, nothing that would break a command line or a log.
fn is_one_address(text: &str) -> bool {
    text.contains('@')
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"(),;<>\\".contains(&byte))
}

/// Feeds the program `input` and collects what it writes: stderr, then stdout. Threads do this,
/// so that no order in which the program reads and writes can block; they end when the program
/// and its children have closed their ends.
///
/// # Errors
/// When no thread can be started.
fn serve(child: &mut Child, input: Vec<u8>) -> io::Result<Vec<Output>> {
    if let Some(mut stdin) = child.stdin.take() {
        in_background(move || {
            // A program that stops reading may still end well: its status decides.
            let _ = stdin.write_all(&input);
        })?;
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

/// Runs `job` on a thread of its own that nobody waits for.
fn in_background(job: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(job).map(drop)
}

/// The status of the program once it has ended, `None` if it runs on at `deadline`.
fn wait(child: &mut Child, deadline: Deadline) -> Option<ExitStatus> {
    // Asking again and again, because `std` cannot wait for a limited time. The first answers
    // come fast, since most programs end fast.
    let mut pause = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = deadline.remaining();
        if left.is_zero() {
            return None;
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(25));
    }
}

/// Ends the program and all it started.
fn kill(mut child: Child) {
    // `std` signals single processes only; the shell knows how to signal a group. The number
    // cannot have gone to another group, since the program has not been waited for.
    let _ = Command::new("/bin/sh")
        .args(["-c", r#"kill -s KILL -- "-$1""#, "sh"])
        .arg(child.id().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let _ = child.kill();
    if wait(&mut child, Deadline::after(AFTERMATH)).is_none() {
        // It may not be ours to kill (set-uid), or hang in the kernel: collected when it ends.
        let _ = in_background(move || {
            let _ = child.wait();
        });
    }
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in an unknown way".into(),
    }
}

/// The end of what the program writes to one of its outputs.
struct Output {
    tail: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when all is read.
    end: mpsc::Receiver<()>,
}

impl Output {
    /// Reads on until the other side closes, so that the program never waits for a reader.
    fn collect(mut pipe: impl Read + Send + 'static) -> io::Result<Self> {
        let tail = Arc::new(Mutex::new(Vec::new()));
        let (open, end) = mpsc::channel();
        let kept = Arc::clone(&tail);
        in_background(move || {
            let _open: mpsc::Sender<()> = open;
            let mut piece = [0; KEPT_OUTPUT];
            loop {
                match pipe.read(&mut piece) {
                    Ok(0) => break,
                    Ok(count) => {
                        let mut tail = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        tail.extend_from_slice(&piece[..count]);
                        let surplus = tail.len().saturating_sub(KEPT_OUTPUT);
                        tail.drain(..surplus);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
        })?;
        Ok(Self { tail, end })
    }

    /// The last line that says something, fit for a log. Waits a moment for the end, because
    /// a process that the program left behind may hold the pipe open for ever.
    fn last_line(self) -> Option<String> {
        let _ = self.end.recv_timeout(AFTERMATH);
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&tail);
        text.lines()
            .rev()
            .map(|line| {
                let plain: String = line.chars().filter(|c| !c.is_control()).collect();
                plain.trim().chars().take(LONGEST_LINE).collect::<String>()
            })
            .find(|line| !line.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The transport that runs `script` with /bin/sh. Nothing executable is written, because
    /// a fork in another test thread could hold it open and make it "busy".
    fn shell(script: &str) -> Sendmail {
        Sendmail {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into(), "sendmail".into()],
            timeout: Duration::from_mins(1),
        }
    }

    fn message(size: usize) -> Message {
        Message {
            from: "outflank@example.org".into(),
            to: "-alice@example.org".into(),
            message_id: "1@example.org".into(),
            bytes: format!("Subject: hi\r\n\r\n.\r\n{}\r\n", "x".repeat(size)).into_bytes(),
        }
    }

    fn deliver(script: &str) -> Result<(), DeliveryError> {
        shell(script).deliver(&message(1), Deadline::after(Duration::from_secs(20)))
    }

    fn temporary(end: Result<(), DeliveryError>) -> String {
        match end {
            Err(DeliveryError::Temporary(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    fn refused(settings: &str) -> String {
        open(settings.parse().unwrap()).err().unwrap().0
    }

    #[test]
    fn hands_over_arguments_and_lf_lines() {
        let home = tempfile::tempdir().unwrap();
        let taken = home.path().join("taken");
        let script = format!("{{ printf '%s|' \"$@\"; echo; cat; }} > '{}'", taken.display());
        deliver(&script).unwrap();
        assert_eq!(
            fs::read_to_string(taken).unwrap(),
            "-f|outflank@example.org|--|-alice@example.org|\nSubject: hi\n\n.\nx\n"
        );
    }

    #[test]
    fn statuses_are_told_apart() {
        for code in HOPELESS {
            let end = deliver(&format!("cat >/dev/null; echo 'no way' >&2; exit {code}"));
            let why = format!("/bin/sh ended with status {code}: no way");
            assert_eq!(end, Err(DeliveryError::Permanent(why)));
        }
        for code in [1, 64, 69, 75, 77, 78, 127] {
            let why = temporary(deliver(&format!("exit {code}")));
            assert_eq!(why, format!("/bin/sh ended with status {code}"));
        }
        let why = temporary(deliver("kill -s TERM $$"));
        assert_eq!(why, "/bin/sh was killed by signal 15");
    }

    #[test]
    fn the_last_words_are_cleaned() {
        let why =
            temporary(deliver(r"printf 'first\nl\033[1ma\tst\r\n\n \n' >&2; echo out; exit 75"));
        assert_eq!(why, "/bin/sh ended with status 75: l[1mast");
        let why = temporary(deliver("echo only out; exit 75"));
        assert_eq!(why, "/bin/sh ended with status 75: only out");
        let why = temporary(deliver(
            "i=0; while [ $i -lt 200 ]; do printf 1234567890 >&2; i=$((i+1)); done; exit 75",
        ));
        assert_eq!(why.chars().filter(char::is_ascii_digit).count(), 302);
    }

    #[test]
    fn need_not_read_its_input() {
        let deadline = Deadline::after(Duration::from_secs(20));
        assert_eq!(shell("exit 0").deliver(&message(1 << 20), deadline), Ok(()));
        let why = temporary(shell("exit 75").deliver(&message(1 << 20), deadline));
        assert_eq!(why, "/bin/sh ended with status 75");
    }

    #[test]
    fn may_flood_its_outputs_before_it_reads() {
        let flood = "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero; echo; \
                     echo end >&2; cat >/dev/null; exit 75";
        let deadline = Deadline::after(Duration::from_secs(20));
        let why = temporary(shell(flood).deliver(&message(1 << 20), deadline));
        assert_eq!(why, "/bin/sh ended with status 75: end");
    }

    #[test]
    fn is_stopped_with_all_it_started() {
        let home = tempfile::tempdir().unwrap();
        let pid = home.path().join("pid");
        // Two processes, neither of which reads its input.
        let script = format!("sleep 60 & echo $! > '{}'; wait", pid.display());
        let bound = Deadline::after(Duration::from_secs(10));
        let end =
            shell(&script).deliver(&message(1 << 20), Deadline::after(Duration::from_millis(400)));
        assert!(temporary(end).contains("was stopped"));
        assert!(!bound.has_passed());
        let pid = fs::read_to_string(pid).unwrap();
        let gone = || {
            // A killed orphan that nobody has collected yet still has an entry, as a zombie.
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
    fn the_own_timeout_counts_too() {
        let mut hanging = shell("sleep 60");
        hanging.timeout = Duration::from_millis(50);
        let bound = Deadline::after(Duration::from_secs(10));
        temporary(hanging.deliver(&message(1), Deadline::after(Duration::from_mins(1))));
        assert!(!bound.has_passed());
        let late = shell("exit 0").deliver(&message(1), Deadline::after(Duration::ZERO));
        temporary(late);
    }

    #[test]
    fn a_process_left_behind_holds_nothing_up() {
        let bound = Deadline::after(Duration::from_secs(8));
        deliver("sleep 9 & exit 0").unwrap();
        temporary(deliver("sleep 9 & exit 75"));
        assert!(!bound.has_passed());
    }

    #[test]
    fn a_missing_program_is_a_fault_of_the_transport() {
        let home = tempfile::tempdir().unwrap();
        let plain = home.path().join("plain");
        fs::write(&plain, "text").unwrap();
        for program in [home.path().join("missing"), plain] {
            let mut transport = shell("");
            transport.program = program.to_str().unwrap().into();
            match transport.deliver(&message(1), Deadline::after(Duration::from_secs(20))) {
                Err(DeliveryError::Unavailable(why)) => {
                    assert!(why.contains(&transport.program), "{why}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn addresses_are_nothing_else() {
        let deadline = Deadline::after(Duration::from_secs(20));
        for bad in ["", "alice", "a@b,c@d", "a @b", "<a@b>", "a@b\n", "\"|x\"@b"] {
            let mut to = message(1);
            to.to = bad.into();
            let end = shell("exit 0").deliver(&to, deadline);
            assert!(matches!(end, Err(DeliveryError::Permanent(_))), "{bad}: {end:?}");
            let mut from = message(1);
            from.from = bad.into();
            let end = shell("exit 0").deliver(&from, deadline);
            assert!(matches!(end, Err(DeliveryError::Unavailable(_))), "{bad}: {end:?}");
        }
        let mut option = message(1);
        option.from = "-oQ@example.org".into();
        let end = shell("exit 0").deliver(&option, deadline);
        assert!(matches!(end, Err(DeliveryError::Unavailable(_))), "{end:?}");
    }

    #[test]
    fn settings_have_defaults_and_are_checked() {
        assert!(open(toml::Table::new()).is_ok());
        let Settings { command, timeout } = toml::from_str("").unwrap();
        assert_eq!(command, ["/usr/sbin/sendmail", "-i"]);
        assert!(timeout.is_none());
        assert!(refused("command = []").starts_with("[transport] command is empty"));
        assert!(refused("command = ['']").starts_with("[transport] command is empty"));
        assert!(refused("command = 'sendmail'").starts_with("[transport] command: "));
        for wrong in ["0", "-1", "3601", "'x'", "1.5"] {
            assert_eq!(
                refused(&format!("timeout = {wrong}")),
                "[transport] timeout: must be a whole number of seconds from 1 to 3600"
            );
        }
        assert!(refused("host = 'x'").contains("`host`"));
    }
}
