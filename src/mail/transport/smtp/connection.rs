//! One connection: encryption, login, and the commands that send a message.

use std::io;
use std::net::ToSocketAddrs;
use std::sync::Arc;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Noop, Rcpt, Rset};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::{Response, Severity};

use super::settings::{Security, Server};
use crate::clock::Deadline;
use crate::mail::transport::message::{DeliveryError, Message, one_line};

/// The names of the commands in errors.
const ALIVE: &str = "a question";
const RESET: &str = "a reset";
const SENDER: &str = "the sender";
const RECIPIENT: &str = "the recipient";
const DATA: &str = "a message";
const MESSAGE: &str = "the message";

/// An empty message. A server without a recipient for it refuses it.
const NO_MESSAGE: &str = ".\r\n";

/// Connects to the first address that answers, encrypts the connection and logs in as configured.
pub(super) fn connect(
    server: &Arc<Server>,
    asks_for_pipelining: bool,
    deadline: Deadline,
) -> Result<Box<Connection>, DeliveryError> {
    let wrapper = server.tls.as_ref().filter(|_| server.security == Security::Tls);
    let addresses = (server.host.as_str(), server.port)
        .to_socket_addrs()
        .map_err(|error| server.unreachable(&one_line(&error.to_string())))?;
    let mut unreachable = server.unreachable("its name has no address");
    for address in addresses {
        let Some(limit) = server.reply_limit(deadline) else {
            return Err(server.unreachable("no reply in time"));
        };
        match SmtpConnection::connect(address, Some(limit), &server.helo, wrapper, None) {
            Ok(smtp) => {
                let mut connection = Box::new(Connection {
                    smtp,
                    server: Arc::clone(server),
                    pipelines: false,
                    unfinished: false,
                });
                connection.encrypt(deadline)?;
                if asks_for_pipelining {
                    connection.ask_for_pipelining(deadline)?;
                }
                connection.log_in(deadline)?;
                return Ok(connection);
            }
            Err(error) => {
                unreachable = server.unreachable(&one_line(&explain(&error)));
                if error.status().is_some() {
                    // The server refuses, and would do so on its other addresses too.
                    break;
                }
            }
        }
    }
    Err(unreachable)
}

/// The result of sending a message, and the state of the connection.
pub(super) enum End {
    /// The server replied; the connection can be used for the next message.
    Answered(Result<(), DeliveryError>),
    /// The connection failed before the server accepted any part of the message.
    Early(DeliveryError),
    /// The connection failed halfway and is unusable.
    Broken(DeliveryError),
}

pub(super) struct Connection {
    pub(super) smtp: SmtpConnection,
    server: Arc<Server>,
    /// Whether the server reads several commands at once (RFC 2920).
    pipelines: bool,
    /// Whether the server has an unfinished transaction, which the next message resets first.
    /// Resetting it at once would delay the result of this message.
    unfinished: bool,
}

/// The error of a command.
struct CommandError {
    /// The code of the reply; `None` if the connection broke.
    code: Option<u16>,
    why: String,
}

