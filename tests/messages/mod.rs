//! Incoming mail, from the files in this folder and in the forms that mail programs send.

mod addresses;
mod authentication;
mod automatic;
mod bodies;
mod charsets;
mod collected;
mod fields;
mod hostile;
mod html;
mod notices;
mod reports;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use outflank::mail::read::{Body, InboundMessage, Unreadable, read};
use rustix::time::{ClockId, clock_gettime};

/// Reads a mail, and checks that the thread needs far less CPU time than a quadratic reader would.
/// Other processes do not add to this time.
#[track_caller]
fn read_fast(name: &str, bytes: &[u8]) -> Result<InboundMessage, Unreadable> {
    let cpu_time = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec.try_into().unwrap())
    };
    let before = cpu_time();
    let result = read(bytes);
    let took = cpu_time() - before;
    let quadratic = (bytes.len() as f64 / 128e3).powi(2).clamp(0.1, 1.0);
    assert!(took < Duration::from_secs(10).mul_f64(quadratic), "{name} takes {took:?}");
    result
}

/// Returns the mail with this name in this folder.
fn file(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    fs::read(folder.join(format!("{name}.eml"))).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns all mails in this folder with their names.
fn files() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mails = paths.filter(|path| path.extension().is_some_and(|it| it == "eml"));
    mails.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect()
}

/// Returns a mail by alice with further fields, each with its line feed, and a body.
fn mail(fields: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("From: alice@example.org\n{fields}\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

#[track_caller]
fn opened(bytes: &[u8]) -> InboundMessage {
    read(bytes).unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(bytes)))
}

/// Returns why a mail cannot be read, or why it is broken.
fn fault(bytes: &[u8]) -> Option<Unreadable> {
    match read(bytes) {
        Err(why) | Ok(InboundMessage { body: Body::Broken(why), .. }) => Some(why),
        Ok(_) => None,
    }
}

/// Returns the typed lines of a mail that are not blank.
#[track_caller]
fn fresh(bytes: &[u8]) -> Vec<String> {
    match opened(bytes).body {
        Body::Lines { fresh, .. } => fresh.into_iter().filter(|it| !it.trim().is_empty()).collect(),
        other => panic!("no lines: {other:?}"),
    }
}

/// Returns the whole text of a mail.
#[track_caller]
fn text_of(bytes: &[u8]) -> String {
    match opened(bytes).body {
        Body::Lines { whole, .. } => whole,
        other => panic!("no lines: {other:?}"),
    }
}

/// Replaces `\n` by `\r\n`, as in SMTP.
fn on_the_wire(bytes: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..])
}
