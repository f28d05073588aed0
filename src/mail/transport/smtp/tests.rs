//! Against a server that follows a script.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;

use super::connection::stuffed;
use super::*;

/// What the fake server does when it has been connected to, or sent a line or a body.
enum Answer {
    Say(&'static str),
    /// Nothing more, until the client goes.
    Hang,
    /// A byte now and then, never a whole answer.
    Trickle,
    Close,
    /// An answer, then the end of the connection.
    SayAndClose(&'static str),
}
use Answer::{Close, Hang, Say, SayAndClose, Trickle};

/// A server on the loopback that answers as `script` says, one connection after the other.
struct Fake {
    port: u16,
    /// What each connection sent, byte for byte.
    heard: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// `script` is given the number of the connection from 0 and what arrived: `hello` for
    /// the connection itself, a line without its end, or `body`.
    fn start(mut script: impl FnMut(usize, &str) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&heard);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                log.lock().unwrap().push(String::new());
                let _ = converse(&stream.unwrap(), number, &log, &mut script);
            }
        });
        Self { port, heard }
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    fn settings(&self, more: &str) -> toml::Table {
        let port = self.port;
        format!("host = '127.0.0.1'\nport = {port}\nhelo = 'test.example'\n{more}").parse().unwrap()
    }

    fn transport(&self) -> Box<dyn Transport> {
        open(self.settings("security = 'none'")).unwrap()
    }
}

fn converse(
    mut stream: &TcpStream,
    number: usize,
    log: &Mutex<Vec<String>>,
    script: &mut impl FnMut(usize, &str) -> Answer,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut event = String::from("hello");
    loop {
        let in_body = match script(number, &event) {
            Say(text) => {
                stream.write_all(format!("{text}\r\n").as_bytes())?;
                event == "DATA" && text.starts_with("354")
            }
            Hang => return reader.read_to_end(&mut Vec::new()).map(drop),
            Trickle => loop {
                stream.write_all(b"2")?;
                thread::sleep(Duration::from_millis(20));
            },
            Close => return Ok(()),
            SayAndClose(text) => return stream.write_all(format!("{text}\r\n").as_bytes()),
        };
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            log.lock().unwrap()[number].push_str(&line);
            if !in_body {
                event = line.trim_end().into();
                break;
            }
            if line == ".\r\n" {
                event = "body".into();
                break;
            }
        }
    }
}

/// The answer of a server that takes everything.
fn willing(event: &str) -> Answer {
    Say(match event.split(' ').next().unwrap() {
        "hello" => "220 fake",
        "EHLO" => "250-fake\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1000",
        "AUTH" => "235 welcome",
        "DATA" => "354 go on",
        "QUIT" => "221 bye",
        _ => "250 ok",
    })
}

/// A server that is willing but for one event, and only the first `times`.
fn unwilling(at: &'static str, mut times: usize, answer: fn() -> Answer) -> Fake {
    Fake::start(move |_, event| {
        if times > 0 && event.starts_with(at) {
            times -= 1;
            return answer();
        }
        willing(event)
    })
}

