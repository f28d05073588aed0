//! Text as a browser lays it out, without boxes and colours.

use super::element::is_one_of;
use crate::mail::read::invisible::is_invisible;

/// Text under construction.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    /// Whether the next word needs a space before it, unless it begins the line.
    space: bool,
}

impl Writer {
    /// Writes text with collapsed white space.
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

    /// Writes text with its own white space.
    pub(super) fn kept(&mut self, text: &str) {
        self.space = false;
        self.text.extend(text.chars().filter(|&c| c != '\r' && !is_invisible(c)));
    }

    /// Writes this line in place of an omitted quote or attribution.
    pub(super) fn line(&mut self, line: &str) {
        self.end_line();
        self.text.push_str(line);
        self.break_line();
    }

    /// Applies a start tag to the layout.
    pub(super) fn start(&mut self, name: &[u8]) {
        match name {
            b"br" => self.break_line(),
            b"td" | b"th" => self.space = true,
            _ if is_one_of(name, BLOCKS) => self.end_line(),
            _ => {}
        }
    }

    /// Applies an end tag to the layout.
    pub(super) fn end(&mut self, name: &[u8]) {
        if is_one_of(name, BLOCKS) {
            self.end_line();
        }
    }

    /// Returns the finished text.
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

/// Returns whether the element with this name, in small letters, stands on lines of its own.
pub fn is_block(name: &str) -> bool {
    is_one_of(name.as_bytes(), BLOCKS)
}

/// Elements that stand on lines of their own.
const BLOCKS: &str = "\
    address article aside blockquote body caption center dd details dir div dl dt fieldset \
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav \
    ol p pre section summary table tbody tfoot thead tr ul";
