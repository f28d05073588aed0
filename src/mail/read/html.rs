//! HTML as text, without quotes.
//!
//! Each mail program marks its quotes with its own elements and classes; `element` lists them. No
//! tree is built, because tags may be nested wrongly and deeply. Within an omitted element, only
//! elements of the same name are counted, to find its end.

mod element;
mod writer;

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use element::{Element, Role};
use writer::Writer;
pub use writer::is_block;

/// Converts an HTML mail to plain text: the text that a browser shows, a line for each block,
/// without the parts that mail programs mark as quoted or forwarded.
///
/// Each quote becomes a line `>`, so that [`fresh`](super::quote::fresh) removes the attribution
/// above it, which many programs do not mark, and reads on below it. A marked attribution becomes a
/// line `> wrote:`. Text below an Outlook divider
/// or in an unclosed quote is omitted.
pub fn text(html: &str) -> String {
    let mut reader = Reader::default();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        reader.take(event);
        None::<Infallible>
    });
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    reader.writer.finish()
}

/// The line in place of an omitted quote.
const QUOTE: &str = ">";

/// The state of the conversion.
#[derive(Debug, Default)]
struct Reader {
    writer: Writer,
    /// The current tag.
    element: Element,
    omitted: Option<Omitted>,
    /// The element that preserves its white space.
    kept: Option<Open>,
    /// Whether the rest is quoted.
    ended: bool,
}

/// An element that is not closed yet.
#[derive(Debug)]
struct Open {
    name: Vec<u8>,
    /// The number of open elements of this name within it, itself included.
    depth: usize,
}

/// An element that is left out of the text.
#[derive(Debug)]
struct Omitted {
    open: Open,
    /// Whether it may contain replies below its first quote.
    answerable: bool,
}

impl Reader {
    fn take(&mut self, event: CallbackEvent<'_>) {
        if self.ended {
            return;
        }
        match event {
            CallbackEvent::OpenStartTag { name } => self.element = Element::new(name),
            CallbackEvent::AttributeName { name } => self.element.attribute(name),
            CallbackEvent::AttributeValue { value } => self.element.value(value),
            CallbackEvent::CloseStartTag { .. } => self.start(),
            CallbackEvent::EndTag { name } => self.end(name),
            CallbackEvent::String { value } => self.string(&String::from_utf8_lossy(value)),
            _ => {}
        }
    }

    fn start(&mut self) {
        if let Some(omitted) = &mut self.omitted {
            if omitted.answerable && omitted.open.depth == 1 && self.element.is_blockquote() {
                *omitted = Omitted { open: Open::new(&self.element.name), answerable: false };
                self.writer.line(QUOTE);
            } else {
                omitted.open.start(&self.element.name);
            }
            return;
        }
        let role = self.element.role();
        match role {
            Role::Rest => self.ended = true,
            Role::Quote => self.writer.line(QUOTE),
            Role::Attribution | Role::Carrier => self.writer.line("> wrote:"),
            Role::Silent | Role::Shown => {}
        }
        if self.element.is_void() || role == Role::Shown {
            return self.show();
        }
        let open = Open::new(&self.element.name);
        self.omitted = Some(Omitted { open, answerable: role == Role::Carrier });
    }

    fn show(&mut self) {
        self.writer.start(&self.element.name);
        match &mut self.kept {
            Some(kept) => kept.start(&self.element.name),
            None if self.element.keeps_space() => self.kept = Some(Open::new(&self.element.name)),
            None => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some(omitted) = &mut self.omitted {
            if omitted.open.ends(name) {
                self.omitted = None;
                self.writer.end(name);
            }
            return;
        }
        self.writer.end(name);
        if self.kept.as_mut().is_some_and(|kept| kept.ends(name)) {
            self.kept = None;
        }
    }

    fn string(&mut self, text: &str) {
        match &mut self.omitted {
            // A forwarded mail has a divider above it and no replies in it.
            Some(omitted) => omitted.answerable &= !text.contains("-----"),
            None if self.kept.is_some() => self.writer.kept(text),
            None => self.writer.text(text),
        }
    }
}

impl Open {
    fn new(name: &[u8]) -> Self {
        Self { name: name.to_owned(), depth: 1 }
    }

    /// Counts a start tag within the element. The start of a paragraph ends the one before.
    fn start(&mut self, name: &[u8]) {
        if self.name == name && name != b"p" {
            self.depth += 1;
        }
    }

    /// Counts an end tag and returns whether it closes the element.
    fn ends(&mut self, name: &[u8]) -> bool {
        if self.name == name {
            self.depth -= 1;
        }
        self.depth == 0
    }
}
