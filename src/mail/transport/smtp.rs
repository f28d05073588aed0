//! Delivery to an SMTP server, several messages over one connection.
//!
//! lettre speaks the protocol and TLS. Two things are done here instead of there: the body goes
//! out in one write with its final dot (lettre's two writes cost 44 ms each time, Nagle's
//! algorithm against delayed acknowledgements), and what can take long runs on a thread that
//! is left behind at the deadline, because a time limit of a socket starts anew with each byte.

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS, Mechanism};
use lettre::transport::smtp::client::{Certificate, SmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::Auth;
use lettre::transport::smtp::extension::{ClientId, Extension};
use lettre::transport::smtp::response::Severity;
use serde::Deserialize;

use super::{BadSettings, Failure, Outgoing, Transport};
use crate::clock::Deadline;

/// The longest text of a server that is passed on, in characters.
const LONGEST_WORDS: usize = 300;
/// How long a thread may overrun its deadline before it is left behind: enough for the time
/// limit of a socket to speak first, since it knows what it was waiting for.
const GRACE: Duration = Duration::from_millis(250);
/// How long the last connection may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    host: String,
    port: Option<Port>,
    #[serde(default)]
    security: Security,
    user: Option<String>,
    password: Option<Password>,
    password_file: Option<PathBuf>,
    helo: Option<String>,
    ca_file: Option<PathBuf>,
    #[serde(default)]
    timeout: Timeout,
}

/// How the connection is kept private.
#[derive(Deserialize, Debug, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Security {
    /// Not at all.
    None,
    /// TLS after a plain start; without it nothing is sent.
    #[default]
    StartTls,
    /// TLS from the first byte.
    Tls,
}

impl Security {
    fn usual_port(self) -> u16 {
        match self {
            Self::None => 25,
            Self::StartTls => 587,
            Self::Tls => 465,
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Port(u16);

impl TryFrom<toml::Value> for Port {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        value
            .as_integer()
            .and_then(|port| u16::try_from(port).ok())
            .filter(|port| *port > 0)
            .map(Self)
            .ok_or("must be a whole number from 1 to 65535")
    }
}

/// A number of seconds that makes sense as a time limit.
#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Timeout(Duration);

impl Default for Timeout {
    fn default() -> Self {
        Self(Duration::from_secs(30))
    }
}

impl TryFrom<toml::Value> for Timeout {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        value
            .as_integer()
            .and_then(|seconds| u64::try_from(seconds).ok())
            .filter(|seconds| (1..=3600).contains(seconds))
            .map(|seconds| Self(Duration::from_secs(seconds)))
            .ok_or("must be a whole number of seconds from 1 to 3600")
    }
}

/// A type of its own, so that the complaint about a password that is no string does not quote it.
#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Password(String);

impl TryFrom<toml::Value> for Password {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        match value {
            toml::Value::String(password) => Ok(Self(password)),
            _ => Err("must be a string, in quotes"),
        }
    }
}

/// Makes the transport of the settings, reading `password_file` and `ca_file`. Contacts nothing
/// yet.
///
/// # Errors
/// [`BadSettings`] when `host` is missing, a file cannot be read, or a setting is unknown, out
/// of range, or does not go with another.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let settings: Settings = settings.try_into().map_err(|error| unreadable(&error))?;
    let host = host_name(&settings.host)?;
    let login = login(&settings, &host)?;
    let server = Server {
        port: match settings.port {
            Some(Port(port)) => port,
            None => settings.security.usual_port(),
        },
        tls: tls_parameters(&settings, &host)?,
        security: settings.security,
        helo: hello_name(settings.helo)?,
        timeout: settings.timeout.0,
        host,
        login,
    };
    Ok(Box::new(Smtp { server: Arc::new(server), kept: None }))
}

fn bad(text: impl Into<String>) -> BadSettings {
    BadSettings(text.into())
}

/// The complaint of the TOML reader on one line, led by the setting it is about.
fn unreadable(error: &toml::de::Error) -> BadSettings {
    let text = error.to_string();
    BadSettings(match text.trim_end().rsplit_once("\nin ") {
        Some((what, setting)) => format!("[transport] {}: {what}", setting.trim_matches('`')),
        None => format!("[transport] {}", text.trim_end()),
    })
}

