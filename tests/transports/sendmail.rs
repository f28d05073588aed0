//! A `sendmail` program; here it is a script.

use std::fs;
use std::path::Path;
use std::time::Duration;

use outflank::clock::Deadline;
use outflank::mail::transport::{DeliveryError, Message, Worker};

use super::{DeliverOne, error, message, refused, soon, transport};
use crate::harness::until;

/// Returns a transport that runs `script` with /bin/sh. An executable file could be "busy", because a
/// fork in another test thread can hold it open.
pub fn shell(script: &str) -> Worker {
    shell_with(script, "")
}

fn shell_with(script: &str, settings: &str) -> Worker {
    let command = format!("['/bin/sh', '-c', '''{script}''', 'sendmail']");
    transport(&format!("kind = 'sendmail'\ncommand = {command}\n{settings}"))
}

fn large() -> Message {
    message(&"x".repeat(1 << 20))
}

fn deliver(script: &str) -> Result<(), DeliveryError> {
    shell(script).deliver_one(&message("x\r\n"), soon())
}

/// Returns whether the process with the number in this file runs.
fn is_running(file: &Path) -> bool {
    let pid = fs::read_to_string(file).unwrap();
    // A killed process is a zombie until its parent reaps it.
    fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"))
        .is_ok_and(|stat| !stat.contains(") Z "))
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
    shell(&script).deliver_one(&message, soon()).unwrap();
    assert_eq!(
        fs::read_to_string(taken).unwrap(),
        "-f|outflank@example.org|--|-alice@example.org|\nSubject: hi\n\n.\nx\n"
    );
}

#[test]
fn each_status_has_a_meaning() {
    for (code, kind) in [(65, "permanent"), (67, "recipient"), (68, "recipient")] {
        let end = deliver(&format!("cat >/dev/null; echo 'no way' >&2; exit {code}"));
        let why = format!("/bin/sh ended with status {code}: no way");
        assert_eq!(error(end), (kind, why));
    }
    let end = deliver("echo '550 5.7.1 blocked' >&2; exit 67");
    assert_eq!(error(end).0, "permanent");
    for code in [1, 64, 69, 75, 77, 78, 127] {
        let why = temporary(deliver(&format!("exit {code}")));
        assert_eq!(why, format!("/bin/sh ended with status {code}"));
    }
    let why = temporary(deliver("kill -s TERM $$"));
    assert_eq!(why, "/bin/sh was killed by signal 15");
}

#[test]
fn the_last_line_is_cleaned() {
    let why = temporary(deliver(r"printf 'first\nl\033[1ma\tst\r\n\n \n' >&2; echo out; exit 75"));
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
    assert_eq!(shell("exit 0").deliver_one(&large(), soon()), Ok(()));
    let why = temporary(shell("exit 75").deliver_one(&large(), soon()));
    assert_eq!(why, "/bin/sh ended with status 75");
}

#[test]
fn the_program_may_write_much_before_it_reads() {
    let flood = "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero; echo; \
                 echo end >&2; cat >/dev/null; exit 75";
    let why = temporary(shell(flood).deliver_one(&large(), soon()));
    assert_eq!(why, "/bin/sh ended with status 75: end");
}

#[test]
fn a_slow_program_is_killed_with_its_children() {
    let home = tempfile::tempdir().unwrap();
    let pid = home.path().join("pid");
    // Neither the script nor its child reads the input.
    let script = format!("sleep 600 & echo $! > '{}'; wait", pid.display());
    let end = shell(&script).deliver_one(&large(), Deadline::after(Duration::from_secs(1)));
    assert!(temporary(end).contains("was stopped"));
    until("the child is killed", || !cfg!(target_os = "linux") || !is_running(&pid));
}

#[test]
fn the_shorter_of_timeout_and_deadline_counts() {
    let mut hanging = shell_with("sleep 60", "timeout = 1");
    let end = hanging.deliver_one(&message(""), Deadline::after(Duration::from_hours(1)));
    assert!(temporary(end).contains("was stopped"));
    let late = shell("exit 0").deliver_one(&message(""), Deadline::after(Duration::ZERO));
    temporary(late);
}

#[test]
fn a_process_left_behind_does_not_delay_delivery() {
    let home = tempfile::tempdir().unwrap();
    let pid = home.path().join("pid");
    let left = |status: u8| format!("sleep 60 & echo $! > '{}'; exit {status}", pid.display());
    deliver(&left(0)).unwrap();
    assert!(!cfg!(target_os = "linux") || is_running(&pid));
    temporary(deliver(&left(75)));
    assert!(!cfg!(target_os = "linux") || is_running(&pid));
}

#[test]
fn a_missing_program_makes_the_transport_unavailable() {
    let home = tempfile::tempdir().unwrap();
    let plain = home.path().join("plain");
    fs::write(&plain, "text").unwrap();
    for program in [home.path().join("missing"), plain] {
        let program = program.to_str().unwrap();
        let mut transport = transport(&format!("kind = 'sendmail'\ncommand = ['{program}']"));
        let (kind, why) = error(transport.deliver_one(&message(""), soon()));
        assert!(kind == "unavailable" && why.contains(program), "{why}");
    }
}

#[test]
fn a_sender_like_an_option_is_refused() {
    let bad = Message { from: "-oQ@example.org".into(), ..message("") };
    let (kind, why) = error(transport("kind = 'sendmail'").deliver_one(&bad, soon()));
    // No command is configured, so this is the default one.
    assert!(kind == "unavailable" && why.contains(" for /usr/sbin/sendmail;"), "{why}");
}

#[test]
fn wrong_settings_are_named() {
    let refused = |settings: &str| refused(&format!("kind = 'sendmail'\n{settings}"));
    assert!(refused("command = []").starts_with("[transport] command is empty"));
    assert!(refused("command = ['']").starts_with("[transport] command is empty"));
    assert!(refused("command = 'sendmail'").starts_with("[transport] command: "));
    for wrong in ["0", "-1", "3601", "'x'", "1.5"] {
        assert_eq!(
            refused(&format!("timeout = {wrong}")),
            "[transport] timeout: must be a whole number from 1 to 3600"
        );
    }
    assert!(refused("host = 'x'").contains("`host`"));
}
