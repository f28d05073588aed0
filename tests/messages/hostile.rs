//! Hostile and truncated mail.

use std::fmt::Write;

use outflank::mail::read::{MAX_BYTES, MAX_LISTED, Unreadable, read};

use super::{fault, files, mail, read_fast};

/// Reads a mail, and also its beginning if it is longer than the parsed maximum.
#[track_caller]
fn assert_fast(name: &str, bytes: Vec<u8>) {
    let _ = read_fast(name, &bytes);
    if bytes.len() > MAX_BYTES {
        let _ = read_fast(name, &bytes[..MAX_BYTES]);
    }
}

/// Repeats a text up to this length in bytes.
fn repeated(text: &str, length: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().repeat(length.div_ceil(text.len()));
    bytes.truncate(length);
    bytes
}

fn nested(levels: usize, closed: bool) -> Vec<u8> {
    let mut text = String::from("From: alice@example.org\n");
    for level in 0..levels {
        write!(text, "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n").unwrap();
    }
    text.push_str("\nd3\n");
    for level in (0..levels).rev().filter(|_| closed) {
        writeln!(text, "--b{level}--").unwrap();
    }
    text.into_bytes()
}

fn nested_messages(levels: usize) -> Vec<u8> {
    let mut text = String::from("From: alice@example.org\n");
    for _ in 0..levels {
        text.push_str("Content-Type: message/rfc822\n\n");
    }
    text.into_bytes()
}

#[test]
fn nesting_is_limited() {
    assert!(read(&nested(20, true)).is_ok());
    for levels in [21, 1000, 20_000] {
        assert_eq!(fault(&nested(levels, true)), Some(Unreadable::TooDeep));
        assert_eq!(fault(&nested(levels, false)), Some(Unreadable::TooDeep));
    }
    assert!(read(&nested_messages(20_000)).is_ok());
}

#[test]
fn a_message_has_at_most_a_hundred_parts() {
    let many = |count: usize| {
        let text = "--b\n\n".repeat(count) + "--b--\n";
        mail("Content-Type: multipart/mixed; boundary=b\n", text.as_bytes())
    };
    assert!(read(&many(99)).is_ok());
    for count in [100, 20_000, 1_000_000] {
        assert_eq!(fault(&many(count)), Some(Unreadable::TooManyParts));
    }
}

#[test]
fn every_header_is_read_in_linear_time() {
    for (name, unit) in [
        ("one line", "x"),
        ("fields", "A: b\n"),
        ("long names", "AAAAAAAAAAAA"),
        ("folds", "\n "),
        ("colons", ":"),
        ("NUL", "\0"),
        ("line feeds", "\n"),
        ("carriage returns", "\r"),
    ] {
        let mut bytes = b"From: alice@example.org\nX: ".to_vec();
        bytes.extend(repeated(unit, 2 * MAX_BYTES));
        assert_fast(name, bytes);
        assert_fast(name, repeated(unit, 2 * MAX_BYTES));
    }
}

#[test]
fn every_field_is_read_in_linear_time() {
    let fields = [
        "From",
        "To",
        "Subject",
        "References",
        "In-Reply-To",
        "Message-ID",
        "Return-Path",
        "Date",
        "Content-Type",
        "Content-Disposition",
        "Content-Transfer-Encoding",
        "Auto-Submitted",
        "Authentication-Results",
    ];
    let units = [
        "(",
        ")",
        "\"",
        "\\",
        "<",
        ">",
        "<a@x>",
        "a@x,",
        "a@\u{e9},",
        ",",
        ":",
        ";",
        "[",
        "=",
        "a=b;",
        ";a*1=b",
        "=?",
        "=?utf-8?q?",
        "=?utf-8?b?AA==?=",
        "=?gb18030?b?gQ==?= ",
        "Re: ",
        "x/",
        "'",
        "*",
        "%",
        " ",
        "\n ",
        "\u{e9}",
        "\0",
        "@",
        ";a*=utf-8'en'%41",
    ];
    for field in fields {
        for unit in units {
            let value = unit.repeat(48 * 1024 / unit.len());
            let bytes = format!("From: alice@example.org\n{field}: {value}\n\nd3\n").into_bytes();
            assert_fast(&format!("{field}: {unit:?}"), bytes);
        }
    }
}

#[test]
fn lists_are_limited() {
    let addresses = "a@x,".repeat(50_000);
    let ids = "<a@x>".repeat(10_000);
    let bytes = mail(&format!("To: {addresses}\nReferences: {ids}\n"), b"d3\n");
    let letter = read(&bytes).unwrap();
    assert_eq!(letter.recipients.len(), MAX_LISTED);
    assert_eq!(letter.references.len(), MAX_LISTED);
    for field in [
        format!("To: {}\n", "a@x,".repeat(100_000)),
        format!("References: {}\n", "<a@x>".repeat(900_000)),
    ] {
        assert_eq!(read(&mail(&field, b"d3\n")), Err(Unreadable::HeaderTooLong));
    }
}

