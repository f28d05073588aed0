//! A mail host from `tests/mailhost.sh`. Each test has its own, so it can count all mails in the
//! mailboxes.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::inbox::Inbox;
use super::mail_program::Draft;
use crate::harness::{TestEnvironment, skipped};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mailhost.sh");

/// Postfix runs the pipe command as this user.
pub const PIPE_USER: &str = "nobody";

/// A running Postfix and Dovecot. They end when this is dropped, and with this process.
pub struct MailHost {
    process: Child,
    folder: PathBuf,
    smtp: u16,
    imap: u16,
    submission: u16,
    smtps: u16,
}

impl MailHost {
    /// Starts a mail host. If that is impossible and not required, reports a skipped test and returns
    /// `None`.
    pub fn start() -> Option<Self> {
        possible().then(|| Self::start_with(None))
    }

    /// Starts a mail host that pipes mail to `outflank@` and `outflank+ANYTHING@` to this program, run
    /// as [`PIPE_USER`], with recipient, sender and ANYTHING as arguments.
    pub fn start_piping_into(program: &Path) -> Option<Self> {
        possible().then(|| Self::start_with(Some(program)))
    }

    /// Starts a mail host, and an environment that receives mail from it and sends mail through it.
    pub fn start_with_pipe() -> Option<(Self, TestEnvironment)> {
        possible().then(|| {
            let env = TestEnvironment::of_user(PIPE_USER);
            let host = Self::start_with(Some(&env.receiver()));
            env.configure_transport(&host.smtp());
            (host, env)
        })
    }

    fn start_with(pipe: Option<&Path>) -> Self {
        // Another process may take a chosen port before it is used.
        let mut trouble = String::new();
        for _ in 0..3 {
            match Self::try_start(pipe) {
                Ok(host) => return host,
                Err(error) => trouble = error,
            }
        }
        panic!("the mail host does not start: {trouble}");
    }

