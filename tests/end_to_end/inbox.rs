//! What arrived: mailboxes over IMAP, and the letters in them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use html5gum::{Token, Tokenizer};
use mail_parser::{Message, MessageParser, PartType};

/// How long a mail may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(60);

/// A mailbox, read from the oldest letter on.
pub struct Inbox {
    port: u16,
    user: &'static str,
    read: usize,
}

impl Inbox {
    pub(crate) const fn new(port: u16, user: &'static str) -> Self {
        Self { port, user, read: 0 }
    }

    /// The letters that have come since the last call.
    pub fn fetch(&mut self) -> Vec<Letter> {
        let mut imap = Imap::connect(self.port);
        imap.say(&format!("LOGIN {} secret", self.user));
        let exists = imap.say("SELECT INBOX").into_iter().find_map(|(line, _)| {
            let count = line.strip_prefix("* ")?.strip_suffix(" EXISTS")?;
            count.parse::<usize>().ok()
        });
        let exists = exists.expect("SELECT tells how many there are");
        if exists == self.read {
            return Vec::new();
        }
        let fetched = imap.say(&format!("FETCH {}:{exists} BODY.PEEK[]", self.read + 1));
        let letters: Vec<_> = fetched.into_iter().filter_map(|(_, literal)| literal).collect();
        assert_eq!(letters.len(), exists - self.read);
        self.read = exists;
        letters.into_iter().map(Letter::new).collect()
    }

    /// Waits for this many new letters, and takes them: no fewer, no more.
    pub fn expect(&mut self, count: usize) -> Vec<Letter> {
        let started = Instant::now();
        let mut letters = self.fetch();
        while letters.len() < count {
            let got = letters.len();
            assert!(started.elapsed() < ARRIVAL, "{}: {got} of {count} letters", self.user);
            thread::sleep(Duration::from_millis(40));
            letters.extend(self.fetch());
        }
        let texts = || letters.iter().map(Letter::text).collect::<Vec<_>>().join("\n");
        assert_eq!(letters.len(), count, "too much for {}:\n{}", self.user, texts());
        letters
    }
}

/// A connection to an IMAP server, as far as it takes to read a mailbox.
struct Imap {
    stream: BufReader<TcpStream>,
}

impl Imap {
    fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(ARRIVAL)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut imap = Self { stream: BufReader::new(stream) };
        let (greeting, _) = imap.line();
        assert!(greeting.starts_with("* OK"), "{greeting}");
        imap
    }

    /// Gives a command and returns the lines that answer it, each with the literal in it.
    fn say(&mut self, command: &str) -> Vec<(String, Option<Vec<u8>>)> {
        self.stream.get_mut().write_all(format!("a {command}\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        loop {
            let (line, literal) = self.line();
            if let Some(end) = line.strip_prefix("a ") {
                assert!(end.starts_with("OK"), "{command}: {end}");
                return answer;
            }
            answer.push((line, literal));
        }
    }

    fn line(&mut self) -> (String, Option<Vec<u8>>) {
        let mut line = String::new();
        assert!(self.stream.read_line(&mut line).unwrap() > 0, "the IMAP server hung up");
        let line = line.trim_end().to_owned();
        let length = line.strip_suffix('}').and_then(|line| line.rsplit_once('{')?.1.parse().ok());
        let literal = length.map(|length| {
            let mut bytes = vec![0; length];
            self.stream.read_exact(&mut bytes).unwrap();
            bytes
        });
        (line, literal)
    }
}

/// A mail as it came.
pub struct Letter {
    pub raw: Vec<u8>,
    pub message: Message<'static>,
}

impl Letter {
    pub fn new(raw: Vec<u8>) -> Self {
        let message = MessageParser::default().parse(&raw).expect("a message").into_owned();
        Self { raw, message }
    }

    /// The value of a header that must be there once.
    pub fn header(&self, name: &str) -> String {
        let mut values =
            self.message.headers_raw().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = values.next().unwrap_or_else(|| panic!("no {name}")).1.trim().to_owned();
        assert_eq!(values.next(), None, "{name} twice");
        value
    }

    pub fn message_id(&self) -> String {
        self.header("Message-ID")
    }

    /// What the text says below the line that an answer stands above.
    pub fn told(&self) -> String {
        let text = self.text();
        let (marker, told) = text.split_once("\n\n").expect("a marker");
        assert_eq!(marker, outflank::mail::read::quote::MARKER);
        told.to_owned()
    }

    /// The text, with LF line ends.
    pub fn text(&self) -> String {
        self.message.body_text(0).expect("a text").replace("\r\n", "\n")
    }

    /// The HTML, if it has any.
    pub fn html(&self) -> Option<String> {
        self.message.parts.iter().find_map(|part| match &part.body {
            PartType::Html(html) => Some(html.replace("\r\n", "\n")),
            _ => None,
        })
    }
}

/// The `mailto:` URIs that this HTML links to, in its order.
pub fn mailtos(html: &str) -> Vec<String> {
    let href = |token| match token {
        Ok(Token::StartTag(mut tag)) if *tag.name == *b"a" => {
            let href = tag.attributes.remove(b"href".as_slice())?;
            Some(String::from_utf8_lossy(&href).into_owned())
        }
        _ => None,
    };
    let hrefs = Tokenizer::new(html).filter_map(href);
    hrefs.filter(|href| href.to_ascii_lowercase().starts_with("mailto:")).collect()
}

#[test]
fn the_mailto_uris_of_html_are_found() {
    let html = "<p>mailto:no@local.test <a href='https://local.test/?mailto:'>x</a>\
        <a class=move href=\"mailto:a%2Bb@local.test?subject=1&amp;body=d3%0D%0A\">d3</a>\
        <!-- <a href=mailto:no@local.test> --><A HREF=MAILTO:c@local.test>pass</A>";
    let found = ["mailto:a%2Bb@local.test?subject=1&body=d3%0D%0A", "MAILTO:c@local.test"];
    assert_eq!(mailtos(html), found);
}

#[test]
fn html_is_what_was_sent_as_html() {
    let alternative = "Content-Type: multipart/alternative; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain\r\n\r\nd3\r\n\
        --b\r\nContent-Type: text/html\r\n\r\n<p>d3</p>\r\n--b--\r\n";
    let html = |raw: &str| Letter::new(raw.as_bytes().to_vec()).html();
    assert_eq!(html(alternative).as_deref(), Some("<p>d3</p>"));
    assert_eq!(html("Content-Type: text/plain\r\n\r\nd3\r\n"), None);
}
