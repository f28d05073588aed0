//! The MIME parts of a message (RFC 2046).
//!
//! The parser makes one pass over the lines with a stack of open boundaries. mail-parser would also
//! parse attached messages, and neither its parser nor its destructor limits the depth.

use mail_parser::parsers::MessageStream;

use super::header::{Header, MAX_HEADER_BYTES, line_end};
use super::unreadable::{MAX_LEVELS, MAX_PARTS, Unreadable};

/// The most bytes of a Content-Type that are read: merging its parameters takes quadratic time.
const MAX_CONTENT_TYPE_BYTES: usize = 4 * 1024;

/// The message itself, or one of its parts.
#[derive(Debug, Default)]
pub(super) struct Part<'a> {
    pub(super) header: Header<'a>,
    pub(super) media: Media,
    /// Still encoded; empty for a multipart with parts.
    pub(super) body: &'a [u8],
    /// The indices of its parts in the list, if it is a multipart.
    pub(super) children: Vec<usize>,
}

impl<'a> Part<'a> {
    fn new(header: Header<'a>) -> Self {
        Self {
            media: Media::of(&header, "Content-Type").unwrap_or_default(),
            header,
            ..Self::default()
        }
    }

    /// Returns whether it is a file to save (RFC 2183).
    pub(super) fn is_attachment(&self) -> bool {
        Media::of(&self.header, "Content-Disposition").is_some_and(|it| it.kind == "attachment")
    }
}

/// A Content-Type (RFC 2045, 5.1) or a Content-Disposition.
#[derive(Debug)]
pub(super) struct Media {
    /// The type in lower case.
    pub(super) kind: String,
    /// The subtype in lower case.
    pub(super) subtype: String,
    parameters: Vec<(String, String)>,
}

impl Default for Media {
    /// `text/plain`, which applies when the field is missing or invalid (RFC 2045, 5.2).
    fn default() -> Self {
        Self { kind: "text".into(), subtype: "plain".into(), parameters: Vec::new() }
    }
}

impl Media {
    fn of(header: &Header, name: &str) -> Option<Self> {
        let value = header.first(name)?;
        // The parser needs a line feed.
        let mut value = value.get(..MAX_CONTENT_TYPE_BYTES).unwrap_or(value).to_vec();
        value.push(b'\n');
        let found = MessageStream::new(&value).parse_content_type().into_content_type()?;
        let kind = found.c_type.to_ascii_lowercase();
        let subtype = found.c_subtype.unwrap_or_default().to_ascii_lowercase();
        if name == "Content-Type" && (subtype.is_empty() || kind.is_empty()) {
            return None;
        }
        let parameters = found.attributes.unwrap_or_default().into_iter();
        let parameters = parameters.map(|it| (it.name.to_ascii_lowercase(), it.value.into_owned()));
        Some(Self { kind, subtype, parameters: parameters.collect() })
    }

    /// Returns whether it is this type and subtype.
    pub(super) fn is(&self, kind: &str, subtype: &str) -> bool {
        self.kind == kind && self.subtype == subtype
    }

    /// Returns the parameter of this name, trimmed.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
    }

    /// Returns whether the parameter of this name has this value, in any case of letters.
    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.parameter(name).is_some_and(|it| it.eq_ignore_ascii_case(value))
    }

    /// Returns whether its parts are read. Those of a digest are attached messages.
    fn is_opened(&self) -> bool {
        self.kind == "multipart" && self.subtype != "digest"
    }
}

/// Returns the parts of a message: the message itself first, and every part after its parent. If it is
/// broken below its header, also returns how: the parts are those above the break then.
///
/// # Errors
/// When it has no whole header.
pub(super) fn parts(bytes: &[u8]) -> Result<(Vec<Part<'_>>, Option<Unreadable>), Unreadable> {
    let mut walk =
        Walk { bytes, parts: Vec::new(), open: Vec::new(), at: At::Header(0), broken: None };
    let mut start = 0;
    while start < bytes.len() {
        let end = line_end(bytes, start);
        match walk.line(start, end) {
            Err(why) if walk.parts.is_empty() => return Err(why),
            Err(why) => return Ok((walk.parts, Some(why))),
            Ok(()) => start = end,
        }
    }
    walk.finish()
}

