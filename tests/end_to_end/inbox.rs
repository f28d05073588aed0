//! Mailboxes over IMAP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use html5gum::{Token, Tokenizer};

use crate::harness::Mail;

/// The time limit for the arrival of a mail.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(60);

/// A mailbox, read from the oldest mail.
pub struct Inbox {
    port: u16,
    user: &'static str,
    read: usize,
}

impl Inbox {
    pub(crate) const fn new(port: u16, user: &'static str) -> Self {
        Self { port, user, read: 0 }
    }

    /// Returns the mails since the last call.
    pub fn fetch(&mut self) -> Vec<Mail> {
        let mut imap = Imap::connect(self.port);
        imap.say(&format!("LOGIN {} secret", self.user));
        let exists = imap.say("SELECT INBOX").into_iter().find_map(|(line, _)| {
            let count = line.strip_prefix("* ")?.strip_suffix(" EXISTS")?;
            count.parse::<usize>().ok()
        });
        let exists = exists.expect("SELECT returns the number of mails");
        if exists == self.read {
            return Vec::new();
        }
        let fetched = imap.say(&format!("FETCH {}:{exists} BODY.PEEK[]", self.read + 1));
        let mails: Vec<_> = fetched.into_iter().filter_map(|(_, literal)| literal).collect();
        assert_eq!(mails.len(), exists - self.read);
        self.read = exists;
        mails.into_iter().map(Mail::parse).collect()
    }

    /// Waits for exactly this many new mails, and returns them.
    pub fn expect(&mut self, count: usize) -> Vec<Mail> {
        let started = Instant::now();
        let mut mails = self.fetch();
        while mails.len() < count {
            let got = mails.len();
            assert!(started.elapsed() < ARRIVAL_TIMEOUT, "{}: {got} of {count} mails", self.user);
            thread::sleep(Duration::from_millis(40));
            mails.extend(self.fetch());
        }
        let texts = || mails.iter().map(|mail| &*mail.text).collect::<Vec<_>>().join("\n");
        assert_eq!(mails.len(), count, "too much for {}:\n{}", self.user, texts());
        mails
    }
}

/// A connection to an IMAP server.
struct Imap {
    stream: BufReader<TcpStream>,
}

impl Imap {
    fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(ARRIVAL_TIMEOUT)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut imap = Self { stream: BufReader::new(stream) };
        let (greeting, _) = imap.line();
        assert!(greeting.starts_with("* OK"), "{greeting}");
        imap
    }

    /// Sends a command and returns the lines of the response, each with its literal.
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

/// Returns the targets of the `mailto:` links in an HTML text, in order.
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
fn the_html_part_of_a_mail_is_found() {
    let alternative = "Content-Type: multipart/alternative; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain\r\n\r\nd3\r\n\
        --b\r\nContent-Type: text/html\r\n\r\n<p>d3</p>\r\n--b--\r\n";
    let html = |raw: &str| Mail::parse(raw.as_bytes().to_vec()).html();
    assert_eq!(html(alternative).as_deref(), Some("<p>d3</p>"));
    assert_eq!(html("Content-Type: text/plain\r\n\r\nd3\r\n"), None);
}