fn message(body: &str) -> Message {
    Message {
        from: "outflank@example.org".into(),
        to: "alice@example.com".into(),
        message_id: "1@example.org".into(),
        bytes: body.as_bytes().to_vec(),
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

fn deliver(transport: &mut Box<dyn Transport>, body: &str) -> Result<(), DeliveryError> {
    transport.deliver(&message(body), soon())
}

/// What a failed delivery says, for a server that fails at `at`, and of which kind it is.
fn failing(at: &'static str, answer: fn() -> Answer) -> DeliveryError {
    deliver(&mut unwilling(at, 9, answer).transport(), "x\r\n").unwrap_err()
}

fn refused(settings: &str) -> String {
    open(settings.parse().unwrap()).err().unwrap().0
}

const ENVELOPE: &str = "MAIL FROM:<outflank@example.org>\r\nRCPT TO:<alice@example.com>\r\n";

#[test]
fn two_messages_go_over_one_connection() {
    let fake = Fake::start(|_, event| willing(event));
    let mut transport = fake.transport();
    let first = "Subject: dots\r\n\r\n.\r\n..two\r\na.b\r\n.end";
    assert_eq!(deliver(&mut transport, first), Ok(()));
    assert_eq!(deliver(&mut transport, ".first\r\n"), Ok(()));
    drop(transport);
    let expected = format!(
        "EHLO test.example\r\n\
         {ENVELOPE}DATA\r\nSubject: dots\r\n\r\n..\r\n...two\r\na.b\r\n..end\r\n.\r\n\
         {ENVELOPE}DATA\r\n..first\r\n.\r\nQUIT\r\n"
    );
    assert_eq!(fake.heard(), [expected]);
}

#[test]
fn dots_and_line_ends() {
    assert_eq!(stuffed(""), ".\r\n");
    assert_eq!(stuffed("."), "..\r\n.\r\n");
    assert_eq!(stuffed("a\r\n"), "a\r\n.\r\n");
    assert_eq!(stuffed("a\r\n\r\n"), "a\r\n\r\n.\r\n");
    // A mail hidden behind line ends that only some servers see.
    assert_eq!(stuffed("a\n.\nb\r.\rc"), "a\r\n..\r\nb\r\n..\r\nc\r\n.\r\n");
    assert_eq!(stuffed("\r\n.\r\n"), "\r\n..\r\n.\r\n");
    assert_eq!(stuffed("é.\r\n.é"), "é.\r\n..é\r\n.\r\n");
}

#[test]
fn eight_bits_are_announced_where_understood() {
    let plain = Fake::start(|_, event| willing(event));
    assert_eq!(deliver(&mut plain.transport(), "é\r\n"), Ok(()));
    assert!(plain.heard()[0].contains("example.org>\r\n"));
    let able = Fake::start(|_, event| match event.split(' ').next() {
        Some("EHLO") => Say("250-fake\r\n250 8BITMIME"),
        _ => willing(event),
    });
    let mut transport = able.transport();
    assert_eq!(deliver(&mut transport, "é\r\n"), Ok(()));
    assert_eq!(deliver(&mut transport, "e\r\n"), Ok(()));
    let heard = &able.heard()[0];
    assert!(heard.contains("example.org> BODY=8BITMIME\r\n"), "{heard}");
    assert!(heard.contains("DATA\r\né\r\n.\r\nMAIL"), "{heard}");
    assert!(heard.contains("example.org>\r\n"), "{heard}");
}

#[test]
fn a_refused_recipient_leaves_the_connection() {
    let fake = unwilling("RCPT", 1, || Say("550-5.1.1 no\r\n550 5.1.1 such user"));
    let mut transport = fake.transport();
    assert_eq!(
        deliver(&mut transport, "x\r\n"),
        Err(DeliveryError::Permanent(
            "127.0.0.1 refused the recipient: 550 5.1.1 no such user".into()
        ))
    );
    assert_eq!(deliver(&mut transport, "y\r\n"), Ok(()));
    let expected = format!("EHLO test.example\r\n{ENVELOPE}RSET\r\n{ENVELOPE}DATA\r\ny\r\n.\r\n");
    assert_eq!(fake.heard(), [expected]);
}

#[test]
fn refusals_of_a_message_are_told_apart() {
    for at in ["RCPT", "DATA", "body"] {
        let permanent = failing(at, || Say("554 never"));
        assert!(
            matches!(&permanent, DeliveryError::Permanent(why) if why.ends_with(": 554 never"))
        );
        let temporary = failing(at, || Say("451 later"));
        assert!(
            matches!(&temporary, DeliveryError::Temporary(why) if why.ends_with(": 451 later"))
        );
        let closing = failing(at, || SayAndClose("421 bye"));
        assert!(matches!(&closing, DeliveryError::Temporary(why) if why.ends_with(": 421 bye")));
        let broken = failing(at, || Close);
        assert!(matches!(broken, DeliveryError::Temporary(_)), "{broken:?}");
    }
    // The server is on another page: the message must not go out as commands.
    let fake = unwilling("DATA", 1, || Say("250 ok"));
    let end = deliver(&mut fake.transport(), "QUIT\r\n");
    assert!(matches!(end, Err(DeliveryError::Temporary(_))), "{end:?}");
    assert!(fake.heard()[0].ends_with("DATA\r\n"));
}

#[test]
fn faults_of_server_and_configuration_are_told_apart_from_those_of_a_message() {
    for (at, answer) in [
        ("hello", (|| SayAndClose("554 go away")) as fn() -> Answer),
        ("hello", || SayAndClose("421 busy")),
        ("hello", || Close),
        ("hello", || Say("Hi!")),
        ("EHLO", || Say("502 what?")),
        // A line of blanks, at which lettre panics.
        ("EHLO", || Say("250-fake\r\n250  ")),
        ("MAIL", || Say("550 not you")),
        ("MAIL", || Say("451 not now")),
        ("MAIL", || SayAndClose("421 bye")),
        ("MAIL", || Close),
    ] {
        let failure = failing(at, answer);
        assert!(matches!(failure, DeliveryError::Unavailable(_)), "{failure:?}");
        assert!(!failure.to_string().contains(char::is_control));
    }
    assert_eq!(
        failing("MAIL", || Say("550 5.7.1\t not \x1b[1myou")).to_string(),
        "127.0.0.1 refused the sender: 550 5.7.1 not [1myou"
    );
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let closed = format!("host = '127.0.0.1'\nport = {port}\nsecurity = 'none'");
    let mut transport = open(closed.parse().unwrap()).unwrap();
    let failure = deliver(&mut transport, "x\r\n").unwrap_err();
    assert!(matches!(failure, DeliveryError::Unavailable(_)), "{failure:?}");
}

#[test]
fn a_connection_that_died_idle_is_replaced_once() {
    for farewell in [(|| SayAndClose("250 taken")) as fn() -> Answer, || {
        SayAndClose("250 taken\r\n421 too many for one connection")
    }] {
        let fake = unwilling("body", 1, farewell);
        let mut transport = fake.transport();
        for body in ["x\r\n", "y\r\n", "z\r\n"] {
            assert_eq!(deliver(&mut transport, body), Ok(()));
        }
        let heard = fake.heard();
        assert_eq!(heard.len(), 2, "{heard:?}");
        assert!(heard[0].contains("DATA\r\nx\r\n.\r\n"));
        assert!(heard[1].contains("DATA\r\ny\r\n.\r\n"));
    }
    // All connections but the first are refused the sender: tried again only once.
    let fake = Fake::start(|number, event| match event.split(' ').next() {
        Some("body") => SayAndClose("250 taken"),
        Some("MAIL") if number > 0 => Close,
        _ => willing(event),
    });
    let mut transport = fake.transport();
    assert_eq!(deliver(&mut transport, "x\r\n"), Ok(()));
    let end = deliver(&mut transport, "y\r\n");
    assert!(matches!(end, Err(DeliveryError::Unavailable(_))), "{end:?}");
    assert_eq!(fake.heard().len(), 2);
}

#[test]
fn a_message_with_an_unknown_fate_is_not_sent_again() {
    let fake = unwilling("body", 9, || Close);
    let mut transport = fake.transport();
    let end = deliver(&mut transport, "x\r\n");
    assert_eq!(
        end,
        Err(DeliveryError::Temporary(
            "127.0.0.1 failed at the message: it closed the connection".into()
        ))
    );
    assert_eq!(fake.heard().len(), 1);
}

#[test]
fn nothing_takes_much_longer_than_the_deadline() {
    for (at, answer, available) in [
        ("hello", (|| Hang) as fn() -> Answer, false),
        ("EHLO", || Hang, false),
        ("RCPT", || Hang, true),
        ("body", || Hang, true),
        ("hello", || Trickle, false),
        ("body", || Trickle, true),
    ] {
        let fake = unwilling(at, 9, answer);
        let mut transport = fake.transport();
        let bound = Deadline::after(Duration::from_secs(5));
        let limit = Deadline::after(Duration::from_millis(120));
        let failure = transport.deliver(&message("x\r\n"), limit).unwrap_err();
        assert!(!bound.has_passed(), "{at}");
        // On a busy machine the time may be up before the server has come to `at`.
        if failure.to_string().contains("used up") {
            continue;
        }
        assert!(failure.to_string().contains("no answer in time"), "{failure}");
        if !available {
            assert!(matches!(failure, DeliveryError::Unavailable(_)), "{at}: {failure:?}");
        }
    }
    let late = Fake::start(|_, event| willing(event));
    let end = (late.transport()).deliver(&message("x"), Deadline::after(Duration::ZERO));
    assert!(matches!(end, Err(DeliveryError::Temporary(_))), "{end:?}");
    assert!(late.heard().is_empty());
}

#[test]
fn a_hang_after_the_message_is_temporary() {
    let fake = unwilling("body", 1, || Hang);
    let mut transport = open(fake.settings("security = 'none'\ntimeout = 1")).unwrap();
    // The own time limit, so that a busy machine has time to come to that point.
    let failure = deliver(&mut transport, "x\r\n").unwrap_err();
    assert!(matches!(failure, DeliveryError::Temporary(_)), "{failure:?}");
    assert_eq!(deliver(&mut transport, "y\r\n"), Ok(()));
    assert_eq!(fake.heard().len(), 2);
}

const LOGIN: &str = "security = 'none'\nuser = 'me'\npassword = 'se cret'";

#[test]
fn logs_in() {
    let fake = Fake::start(|_, event| willing(event));
    let mut transport = open(fake.settings(LOGIN)).unwrap();
    assert_eq!(deliver(&mut transport, "x\r\n"), Ok(()));
    // \0me\0se cret
    assert!(fake.heard()[0].contains("\r\nAUTH PLAIN AG1lAHNlIGNyZXQ=\r\nMAIL"));
}

#[test]
fn a_failed_login_is_a_fault_of_the_transport_and_tells_no_secret() {
    for (at, answer) in [
        ("AUTH", (|| Say("535 no: se cret AG1lAHNlIGNyZXQ= c2UgY3JldA==")) as fn() -> Answer),
        ("AUTH", || Say("454 later")),
        ("AUTH", || Say("334 VXNlcm5hbWU6")),
        ("AUTH", || Close),
        ("EHLO", || Say("250 fake")),
    ] {
        let fake = unwilling(at, 9, answer);
        let mut transport = open(fake.settings(LOGIN)).unwrap();
        match deliver(&mut transport, "x\r\n") {
            Err(DeliveryError::Unavailable(why)) => {
                assert!(why.starts_with("cannot log in to 127.0.0.1: "), "{why}");
                for secret in ["se cret", "AG1lAHNlIGNyZXQ=", "c2UgY3JldA=="] {
                    assert!(!why.contains(secret), "{why}");
                }
            }
            other => panic!("{other:?}"),
        }
        assert!(!fake.heard()[0].contains("MAIL"));
    }
}

#[test]
fn nothing_is_sent_without_the_tls_that_is_asked_for() {
    for (security, sent) in [("starttls", "EHLO"), ("tls", "")] {
        let fake = Fake::start(|_, event| willing(event));
        let login = format!("security = '{security}'\nuser = 'me'\npassword = 'secret'");
        let mut transport = open(fake.settings(&login)).unwrap();
        let end = deliver(&mut transport, "x\r\n");
        assert!(matches!(end, Err(DeliveryError::Unavailable(_))), "{end:?}");
        let heard = fake.heard().concat();
        assert!(heard.starts_with(sent), "{heard}");
        assert!(!heard.contains("AUTH") && !heard.contains("MAIL"), "{heard}");
    }
}

#[test]
fn envelopes_cannot_be_broken_out_of() {
    let fake = Fake::start(|_, event| willing(event));
    for bad in ["", "alice", "a@b>\r\nQUIT", "a@b> X", "a b@c", "é@b", "<a@b>"] {
        let mut to = message("x");
        to.to = bad.into();
        let end = fake.transport().deliver(&to, soon());
        assert!(matches!(end, Err(DeliveryError::Permanent(_))), "{bad}: {end:?}");
        let mut from = message("x");
        from.from = bad.into();
        let end = fake.transport().deliver(&from, soon());
        assert!(matches!(end, Err(DeliveryError::Unavailable(_))), "{bad}: {end:?}");
    }
    let mut binary = message("");
    binary.bytes = vec![0xff];
    let end = fake.transport().deliver(&binary, soon());
    assert!(matches!(end, Err(DeliveryError::Permanent(_))), "{end:?}");
    assert!(fake.heard().is_empty());
}

#[test]
fn wrong_settings_are_named() {
    let of = |more: &str| refused(&format!("host = 'mail.example'\n{more}"));
    assert_eq!(refused(""), "[transport] missing field `host`");
    for host in ["''", "'a b'", "'mail:25'", "'a/b'", "'[::1'"] {
        let why = refused(&format!("host = {host}"));
        assert!(why.starts_with("[transport] host "), "{why}");
    }
    for port in ["0", "65536", "-1", "'smtp'"] {
        assert_eq!(
            of(&format!("port = {port}")),
            "[transport] port: must be a whole number from 1 to 65535"
        );
    }
    assert!(of("timeout = 0").starts_with("[transport] timeout: must be"));
    assert_eq!(
        of("security = 'ssl'"),
        "[transport] security: unknown variant `ssl`, expected one of `none`, `starttls`, `tls`"
    );
    assert!(of("helo = 'a b'").starts_with("[transport] helo "));
    assert!(of("path = 'x'").contains("unknown field `path`"));
    assert_eq!(of("password = 12345"), "[transport] password: must be a string, in quotes");
    assert!(of("user = 'me'").starts_with("[transport] user needs password"));
    assert!(of("password = 'x'").starts_with("[transport] password needs user"));
    let both = of("user = 'me'\npassword = 'x'\npassword_file = 'y'");
    assert!(both.contains("exclude each other"), "{both}");
    assert!(of("user = 'me'\npassword = ''").starts_with("[transport] password must"));
    assert!(of("user = ''\npassword = 'x'").starts_with("[transport] user must"));
    let clear = of("user = 'me'\npassword = 'x'\nsecurity = 'none'");
    assert!(clear.starts_with("[transport] security \"none\""), "{clear}");
    let idle = of("ca_file = 'x'\nsecurity = 'none'");
    assert!(idle.starts_with("[transport] ca_file "), "{idle}");
}
