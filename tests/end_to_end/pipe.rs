//! The arguments and the input of the pipe command.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::environment::write_program;
use super::mail_host::MailHost;
use super::mail_program::{open, reply};
use crate::harness::Mail;

/// A piped mail: the arguments of the program, and the mail on its standard input.
type Piped = (Vec<String>, Mail);

/// Writes a program that stores each mail in a folder beside itself.
const KEEPER: &str = r#"#!/bin/sh
new=$(mktemp -d "$(dirname "$0")/new.XXXXXX") || exit 75
printf '%s\n' "$@" >"$new/arguments"
cat >"$new/message"
"#;

/// Returns the mails stored since the last call, after all were delivered.
fn take(host: &MailHost, folder: &Path) -> Vec<Piped> {
    host.settle();
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let kept = entries.filter(|path| path.is_dir()).map(|path| {
        let arguments = fs::read_to_string(path.join("arguments")).unwrap();
        let message = fs::read(path.join("message")).unwrap();
        fs::remove_dir_all(path).unwrap();
        (arguments.lines().map(str::to_owned).collect(), Mail::parse(message))
    });
    kept.collect()
}

fn only(mut piped: Vec<Piped>) -> Piped {
    assert_eq!(piped.len(), 1);
    piped.remove(0)
}

#[test]
fn the_pipe_gets_the_envelope_from_postfix() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let keeper = folder.path().join("keeper");
    write_program(&keeper, KEEPER);
    let Some(host) = MailHost::start_piping_into(&keeper) else { return };
    let next = || only(take(&host, folder.path()));

    // A player's mail. Upper case is preserved.
    let uri = "mailto:outflank+aBc@local.test?subject=Othello&body=d3";
    host.send(&open(uri, "Carol <carol@local.test>"));
    let (arguments, mail) = next();
    assert_eq!(arguments, ["outflank+aBc@local.test", "carol@local.test", "aBc"]);
    assert_eq!(mail.text, "d3\n");
    assert_eq!(mail.header("Return-Path"), "<carol@local.test>");
    for name in ["X-Original-To", "Delivered-To"] {
        assert_eq!(mail.header(name), "outflank+aBc@local.test");
    }
    host.send(&reply(&mail, "outflank+self@local.test", "e3"));
    assert_eq!(host.inbox("carol").expect(1)[0].header("Subject"), "Re: Othello");

    // An address without an extension, and extensions that look like options or contain a +.
    let strange = ["outflank@local.test", "outflank+--help@local.test", "outflank+a+b@local.test"];
    host.submit("carol@local.test", &strange, b"Subject: Three\n\n", 1);
    let mut got: Vec<_> = take(&host, folder.path()).into_iter().map(|piped| piped.0).collect();
    got.sort();
    let expected = strange.map(|to| {
        let extension = to.strip_suffix("@local.test").unwrap().split_once('+');
        let extension = extension.map_or("", |(_, extension)| extension);
        [to, "carol@local.test", extension].map(str::to_owned).to_vec()
    });
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(got, expected);

    // One message several times.
    let message = b"From: carol@local.test\nMessage-ID: <1@local.test>\n\nd3\n";
    host.submit("carol@local.test", &["outflank+abc@local.test"], message, 8);
    let copies = take(&host, folder.path());
    assert_eq!(copies.len(), 8);
    assert!(copies.iter().all(|(_, copy)| copy.id() == "<1@local.test>"));

    // Bounces have no sender and go to the envelope sender of the mail.
    for (extension, to) in [("taken", "hardbounce"), ("unknown", "nobody.here")] {
        let from = format!("outflank+{extension}@local.test");
        let headers = format!("From: outflank@local.test\nTo: {to}@local.test\n");
        host.write(&from, &format!("{to}@local.test"), &format!("{headers}\nHello\n"));
        let (arguments, mail) = next();
        assert_eq!(arguments, [&*from, "", extension]);
        assert_eq!(mail.header("Return-Path"), "<>");
        assert_eq!(mail.header("Auto-Submitted"), "auto-replied");
        assert!(mail.header("Content-Type").starts_with("multipart/report"));
        assert!(mail.raw.contains("Status: 5.1.1"));
    }

    // Vacation replies do too, and may look like a move.
    let headers = "From: outflank@local.test\nTo: vacation@local.test\nSubject: Othello\n";
    let from = "outflank+away@local.test";
    host.write(from, "vacation@local.test", &format!("{headers}\nHello\n"));
    let (arguments, mail) = next();
    assert_eq!(arguments, [from, "", "away"]);
    assert!(mail.header("Auto-Submitted").starts_with("auto-replied"));
    assert_eq!(mail.header("From"), "<vacation@local.test>");
    assert!(mail.text.lines().any(|line| line == "d3"), "{}", mail.text);

    let tries = 1 + 3 + 8 + 2 + 1;
    let states = host.piped(tries);
    assert_eq!(states.len(), tries);
    let sent = "sent (delivered via outflank service)";
    assert!(states.iter().all(|state| state == sent), "{states:?}");
}

#[test]
fn the_database_belongs_to_the_user_of_the_pipe() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    env.ok("new mini alice@local.test bob@local.test");
    super::flush(&env, "1");
    host.inbox("alice").expect(1);
    host.inbox("bob").expect(1);
}
