//! One move in every encoding and charset, with correct and wrong labels.

use data_encoding::BASE64_MIME;

use super::{fresh, mail, text_of};

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
                // Unencoded UTF-16 contains line ends in odd places.
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
    // Truncated base64, and base64 with noise.
    for body in ["ZDMKYWJj", "ZDMKYWJ", "ZDMKY", "Z!DM\0KYWJj", "ZDMK====="] {
        let lines = fresh(&mail("Content-Transfer-Encoding: base64\n", body.as_bytes()));
        assert_eq!(lines[0], COMMAND, "{body}");
    }
    let body = b"d=\n3  \na=zb=\xff =";
    assert_eq!(fresh(&mail("Content-Transfer-Encoding: quoted-printable\n", body))[0], COMMAND);
    assert_eq!(fresh(&mail("", "\u{200b}d\u{ad}3\u{feff}\r\nx\ry".as_bytes())), ["d3", "x", "y"]);
}

/// Returns the text of a mail with these bytes in base64 and this label.
fn text(bytes: &[u8], label: Option<&str>) -> String {
    let label = label.map_or(String::new(), |label| format!("; charset={label}"));
    let fields = format!("Content-Type: text/plain{label}\nContent-Transfer-Encoding: base64\n");
    text_of(&mail(&fields, BASE64_MIME.encode(bytes).as_bytes()))
}

#[test]
fn text_with_a_correct_label() {
    assert_eq!(text("d3 \u{e9}".as_bytes(), Some("UTF-8")), "d3 \u{e9}");
    assert_eq!(text(b"d3 \xe9", Some("iso-8859-1")), "d3 \u{e9}");
    assert_eq!(text(b"d3 \x93", Some("cp1252")), "d3 \u{201c}");
    assert_eq!(text(b"\x1b$B%O\x1b(B d3", Some("ISO-2022-JP")), "\u{30cf} d3");
    assert_eq!(text(b"\x83n d3", Some("shift_jis")), "\u{30cf} d3");
    assert_eq!(text(b"d3\n+AOk\nd4 +- +AOk-.", Some("utf-7")), "d3\n\u{e9}\nd4 + \u{e9}.");
}

#[test]
fn text_with_a_wrong_label() {
    let e_acute = "d3 \u{e9}";
    for label in [None, Some("utf-8"), Some("us-ascii"), Some("x-nonsense"), Some("utf-16")] {
        assert_eq!(text(b"d3 \xe9", label), e_acute, "{label:?}");
        assert_eq!(text(e_acute.as_bytes(), label), e_acute, "{label:?}");
        assert_eq!(text(b"d3", label), "d3", "{label:?}");
    }
}

#[test]
fn obsolete_charsets() {
    assert_eq!(text(b"\x1b$)C\nd3\n", Some("iso-2022-kr")), "$)C\nd3\n");
    assert_eq!(text(b"\xe9\nd3\n", Some("hz-gb-2312")), "\u{e9}\nd3\n");
}

#[test]
fn text_in_utf_16() {
    let words = "d3\nna\u{ef}ve \u{4e2d}\u{6587}\n";
    for label in [None, Some("utf-16"), Some("utf-16le"), Some("utf-16be"), Some("utf-8")] {
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{words}");
            assert_eq!(text(&utf16(&marked, u16::to_le_bytes), label), words);
            assert_eq!(text(&utf16(&marked, u16::to_be_bytes), label), words);
        }
    }
}

#[test]
fn broken_quoted_printable() {
    let cases: [(&[u8], &str); 6] = [
        (b"d3=0Ae=\r\n4", "d3\ne4"),
        (b"d=333  \r\nx", "d33\nx"),
        (b"a=b =", "a=b "),
        (b"2=2=ZZ=4", "2=2=ZZ=4"),
        (b"a= \nb", "ab"),
        (b"\xff=e4", "\u{ff}\u{e4}"),
    ];
    for (body, expected) in cases {
        assert_eq!(
            text_of(&mail("Content-Transfer-Encoding: quoted-printable\n", body)),
            expected,
            "{body:?}"
        );
    }
}

#[test]
fn base64_with_noise_and_without_an_end() {
    let base64 = |body| text_of(&mail("Content-Transfer-Encoding: base64\n", body));
    assert_eq!(base64(b"ZDMK"), "d3\n");
    assert_eq!(base64(b"Z D\r\nM*K\0"), "d3\n");
    assert_eq!(base64(b"ZDM"), "d3");
    assert_eq!(base64(b"ZDMKZ"), "d3\n");
    assert_eq!(base64(b"ZDM=ZDM="), "d3d3");
}
