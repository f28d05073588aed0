//! A fake SMTP server that follows a script.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use outflank::mail::transport::Worker;

use super::transport;

/// The reaction to a connection, a line or a body.
#[derive(Clone, Copy)]
pub enum Reaction {
    Reply(&'static str),
    /// Silence until the client disconnects, for at most a minute. Then the connection is closed.
    Hang,
    /// No reply, but the next line is read.
    Silence,
    /// A byte now and then for a minute, never a whole reply. Then the connection is closed.
    Trickle,
    Close,
    ReplyAndClose(&'static str),
}
use Reaction::{Close, Hang, Reply, ReplyAndClose, Silence, Trickle};

/// A server on the loopback interface that follows a script, one connection after the other.
pub struct FakeServer {
    port: u16,
    /// The bytes that each connection sent.
    received: Arc<Mutex<Vec<String>>>,
}

impl FakeServer {
    /// Starts a server. `script` gets the number of the connection from 0 and the event: `hello` for a
    /// new connection, a line without its end, or `body`.
    pub fn start(mut script: impl FnMut(usize, &str) -> Reaction + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&received);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                log.lock().unwrap().push(String::new());
                let _ = converse(&stream.unwrap(), number, &log, &mut script);
            }
        });
        Self { port, received }
    }

    pub fn accepting() -> Self {
        Self::start(|_, event| accept(event))
    }

    /// Starts a server that accepts everything except the first `times` of one event.
    pub fn failing(at: &'static str, mut times: usize, reaction: Reaction) -> Self {
        Self::start(move |_, event| {
            if times > 0 && event.starts_with(at) {
                times -= 1;
                return reaction;
            }
            accept(event)
        })
    }

    pub const fn port(&self) -> u16 {
        self.port
    }

    pub fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }

    /// Returns a transport to this server that neither encrypts nor logs in.
    pub fn transport(&self) -> Worker {
        self.transport_with("security = 'none'\nhelo = 'test.example'")
    }

    pub fn transport_with(&self, settings: &str) -> Worker {
        let port = self.port;
        transport(&format!("kind = 'smtp'\nhost = '127.0.0.1'\nport = {port}\n{settings}"))
    }
}

fn converse(
    mut stream: &TcpStream,
    number: usize,
    log: &Mutex<Vec<String>>,
    script: &mut impl FnMut(usize, &str) -> Reaction,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut event = String::from("hello");
    loop {
        let in_body = match script(number, &event) {
            Reply(text) => {
                stream.write_all(format!("{text}\r\n").as_bytes())?;
                event == "DATA" && text.contains("354")
            }
            Silence => false,
            Hang => {
                stream.set_read_timeout(Some(Duration::from_mins(1)))?;
                return reader.read_to_end(&mut Vec::new()).map(drop);
            }
            Trickle => {
                for _ in 0..3000 {
                    stream.write_all(b"2")?;
                    thread::sleep(Duration::from_millis(20));
                }
                return Ok(());
            }
            Close => return Ok(()),
            ReplyAndClose(text) => return stream.write_all(format!("{text}\r\n").as_bytes()),
        };
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            log.lock().unwrap()[number].push_str(&line);
            if !in_body || line == ".\r\n" {
                event = if in_body { "body" } else { line.trim_end() }.into();
                break;
            }
        }
    }
}

/// Returns the reaction of a server that accepts everything, and several commands at once.
pub fn accept_pipelined(event: &str) -> Reaction {
    match event.split(' ').next() {
        Some("EHLO") => Reply("250-fake\r\n250-pipelining\r\n250 SIZE 1000"),
        _ => accept(event),
    }
}

/// Returns the reaction of a server that accepts everything.
pub fn accept(event: &str) -> Reaction {
    Reply(match event.split(' ').next().unwrap() {
        "hello" => "220 fake",
        "EHLO" => "250-fake\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1000",
        "AUTH" => "235 welcome",
        "DATA" => "354 go on",
        "QUIT" => "221 bye",
        _ => "250 ok",
    })
}
