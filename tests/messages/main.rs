//! Mail that comes in, from real bytes: the files beside this one, and what programs are known to
//! send.

mod automatic;
mod bodies;
mod charsets;
mod collected;
mod hostile;
mod letters;
mod reports;

use std::fs;
use std::path::PathBuf;

use outflank::mail::read::{Body, InboundMessage, read};

/// The bytes of the file of this name beside this one.
fn file(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    fs::read(folder.join(format!("{name}.eml"))).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// All files beside this one, with their names.
fn files() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mails = paths.filter(|path| path.extension().is_some_and(|it| it == "eml"));
    mails.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect()
}

/// A mail by alice with these further fields, each with its line feed, and this body.
fn mail(fields: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("From: alice@example.org\n{fields}\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

#[track_caller]
fn opened(bytes: &[u8]) -> InboundMessage {
    read(bytes).unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(bytes)))
}

/// The lines with something in them that the writer of a mail wrote.
#[track_caller]
fn fresh(bytes: &[u8]) -> Vec<String> {
    match opened(bytes).body {
        Body::Lines { fresh, .. } => fresh.into_iter().filter(|it| !it.trim().is_empty()).collect(),
        other => panic!("no lines: {other:?}"),
    }
}

/// With `\r\n` for `\n`, as mail travels.
fn on_the_wire(bytes: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    for byte in bytes {
        if *byte == b'\n' {
            wire.push(b'\r');
        }
        wire.push(*byte);
    }
    wire
}
