//! A mail server on the loopback interface, which accepts mail as its mood and the seed of the step say.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use mail_parser::MessageParser;

use super::pages;
use super::shown::Shown;
use super::step::Mood;

/// A mail that the server has accepted.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// Its return path.
    pub from: String,
    pub to: String,
    /// Its Message-ID.
    pub id: String,
    /// The mail with its header, with line feeds only.
    pub text: String,
    /// Whether the sender may send it again: it does not know for sure that the mail was accepted.
    pub may_come_again: bool,
    /// How it may differ then.
    pub may_differ: Difference,
    /// What it has shown, if the outbox had it when it was accepted.
    pub shown: Option<Shown>,
    /// Its text, decoded when it is asked for first.
    pub decoded: OnceLock<String>,
}

/// How a mail that comes again may differ from what was accepted before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    Nothing,
    /// The address and the tokens: the host or a player has changed them since.
    Tokens,
    /// Everything but its Message-ID: its first try was lost with a power cut or a restore.
    All,
}

impl Accepted {
    /// Returns the first field with this name, unfolded.
    pub fn field(&self, name: &str) -> Option<String> {
        field(&self.text, name)
    }

    /// Returns its text, decoded.
    pub fn words(&self) -> &str {
        self.decoded.get_or_init(|| {
            let parsed = MessageParser::default().parse(&self.text);
            let text = parsed.and_then(|mail| mail.body_text(0).map(|text| text.into_owned()));
            text.unwrap_or_default()
        })
    }

    /// Returns the paths of the links in it to the site.
    pub fn links(&self) -> Vec<String> {
        let paths = self.words().split(pages::SITE).skip(1);
        let end = |rest: &str| rest.find(|it: char| it.is_whitespace() || matches!(it, '>' | ')'));
        paths.map(|rest| rest[..end(rest).unwrap_or(rest.len())].to_owned()).collect()
    }

    /// Returns the path of the link that its "unsubscribe" button opens.
    pub fn unsubscribes_at(&self) -> Option<String> {
        let links = self.field("List-Unsubscribe")?;
        let (_, path) = links.split_once(&format!("<{}", pages::SITE))?;
        Some(path.split('>').next()?.to_owned())
    }

    /// Returns the mail without the lines that have its address or a token.
    pub fn without_tokens(&self) -> Vec<&str> {
        let is_other = |line: &&str| line.contains("@") || line.contains("http");
        self.text.lines().filter(|line| !is_other(line)).collect()
    }
}

/// Returns the first field with this name in a mail, unfolded.
fn field(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines().take_while(|line| !line.is_empty());
    let first = lines.find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })?;
    let folded = lines.take_while(|line| line.starts_with([' ', '\t'])).map(str::trim);
    Some(std::iter::once(first).chain(folded.map(str::to_owned)).collect::<Vec<_>>().join(" "))
}

/// What the server does with a mail.
enum Fate {
    Accept,
    /// The mail is accepted, but the connection breaks off before the server says so.
    AcceptSilently,
    Defer,
    Refuse,
}

/// Whether the server serves a client.
enum Greeting {
    Fine,
    /// It breaks off at the first mail, without an error that has its port.
    BreaksOff,
    RefusesSender,
}

#[derive(Default)]
pub struct State {
    pub mood: Mood,
    rng: fastrand::Rng,
    /// Chance for each recipient, so that mail to one does not change what happens to mail to others.
    of_recipients: BTreeMap<String, fastrand::Rng>,
    pub accepted: Vec<Accepted>,
    /// The time of the step, in seconds.
    pub now: i64,
    /// Since when every try has failed because the server could not be reached or refused the sender.
    pub down_since: Option<i64>,
    /// How many mails were deferred, refused, or accepted without an answer.
    pub faults: usize,
    /// Is called when a mail was accepted and the sender does not know it yet, with the number of accepted
    /// mails.
    pub on_accept: Option<Box<dyn FnMut(usize) + Send>>,
    is_stopped: bool,
}

impl State {
    /// Begins a step with this seed.
    pub fn begin_step(&mut self, seed: u64) {
        self.rng = fastrand::Rng::with_seed(seed);
        self.of_recipients.clear();
    }

