//! The part of a message that is read.

use outflank::mail::read::Body;

use super::{file, fresh, mail, opened, text_of};

fn body(fields: &str, text: &str) -> Body {
    opened(&mail(fields, text.as_bytes())).body
}

fn is_signed(body: &Body) -> bool {
    matches!(body, Body::Lines { signed: true, .. })
}

/// Returns a multipart message. Each part is a header, an empty line and a body.
fn parts(kind: &str, parts: &[&str]) -> Vec<u8> {
    let mut text = String::new();
    for part in parts {
        text.push_str(&format!("--b\n{part}\n"));
    }
    text.push_str("--b--\n");
    mail(&format!("Content-Type: multipart/{kind}; boundary=b\n"), text.as_bytes())
}

const BLANK: &str = "Content-Type: text/plain\n\n \n\u{a0}\u{200b}\n";
const PLAIN: &str = "Content-Type: text/plain\n\nd3";
const HTML: &str = "Content-Type: text/html\n\n<p>d3</p>";
const EMPTY_HTML: &str = "Content-Type: text/html\n\n<html><body><br></body></html>";
const PICTURE: &str = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=";
const SAVED: &str = "Content-Type: text/plain\nContent-Disposition: attachment\n\ne6";
const LETTER: &str = "Content-Type: message/rfc822\n\nFrom: bob@example.net\n\ne6";

