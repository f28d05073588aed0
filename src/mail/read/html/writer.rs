//! Text as a browser lays it out, without boxes and colours.

use super::super::is_invisible;

/// Lines of text that grow.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    /// Whether white space stands before the next word, if there is one on the line.
    space: bool,
}

impl Writer {
    /// Writes text whose white space is only there to part words.
    pub(super) fn text(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() {
                self.space = true;
            } else if !is_invisible(c) {
                if self.space && !self.at_line_start() {
                    self.text.push(' ');
                }
                self.space = false;
                self.text.push(c);
            }
        }
    }

    /// Writes text that was laid out already.
    pub(super) fn kept(&mut self, text: &str) {
        self.space = false;
        self.text.extend(text.chars().filter(|&c| c != '\r' && !is_invisible(c)));
    }

    /// Marks a quote that was left out.
    pub(super) fn quote(&mut self) {
        self.end_line();
        self.text.push_str(">\n");
    }

    /// Does what a start tag does to the text.
    pub(super) fn start(&mut self, name: &[u8]) {
        match name {
            b"br" => self.break_line(),
            b"td" | b"th" => self.space = true,
            _ if is_block(name) => self.end_line(),
            _ => {}
        }
    }

    /// Does what an end tag does to the text.
    pub(super) fn end(&mut self, name: &[u8]) {
        if is_block(name) {
            self.end_line();
        }
    }

    /// What was written.
    pub(super) fn finish(mut self) -> String {
        self.end_line();
        self.text
    }

    fn at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    fn end_line(&mut self) {
        if !self.at_line_start() {
            self.break_line();
        }
        self.space = false;
    }

    fn break_line(&mut self) {
        self.text.push('\n');
        self.space = false;
    }
}

/// Whether an element of this name stands on lines of its own.
fn is_block(name: &[u8]) -> bool {
    matches!(
        name,
        b"address"
            | b"article"
            | b"aside"
            | b"blockquote"
            | b"body"
            | b"caption"
            | b"center"
            | b"dd"
            | b"details"
            | b"dir"
            | b"div"
            | b"dl"
            | b"dt"
            | b"fieldset"
            | b"figcaption"
            | b"figure"
            | b"footer"
            | b"form"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"head"
            | b"header"
            | b"hr"
            | b"html"
            | b"legend"
            | b"li"
            | b"main"
            | b"menu"
            | b"nav"
            | b"ol"
            | b"p"
            | b"pre"
            | b"section"
            | b"summary"
            | b"table"
            | b"tbody"
            | b"tfoot"
            | b"thead"
            | b"tr"
            | b"ul"
    )
}
