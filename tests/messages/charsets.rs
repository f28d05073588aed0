//! One move in every encoding and charset, with correct and wrong labels.

use data_encoding::BASE64_MIME;

use crate::{fresh, mail};

const COMMAND: &str = "d3";

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

/// Checks that the command is read from the bytes with this label, in each transfer encoding.
fn assert_read(label: &str, bytes: &[u8]) {
    let kind = match label {
        "" => String::new(),
        label => format!("Content-Type: text/plain; charset={label}\n"),
    };
    let quoted: String = bytes.iter().map(|byte| format!("={byte:02X}=\n")).collect();
    let encodings = [
        ("", bytes.to_vec()),
        ("Content-Transfer-Encoding: 8bit\n", bytes.to_vec()),
        ("Content-Transfer-Encoding: x-unheard-of\n", bytes.to_vec()),
        ("Content-Transfer-Encoding: BASE64\n", BASE64_MIME.encode(bytes).into_bytes()),
        ("Content-Transfer-Encoding: (q) quoted-printable\n", quoted.into_bytes()),
    ];
    for (encoding, body) in encodings {
        let lines = fresh(&mail(&format!("{kind}{encoding}"), &body));
        assert!(lines.iter().any(|line| line == COMMAND), "{label} {encoding}: {lines:?}");
    }
}

#[test]
fn correct_labels() {
    assert_read("us-ascii", b"d3\n");
    assert_read("utf-8", "d3\nCaf\u{e9} \u{201c}\u{4e2d}\u{201d}\n".as_bytes());
    assert_read("utf-8", "\u{feff}d3\n".as_bytes());
    assert_read("iso-8859-1", b"d3\nCaf\xe9\n");
    assert_read("windows-1252", b"d3\n\x93Caf\xe9\x94\n");
    assert_read("cp1252", b"d3\n\x93Caf\xe9\x94\n");
    assert_read("koi8-r", b"d3\n\xf0\xd2\xc9\n");
    assert_read("shift_jis", b"d3\n\x83n\x83\n");
    assert_read("iso-2022-jp", b"d3\n\x1b$B%O%m\x1b(B\n");
    assert_read("gb2312", b"d3\n\xc4\xe3\xba\xc3\n");
    assert_read("utf-7", b"d3\n+AOk-\n");
    assert_read("utf-7", b"+AOk\nd3\n+-\n");
}

#[test]
fn utf_16_with_and_without_mark() {
    for words in ["d3\nna\u{ef}ve\n", "\u{feff}d3\nna\u{ef}ve\n"] {
        for label in ["", "utf-16", "UTF-16LE", "utf-16be", "utf-8", "us-ascii", "unheard-of"] {
            for order in [u16::to_le_bytes, u16::to_be_bytes] {
                // Unencoded, UTF-16 breaks the lines of a mail in odd places.
                assert_read(label, &utf16(words, order));
            }
        }
    }
}

#[test]
fn wrong_labels() {
    for label in ["", "utf-8", "us-ascii", "unheard-of", "\"\"", "utf-16", "utf-7", "iso-2022-jp"] {
        assert_read(label, b"Caf\xe9\nd3\n");
        assert_read(label, "Caf\u{e9}\nd3\n".as_bytes());
    }
    assert_read("iso-8859-1", "Caf\u{e9}\nd3\n".as_bytes());
}

#[test]
fn damaged_encodings() {
    // Base64 that is cut off or has noise in it.
    for body in ["ZDMKYWJj", "ZDMKYWJ", "ZDMKY", "Z!DM\0KYWJj", "ZDMK====="] {
        let lines = fresh(&mail("Content-Transfer-Encoding: base64\n", body.as_bytes()));
        assert_eq!(lines[0], COMMAND, "{body}");
    }
    let body = b"d=\n3  \na=zb=\xff =";
    assert_eq!(fresh(&mail("Content-Transfer-Encoding: quoted-printable\n", body))[0], COMMAND);
    assert_eq!(fresh(&mail("", "\u{200b}d\u{ad}3\u{feff}\r\nx\ry".as_bytes())), ["d3", "x", "y"]);
}