#[test]
fn the_visible_text_is_read() {
    for name in ["alternative", "with-attachments"] {
        assert_eq!(fresh(&file(name)), ["d3"], "{name}");
    }
    for bytes in [
        parts("mixed", &[PLAIN]),
        parts("mixed", &["\nd3"]),
        parts("mixed", &["Content-Type: nonsense\n\nd3"]),
        parts("mixed", &[PICTURE, PLAIN]),
        parts("mixed", &[BLANK, SAVED, LETTER, PLAIN]),
        parts("mixed", &[PLAIN, "\ne6"]),
        parts("related", &[HTML, PICTURE]),
        parts("alternative", &[BLANK, HTML]),
        parts("alternative", &[HTML]),
        parts("alternative", &["Content-Type: text/x-amp-html\n\n<p>e6", HTML]),
        parts("alternative", &[HTML.replace("d3", "e6").as_str(), PLAIN]),
        parts("unheard-of", &[PLAIN, LETTER]),
        mail("", b"d3\n"),
        mail("Content-Type: TEXT/Plain; CharSet=\"UTF-8\"\n", b"d3\n"),
        mail("Content-Type: text\n", b"d3\n"),
        mail("Content-Type: text/html\n", b"<p>d3\n"),
    ] {
        let lines = fresh(&bytes);
        assert_eq!(lines.len(), 1, "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(lines[0].trim(), "d3", "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn html_is_read_without_plain_text() {
    let bytes = file("html-only");
    let lines = fresh(&bytes);
    assert_eq!(lines[0].trim(), "d3");
    assert_eq!(lines[1].trim(), "Sch\u{f6}n!");
    assert!(!lines.iter().any(|line| line.contains("color")), "{lines:?}");
}

#[test]
fn attachments_are_not_read() {
    assert_eq!(opened(&file("forwarded")).body, Body::AttachmentOnly);
    for part in [SAVED, LETTER, PICTURE] {
        assert_eq!(opened(&parts("mixed", &[part])).body, Body::AttachmentOnly, "{part}");
        assert_eq!(opened(&parts("mixed", &[BLANK, part])).body, Body::AttachmentOnly, "{part}");
    }
    assert_eq!(
        opened(&parts("digest", &["\nFrom: bob@example.net\n\ne6"])).body,
        Body::AttachmentOnly
    );
    assert_eq!(body("Content-Type: application/pdf\n", "e6"), Body::AttachmentOnly);
    assert_eq!(body("Content-Type: message/rfc822\n", "From: b@x\n\ne6"), Body::AttachmentOnly);
}

#[test]
fn empty_messages() {
    assert_eq!(body("", ""), Body::Empty);
    assert_eq!(body("", " \n\t\n\n"), Body::Empty);
    assert_eq!(body("Content-Type: text/html\n", "<html><body></body></html>"), Body::Empty);
    assert_eq!(opened(&parts("alternative", &[BLANK, EMPTY_HTML])).body, Body::Empty);
    assert_eq!(opened(&parts("mixed", &[])).body, Body::Empty);
}

#[test]
fn signed_texts() {
    for name in ["signed", "clear-signed"] {
        let bytes = file(name);
        assert_eq!(fresh(&bytes)[0], "d3", "{name}");
        assert!(is_signed(&opened(&bytes).body), "{name}");
    }
    assert_eq!(fresh(&file("clear-signed")), ["d3", "- e6 is what I did not play"]);
}

#[test]
fn hidden_texts_are_reported() {
    let smime = |kind: &str| {
        let fields = format!(
            "Content-Type: application/pkcs7-mime; name=smime.p7m{kind}\n\
             Content-Disposition: attachment; filename=smime.p7m\n\
             Content-Transfer-Encoding: base64\n"
        );
        body(&fields, "MIAG\n")
    };
    assert_eq!(smime("; smime-type=enveloped-data"), Body::Encrypted);
    assert_eq!(smime("; smime-type=authEnveloped-data"), Body::Encrypted);
    assert_eq!(smime("; smime-type=signed-data"), Body::Signed);
    assert_eq!(smime(""), Body::Signed);
    for name in ["encrypted", "inline-pgp"] {
        assert_eq!(opened(&file(name)).body, Body::Encrypted, "{name}");
    }
}

#[test]
fn invitations() {
    assert_eq!(opened(&file("invitation")).body, Body::Calendar);
    assert_eq!(
        body("Content-Type: text/calendar; method=REQUEST\n", "BEGIN:VCALENDAR\n"),
        Body::Calendar
    );
    // An attached invitation is an attachment like any other.
    let attached =
        "Content-Type: text/calendar\nContent-Disposition: attachment\n\nBEGIN:VCALENDAR";
    assert_eq!(fresh(&parts("mixed", &[PLAIN, attached])), ["d3"]);
}

#[test]
fn flowed_text_is_joined() {
    let bytes = file("flowed");
    let lines = fresh(&bytes);
    assert_eq!(lines[..2], ["d3", "I should have seen that."]);
    assert!(!lines.iter().any(|line| line.contains("e6")), "{lines:?}");
    let whole = text_of(&bytes);
    assert!(whole.contains("\n> It is your turn, and you may play\n"), "{whole}");
}

/// Returns the text of a mail with `format=flowed`.
fn unflowed(text: &str, del_sp: &str) -> String {
    let fields = format!("Content-Type: text/plain; format=flowed; delsp={del_sp}\n");
    text_of(&mail(&fields, text.as_bytes()))
}

#[test]
fn soft_breaks_are_undone_within_a_level() {
    let text = "d3\n\nA long \r\nparagraph\n> quoted \n> on\n>> deeper \n> back \nmine\n";
    let expected = "d3\n\nA long paragraph\n> quoted on\n>> deeper \n> back \nmine\n";
    assert_eq!(unflowed(text, "no"), expected);
}

#[test]
fn with_del_sp_the_space_of_a_soft_break_is_removed() {
    assert_eq!(unflowed("d \n3\na  \nb\n", "yes"), "d3\na b\n");
}

#[test]
fn stuffing_is_removed_and_a_signature_never_flows() {
    assert_eq!(unflowed(" From here\n  two\n x", "no"), "From here\n two\nx\n");
    assert_eq!(
        unflowed("ends \n-- \nAlice\n>-- \n> Bob", "no"),
        "ends \n-- \nAlice\n> -- \n> Bob\n"
    );
}
