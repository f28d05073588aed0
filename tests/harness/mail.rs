//! Sent mails, and replies to them.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

use mail_parser::{Message, MessageParser, PartType};

use super::InboundMessage;
use crate::mails::wrapped::check_html;

/// The text of the HTML parts checked so far.
static SEEN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

/// A mail as its recipient gets it.
#[derive(Debug, Clone)]
pub struct Mail {
    /// The address in the To field.
    pub to: String,
    /// The text, with LF line ends.
    pub text: String,
    pub raw: String,
    pub message: Message<'static>,
}

impl Mail {
    pub fn parse(raw: Vec<u8>) -> Self {
        let message = MessageParser::new().parse(&raw).expect("a message").into_owned();
        let to = message.to().and_then(|to| to.first()).and_then(|to| to.address());
        let mail = Self {
            to: to.unwrap_or_default().to_owned(),
            text: message.body_text(0).unwrap_or_default().replace("\r\n", "\n"),
            raw: String::from_utf8_lossy(&raw).into_owned(),
            message,
        };
        if let Some(html) = mail.html().filter(|html| html.contains("class=\"outflank\"")) {
            check_html(&mut SEEN.lock().unwrap_or_else(PoisonError::into_inner), &html);
        }
        mail
    }

    /// Returns the text, which must contain the line for replies.
    #[track_caller]
    pub fn body(&self) -> &str {
        let marker = format!("\n\n{}\n", outflank::mail::read::quote::MARKER);
        assert!(self.text.contains(&marker), "{}", self.text);
        &self.text
    }

    /// Returns the HTML with LF line ends.
    pub fn html(&self) -> Option<String> {
        self.message.parts.iter().find_map(|part| match &part.body {
            PartType::Html(html) => Some(html.replace("\r\n", "\n")),
            _ => None,
        })
    }

    /// Returns a header field as written, on one line. It must occur once.
    #[track_caller]
    pub fn header(&self, name: &str) -> String {
        let mut values =
            self.message.headers_raw().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let (_, value) = values.next().unwrap_or_else(|| panic!("no {name}:\n{}", self.raw));
        assert_eq!(values.next(), None, "{name} twice");
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the Message-ID with its angle brackets.
    #[track_caller]
    pub fn id(&self) -> String {
        self.header("Message-ID")
    }

    /// Returns the address in Reply-To.
    #[track_caller]
    pub fn reply_to(&self) -> String {
        let addresses = self.message.reply_to().expect("a Reply-To");
        addresses.first().and_then(|first| first.address()).expect("an address").to_owned()
    }

    /// Returns the envelope sender, as the transport recorded it.
    #[track_caller]
    pub fn return_path(&self) -> String {
        self.header("Return-Path").trim_matches(['<', '>']).to_owned()
    }

    /// Returns the token in Reply-To.
    #[track_caller]
    pub fn token(&self) -> String {
        let address = self.reply_to();
        let (local, _) = address.split_once('@').unwrap();
        local.split_once('+').expect("a token").1.to_owned()
    }

    /// Returns the reader's reply, without a quote of this mail.
    #[track_caller]
    pub fn reply(&self, text: &str) -> InboundMessage {
        let id = self.id();
        let thread = match self.message.header_raw("References") {
            Some(_) => format!("{} {id}", self.header("References")),
            None => id.clone(),
        };
        InboundMessage::new(&self.to, text)
            .to(&self.reply_to())
            .with("In-Reply-To", &id)
            .with("References", &thread)
            .subject(&format!("Re: {}", self.header("Subject")))
    }

    /// Returns its text with `> ` before each line.
    pub fn quoted(&self) -> String {
        self.text.trim_end().lines().map(|line| format!("> {line}\n")).collect()
    }

    /// Checks that its text contains these words, in whatever line breaks.
    #[track_caller]
    pub fn says(&self, words: &str) -> &Self {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(&self.text).contains(&flat(words)), "no `{words}` in:\n{}", self.text);
        self
    }
}

/// Returns the texts of the buttons of a mail.
pub fn buttons(mail: &Mail) -> Vec<String> {
    let html = with_marks(&mail.html().unwrap());
    let buttons = html.split("class=\"button\"").skip(1);
    buttons.map(|it| it.split(['>', '<']).nth(1).unwrap().to_owned()).collect()
}

/// Returns HTML with the marks of commands as characters.
pub fn with_marks(html: &str) -> String {
    html.replace("&#8249;", "‹").replace("&#8250;", "›")
}

/// Decodes percent-encoded text. A `+` is a plus.
pub fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).expect("two digits behind a %");
        bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal digits"));
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).expect("UTF-8")
}