/// The host without the brackets that an IPv6 address may stand in.
fn host_name(setting: &str) -> Result<String, BadSettings> {
    let bare = setting.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(setting);
    if bare.parse::<IpAddr>().is_ok() {
        return Ok(bare.to_owned());
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if bare.is_empty() || !bare.bytes().all(fits) {
        return Err(bad(format!(
            "[transport] host {setting:?} is no host: give its name or address alone, such as \
             \"mail.example.org\" (the port is a setting of its own)"
        )));
    }
    Ok(bare.to_owned())
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// What to log in with, if anything.
fn login(settings: &Settings, host: &str) -> Result<Option<Login>, BadSettings> {
    let (setting, password) = match (&settings.password, &settings.password_file) {
        (Some(_), Some(_)) => {
            return Err(bad(
                "[transport] password and password_file exclude each other: keep one of them",
            ));
        }
        (Some(password), None) => ("password", Some(password.0.clone())),
        (None, Some(path)) => {
            let mut text = fs::read_to_string(path).map_err(|error| {
                bad(format!("[transport] password_file {} cannot be read: {error}", path.display()))
            })?;
            let end = text.strip_suffix('\n').unwrap_or(&text);
            text.truncate(end.strip_suffix('\r').unwrap_or(end).len());
            ("password_file", Some(text))
        }
        (None, None) => ("password", None),
    };
    let (user, password) = match (&settings.user, password) {
        (None, None) => return Ok(None),
        (Some(user), Some(password)) => (user, password),
        (Some(_), None) => {
            return Err(bad("[transport] user needs password or password_file beside it"));
        }
        (None, Some(_)) => return Err(bad(format!("[transport] {setting} needs user beside it"))),
    };
    // A NUL would end the field in the login, a line end the command.
    if user.is_empty() || user.chars().any(char::is_control) {
        return Err(bad("[transport] user must be a name on one line, without control characters"));
    }
    if password.is_empty() || password.chars().any(char::is_control) {
        return Err(bad(format!(
            "[transport] {setting} must hold a password on one line, without control characters"
        )));
    }
    if settings.security == Security::None && !is_loopback(host) {
        return Err(bad(
            "[transport] security \"none\" would send the password in the clear: use \"starttls\" \
             or \"tls\", or leave out user",
        ));
    }
    Ok(Some(Login::new(user, password)))
}

fn tls_parameters(settings: &Settings, host: &str) -> Result<Option<TlsParameters>, BadSettings> {
    if settings.security == Security::None {
        return match settings.ca_file {
            None => Ok(None),
            Some(_) => Err(bad(
                "[transport] ca_file has no use with security \"none\": leave it out, or use \
                 \"starttls\" or \"tls\"",
            )),
        };
    }
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(path) = &settings.ca_file {
        let wrong = |why: &dyn std::fmt::Display| {
            bad(format!(
                "[transport] ca_file {} must be a readable PEM file of certificates: {why}",
                path.display()
            ))
        };
        let pem = fs::read(path).map_err(|error| wrong(&error))?;
        // lettre takes a file without any certificate for one with none to add.
        if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
            return Err(wrong(&"there is none in it"));
        }
        let certificate = Certificate::from_pem(&pem).map_err(|error| wrong(&error))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map(Some).map_err(|error| {
        let cause = match &settings.ca_file {
            Some(path) => format!("ca_file {}", path.display()),
            None => "security".into(),
        };
        bad(one_line(&format!("[transport] {cause} cannot be used for TLS: {error}")))
    })
}

/// The name to say hello with. Servers want a full domain name or an address in brackets, so a
/// machine that only knows its short name uses the latter.
fn hello_name(setting: Option<String>) -> Result<ClientId, BadSettings> {
    let fits = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
    };
    if let Some(name) = setting {
        return match name.parse::<IpAddr>() {
            Ok(IpAddr::V4(ip)) => Ok(ClientId::Ipv4(ip)),
            Ok(IpAddr::V6(ip)) => Ok(ClientId::Ipv6(ip)),
            Err(_) if fits(&name) => Ok(ClientId::Domain(name)),
            Err(_) => Err(bad(format!(
                "[transport] helo {name:?} is no host name: give this machine's, such as \
                 \"games.example.org\""
            ))),
        };
    }
    let own = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"))
        .unwrap_or_default();
    let own = own.trim();
    if fits(own) && own.contains('.') {
        return Ok(ClientId::Domain(own.to_owned()));
    }
    Ok(ClientId::Ipv4(std::net::Ipv4Addr::LOCALHOST))
}

/// Where to deliver, and how.
struct Server {
    host: String,
    port: u16,
    security: Security,
    /// Present unless `security` is `None`.
    tls: Option<TlsParameters>,
    login: Option<Login>,
    helo: ClientId,
    timeout: Duration,
}

impl Server {
    /// How long to wait for one answer, `None` when there is no time left.
    fn patience(&self, deadline: Deadline) -> Option<Duration> {
        let left = self.timeout.min(deadline.remaining());
        (!left.is_zero()).then_some(left)
    }

    fn unreachable(&self, why: &str) -> Failure {
        Failure::Unavailable(format!("cannot connect to {} port {}: {why}", self.host, self.port))
    }
}

struct Login {
    credentials: Credentials,
    /// The password in every form it is sent in. A server may quote what it was sent.
    secrets: Vec<String>,
}

impl Login {
    fn new(user: &str, password: String) -> Self {
        let credentials = Credentials::new(user.to_owned(), password.clone());
        let encoded = [(Mechanism::Plain, None), (Mechanism::Login, Some("Password"))]
            .into_iter()
            .filter_map(|(mechanism, challenge)| {
                let challenge = challenge.map(str::to_owned);
                let command = Auth::new(mechanism, credentials.clone(), challenge).ok()?;
                let text = command.to_string();
                text.split_whitespace().last().map(str::to_owned)
            });
        let secrets = encoded.chain([password]).collect();
        Self { credentials, secrets }
    }

    fn redact(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

/// A server, and the connection to it that was left open by the last message.
struct Smtp {
    server: Arc<Server>,
    kept: Option<Box<Connection>>,
}

impl Transport for Smtp {
    fn deliver(&mut self, message: &Outgoing, deadline: Deadline) -> Result<(), Failure> {
        let mail = Arc::new(Mail::new(message)?);
        if deadline.has_passed() {
            return Err(Failure::Temporary("the time for sending was used up".into()));
        }
        if let Some(connection) = self.kept.take() {
            match self.transact(connection, &mail, deadline) {
                // Servers close connections that were idle or carried many messages. Nothing
                // was handed over yet, so a new connection cannot make a second mail of it.
                End::Early(_) if !deadline.has_passed() => {}
                end => return self.settle(end),
            }
        }
        let connection = self.connect(deadline)?;
        let end = self.transact(connection, &mail, deadline);
        self.settle(end)
    }
}

impl Drop for Smtp {
    fn drop(&mut self) {
        if let Some(mut connection) = self.kept.take() {
            let _ = within(FAREWELL, move || {
                let _ = connection.smtp.set_timeout(Some(FAREWELL));
                let _ = connection.smtp.command("QUIT\r\n");
            });
        }
    }
}

impl Smtp {
    /// A connection over which messages can be sent: encrypted and logged in as configured.
    fn connect(&self, deadline: Deadline) -> Result<Box<Connection>, Failure> {
        let server = Arc::clone(&self.server);
        let limit = server.patience(deadline).unwrap_or_default();
        // The resolver of the system has time limits of its own, and none can be given to it.
        let addresses = within(limit, move || {
            let place = (server.host.as_str(), server.port);
            place.to_socket_addrs().map(Iterator::collect::<Vec<_>>)
        });
        let addresses = match addresses {
            Ok(Ok(addresses)) => addresses,
            Ok(Err(error)) => return Err(self.server.unreachable(&one_line(&error.to_string()))),
            Err(why) => {
                let why = format!("looking up its address: {why}");
                return Err(self.server.unreachable(&why));
            }
        };
        let server = Arc::clone(&self.server);
        within(deadline.remaining() + GRACE, move || connect(&server, &addresses, deadline))
            .unwrap_or_else(|why| Err(self.server.unreachable(why)))
    }

    /// Sends one message over `connection`, giving up soon after `deadline`.
    fn transact(&self, connection: Box<Connection>, mail: &Arc<Mail>, deadline: Deadline) -> End {
        let mail = Arc::clone(mail);
        // A thread that is left behind begins nothing new, since the deadline has passed.
        within(deadline.remaining() + GRACE, move || connection.transact(&mail, deadline))
            .unwrap_or_else(|why| {
                End::Broken(Failure::Temporary(format!(
                    "{} was too slow with the message: {why}",
                    self.server.host
                )))
            })
    }

    /// Keeps the connection if it is still of use.
    fn settle(&mut self, end: End) -> Result<(), Failure> {
        match end {
            End::Answered(connection, result) => {
                self.kept = Some(connection);
                result
            }
            End::Early(failure) | End::Broken(failure) => Err(failure),
        }
    }
}

/// Connects to the first address that answers.
fn connect(
    server: &Arc<Server>,
    addresses: &[SocketAddr],
    deadline: Deadline,
) -> Result<Box<Connection>, Failure> {
    let wrapper = match server.security {
        Security::Tls => server.tls.as_ref(),
        Security::None | Security::StartTls => None,
    };
    let mut failure = server.unreachable("its name has no address");
    for address in addresses {
        let Some(limit) = server.patience(deadline) else {
            return Err(server.unreachable("no answer in time"));
        };
        match SmtpConnection::connect(address, Some(limit), &server.helo, wrapper, None) {
            Ok(smtp) => {
                let mut connection =
                    Box::new(Connection { smtp, server: Arc::clone(server), unfinished: false });
                connection.encrypt(deadline)?;
                connection.log_in(deadline)?;
                return Ok(connection);
            }
            Err(error) => {
                failure = server.unreachable(&one_line(&explain(&error)));
                if error.status().is_some() {
                    // A server that says no: its other addresses would say the same.
                    break;
                }
            }
        }
    }
    Err(failure)
}

/// How the attempt to send a message ended, and what has become of the connection.
enum End {
    /// With an answer; the connection can be used for the next message.
    Answered(Box<Connection>, Result<(), Failure>),
    /// Before the server accepted any part of it.
    Early(Failure),
    /// Halfway; the connection is of no more use.
    Broken(Failure),
}

struct Connection {
    smtp: SmtpConnection,
    server: Arc<Server>,
    /// Whether the server holds a half-finished transaction, to be reset before the next. Not
    /// done at once, lest the verdict on a message wait for it.
    unfinished: bool,
}

/// Why a command did not get the answer it should.
enum Trouble {
    Refused { code: u16, words: String },
    Broken(String),
}

impl Connection {
    /// Starts TLS if that is still to be done.
    fn encrypt(&mut self, deadline: Deadline) -> Result<(), Failure> {
        let server = Arc::clone(&self.server);
        let (Security::StartTls, Some(tls)) = (server.security, &server.tls) else {
            return Ok(());
        };
        if !self.smtp.can_starttls() {
            return Err(server.unreachable(
                "it does not offer STARTTLS, and security \"starttls\" sends nothing without",
            ));
        }
        self.limit_wait(deadline).map_err(|why| server.unreachable(&why))?;
        self.smtp
            .starttls(tls, &server.helo)
            .map_err(|error| server.unreachable(&one_line(&explain(&error))))
    }

    /// Logs in if a user is configured.
    fn log_in(&mut self, deadline: Deadline) -> Result<(), Failure> {
        let server = Arc::clone(&self.server);
        let Some(login) = &server.login else {
            return Ok(());
        };
        let failed = |why: &str| {
            let why = one_line(&login.redact(why));
            Failure::Unavailable(format!("cannot log in to {}: {why}", server.host))
        };
        let known = self.smtp.server_info();
        if known.get_auth_mechanism(DEFAULT_MECHANISMS).is_none() {
            return Err(failed("it offers neither PLAIN nor LOGIN"));
        }
        self.limit_wait(deadline).map_err(|why| failed(&why))?;
        match self.smtp.auth(DEFAULT_MECHANISMS, &login.credentials) {
            Ok(_) => Ok(()),
            Err(error) => Err(failed(&explain(&error))),
        }
    }

    /// Sends one message and judges the answers.
    fn transact(mut self: Box<Self>, mail: &Mail, deadline: Deadline) -> End {
        if self.unfinished {
            if let Err(trouble) = self.ask("RSET\r\n", Severity::PositiveCompletion, deadline) {
                return End::Early(Failure::Unavailable(self.describe("a reset", &trouble)));
            }
            self.unfinished = false;
        }
        let eight_bit = !mail.body.is_ascii()
            && (self.smtp.server_info()).supports_feature(Extension::EightBitMime);
        let body_type = if eight_bit { " BODY=8BITMIME" } else { "" };
        let sender = format!("MAIL FROM:<{}>{body_type}\r\n", mail.from);
        if let Err(trouble) = self.ask(&sender, Severity::PositiveCompletion, deadline) {
            // All messages have the same sender: a refusal is about the configuration.
            return End::Early(Failure::Unavailable(self.describe("the sender", &trouble)));
        }

        let recipient = format!("RCPT TO:<{}>\r\n", mail.to);
        for (what, command, wanted) in [
            ("the recipient", &*recipient, Severity::PositiveCompletion),
            ("a message", "DATA\r\n", Severity::PositiveIntermediate),
            ("the message", &*mail.body, Severity::PositiveCompletion),
        ] {
            let Err(trouble) = self.ask(command, wanted, deadline) else {
                continue;
            };
            let why = self.describe(what, &trouble);
            let failure = match trouble {
                // 421 says that the server hangs up. Some say it to one recipient for ever, so
                // it is no reason to hold the other messages back; if the server is indeed
                // closing, the next one will find out.
                Trouble::Broken(_) | Trouble::Refused { code: 421, .. } => {
                    return End::Broken(Failure::Temporary(why));
                }
                Trouble::Refused { code, .. } if code < 500 => Failure::Temporary(why),
                Trouble::Refused { .. } => Failure::Permanent(why),
            };
            self.unfinished = true;
            return End::Answered(self, Err(failure));
        }
        End::Answered(self, Ok(()))
    }

    /// Sends a command and waits for an answer of the kind `wanted`.
    fn ask(&mut self, command: &str, wanted: Severity, deadline: Deadline) -> Result<(), Trouble> {
        self.limit_wait(deadline).map_err(Trouble::Broken)?;
        match self.smtp.command(command) {
            // Anything else means that the two sides have lost each other: an answer to DATA
            // other than 354 must not be followed by the message.
            Ok(answer) if answer.code().severity != wanted => {
                let code = answer.code();
                Err(Trouble::Broken(format!("unexpected answer {code}")))
            }
            Ok(_) => Ok(()),
            Err(error) => Err(match error.status() {
                Some(code) => {
                    Trouble::Refused { code: code.into(), words: one_line(&explain(&error)) }
                }
                None => Trouble::Broken(one_line(&explain(&error))),
            }),
        }
    }

    /// Bounds the wait for the next answer; errs in words when there is no time left.
    fn limit_wait(&mut self, deadline: Deadline) -> Result<(), String> {
        let limit = self.server.patience(deadline).ok_or("no answer in time")?;
        self.smtp.set_timeout(Some(limit)).map_err(|error| one_line(&error.to_string()))
    }

    fn describe(&self, what: &str, trouble: &Trouble) -> String {
        let host = &self.server.host;
        match trouble {
            Trouble::Refused { words, .. } => format!("{host} refused {what}: {words}"),
            Trouble::Broken(why) => format!("{host} failed at {what}: {why}"),
        }
    }
}

/// A message as SMTP wants it.
struct Mail {
    from: String,
    to: String,
    /// What follows DATA, with its final dot.
    body: String,
}

impl Mail {
    fn new(message: &Outgoing) -> Result<Self, Failure> {
        if !is_mailbox(&message.from) {
            return Err(Failure::Unavailable(format!(
                "{:?} is no sender address for SMTP",
                message.from
            )));
        }
        if !is_mailbox(&message.to) {
            return Err(Failure::Permanent(format!("{:?} is no address for SMTP", message.to)));
        }
        let text = std::str::from_utf8(&message.bytes)
            .map_err(|_| Failure::Permanent("the message is not UTF-8".into()))?;
        Ok(Self { from: message.from.clone(), to: message.to.clone(), body: stuffed(text) })
    }
}

/// Whether the text can stand between the angle brackets of an envelope and not end them.
fn is_mailbox(text: &str) -> bool {
    text.contains('@') && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte))
}

/// The text as it follows DATA: lines ended by CRLF, a dot doubled where it begins a line, and
/// the final dot. A bare CR or LF becomes a CRLF, since servers disagree on whether it ends a
/// line, and so on what a dot behind it means.
fn stuffed(text: &str) -> String {
    let mut body = String::with_capacity(text.len() + text.len() / 32 + 8);
    let mut at_start = true;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\r' | '\n' => {
                if next == '\r' {
                    rest.next_if_eq(&'\n');
                }
                body.push_str("\r\n");
                at_start = true;
            }
            _ => {
                if at_start && next == '.' {
                    body.push('.');
                }
                body.push(next);
                at_start = false;
            }
        }
    }
    if !at_start {
        body.push_str("\r\n");
    }
    body.push_str(".\r\n");
    body
}

