//! Messages to the server, and the result of `receive` for them.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{ALICE, Run, Running, SERVER, TestEnvironment, run_with_input, tokens_in};

/// A message to the server.
#[derive(Debug, Clone)]
pub struct InboundMessage {
    fields: Vec<(String, String)>,
    text: String,
    /// The envelope.
    pub recipient: String,
    sender: String,
}

impl InboundMessage {
    /// Returns a message to the server's address, with a new Message-ID.
    pub fn new(from: &str, text: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (fields, text) = (Vec::new(), text.to_owned());
        Self { fields, text, recipient: String::new(), sender: String::new() }
            .from(from)
            .to(SERVER)
            .id(&format!("{number}@mailer.example"))
            .with("Date", "Sat, 21 Nov 2026 10:00:00 +0000")
            .with("MIME-Version", "1.0")
            .with("Content-Type", "text/plain; charset=utf-8")
            .with("Content-Transfer-Encoding", "8bit")
    }

    /// Changes the author, in the header and in the envelope.
    pub fn from(self, from: &str) -> Self {
        Self { sender: from.to_owned(), ..self }.with("From", from)
    }

    /// Changes the recipient, in the header and in the envelope.
    pub fn to(self, to: &str) -> Self {
        Self { recipient: to.to_owned(), ..self }.with("To", to)
    }

    pub fn id(self, id: &str) -> Self {
        self.with("Message-ID", &format!("<{id}>"))
    }

    pub fn subject(self, subject: &str) -> Self {
        self.with("Subject", subject)
    }

    /// Adds a field in place of those with its name.
    pub fn with(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a field below those with its name.
    pub fn and(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Changes the envelope sender.
    pub fn sent_by(self, sender: &str) -> Self {
        Self { sender: sender.to_owned(), ..self }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let field = |(name, value): &(String, String)| format!("{name}: {value}\r\n");
        let header: String = self.fields.iter().map(field).collect();
        format!("{header}\r\n{}\r\n", self.text.replace('\n', "\r\n")).into_bytes()
    }

    /// Returns the envelope as a mail server gives it: recipient, sender and extension.
    fn envelope(&self) -> [&str; 3] {
        let extension = self.recipient.split('@').next().unwrap().split_once('+');
        [&self.recipient, &self.sender, extension.map_or("", |(_, extension)| extension)]
    }
}

impl TestEnvironment {
    /// Returns the command of a mail server for this message, with options before the envelope.
    pub fn receive_command(&self, message: &InboundMessage, options: &[&str]) -> Command {
        let words = [&["receive"], options, &message.envelope()].concat();
        self.command_of(&words)
    }

    /// Pipes a message to `receive` as a mail server does.
    pub fn hand_in(&self, message: &InboundMessage) -> Run {
        run_with_input(self.receive_command(message, &[]), &message.bytes())
    }

    /// Receives a message, and returns its disposition.
    #[track_caller]
    pub fn receive(&self, message: &InboundMessage) -> String {
        self.receive_with(&message.envelope(), message)
    }

    /// Receives a message with only this part of its envelope.
    #[track_caller]
    pub fn receive_with(&self, envelope: &[&str], message: &InboundMessage) -> String {
        disposition(self.start_receiving(envelope, message))
    }

    /// Receives messages at the same moment.
    pub fn receive_at_once(&self, messages: &[InboundMessage]) -> Vec<String> {
        let start = |message: &InboundMessage| self.start_receiving(&message.envelope(), message);
        let all: Vec<_> = messages.iter().map(start).collect();
        all.into_iter().map(disposition).collect()
    }

    fn start_receiving(&self, envelope: &[&str], message: &InboundMessage) -> Running {
        self.check_tokens_at_the_end();
        let words = [&["--json", "receive"], envelope].concat();
        Running::start_with_input(self.command_of(&words), &message.bytes())
    }

    /// Pipes bytes into `receive`, which must succeed without output.
    #[track_caller]
    pub fn pipe(&self, bytes: &[u8]) {
        run_with_input(self.command_of(&["receive", SERVER, ALICE, ""]), bytes).silent(0);
    }

    /// Returns the number of messages that `inbox` lists for each disposition.
    pub fn dispositions(&self) -> BTreeMap<String, u64> {
        let inbox = self.json("inbox");
        let rows = inbox["mails"].as_array().unwrap().iter();
        rows.map(|row| {
            (row["disposition"].as_str().unwrap().to_owned(), row["mails"].as_u64().unwrap())
        })
        .collect()
    }
}

#[track_caller]
fn disposition(receiving: Running) -> String {
    let outcome = receiving.finish().json();
    assert_eq!(tokens_in(&outcome.to_string()), []);
    outcome["disposition"].as_str().unwrap().to_owned()
}
