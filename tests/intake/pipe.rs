//! What a mail server sees: 0 when a mail is dealt with, 75 when it must come again, and never a
//! word.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;

use crate::club::{ALICE, BOB, Club, Mail, OUTFLANK, feed};
use crate::house::{PROGRAM, Ran, words};

#[track_caller]
fn must_come_again(ran: &Ran) {
    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(75), "", ""));
}

#[test]
fn what_is_dealt_with_is_dealt_with_in_silence() {
    let club = Club::new();
    let letter = club.letter(ALICE);
    for mail in [
        letter.reply(ALICE, "f5"),
        letter.reply(ALICE, "f5"),
        letter.reply(ALICE, "a1"),
        letter.reply(ALICE, "Nice weather."),
        letter.reply("mallory@example.org", "f5"),
        Mail::new(ALICE, OUTFLANK, "move 1 f5"),
        Mail::new("carol@example.org", OUTFLANK, "signup carol"),
        Mail::new("carol@example.org", OUTFLANK, "signup alice"),
        Mail::new("carol@example.org", OUTFLANK, "").sent_by(""),
    ] {
        let ran = feed(club.command(&mail, &[]), &mail.bytes());
        assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""));
    }
    for bytes in [&b""[..], b"\n", b"\r\n\r\n", b"From", b"From: ", b"\0", &[0xff; 3000]] {
        club.pipe(bytes);
    }
    assert_eq!(club.plies(1), 1);
}

#[test]
fn nothing_on_standard_input() {
    let club = Club::new();
    let closed = format!("exec '{PROGRAM}' receive {OUTFLANK} {ALICE} x <&-");
    let mut shell = Command::new("sh");
    club.house.seal(&mut shell).args(["-c", &closed]);
    let ran = Ran::of(shell.output().unwrap());
    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""));
    let ran = club.house.run(&["receive"]);
    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""));

    let mut command = club.house.command(&["receive", OUTFLANK]);
    command.stdin(File::open(club.house.folder()).unwrap());
    must_come_again(&Ran::of(command.output().unwrap()));
}

#[test]
fn what_strangers_made_up_changes_nothing() {
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
        let club = Club::new();
        let mail = club.reply(ALICE, "f5").bytes();
        let to = club.letter(ALICE).answer_to();
        let at = format!("{made_up}@example.org");
        for [sender, extension] in
            [[ALICE, made_up], [made_up, "x"], [&at, "x"], [&at, made_up], [made_up, made_up]]
        {
            let arguments = ["receive", &to, sender, extension];
            // Of itself such a sender is the host's fault.
            if sender.starts_with('-') && !sender.contains('@') {
                continue;
            }
            let ran = feed(club.house.command(&arguments), &mail);
            assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""), "{arguments:?}");
        }
        assert_eq!(club.plies(1), 1, "{made_up}");
    }
}

#[test]
fn an_envelope_need_not_be_text() {
    let club = Club::new();
    let mail = club.reply(ALICE, "f5");
    let made_up = || OsString::from_vec(b"\xff\xfe@\x80".to_vec());
    for arguments in [
        vec!["receive".into(), made_up()],
        vec!["receive".into(), made_up(), made_up()],
        vec!["receive".into(), mail.recipient.clone().into(), made_up(), made_up()],
    ] {
        let ran = feed(club.house.command(&arguments), &mail.bytes());
        assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""), "{arguments:?}");
    }
    assert_eq!(club.plies(1), 1);
}

