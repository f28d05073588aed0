//! The header fields of a message or of one of its parts.

/// The longest header that is read, in bytes. Real ones stay below a tenth of it.
pub(super) const MAX_HEADER_BYTES: usize = 256 * 1024;

/// The longest line of a mail, in bytes (RFC 5322, 2.1.1). Longer ids and dates are ignored.
pub(super) const MAX_LINE_BYTES: usize = 998;

/// The most recipients, and the most references, that are read from one message.
pub const MAX_LISTED: usize = 200;

/// The fields of one header in their order.
#[derive(Debug, Default)]
pub(super) struct Header<'a> {
    fields: Vec<Field<'a>>,
}

/// The name of a field and its raw value, with its folds and without the end of its last line.
type Field<'a> = (&'a str, &'a [u8]);

impl<'a> Header<'a> {
    /// Parses the fields of `block`, the lines before the empty one. Other lines, such as the
    /// `From ` of an mbox, are skipped with the folded lines below them.
    pub(super) fn parse(block: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        let mut start = 0;
        while start < block.len() {
            let mut end = line_end(block, start);
            while matches!(block.get(end), Some(b' ' | b'\t')) {
                end = line_end(block, end);
            }
            fields.extend(block.get(start..end).and_then(field));
            start = end;
        }
        Self { fields }
    }

    /// Writes the fields, a line each.
    pub(super) fn write(&self, text: &mut String) {
        for (name, value) in &self.fields {
            text.push_str(&format!("{name}: {}\n", unfolded(value)));
        }
    }

    /// Returns whether it has no field.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the raw values of all fields of this name.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let named = self.fields.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|&(_, value)| value)
    }

    /// Returns the raw value of the first field of this name.
    pub(super) fn first(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// Returns the value of the first field of this name on one line.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.first(name).map(unfolded)
    }
}

/// Returns the end of the line that begins at `start`, after its line feed.
pub(super) fn line_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| start + at + 1)
}

/// Returns a value on one line: without folds (RFC 5322, 2.2.3) and control characters, trimmed.
pub(super) fn unfolded(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let text: String = text
        .chars()
        .filter(|c| !matches!(c, '\r' | '\n'))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    text.trim().to_owned()
}

fn field(lines: &[u8]) -> Option<Field<'_>> {
    let colon = lines.iter().position(|byte| matches!(byte, b':' | b'\n'))?;
    let (name, value) = (lines.get(..colon)?, lines.get(colon..)?.strip_prefix(b":")?);
    let name = str::from_utf8(name).ok()?.trim_end_matches([' ', '\t']);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
    let value = value.strip_suffix(b"\n").unwrap_or(value);
    let value = value.strip_suffix(b"\r").unwrap_or(value);
    is_name.then_some((name, value))
}