    fn try_start(pipe: Option<&Path>) -> Result<Self, String> {
        let [smtp, imap, lmtp, submission, smtps] = std::array::from_fn(|_| free_port());
        let folder = std::env::temp_dir().join(format!("outflank-mail-{:08x}", fastrand::u32(..)));
        let mut process = Command::new(SCRIPT)
            .arg("run")
            .arg(&folder)
            .env("SMTP_PORT", smtp.to_string())
            .env("IMAP_PORT", imap.to_string())
            .env("LMTP_PORT", lmtp.to_string())
            .env("SUBMISSION_PORT", submission.to_string())
            .env("SMTPS_PORT", smtps.to_string())
            // An empty argument means no pipe.
            .env("PIPE_CMD", pipe.unwrap_or(Path::new("")))
            .env("PIPE_USER", PIPE_USER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C must end the test first, so that the host is cleaned up.
            .process_group(0)
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut said = String::new();
        // The script has its own time limit.
        let _ = BufReader::new(process.stdout.take().unwrap()).read_line(&mut said);
        if said.trim() == "ready" {
            return Ok(Self { process, folder, smtp, imap, submission, smtps });
        }
        let mut trouble = String::new();
        let _ = process.stderr.take().unwrap().read_to_string(&mut trouble);
        let _ = process.wait();
        Err(trouble)
    }

    /// Stops the host.
    pub fn stop(self) {}

    /// Returns the port of its SMTP server.
    pub const fn smtp_port(&self) -> u16 {
        self.smtp
    }

    /// Returns the settings of a transport to this host.
    pub fn smtp(&self) -> String {
        smtp_at(self.smtp)
    }

    /// Returns the settings of a transport that encrypts (`starttls` or `tls`) and logs in.
    pub fn secure_smtp(&self, security: &str, password: &str) -> String {
        let port = if security == "tls" { self.smtps } else { self.submission };
        format!(
            "kind = 'smtp'\nhost = 'localhost'\nport = {port}\nsecurity = '{security}'\n\
             user = 'alice'\npassword = '{password}'\nca_file = '{}'\n",
            self.folder.join("ca.pem").display()
        )
    }

    /// Returns the settings of a transport that runs its `sendmail`.
    pub fn sendmail(&self) -> String {
        format!("kind = 'sendmail'\ncommand = {:?}\n", self.sendmail_command())
    }

    fn sendmail_command(&self) -> [String; 4] {
        let settings = self.folder.join("postfix/etc").display().to_string();
        ["/usr/sbin/sendmail".into(), "-C".into(), settings, "-i".into()]
    }

    /// Sends a handwritten message, headers included.
    pub fn write(&self, from: &str, to: &str, message: &str) {
        self.submit(from, &[to], message.as_bytes(), 1);
    }

    /// Sends a draft of a mail program.
    pub fn send(&self, draft: &Draft) {
        self.submit(&draft.from, &[&draft.to], &draft.message, 1);
    }

    /// Submits copies of a message, headers included, at once, each from this envelope sender (empty
    /// for none) to all recipients.
    pub fn submit(&self, from: &str, to: &[&str], message: &[u8], times: usize) {
        let [program, options @ ..] = &self.sendmail_command();
        let mut sendmails: Vec<_> = (0..times)
            .map(|_| {
                let mut sendmail = Command::new(program);
                sendmail.args(options).args(["-f", from, "--"]).args(to);
                sendmail.stdin(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for sendmail in &mut sendmails {
            sendmail.stdin.take().unwrap().write_all(message).unwrap();
        }
        for mut sendmail in sendmails {
            assert!(sendmail.wait().unwrap().success());
        }
    }

    /// Waits until Postfix's log has `count` tries of piped mails, and returns a line for each, in order:
    /// `sent (delivered via outflank service)`, followed by any output of the program; `deferred (...)` for a
    /// mail to be retried; or `bounced (...)`.
    pub fn piped(&self, count: usize) -> Vec<String> {
        let started = Instant::now();
        loop {
            // Another daemon writes the log, some time after the delivery.
            let log = fs::read_to_string(self.folder.join("postfix/maillog")).unwrap();
            let tries = log.lines().filter(|line| line.contains(" postfix/pipe["));
            let state = |line: &str| Some(line.split_once(", status=")?.1.to_owned());
            let states: Vec<_> = tries.filter_map(state).collect();
            if states.len() >= count {
                return states;
            }
            assert!(started.elapsed() < Duration::from_secs(120), "{count} tries: {states:#?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens the mailbox of this user.
    pub fn inbox(&self, user: &'static str) -> Inbox {
        Inbox::new(self.imap, user)
    }

    /// Waits until Postfix has delivered all mails to mailboxes and to the pipe, including all answers.
    pub fn settle(&self) {
        let started = Instant::now();
        // A mail that causes another one, such as a bounce, may move between two queues while they are
        // listed, so one empty list is not sufficient.
        let mut empty = 0;
        while empty < 3 {
            empty = if self.queued() > 0 { 0 } else { empty + 1 };
            assert!(started.elapsed() < Duration::from_secs(120), "Postfix keeps mail");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn queued(&self) -> usize {
        let files = |queue: &str| files(&self.folder.join("postfix/spool").join(queue));
        ["maildrop", "incoming", "active", "deferred"].into_iter().map(files).sum()
    }
}

impl Drop for MailHost {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let started = Instant::now();
        while let Ok(None) = self.process.try_wait() {
            if started.elapsed() > Duration::from_secs(30) {
                let _ = writeln!(io::stderr(), "the mail host in {:?} does not end", self.folder);
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Returns whether a mail host can run here; otherwise reports a skipped test, or panics if required.
fn possible() -> bool {
    let Err(missing) = check() else { return true };
    let required = std::env::var("OUTFLANK_E2E").is_ok_and(|value| value == "required");
    assert!(!required, "OUTFLANK_E2E=required, but: {missing}");
    let current = thread::current();
    let test = current.name().unwrap_or("test");
    let why = "needs root and postfix + dovecot, which .ci/run installs";
    skipped(test, &format!("{why} ({missing})"));
    false
}

/// Checks that a mail host can run here. The error is the reason if not.
fn check() -> Result<(), String> {
    let checked = Command::new(SCRIPT).arg("check").stdin(Stdio::null()).output();
    let output = checked.map_err(|error| format!("{SCRIPT}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// Returns the settings of a transport to a server that is down.
pub fn nowhere() -> String {
    smtp_at(free_port())
}

/// Returns the settings of a transport to this port of this machine.
pub fn smtp_at(port: u16) -> String {
    format!("kind = 'smtp'\nhost = '127.0.0.1'\nport = {port}\nsecurity = 'none'\n")
}

/// Returns a free port, below those for outgoing connections.
fn free_port() -> u16 {
    loop {
        let port = fastrand::u16(10_000..32_000);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let count = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files(&entry.path()),
        _ => 1,
    };
    entries.flatten().map(count).sum()
}