impl Connection {
    /// Starts TLS if the connection began without it.
    fn encrypt(&mut self, deadline: Deadline) -> Result<(), DeliveryError> {
        let server = Arc::clone(&self.server);
        let (Security::StartTls, Some(tls)) = (server.security, &server.tls) else {
            return Ok(());
        };
        if !self.smtp.can_starttls() {
            return Err(server
                .unreachable("it does not offer STARTTLS, which security \"starttls\" requires"));
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
        let result = self.smtp.auth(DEFAULT_MECHANISMS, &login.credentials);
        result.map(drop).map_err(|error| failed(&explain(&error)))
    }

    /// Asks whether the server reads several commands at once; lettre does not keep that part of
    /// its greeting.
    fn ask_for_pipelining(&mut self, deadline: Deadline) -> Result<(), DeliveryError> {
        self.limit_wait(deadline).map_err(|why| self.server.unreachable(&why))?;
        let greeting = self.smtp.command(Ehlo::new(self.server.helo.clone()));
        let mut lines = greeting.iter().flat_map(Response::message);
        self.pipelines = lines.any(|line| line.eq_ignore_ascii_case("PIPELINING"));
        Ok(())
    }

    /// Asks the server for a reply that changes nothing.
    pub(super) fn ask_whether_alive(&mut self, deadline: Deadline) -> Result<(), DeliveryError> {
        let asked = self.exchange(ALIVE, Some(&Noop.to_string()), deadline);
        asked.map_err(|error| DeliveryError::Unavailable(error.why))
    }

    /// Sends one message and checks the replies.
    pub(super) fn transact(&mut self, message: &Prepared, deadline: Deadline) -> End {
        let Prepared { from, to, body } = message;
        let eight_bit =
            !body.is_ascii() && (self.smtp.server_info()).supports_feature(Extension::EightBitMime);
        let parameter = MailParameter::Body(MailBodyParameter::EightBitMime);
        let parameters = eight_bit.then_some(parameter).into_iter().collect();
        let commands = [
            (RESET, Rset.to_string()),
            (SENDER, Mail::new(Some(from.clone()), parameters).to_string()),
            (RECIPIENT, Rcpt::new(to.clone(), Vec::new()).to_string()),
            (DATA, Data.to_string()),
        ];
        let commands = &commands[usize::from(!self.unfinished)..];
        let together: String =
            commands.iter().filter(|_| self.pipelines).map(|(_, it)| it.as_str()).collect();

        for (number, (what, command)) in commands.iter().enumerate() {
            let command = match number {
                0 if self.pipelines => Some(&*together),
                _ => Some(&**command).filter(|_| !self.pipelines),
            };
            let Err(error) = self.exchange(what, command, deadline) else { continue };
            let end = self.refused(what, error);
            let is_answered = matches!(end, End::Answered(_));
            return match is_answered && self.pipelines && *what == RECIPIENT {
                true => self.without_recipient(end, deadline),
                false => end,
            };
        }
        self.unfinished = false;
        match self.exchange(MESSAGE, Some(body), deadline) {
            Ok(()) => End::Answered(Ok(())),
            Err(error) => self.refused(MESSAGE, error),
        }
    }

    /// Returns the end of a message that was refused at this command.
    fn refused(&mut self, what: &str, CommandError { code, why }: CommandError) -> End {
        let error = match (what, code) {
            (RESET, _) | (SENDER, None) => return End::Early(DeliveryError::Unavailable(why)),
            (SENDER, Some(_)) => return End::Early(DeliveryError::Sender(why)),
            // With 421 the server hangs up. Some servers always reply it to one recipient, so
            // the other messages are still tried.
            (_, None | Some(421)) => return End::Broken(DeliveryError::Temporary(why)),
            (RECIPIENT, Some(500..)) => DeliveryError::refused_recipient(why),
            (_, Some(500..)) => DeliveryError::Permanent(why),
            (_, Some(_)) => DeliveryError::Temporary(why),
        };
        self.unfinished = true;
        End::Answered(Err(error))
    }

    /// Reads the reply to a DATA that was sent together with a refused recipient. A server that
    /// asks for the message all the same gets an empty one.
    fn without_recipient(&mut self, end: End, deadline: Deadline) -> End {
        let asked = self.exchange(DATA, None, deadline);
        let replied = asked.and_then(|()| self.exchange(MESSAGE, Some(NO_MESSAGE), deadline));
        match (replied, end) {
            (Err(CommandError { code: None, .. }), End::Answered(Err(error))) => End::Broken(error),
            (_, end) => end,
        }
    }

    /// Sends a command and waits for a positive reply. Without a command, waits for the reply to one that was
    /// sent together with an earlier one. `what` names the command: it decides which reply is positive, and
    /// stands in errors.
    fn exchange(
        &mut self,
        what: &str,
        command: Option<&str>,
        deadline: Deadline,
    ) -> Result<(), CommandError> {
        self.limit_wait(deadline).map_err(|why| self.broken(what, &why))?;
        let reply = match command {
            Some(command) => self.smtp.command(command),
            None => self.smtp.read_response(),
        };
        let wanted = match what {
            DATA => Severity::PositiveIntermediate,
            _ => Severity::PositiveCompletion,
        };
        match reply {
            Ok(reply) if reply.code().severity == wanted => Ok(()),
            // After a reply to DATA other than 354, the server would read the message as commands.
            Ok(reply) => Err(self.broken(what, &format!("unexpected reply {}", reply.code()))),
            Err(error) => Err(match (error.status(), one_line(&explain(&error))) {
                (None, why) => self.broken(what, &why),
                (Some(code), why) => {
                    let why = format!("{} refused {what}: {why}", self.server.host);
                    CommandError { code: Some(code.into()), why }
                }
            }),
        }
    }

    fn broken(&self, what: &str, why: &str) -> CommandError {
        CommandError { code: None, why: format!("{} failed at {what}: {why}", self.server.host) }
    }

    /// Limits the wait for the next reply.
    fn limit_wait(&mut self, deadline: Deadline) -> Result<(), String> {
        let limit = self.server.reply_limit(deadline).ok_or("no reply in time")?;
        self.smtp.set_timeout(Some(limit)).map_err(|error| one_line(&error.to_string()))
    }
}

/// A message in the form of SMTP.
pub(super) struct Prepared {
    from: Address,
    to: Address,
    /// The text that follows DATA, with its final dot.
    body: String,
}

impl Prepared {
    pub(super) fn new(message: &Message) -> Result<Self, DeliveryError> {
        let (from, to) = message.envelope()?;
        let text = std::str::from_utf8(&message.bytes)
            .map_err(|_| DeliveryError::Permanent("the message is not UTF-8".into()))?;
        Ok(Self { from, to, body: stuffed(text) })
    }
}

/// Returns the form of a text that follows DATA: CRLF line ends, a second dot before each dot that
/// begins a line, and the final dot. A bare CR or LF becomes CRLF, because servers disagree whether
/// it ends a line, and so whether a dot after it ends the message.
fn stuffed(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut body = String::with_capacity(text.len() + text.len() / 16 + 8);
    for line in text.lines() {
        if line.starts_with('.') {
            body.push('.');
        }
        body.push_str(line);
        body.push_str("\r\n");
    }
    body + ".\r\n"
}

/// Returns the reason for an error: the reply of the server with its code, if there is one.
fn explain(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            // The error of an expired time limit depends on the system.
            if let io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut = error.kind() {
                return "no reply in time".into();
            }
        }
    }
    let words = cause.to_string();
    match error.status() {
        Some(code) => format!("{code} {words}"),
        None if error.is_response() && words == "incomplete response" => {
            "it closed the connection".into()
        }
        None if error.is_response() => "it does not speak SMTP here".into(),
        // The words of rustls, which has no type for this that lettre hands on.
        None if words.starts_with("received corrupt message") => {
            "it does not speak TLS here; check port and security".into()
        }
        None => words,
    }
}