    fn greeting(&mut self) -> Greeting {
        let greeting = match (self.mood, self.rng.u8(..3)) {
            (Mood::Down, 0) => Greeting::BreaksOff,
            (Mood::Down, 1) => Greeting::RefusesSender,
            _ => return Greeting::Fine,
        };
        self.faults += 1;
        self.down_since = self.down_since.or(Some(self.now));
        greeting
    }

    fn fate(&mut self, to: &str) -> Fate {
        let salt = to
            .bytes()
            .fold(self.rng.get_seed(), |salt, byte| salt.rotate_left(5) ^ u64::from(byte));
        let rng = self.of_recipients.entry(to.to_owned());
        let rng = rng.or_insert_with(|| fastrand::Rng::with_seed(salt));
        match (self.mood, rng.u8(..100)) {
            (Mood::Down, _) | (Mood::Flaky, 0..20) => Fate::Defer,
            (Mood::Flaky, 20..32) => Fate::AcceptSilently,
            (Mood::Flaky, 32) => Fate::Refuse,
            _ => Fate::Accept,
        }
    }
}

pub struct MailServer {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

impl MailServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let serve = move || {
            for stream in listener.incoming() {
                if lock(&shared).is_stopped {
                    return;
                }
                // Another process can send mail while the server takes one.
                let state = Arc::clone(&shared);
                thread::spawn(move || {
                    // A connection that breaks off ends here.
                    let _ = stream.and_then(|stream| serve(&stream, &state));
                });
            }
        };
        Self { address, state, thread: Some(thread::spawn(serve)) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.state().is_stopped = true;
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves a connection until its end.
fn serve(stream: &TcpStream, shared: &Mutex<State>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut lines, mut out) = (BufReader::new(stream), stream);
    let mut say = |line: &str| out.write_all(format!("{line}\r\n").as_bytes());
    let (mut from, mut to, mut fate) = (String::new(), String::new(), Fate::Accept);
    let greeting = lock(shared).greeting();
    say("220 mail.example")?;
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let word = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "EHLO" => say("250-mail.example\r\n250 8BITMIME")?,
            "MAIL" if matches!(greeting, Greeting::BreaksOff) => {
                return stream.shutdown(Shutdown::Both);
            }
            "MAIL" if matches!(greeting, Greeting::RefusesSender) => {
                say("550 5.7.1 you may not send")?;
            }
            "MAIL" => {
                from = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                say("250 2.1.0 fine")?;
            }
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                let mut state = lock(shared);
                fate = state.fate(&to);
                state.faults += usize::from(!matches!(fate, Fate::Accept));
                match fate {
                    Fate::Defer => say("451 4.3.0 try again later")?,
                    Fate::Refuse => say("550 5.1.1 no such mailbox")?,
                    Fate::Accept | Fate::AcceptSilently => say("250 2.1.5 fine")?,
                }
            }
            "DATA" => {
                say("354 go on")?;
                let text = read_data(&mut lines)?;
                let may_come_again = matches!(fate, Fate::AcceptSilently);
                let mut state = lock(shared);
                let (from, to) = (from.clone(), to.clone());
                let id = field(&text, "Message-ID").unwrap_or_default();
                let id = id.trim_matches(['<', '>']).to_owned();
                let may_differ = Difference::Nothing;
                state.down_since = state.down_since.filter(|_| may_come_again);
                let (shown, decoded) = (None, OnceLock::new());
                let mail =
                    Accepted { from, to, id, text, may_come_again, may_differ, shown, decoded };
                state.accepted.push(mail);
                let number = state.accepted.len();
                let on_accept = state.on_accept.take();
                drop(state);
                if let Some(mut on_accept) = on_accept {
                    on_accept(number);
                    lock(shared).on_accept = Some(on_accept);
                }
                if may_come_again {
                    return stream.shutdown(Shutdown::Both);
                }
                say("250 2.0.0 accepted")?;
            }
            "QUIT" => return say("221 2.0.0 bye"),
            _ => say("250 2.0.0 fine")?,
        }
    }
}

fn read_data(lines: &mut impl BufRead) -> io::Result<String> {
    let (mut text, mut line) = (String::new(), Vec::new());
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line == "." {
            return Ok(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(line));
        text.push('\n');
    }
}
