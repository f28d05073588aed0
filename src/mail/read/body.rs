//! The content of a message: the part that a mail program shows.

use mail_parser::decoders::html::html_to_text;

use super::invisible::is_invisible;
use super::parts::Part;
use super::quote::{self, OwnLines};
use super::unreadable::Unreadable;
use super::{charset, flowed, html, transfer};

/// The content of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A text.
    Lines {
        /// The lines that its author typed: without quotes and signature.
        fresh: Vec<String>,
        /// How certain these lines are.
        own: OwnLines,
        /// The whole text with its quotes, which may contain reply tokens. Lines end with `\n`.
        whole: String,
        /// Whether it has a signature of OpenPGP or S/MIME. The signature is not checked.
        signed: bool,
    },
    /// It is encrypted (OpenPGP or S/MIME).
    Encrypted,
    /// An S/MIME signature encloses and hides it (RFC 8551, 3.5.2).
    Signed,
    /// It is an invitation or the answer to one (RFC 6047).
    Calendar,
    /// It has no text.
    Empty,
    /// It has attachments only.
    AttachmentOnly,
    /// It is broken or cut off, and must not be acted upon.
    Broken(Unreadable),
}

impl Body {
    /// Returns the lines that the author of a text typed.
    pub fn fresh(&self) -> &[String] {
        match self {
            Self::Lines { fresh, .. } => fresh,
            _ => &[],
        }
    }

    /// Returns the whole text with its quotes.
    pub fn whole(&self) -> &str {
        match self {
            Self::Lines { whole, .. } => whole,
            _ => "",
        }
    }
}

/// Returns the content of a part, of the message itself if it is the first. Parts are nested at most
/// [`MAX_LEVELS`](super::unreadable::MAX_LEVELS) deep.
pub(super) fn content(parts: &[Part], index: usize) -> Body {
    let Some(part) = parts.get(index) else { return Body::Empty };
    let media = &part.media;
    match (media.kind.as_str(), media.subtype.as_str()) {
        ("multipart", "encrypted") => Body::Encrypted,
        ("application", "pkcs7-mime" | "x-pkcs7-mime") => {
            // RFC 8551, 3.2.2.
            let kinds = ["enveloped-data", "authEnveloped-data"];
            let is_encrypted = kinds.iter().any(|kind| media.has("smime-type", kind));
            if is_encrypted { Body::Encrypted } else { Body::Signed }
        }
        _ if part.is_attachment() => Body::AttachmentOnly,
        ("multipart", "signed") => signed(parts, part),
        ("multipart", "alternative") => alternative(parts, part),
        ("multipart", "digest") => Body::AttachmentOnly,
        ("multipart", _) => first(parts, part.children.iter().copied()),
        ("text", "plain") => plain(part),
        ("text", "html") => markup(part),
        ("text", "calendar") => Body::Calendar,
        _ => Body::AttachmentOnly,
    }
}

/// Returns the content of the first part that is neither blank nor a file to save.
fn first(parts: &[Part], children: impl Iterator<Item = usize>) -> Body {
    let mut best = Body::Empty;
    for child in children {
        match content(parts, child) {
            Body::Empty => {}
            Body::AttachmentOnly => best = Body::AttachmentOnly,
            decided => return decided,
        }
    }
    best
}

/// Returns the plain text if there is one, or else the HTML.
fn alternative(parts: &[Part], part: &Part) -> Body {
    let media = |index: &usize| parts.get(*index).map(|part| &part.media);
    if part.children.iter().filter_map(media).any(|it| it.is("text", "calendar")) {
        return Body::Calendar;
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

/// Returns the first part of a multipart/signed, which is the signed one (RFC 1847, 2.1).
fn signed(parts: &[Part], part: &Part) -> Body {
    let mut found = first(parts, part.children.first().copied().into_iter());
    if let Body::Lines { signed, .. } = &mut found {
        *signed = true;
    }
    found
}

/// Returns the whole text of a part, with its quotes; `None` if it is none.
pub(super) fn text(part: &Part) -> Option<String> {
    match (part.media.kind.as_str(), part.media.subtype.as_str()) {
        ("text", "plain") => Some(plain_text(part)),
        ("text", "html") => Some(tidy(&html_to_text(&decoded(part)))),
        _ => None,
    }
}

fn plain_text(part: &Part) -> String {
    let mut text = decoded(part);
    if part.media.has("format", "flowed") {
        text = flowed::unflowed(&text, part.media.has("delsp", "yes"));
    }
    tidy(&text)
}

fn plain(part: &Part) -> Body {
    let text = plain_text(part);
    if is_blank(&text) {
        return Body::Empty;
    }
    if text.lines().any(|line| line.trim_end() == "-----BEGIN PGP MESSAGE-----") {
        return Body::Encrypted;
    }
    // `quote` unwraps a text that OpenPGP signed in the clear (RFC 9580, 7).
    let signed = text.lines().any(|line| line.trim_end() == "-----BEGIN PGP SIGNED MESSAGE-----");
    let (fresh, own) = own_text(&text);
    Body::Lines { fresh, own, whole: text, signed }
}

fn markup(part: &Part) -> Body {
    let markup = decoded(part);
    let whole = tidy(&html_to_text(&markup));
    if is_blank(&whole) {
        return Body::Empty;
    }
    let (fresh, own) = own_text(&tidy(&html::text(&markup)));
    Body::Lines { fresh, own, whole, signed: false }
}

fn decoded(part: &Part) -> String {
    charset::text(&transfer::decoded(part), part.media.parameter("charset"))
}

/// Returns a text with `\n` for every line end, ordinary spaces, and no invisible characters.
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

fn own_text(text: &str) -> (Vec<String>, OwnLines) {
    let (lines, own) = quote::own_text(text);
    (lines.into_iter().map(str::to_owned).collect(), own)
}
