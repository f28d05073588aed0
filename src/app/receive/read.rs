//! Reads and parses a mail that came in, and finds the reply tokens in it.

use std::io::Read;
use std::panic;

use crate::app::Error;
use crate::app::receive::inbound::{Envelope, Unprocessable};
use crate::app::receive::tokens::FoundTokens;
use crate::mail::read::{InboundMessage, MAX_BYTES, Unreadable};

/// The most bytes of a mail that are held in memory: one more than can be parsed.
const MAX_BYTES_IN_MEMORY: u64 = MAX_BYTES as u64 + 1;

/// Parses a message.
pub(crate) type Parser = fn(&[u8]) -> Result<InboundMessage, Unreadable>;

/// A mail that came in.
pub(crate) struct Incoming<'a> {
    pub bytes: Vec<u8>,
    /// The part of the mail after `bytes`.
    pub rest: Box<dyn Read + 'a>,
    pub mail: Result<ParsedMail<'a>, Unprocessable>,
}

/// A mail that was parsed.
pub(crate) struct ParsedMail<'a> {
    pub envelope: &'a Envelope,
    pub message: InboundMessage,
    pub tokens: FoundTokens,
}

impl<'a> Incoming<'a> {
    /// Reads and parses a mail.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read(
        envelope: &'a Envelope,
        input: impl Read + 'a,
        parse: Parser,
    ) -> Result<Self, Error> {
        let (mut input, mut bytes) = (input, Vec::new());
        (&mut input)
            .take(MAX_BYTES_IN_MEMORY)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::fault(format!("cannot read the mail: {error}")))?;
        let parse = || {
            let message = parse(&bytes).map_err(Unprocessable::Unreadable)?;
            let tokens = FoundTokens::find(envelope, &message);
            Ok(ParsedMail { envelope, message, tokens })
        };
        // A mail that makes the program panic would do so again: it must not come back.
        let mail = panic::catch_unwind(parse).unwrap_or(Err(Unprocessable::Panicked));
        Ok(Self { rest: Box::new(input), bytes, mail })
    }
}

impl ParsedMail<'_> {
    /// Returns the address of its author; empty when there is none, as in mail from machines.
    pub(crate) fn author(&self) -> &str {
        self.message.from.as_deref().unwrap_or_default()
    }

    /// Returns its whole text, with quotes.
    pub(crate) fn text(&self) -> &str {
        self.message.body.whole()
    }
}