#[test]
fn every_body_is_read_in_linear_time() {
    let kinds = [
        "text/plain",
        "text/plain; format=flowed; delsp=yes",
        "text/plain; charset=utf-7",
        "text/plain; charset=gb18030",
        "text/html",
        "multipart/mixed; boundary=b",
        "multipart/report; report-type=delivery-status; boundary=b",
    ];
    let units = [
        "x",
        "\0",
        "\n",
        "\r",
        " \n",
        ">",
        "> \n",
        "<",
        "<b>",
        "&",
        "<!--",
        "--b\n",
        "--",
        "=",
        "=41",
        "+AA",
        "\u{e9}",
        "-----BEGIN PGP SIGNED MESSAGE-----\n\n",
        "\x1b$B",
        "--b\nContent-Type: message/delivery-status\n\nA:b\n\n",
        "<blockquote>",
    ];
    for kind in kinds {
        for encoding in ["8bit", "quoted-printable"] {
            for unit in units {
                let bytes = filled(kind, encoding, unit, 24 * 1024);
                assert_fast(&format!("{kind} {encoding} {unit:?}"), bytes);
            }
        }
    }
    for unit in HTML_UNITS {
        let end = repeated("</div></blockquote></x>", 32 * 1024);
        let html = [repeated(unit, 64 * 1024), end].concat();
        assert_fast(&format!("HTML {unit:?}"), mail("Content-Type: text/html\n", &html));
    }
    for (kind, encoding, unit) in [
        ("text/plain; format=flowed; delsp=yes", "quoted-printable", "\n"),
        ("text/plain; charset=utf-7", "base64", "\n"),
        ("text/html", "8bit", "<b>"),
        ("text/html", "8bit", "<blockquote>"),
        ("multipart/mixed; boundary=b", "8bit", "--\n"),
    ] {
        assert_fast(&format!("a long {kind} {unit:?}"), filled(kind, encoding, unit, MAX_BYTES));
    }
}

const HTML_UNITS: [&str; 20] = [
    "<div>",
    "</div>",
    "<div></p>",
    "<a",
    "<a b=",
    "&#",
    "<p>",
    "<td>x",
    "<pre>",
    "</blockquote>x",
    "<a class='gmail_quote ",
    "<!",
    "<?",
    "<title>",
    "<div style=display:none>",
    "<div class=gmail_quote><blockquote>",
    "x ",
    " ",
    "<a b c d>",
    "<i></b>",
];

/// Returns a mail of about this length; its body repeats `unit`.
fn filled(kind: &str, encoding: &str, unit: &str, length: usize) -> Vec<u8> {
    let fields = format!("Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n");
    let mut bytes = mail(&fields, &repeated(unit, length - 1000));
    bytes.extend_from_slice(b"\n--b--\n");
    bytes
}

/// Every blank part is parsed, because the next one may have text.
#[test]
fn blank_parts_are_read_in_linear_time() {
    for (fields, unit) in [
        ("", " "),
        ("Content-Type: text/plain; format=flowed\n", " \n"),
        ("Content-Type: text/plain; charset=utf-16\n", " \0"),
        ("Content-Type: text/html\n", "<b>"),
    ] {
        let part = [format!("--b\n{fields}\n").into_bytes(), repeated(unit, 500_000)].concat();
        let body = [part.repeat(10), b"\n--b--\n".to_vec()].concat();
        let bytes = mail("Content-Type: multipart/mixed; boundary=b\n", &body);
        assert_fast(&format!("blank parts of {unit:?}"), bytes);
    }
}

#[test]
fn a_truncated_mail_is_refused() {
    for (name, bytes) in files() {
        let step = if bytes.len() < 1000 { 1 } else { 7 };
        for length in (0..bytes.len()).step_by(step) {
            let text = String::from_utf8_lossy(&bytes);
            let header = text.find("\n\n").unwrap() + 2;
            let is_multipart = text[..header].contains("multipart/");
            if length < header || is_multipart && length < bytes.len() - 100 {
                assert!(fault(&bytes[..length]).is_some(), "{name} cut at {length}");
            }
        }
    }
    // A mail with a picture of 300 KiB.
    let picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\n".repeat(4700);
    let text = format!(
        "--b\n\nd3\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n{picture}--b--\n"
    );
    let large = mail("Content-Type: multipart/mixed; boundary=b\n", text.as_bytes());
    assert!(read(&large).is_ok());
    for length in (0..large.len()).step_by(37 * 37) {
        assert!(fault(&large[..length]).is_some(), "cut at {length}");
    }
}
