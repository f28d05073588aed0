//! One connection: encryption, login, and the dialogue of a message.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::extension::Extension;
use lettre::transport::smtp::response::Severity;

use super::settings::{Security, Server};
use crate::clock::Deadline;
use crate::mail::transport::{DeliveryError, Message};

/// The longest text of a server that is passed on, in characters.
const LONGEST_WORDS: usize = 300;

/// Connects to the first address that answers.
pub(super) fn connect(
    server: &Arc<Server>,
    addresses: &[SocketAddr],
    deadline: Deadline,
) -> Result<Box<Connection>, DeliveryError> {
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
pub(super) enum End {
    /// With an answer; the connection can be used for the next message.
    Answered(Box<Connection>, Result<(), DeliveryError>),
    /// Before the server accepted any part of it.
    Early(DeliveryError),
    /// Halfway; the connection is of no more use.
    Broken(DeliveryError),
}

pub(super) struct Connection {
    pub(super) smtp: SmtpConnection,
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
    fn encrypt(&mut self, deadline: Deadline) -> Result<(), DeliveryError> {
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
    fn log_in(&mut self, deadline: Deadline) -> Result<(), DeliveryError> {
        let server = Arc::clone(&self.server);
        let Some(login) = &server.login else {
            return Ok(());
        };
        let failed = |why: &str| {
            let why = one_line(&login.redact(why));
            DeliveryError::Unavailable(format!("cannot log in to {}: {why}", server.host))
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
    pub(super) fn transact(mut self: Box<Self>, mail: &Mail, deadline: Deadline) -> End {
        if self.unfinished {
            if let Err(trouble) = self.ask("RSET\r\n", Severity::PositiveCompletion, deadline) {
                return End::Early(DeliveryError::Unavailable(self.describe("a reset", &trouble)));
            }
            self.unfinished = false;
        }
        let eight_bit = !mail.body.is_ascii()
            && (self.smtp.server_info()).supports_feature(Extension::EightBitMime);
        let body_type = if eight_bit { " BODY=8BITMIME" } else { "" };
        let sender = format!("MAIL FROM:<{}>{body_type}\r\n", mail.from);
        if let Err(trouble) = self.ask(&sender, Severity::PositiveCompletion, deadline) {
            // All messages have the same sender: a refusal is about the configuration.
            return End::Early(DeliveryError::Unavailable(self.describe("the sender", &trouble)));
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
                    return End::Broken(DeliveryError::Temporary(why));
                }
                Trouble::Refused { code, .. } if code < 500 => DeliveryError::Temporary(why),
                Trouble::Refused { .. } => DeliveryError::Permanent(why),
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
pub(super) struct Mail {
    from: String,
    to: String,
    /// What follows DATA, with its final dot.
    body: String,
}

impl Mail {
    pub(super) fn new(message: &Message) -> Result<Self, DeliveryError> {
        if !is_mailbox(&message.from) {
            return Err(DeliveryError::Unavailable(format!(
                "{:?} is no sender address for SMTP",
                message.from
            )));
        }
        if !is_mailbox(&message.to) {
            return Err(DeliveryError::Permanent(format!(
                "{:?} is no address for SMTP",
                message.to
            )));
        }
        let text = std::str::from_utf8(&message.bytes)
            .map_err(|_| DeliveryError::Permanent("the message is not UTF-8".into()))?;
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
pub(super) fn stuffed(text: &str) -> String {
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
pub(super) fn one_line(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let words: Vec<_> = plain.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_WORDS).collect()
}
