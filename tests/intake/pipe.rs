//! `receive` for a mail server: status 0 for a handled message, 75 for a deferred one, and no output.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;

use super::quarantine;
use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, PROGRAM, SERVER, TestEnvironment, run, run_with_input,
};

#[test]
fn a_message_that_was_handled_prints_nothing() {
    let env = TestEnvironment::new().with_game();
    let mail = env.last_mail_to(ALICE);
    for message in [
        mail.reply("f5"),
        mail.reply("f5"),
        mail.reply("a1"),
        mail.reply("Nice weather."),
        mail.reply("f5").from("mallory@example.org"),
        InboundMessage::new(ALICE, "move 1 f5"),
        InboundMessage::new(CAROL, "signup carol"),
        InboundMessage::new(CAROL, "signup alice"),
        InboundMessage::new(CAROL, "").sent_by(""),
    ] {
        env.hand_in(&message).silent(0);
    }
    for bytes in [&b""[..], b"\n", b"\r\n\r\n", b"From", b"From: ", b"\0", &[0xff; 3000]] {
        env.pipe(bytes);
    }
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_closed_or_unreadable_standard_input_is_handled() {
    let env = TestEnvironment::new().with_game();
    let closed = format!("exec '{PROGRAM}' receive {SERVER} {ALICE} x <&-");
    let mut shell = Command::new("sh");
    env.seal(&mut shell).args(["-c", &closed]);
    run(shell).silent(0);
    env.run("receive").silent(0);

    let mut command = env.command_of(&["receive", SERVER]);
    command.stdin(File::open(env.folder()).unwrap());
    run(command).silent(75);
}

#[test]
fn a_made_up_envelope_changes_nothing() {
    for made_up in [
        "--help",
        "-h",
        "--maildir",
        "--maildir=x",
        "--watch",
        "--json",
        "--db",
        "--db=x",
        "--config",
        "--config=/missing",
        "--as",
        "--as=bob",
        "--color",
        "--version",
        "-V",
        "--",
        "-",
        "",
        "help",
        "receive",
        "d3",
        "'; rm -rf /",
        "$(id)",
        "é",
    ] {
        let env = TestEnvironment::new().with_game();
        let message = env.last_mail_to(ALICE).reply("f5").bytes();
        let to = env.last_mail_to(ALICE).reply_to();
        let at = format!("{made_up}@example.org");
        for [sender, extension] in
            [[ALICE, made_up], [made_up, "x"], [&at, "x"], [&at, made_up], [made_up, made_up]]
        {
            let arguments = ["receive", &to, sender, extension];
            // A mail server must not accept such a sender.
            if sender.starts_with('-') && !sender.contains('@') {
                continue;
            }
            run_with_input(env.command_of(&arguments), &message).silent(0);
        }
        assert_eq!(env.plies(1), 1, "{made_up}");
    }
}

#[test]
fn an_envelope_may_be_invalid_utf_8() {
    let env = TestEnvironment::new().with_game();
    let message = env.last_mail_to(ALICE).reply("f5");
    let made_up = || OsString::from_vec(b"\xff\xfe@\x80".to_vec());
    for arguments in [
        vec!["receive".into(), made_up()],
        vec!["receive".into(), made_up(), made_up()],
        vec!["receive".into(), message.recipient.clone().into(), made_up(), made_up()],
    ] {
        run_with_input(env.command_of(&arguments), &message.bytes()).silent(0);
    }
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_fault_of_the_server_defers_the_message() {
    let env = TestEnvironment::new().with_game();
    let message = env.last_mail_to(ALICE).reply("f5");
    let before = env.outbox();
    let again = |change: &dyn Fn(&mut Command)| {
        let mut command = env.receive_command(&message, &[]);
        change(&mut command);
        run_with_input(command, &message.bytes()).silent(75);
    };
    for time in ["yesterday", "2026-11-21", "1e9"] {
        again(&|command| _ = command.env("OUTFLANK_NOW", time));
    }
    again(&|command| _ = command.env("OUTFLANK_SEED", "dice"));
    again(&|command| _ = command.env("OUTFLANK_CONFIG", "missing.toml"));
    again(&|command| _ = command.env("OUTFLANK_DB", "missing.db"));
    again(&|command| _ = command.env("OUTFLANK_DB", "missing/outflank.db"));
    again(&|command| _ = command.env("OUTFLANK_DB", "."));
    again(&|command| _ = command.args(["four", "five"]));
    assert!(!env.path("missing.db").exists());

    fs::write(env.path("bad.db"), "Dear diary").unwrap();
    for faulty in [
        "receive --db bad.db",
        "receive --db",
        "receive --nonsense",
        "receive --config bad.db",
        "--nonsense receive",
    ] {
        run_with_input(env.command(faulty), &message.bytes()).silent(75);
    }
    for settings in [
        "",
        "[mail]\nfrom = 'outflank@club.example'",
        "[receive]\nenabled = false",
        "nonsense",
        "[mail]\nform = 'x'",
        "[receive]\nenabled = 'perhaps'",
    ] {
        fs::write(env.path("bad.toml"), settings).unwrap();
        again(&|command| _ = command.env("OUTFLANK_CONFIG", "bad.toml"));
    }
    fs::write(env.path("outflank.quarantine"), "no folder").unwrap();
    run_with_input(env.command("receive"), b"no mail").silent(75);
    assert_eq!((env.plies(1), env.outbox(), env.dispositions().len()), (0, before, 0));
    assert_eq!(env.receive(&message), "done");
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_locked_database_is_waited_for_and_then_the_message_is_deferred() {
    let env = TestEnvironment::new().with_game();
    let message = env.last_mail_to(ALICE).reply("f5");
    let writer = env.sqlite();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    env.hand_in(&message).silent(75);
    writer.execute_batch("ROLLBACK").unwrap();
    assert_eq!((env.plies(1), env.dispositions().len()), (0, 0));
    assert_eq!(env.receive(&message), "done");
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_failing_delivery_does_not_defer_the_message() {
    for settings in [
        "[transport]\nkind = 'sendmail'\ncommand = ['/missing']",
        "[transport]\nkind = 'smtp'\nhost = 'localhost'\nuser = 'x'\npassword_file = '/pigeon'",
        "[transport]\nkind = 'sendmail'\ncommand = ['sh', '-c', 'echo no; echo no >&2; exit 75']",
        "[transport]\nkind = 'sendmail'\ncommand = ['sh', '-c', 'sleep 60']",
        "[transport]\nkind = 'maildir'\npath = '/dev/null/maildir'",
    ] {
        let env = TestEnvironment::new().with_game();
        let message = env.last_mail_to(ALICE).reply("f5\nshow 1");
        env.configure(settings);
        env.hand_in(&message).silent(0);
        assert_eq!(env.plies(1), 1);
        env.configure("");
        env.later(60);
        env.ok("send");
        assert_eq!(env.outbox()[2..], ["bob turn sent", "alice answer sent"]);
    }
}

#[test]
fn an_unwritable_standard_output_does_not_defer_the_message() {
    let env = TestEnvironment::new().with_game();
    let message = env.last_mail_to(ALICE).reply("f5");
    let mut command = env.receive_command(&message, &["--json"]);
    command.stdin(Stdio::piped()).stdout(File::options().write(true).open("/dev/full").unwrap());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&message.bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(env.plies(1), 1);
}

/// A change is kept even if its reply cannot be written. A query without its reply has failed.
#[test]
fn an_unwritable_standard_output_is_only_a_warning_after_a_change() {
    let env = TestEnvironment::new().with_game();
    let run = |words: &str| {
        let mut command = env.command(words);
        command.stdout(File::options().write(true).open("/dev/full").unwrap());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for change in ["move 1 f5", "--json move 1 d6", "signup carol carol@example.org", "backup x.db"]
    {
        let (status, warning) = run(change);
        assert_eq!(status, Some(0), "{change}: {warning}");
        assert!(
            warning.starts_with("outflank: done, but the reply cannot be written: "),
            "{warning}"
        );
    }
    assert_eq!(env.plies(1), 2);
    for read in ["show 1", "games", "inbox", "mail", "help"] {
        let (status, error) = run(read);
        assert_eq!(status, Some(3), "{read}: {error}");
        assert!(error.starts_with("outflank: cannot write the reply: "), "{error}");
    }
}

#[test]
fn an_endless_message_is_stored_on_disk_and_not_in_memory() {
    const MEBIBYTE: usize = 1024 * 1024;
    const LENGTH: usize = 200;
    let env = TestEnvironment::new().with_game();
    // In KiB; the limit includes the mapped program and its libraries.
    let frugal = format!("ulimit -v 131072; exec '{PROGRAM}' receive {SERVER} {ALICE}");
    let mut shell = Command::new("sh");
    env.seal(&mut shell).args(["-c", &frugal]);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        scope.spawn(move || {
            let mut block = vec![b'x'; MEBIBYTE];
            block[..12].copy_from_slice(b"From: a@b.c\n");
            for _ in 0..LENGTH {
                stdin.write_all(&block).unwrap();
            }
        });
        child.wait_with_output().unwrap()
    });
    assert_eq!(
        (output.status.code(), &*output.stdout, &*output.stderr),
        (Some(0), &b""[..], &b""[..])
    );
    let kept: Vec<_> = fs::read_dir(env.path("outflank.quarantine")).unwrap().collect();
    assert_eq!(kept.len(), 1);
    let length = kept[0].as_ref().unwrap().metadata().unwrap().len();
    assert_eq!(length, 1_000_000);
    assert_eq!(env.json("inbox")["quarantined"][0]["bytes"], LENGTH * MEBIBYTE);
    assert_eq!(env.dispositions()["quarantined"], 1);
}

#[test]
fn long_messages_that_differ_only_at_their_end_are_both_kept() {
    let env = TestEnvironment::new().with_game();
    let long = [b"From: a@b.c\n\n".to_vec(), vec![b'x'; 6 * 1024 * 1024]].concat();
    for end in ["one", "two", "one"] {
        env.pipe(&[&long, end.as_bytes()].concat());
    }
    let kept = quarantine(&env);
    assert_eq!(kept.len(), 2);
    assert!(kept.iter().all(|kept| *kept == long[..1_000_000]));
}

#[test]
fn the_as_option_does_not_change_the_author_of_a_message() {
    for actor in ["bob", "nobody", "; DROP TABLE game"] {
        let env = TestEnvironment::new().with_game();
        let message = env.last_mail_to(ALICE).reply("f5");
        let mut command = env.receive_command(&message, &[]);
        command.env("OUTFLANK_AS", actor);
        assert_eq!(run_with_input(command, &message.bytes()).status, Some(0));
        assert_eq!(env.plies(1), 1, "{actor}");
    }
}

#[test]
fn quarantined_messages_are_readable_by_the_owner_only() {
    let env = TestEnvironment::new().with_game();
    env.pipe(b"no mail");
    let folder = env.path("outflank.quarantine");
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(folder), mode(file)), (0o700, 0o600));
}

#[test]
fn received_mail_is_recorded_with_the_time_of_the_clock() {
    let env = TestEnvironment::new().with_game();
    env.later(24 * 60);
    let message = env.last_mail_to(ALICE).reply("f5");
    assert_eq!(env.receive(&message), "done");
    let last = env.json("inbox")["mails"][0]["last"].clone();
    assert_eq!(last, "2026-11-22T10:00:00Z");
    assert_eq!(env.mails_to(BOB).len(), 2);
}