/// Runs `job` on a thread and waits for it no longer than `limit`; then the thread is left
/// behind, and what it returns is dropped. Errs in words.
fn within<T: Send + 'static>(
    limit: Duration,
    job: impl FnOnce() -> T + Send + 'static,
) -> Result<T, &'static str> {
    let (done, result) = mpsc::channel();
    thread::Builder::new()
        .name("smtp".into())
        .spawn(move || {
            let _ = done.send(job());
        })
        .map_err(|_| "no thread could be started")?;
    result.recv_timeout(limit).map_err(|error| match error {
        mpsc::RecvTimeoutError::Timeout => "no answer in time",
        // lettre panics at an EHLO answer with a line of blanks.
        mpsc::RecvTimeoutError::Disconnected => "its answer made no sense",
    })
}

/// What went wrong, in the server's words (led by its code) if it said so.
fn explain(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            // An expired time limit is either, depending on the system.
            if let io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut = error.kind() {
                return "no answer in time".into();
            }
        }
    }
    let words = cause.to_string();
    match error.status() {
        Some(code) => format!("{code} {words}"),
        None if error.is_response() && words == "incomplete response" => {
            "it closed the connection".into()
        }
        None => words,
    }
}

/// The text on one line, without control characters, cut if long.
fn one_line(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let words: Vec<_> = plain.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::path::Path;
    use std::sync::Mutex;

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
            format!("host = '127.0.0.1'\nport = {port}\nhelo = 'test.example'\n{more}")
                .parse()
                .unwrap()
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

    fn message(body: &str) -> Outgoing {
        Outgoing {
            from: "outflank@example.org".into(),
            to: "alice@example.com".into(),
            message_id: "1@example.org".into(),
            bytes: body.as_bytes().to_vec(),
        }
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(20))
    }

    fn deliver(transport: &mut Box<dyn Transport>, body: &str) -> Result<(), Failure> {
        transport.deliver(&message(body), soon())
    }

    /// What a failed delivery says, for a server that fails at `at`, and of which kind it is.
    fn failing(at: &'static str, answer: fn() -> Answer) -> Failure {
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
            Err(Failure::Permanent(
                "127.0.0.1 refused the recipient: 550 5.1.1 no such user".into()
            ))
        );
        assert_eq!(deliver(&mut transport, "y\r\n"), Ok(()));
        let expected =
            format!("EHLO test.example\r\n{ENVELOPE}RSET\r\n{ENVELOPE}DATA\r\ny\r\n.\r\n");
        assert_eq!(fake.heard(), [expected]);
    }

    #[test]
    fn refusals_of_a_message_are_told_apart() {
        for at in ["RCPT", "DATA", "body"] {
            let permanent = failing(at, || Say("554 never"));
            assert!(matches!(&permanent, Failure::Permanent(why) if why.ends_with(": 554 never")));
            let temporary = failing(at, || Say("451 later"));
            assert!(matches!(&temporary, Failure::Temporary(why) if why.ends_with(": 451 later")));
            let closing = failing(at, || SayAndClose("421 bye"));
            assert!(matches!(&closing, Failure::Temporary(why) if why.ends_with(": 421 bye")));
            let broken = failing(at, || Close);
            assert!(matches!(broken, Failure::Temporary(_)), "{broken:?}");
        }
        // The server is on another page: the message must not go out as commands.
        let fake = unwilling("DATA", 1, || Say("250 ok"));
        let end = deliver(&mut fake.transport(), "QUIT\r\n");
        assert!(matches!(end, Err(Failure::Temporary(_))), "{end:?}");
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
            assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
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
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
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
        assert!(matches!(end, Err(Failure::Unavailable(_))), "{end:?}");
        assert_eq!(fake.heard().len(), 2);
    }

    #[test]
    fn a_message_with_an_unknown_fate_is_not_sent_again() {
        let fake = unwilling("body", 9, || Close);
        let mut transport = fake.transport();
        let end = deliver(&mut transport, "x\r\n");
        assert_eq!(
            end,
            Err(Failure::Temporary(
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
                assert!(matches!(failure, Failure::Unavailable(_)), "{at}: {failure:?}");
            }
        }
        let late = Fake::start(|_, event| willing(event));
        let end = (late.transport()).deliver(&message("x"), Deadline::after(Duration::ZERO));
        assert!(matches!(end, Err(Failure::Temporary(_))), "{end:?}");
        assert!(late.heard().is_empty());
    }

    #[test]
    fn a_hang_after_the_message_is_temporary() {
        let fake = unwilling("body", 1, || Hang);
        let mut transport = open(fake.settings("security = 'none'\ntimeout = 1")).unwrap();
        // The own time limit, so that a busy machine has time to come to that point.
        let failure = deliver(&mut transport, "x\r\n").unwrap_err();
        assert!(matches!(failure, Failure::Temporary(_)), "{failure:?}");
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
                Err(Failure::Unavailable(why)) => {
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
            assert!(matches!(end, Err(Failure::Unavailable(_))), "{end:?}");
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
            assert!(matches!(end, Err(Failure::Permanent(_))), "{bad}: {end:?}");
            let mut from = message("x");
            from.from = bad.into();
            let end = fake.transport().deliver(&from, soon());
            assert!(matches!(end, Err(Failure::Unavailable(_))), "{bad}: {end:?}");
        }
        let mut binary = message("");
        binary.bytes = vec![0xff];
        let end = fake.transport().deliver(&binary, soon());
        assert!(matches!(end, Err(Failure::Permanent(_))), "{end:?}");
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

    #[test]
    fn files_are_read_when_the_transport_is_opened() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let secret = |path: &Path| {
            let path = path.display();
            let text = format!("host = '::1'\nuser = 'me'\npassword_file = '{path}'");
            let settings: Settings = toml::from_str(&text).unwrap();
            login(&settings, "::1").map(|login| login.unwrap().secrets.pop().unwrap())
        };
        assert_eq!(secret(&file("a", " x \n")).unwrap(), " x ");
        assert_eq!(secret(&file("b", "x\r\n")).unwrap(), "x");
        assert_eq!(secret(&file("c", "x")).unwrap(), "x");
        for (name, text) in [("d", ""), ("e", "\n"), ("f", "x\ny\n")] {
            let why = secret(&file(name, text)).unwrap_err().0;
            assert!(why.starts_with("[transport] password_file must"), "{why}");
        }
        let why = secret(&home.path().join("none")).unwrap_err().0;
        assert!(why.contains("none cannot be read"), "{why}");

        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for path in [file("g", "no certificate"), file("h", broken), home.path().join("none")] {
            let why = refused(&format!("host = 'a'\nca_file = '{}'", path.display()));
            assert!(why.starts_with("[transport] ca_file "), "{why}");
        }
    }

    #[test]
    fn defaults_make_sense() {
        assert_eq!(Security::default(), Security::StartTls);
        let ports = [Security::None, Security::StartTls, Security::Tls].map(Security::usual_port);
        assert_eq!(ports, [25, 587, 465]);
        assert_eq!(Timeout::default().0, Duration::from_secs(30));
        for host in ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example", "10.0.0.1", "mail.example"] {
            assert!(!is_loopback(host), "{host}");
        }
        assert_eq!(host_name("[::1]").unwrap(), "::1");
        let helo = |name: &str| hello_name(Some(name.into())).unwrap().to_string();
        assert_eq!(helo("games.example"), "games.example");
        assert_eq!(helo("10.0.0.1"), "[10.0.0.1]");
        assert_eq!(helo("::1"), "[IPv6:::1]");
        assert!(!hello_name(None).unwrap().to_string().is_empty());
    }
}