/// A multipart that is not closed yet.
struct Open {
    /// Its index in the list of parts.
    part: usize,
    /// The delimiter without its line ends: two hyphens and the boundary.
    delimiter: Vec<u8>,
    /// Where its body begins.
    body: usize,
}

/// The place of a line in a message.
#[derive(Clone, Copy)]
enum At {
    /// A header that began here.
    Header(usize),
    /// The body of this part, which began here.
    Body(usize, usize),
    /// The hidden text before the first or after the last part of a multipart.
    Aside,
}

struct Walk<'a> {
    bytes: &'a [u8],
    parts: Vec<Part<'a>>,
    open: Vec<Open>,
    at: At,
    /// An error below which the walk goes on.
    broken: Option<Unreadable>,
}

impl<'a> Walk<'a> {
    fn line(&mut self, start: usize, end: usize) -> Result<(), Unreadable> {
        let line = self.bytes.get(start..end).unwrap_or_default();
        if let Some((level, closes)) = self.delimiter(line) {
            if let At::Header(from) = self.at {
                // Without an empty line the part has no body.
                self.header_ends(from, start, start)?;
            }
            self.body_ends(start);
            self.open.truncate(if closes { level } else { level + 1 });
            self.at = if closes { At::Aside } else { At::Header(end) };
            return Ok(());
        }
        match self.at {
            At::Header(from) if end - from > MAX_HEADER_BYTES => Err(Unreadable::HeaderTooLong),
            At::Header(from) if matches!(line, b"\n" | b"\r\n") => {
                self.header_ends(from, start, end)
            }
            _ => Ok(()),
        }
    }

    /// Returns the level of the open boundary that a line delimits, and whether the line closes it.
    /// An unclosed inner boundary ends with the outer one.
    fn delimiter(&self, line: &[u8]) -> Option<(usize, bool)> {
        if !line.starts_with(b"--") {
            return None;
        }
        let line = line.trim_ascii_end();
        self.open.iter().enumerate().rev().find_map(|(level, open)| {
            match line.strip_prefix(open.delimiter.as_slice())? {
                b"" => Some((level, false)),
                b"--" => Some((level, true)),
                _ => None,
            }
        })
    }

    fn header_ends(&mut self, from: usize, to: usize, body: usize) -> Result<(), Unreadable> {
        let header = Header::parse(self.bytes.get(from..to).unwrap_or_default());
        if self.parts.is_empty() && header.is_empty() {
            return Err(Unreadable::NotMail);
        }
        if self.parts.len() == MAX_PARTS {
            return Err(Unreadable::TooManyParts);
        }
        let index = self.parts.len();
        let part = Part::new(header);
        if let Some(parent) = self.open.last().and_then(|open| self.parts.get_mut(open.part)) {
            parent.children.push(index);
        }
        self.at = At::Body(index, body);
        if part.media.is_opened() {
            if self.open.len() == MAX_LEVELS {
                return Err(Unreadable::TooDeep);
            }
            match part.media.parameter("boundary").filter(|it| !it.is_empty()) {
                Some(boundary) => {
                    let delimiter = format!("--{boundary}").into_bytes();
                    self.open.push(Open { part: index, delimiter, body });
                    self.at = At::Aside;
                }
                None => self.broken = Some(Unreadable::NoBoundary),
            }
        }
        self.parts.push(part);
        Ok(())
    }

    /// Stores the body of the current part. The line end before a delimiter belongs to the
    /// delimiter.
    fn body_ends(&mut self, end: usize) {
        let At::Body(part, start) = self.at else { return };
        let body = self.bytes.get(start..end).unwrap_or_default();
        let body = body.strip_suffix(b"\n").unwrap_or(body);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        if let Some(part) = self.parts.get_mut(part) {
            part.body = body;
        }
    }

    fn finish(mut self) -> Result<(Vec<Part<'a>>, Option<Unreadable>), Unreadable> {
        if self.parts.is_empty() {
            let is_mail = !Header::parse(self.bytes).is_empty();
            return Err(if is_mail { Unreadable::CutInHeader } else { Unreadable::NotMail });
        }
        let end = self.bytes.len();
        self.body_ends(end);
        if let Some(open) = self.open.last() {
            self.broken = Some(Unreadable::CutInBody);
            if self.parts.len() == open.part + 1 {
                // Its text stands above the delimiters, which are missing.
                self.at = At::Body(open.part, open.body);
                self.body_ends(end);
            }
        }
        Ok((self.parts, self.broken))
    }
}
