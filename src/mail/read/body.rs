//! What there is to read in a message: the part that a mail program would show.

use mail_parser::decoders::html::html_to_text;

use super::parts::{Media, Part};
use super::{charset, flowed, html, is_invisible, quote, transfer};

/// What there is to read in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A text.
    Lines {
        /// The lines that its writer wrote: without quotes and signature.
        fresh: Vec<String>,
        /// All of the text with its quotes, to look for a code in. Lines end with `\n`.
        whole: String,
        /// Whether it bears a signature of OpenPGP or S/MIME. Nobody checked it.
        signed: bool,
    },
    /// It is encrypted (OpenPGP or S/MIME).
    Encrypted,
    /// It is within a signature of S/MIME that hides it (RFC 8551, 3.5.2).
    Signed,
    /// It is an invitation or the answer to one (RFC 6047).
    Calendar,
    /// There is no text at all.
    Empty,
    /// There are only files to be saved.
    AttachmentOnly,
}

/// What is in the message with these parts.
pub(super) fn body(parts: &[Part]) -> Body {
    match find(parts, 0) {
        Found::Decided(body) => body,
        Found::Attachment => Body::AttachmentOnly,
        Found::Blank => Body::Empty,
    }
}

/// What is in one part.
enum Found {
    /// What the message is about.
    Decided(Body),
    /// A text without a letter in it, or nothing that is shown.
    Blank,
    /// Something to be saved.
    Attachment,
}

/// Looks into a part and those in it, which are nested [`MOST_LEVELS`](super::parts::MOST_LEVELS)
/// deep at most.
fn find(parts: &[Part], index: usize) -> Found {
    let Some(part) = parts.get(index) else { return Found::Blank };
    let media = &part.media;
    match (media.kind.as_str(), media.subtype.as_str()) {
        ("multipart", "encrypted") => Found::Decided(Body::Encrypted),
        ("application", "pkcs7-mime" | "x-pkcs7-mime") => Found::Decided(enveloped(media)),
        _ if part.is_attachment() => Found::Attachment,
        ("multipart", "signed") => signed(parts, part),
        ("multipart", "alternative") => alternative(parts, part),
        ("multipart", "digest") => Found::Attachment,
        ("multipart", _) => first(parts, part.children.iter().copied()),
        ("text", "plain") => plain(part),
        ("text", "html") => markup(part),
        ("text", "calendar") => Found::Decided(Body::Calendar),
        _ => Found::Attachment,
    }
}

/// The first part that decides what the message is about.
fn first(parts: &[Part], children: impl Iterator<Item = usize>) -> Found {
    let mut best = Found::Blank;
    for child in children {
        match find(parts, child) {
            Found::Blank => {}
            Found::Attachment => best = Found::Attachment,
            decided => return decided,
        }
    }
    best
}

/// Plain text before HTML, whatever the order in the message.
fn alternative(parts: &[Part], part: &Part) -> Found {
    let media = |index: &usize| parts.get(*index).map(|part| &part.media);
    if part.children.iter().filter_map(media).any(|it| it.is("text", "calendar")) {
        return Found::Decided(Body::Calendar);
    }
    let mut children = part.children.clone();
    children.sort_by_key(|index| match media(index) {
        Some(it) if it.is("text", "plain") => 0,
        Some(it) if it.kind == "multipart" => 1,
        Some(it) if it.is("text", "html") => 2,
        _ => 3,
    });
    first(parts, children.into_iter())
}

/// The first part of a multipart/signed is what was signed (RFC 1847, 2.1).
fn signed(parts: &[Part], part: &Part) -> Found {
    match first(parts, part.children.first().copied().into_iter()) {
        Found::Decided(Body::Lines { fresh, whole, .. }) => {
            Found::Decided(Body::Lines { fresh, whole, signed: true })
        }
        found => found,
    }
}

/// S/MIME (RFC 8551, 3.2.2).
fn enveloped(media: &Media) -> Body {
    let kinds = ["enveloped-data", "authEnveloped-data"];
    if kinds.iter().any(|kind| media.says("smime-type", kind)) {
        Body::Encrypted
    } else {
        Body::Signed
    }
}

fn plain(part: &Part) -> Found {
    let text = decoded(part);
    let text = if part.media.says("format", "flowed") {
        flowed::unflowed(&text, part.media.says("delsp", "yes"))
    } else {
        text
    };
    let text = tidy(&text);
    if is_blank(&text) {
        return Found::Blank;
    }
    if text.lines().any(|line| line.trim_end() == "-----BEGIN PGP MESSAGE-----") {
        return Found::Decided(Body::Encrypted);
    }
    match clear_signed(&text) {
        Some(inner) => lines(&inner, text, true),
        None => Found::Decided(Body::Lines { fresh: fresh(&text), whole: text, signed: false }),
    }
}

fn markup(part: &Part) -> Found {
    let markup = decoded(part);
    let whole = tidy(&html_to_text(&markup));
    if is_blank(&whole) {
        return Found::Blank;
    }
    lines(&tidy(&html::text(&markup)), whole, false)
}

fn lines(text: &str, whole: String, signed: bool) -> Found {
    Found::Decided(Body::Lines { fresh: fresh(text), whole, signed })
}

fn decoded(part: &Part) -> String {
    charset::text(&transfer::decoded(part), part.media.parameter("charset"))
}

/// The text between the lines of a cleartext signature (RFC 9580, 7), without its dash escapes.
/// None when the text is not signed.
fn clear_signed(text: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.find(|line| line.trim_end() == "-----BEGIN PGP SIGNED MESSAGE-----")?;
    // `Hash: SHA256` and the like end with an empty line.
    lines.find(|line| line.trim().is_empty())?;
    let mut inner = String::with_capacity(text.len());
    for line in lines {
        if line.trim_end() == "-----BEGIN PGP SIGNATURE-----" {
            return Some(inner);
        }
        inner.push_str(line.strip_prefix("- ").unwrap_or(line));
        inner.push('\n');
    }
    None
}

/// A text with `\n` for every line end, ordinary spaces, and without characters that nobody sees.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' => tidied.push('\n'),
            '\n' | '\t' => tidied.push(c),
            '\u{a0}' | '\u{202f}' => tidied.push(' '),
            c if is_invisible(c) || c.is_control() => {}
            c => tidied.push(c),
        }
    }
    tidied
}

fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// The lines that the writer of a text wrote.
fn fresh(text: &str) -> Vec<String> {
    quote::fresh(text).into_iter().map(str::to_owned).collect()
}
