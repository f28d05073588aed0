//! SMTP: the settings.

use std::fs;
use std::path::Path;

use data_encoding::BASE64;

use super::server::FakeServer;
use super::{DeliverOne, error, message, refused, soon, transport};

/// Delivers a message to a server that accepts everything, and returns the bytes that it received.
fn received(settings: &str) -> String {
    let fake = FakeServer::accepting();
    fake.transport_with(settings).deliver_one(&message("x"), soon()).unwrap();
    fake.received().concat()
}

#[test]
fn files_are_read_when_the_transport_is_opened() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let login = |path: &Path| {
        let path = path.display();
        format!("security = 'none'\nuser = 'me'\npassword_file = '{path}'")
    };
    for (text, password) in [(" x \n", " x "), ("x\r\n", "x"), ("x", "x")] {
        let sent = received(&login(&file("a", text)));
        let expected = BASE64.encode(format!("\0me\0{password}").as_bytes());
        assert!(sent.contains(&format!("AUTH PLAIN {expected}\r\n")), "{sent}");
    }
    let refused = |settings: &str| refused(&format!("kind = 'smtp'\nhost = '::1'\n{settings}"));
    for text in ["", "\n", "x\ny\n"] {
        let why = refused(&login(&file("b", text)));
        assert!(why.starts_with("[transport] password_file must"), "{why}");
    }
    let why = refused(&login(&home.path().join("none")));
    assert!(why.contains("none cannot be read"), "{why}");

    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for path in [file("c", "no certificate"), file("d", broken), home.path().join("none")] {
        let why = refused(&format!("ca_file = '{}'", path.display()));
        assert!(why.starts_with("[transport] ca_file "), "{why}");
    }
}

#[test]
fn the_default_port_depends_on_the_encryption() {
    for (security, port) in [
        ("security = 'none'", 25),
        ("", 587),
        ("security = 'starttls'", 587),
        ("security = 'tls'", 465),
    ] {
        // No server can have this address.
        let settings = format!("kind = 'smtp'\nhost = '255.255.255.255'\n{security}");
        let (kind, why) = error(transport(&settings).deliver_one(&message("x"), soon()));
        assert_eq!(kind, "unavailable");
        let expected = format!("cannot connect to 255.255.255.255 port {port}: ");
        assert!(why.starts_with(&expected), "{why}");
    }
}

#[test]
fn encryption_is_required_by_default() {
    let fake = FakeServer::accepting();
    let (kind, why) = error(fake.transport_with("").deliver_one(&message("x"), soon()));
    assert!(kind == "unavailable" && why.contains("does not offer STARTTLS"), "{why}");
}

#[test]
fn only_this_machine_gets_an_unencrypted_password() {
    let login = |host: &str| {
        format!("kind = 'smtp'\nhost = '{host}'\nsecurity = 'none'\nuser = 'a'\npassword = 'x'")
    };
    for host in ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"] {
        transport(&login(host));
    }
    for host in ["localhost.example", "10.0.0.1", "mail.example"] {
        let why = refused(&login(host));
        assert!(why.starts_with("[transport] security \"none\""), "{host}: {why}");
    }
}

#[test]
fn the_server_is_greeted_with_a_host_name() {
    for (helo, sent) in
        [("games.example", "games.example"), ("10.0.0.1", "[10.0.0.1]"), ("::1", "[IPv6:::1]")]
    {
        let received = received(&format!("security = 'none'\nhelo = '{helo}'"));
        assert!(received.starts_with(&format!("EHLO {sent}\r\n")), "{received}");
    }
    let received = received("security = 'none'");
    assert!(received.starts_with("EHLO ") && !received.starts_with("EHLO \r\n"), "{received}");
}

#[test]
fn wrong_settings_are_named() {
    let refused = |settings: &str| refused(&format!("kind = 'smtp'\n{settings}"));
    assert_eq!(refused(""), "[transport] missing field `host`");
    for host in ["''", "'a b'", "'mail:25'", "'a/b'", "'[::1'"] {
        let why = refused(&format!("host = {host}"));
        assert!(why.starts_with("[transport] host "), "{why}");
    }
    for (settings, expected) in [
        ("port = 0", "port: must be a whole number from 1 to 65535"),
        ("port = 65536", "port: must be a whole number from 1 to 65535"),
        ("port = -1", "port: must be a whole number from 1 to 65535"),
        ("port = 'smtp'", "port: must be a whole number from 1 to 65535"),
        ("timeout = 0", "timeout: must be"),
        ("security = 'ssl'", "security: unknown variant `ssl`, expected one of `none`, `starttls`"),
        ("helo = 'a b'", "helo "),
        ("path = 'x'", "unknown field `path`"),
        ("password = 12345", "password: must be a string, in quotes"),
        ("user = 'me'", "user needs a password"),
        ("password = 'x'", "password needs a user"),
        ("user = 'me'\npassword = 'x'\npassword_file = 'y'", "password and password_file"),
        ("user = 'me'\npassword = ''", "password must"),
        ("user = ''\npassword = 'x'", "user must"),
        ("user = 'me'\npassword = 'x'\nsecurity = 'none'", "security \"none\""),
        ("ca_file = 'x'\nsecurity = 'none'", "ca_file "),
    ] {
        let why = refused(&format!("host = 'mail.example'\n{settings}"));
        let rest = why.strip_prefix("[transport] ").unwrap();
        assert!(rest.starts_with(expected) && !rest.contains("12345"), "{settings}: {why}");
    }
}