#[test]
fn what_is_wrong_here_makes_a_mail_come_again() {
    let club = Club::new();
    let mail = club.reply(ALICE, "f5");
    let before = club.outbox();
    let again = |change: &dyn Fn(&mut Command)| {
        let mut command = club.command(&mail, &[]);
        change(&mut command);
        must_come_again(&feed(command, &mail.bytes()));
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
    assert!(!club.house.path("missing.db").exists());

    fs::write(club.house.path("bad.db"), "Dear diary").unwrap();
    for faulty in [
        "receive --db bad.db",
        "receive --db",
        "receive --nonsense",
        "receive --config bad.db",
        "--nonsense receive",
    ] {
        must_come_again(&feed(club.house.command(&words(faulty)), &mail.bytes()));
    }
    for settings in [
        "[receive]\nenabled = false",
        "nonsense",
        "[mail]\nform = 'x'",
        "[receive]\nenabled = 'perhaps'",
    ] {
        fs::write(club.house.path("bad.toml"), settings).unwrap();
        again(&|command| _ = command.env("OUTFLANK_CONFIG", "bad.toml"));
    }
    fs::write(club.house.path("outflank.quarantine"), "no folder").unwrap();
    must_come_again(&feed(club.house.command(&["receive"]), b"no mail"));
    assert_eq!((club.plies(1), club.outbox(), club.fates().len()), (0, before, 0));
    assert_eq!(club.receive(&mail), "done");
    assert_eq!(club.plies(1), 1);
}

#[test]
fn a_locked_database_is_waited_for_and_then_the_mail_comes_again() {
    let club = Club::new();
    let mail = club.reply(ALICE, "f5");
    let writer = club.house.sqlite();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    must_come_again(&feed(club.command(&mail, &[]), &mail.bytes()));
    writer.execute_batch("ROLLBACK").unwrap();
    assert_eq!((club.plies(1), club.fates().len()), (0, 0));
    assert_eq!(club.receive(&mail), "done");
    assert_eq!(club.plies(1), 1);
}

#[test]
fn trouble_with_delivery_is_not_the_senders() {
    for settings in [
        "[transport]\nkind = 'sendmail'\ncommand = ['/missing']",
        "[transport]\nkind = 'pigeon'",
        "[transport]\nkind = 'sendmail'\ncommand = ['sh', '-c', 'echo no; echo no >&2; exit 75']",
        "[transport]\nkind = 'sendmail'\ncommand = ['sh', '-c', 'sleep 60']",
        "[transport]\nkind = 'maildir'\npath = '/dev/null/maildir'",
    ] {
        let club = Club::new();
        let mail = club.reply(ALICE, "f5\nshow 1");
        club.configure(settings);
        let ran = feed(club.command(&mail, &[]), &mail.bytes());
        assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""), "{settings}");
        assert_eq!(club.plies(1), 1);
        club.configure("");
        club.house.wait(3600);
        club.house.done(&["send"]);
        assert_eq!(club.outbox()[2..], ["bob turn sent", "alice answer sent"]);
    }
}

#[test]
fn an_answer_that_nobody_reads_is_no_reason_to_come_again() {
    let club = Club::new();
    let mail = club.reply(ALICE, "f5");
    let mut command = club.command(&mail, &["--json"]);
    command.stdin(Stdio::piped()).stdout(File::options().write(true).open("/dev/full").unwrap());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&mail.bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(club.plies(1), 1);
}

#[test]
fn a_mail_without_end_takes_disk_and_no_memory() {
    const MEBIBYTE: usize = 1024 * 1024;
    const LENGTH: usize = 200;
    let club = Club::new();
    // In KiB, and all that is mapped, programs and libraries too.
    let frugal = format!("ulimit -v 131072; exec '{PROGRAM}' receive {OUTFLANK} {ALICE}");
    let mut shell = Command::new("sh");
    club.house.seal(&mut shell).args(["-c", &frugal]);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let ran = thread::scope(|scope| {
        scope.spawn(move || {
            let mut block = vec![b'x'; MEBIBYTE];
            block[..12].copy_from_slice(b"From: a@b.c\n");
            for _ in 0..LENGTH {
                stdin.write_all(&block).unwrap();
            }
        });
        Ran::of(child.wait_with_output().unwrap())
    });
    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""));
    let kept: Vec<_> = fs::read_dir(club.house.path("outflank.quarantine")).unwrap().collect();
    assert_eq!(kept.len(), 1);
    let length = kept[0].as_ref().unwrap().metadata().unwrap().len();
    assert_eq!(length, (LENGTH * MEBIBYTE) as u64);
    assert_eq!(club.fates()["quarantined"], 1);
}

#[test]
fn mails_that_differ_only_at_their_end_are_both_kept() {
    let club = Club::new();
    let long = [b"From: a@b.c\n\n".to_vec(), vec![b'x'; 6 * 1024 * 1024]].concat();
    for end in ["one", "two", "one"] {
        club.pipe(&[&long, end.as_bytes()].concat());
    }
    let kept = club.quarantine();
    assert_eq!(kept.len(), 2);
    for end in ["one", "two"] {
        assert!(
            kept.iter().any(|mail| mail.len() == long.len() + 3 && mail.ends_with(end.as_bytes()))
        );
    }
}

#[test]
fn whoever_the_host_is_a_mail_is_its_writers() {
    for actor in ["bob", "nobody", "; DROP TABLE game"] {
        let club = Club::new();
        let mail = club.reply(ALICE, "f5");
        let mut command = club.command(&mail, &[]);
        command.env("OUTFLANK_AS", actor);
        assert_eq!(feed(command, &mail.bytes()).status, Some(0));
        assert_eq!(club.plies(1), 1, "{actor}");
    }
}

#[test]
fn nobody_else_reads_what_is_kept() {
    let club = Club::new();
    club.pipe(b"no mail");
    let folder = club.house.path("outflank.quarantine");
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(folder), mode(file)), (0o700, 0o600));
}

#[test]
fn the_clock_of_a_mail_is_that_of_the_house() {
    let club = Club::new();
    club.house.wait(86_400);
    let mail = club.reply(ALICE, "f5");
    assert_eq!(club.receive(&mail), "done");
    let last = club.house.json(&["inbox"])["mails"][0]["last"].clone();
    assert_eq!(last, "2026-11-22T10:00:00Z");
    assert_eq!(club.letters(BOB).len(), 2);
}
