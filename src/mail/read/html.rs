//! HTML as text, without what is quoted in it.
//!
//! Mail programs name the elements that they quote in, each in its own way: `element` knows
//! the names. There is no tree. While an element is left out, only those of the same name within
//! it are counted, until its own end: so tags may be nested wrongly and deeply.

mod element;
mod writer;

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use element::{Element, Role};
use writer::Writer;

/// An HTML mail as plain text: what a browser shows of it, a line for each block, without what
/// mail programs mark as quoted or forwarded.
///
/// A line `>` stands where a quote was, for [`fresh`](super::quote::fresh) to read on below: it
/// finds the attribution above, which many programs do not mark. Nothing comes out of what
/// follows the divider of an Outlook or is in a quote that is never closed.
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

/// What was read up to some tag.
#[derive(Debug, Default)]
struct Reader {
    writer: Writer,
    /// The tag that is being read.
    element: Element,
    left_out: Option<LeftOut>,
    /// The element that keeps its white space.
    kept: Option<Open>,
    /// Whether all that follows is quoted.
    ended: bool,
}

/// An element whose end did not come yet.
#[derive(Debug)]
struct Open {
    name: Vec<u8>,
    /// How many elements of its name are open, with itself.
    depth: usize,
}

/// An element that does not come out.
#[derive(Debug)]
struct LeftOut {
    open: Open,
    /// Whether it may hold answers below the first quote in it.
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
        if let Some(left_out) = &mut self.left_out {
            if left_out.answerable && left_out.open.depth == 1 && self.element.is_blockquote() {
                *left_out = LeftOut { open: Open::new(&self.element.name), answerable: false };
                self.writer.quote();
            } else {
                left_out.open.start(&self.element.name);
            }
            return;
        }
        let role = self.element.role();
        match role {
            Role::Rest => self.ended = true,
            Role::Quote | Role::Carrier => self.writer.quote(),
            Role::Silent | Role::Shown => {}
        }
        if self.element.is_void() || role == Role::Shown {
            return self.show();
        }
        let open = Open::new(&self.element.name);
        self.left_out = Some(LeftOut { open, answerable: role == Role::Carrier });
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
        if let Some(left_out) = &mut self.left_out {
            if left_out.open.ends(name) {
                self.left_out = None;
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
        match &mut self.left_out {
            // What is forwarded has a divider above it, and no answers in it.
            Some(left_out) => left_out.answerable &= !text.contains("-----"),
            None if self.kept.is_some() => self.writer.kept(text),
            None => self.writer.text(text),
        }
    }
}

impl Open {
    fn new(name: &[u8]) -> Self {
        Self { name: name.to_owned(), depth: 1 }
    }

    /// Counts a tag within the element. A paragraph holds no other: the next one ends it.
    fn start(&mut self, name: &[u8]) {
        if self.name == name && name != b"p" {
            self.depth += 1;
        }
    }

    /// Counts an end tag, and tells whether it is that of the element.
    fn ends(&mut self, name: &[u8]) -> bool {
        if self.name == name {
            self.depth -= 1;
        }
        self.depth == 0
    }
}

#[cfg(test)]
mod tests;
