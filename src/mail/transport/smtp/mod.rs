//! Delivery to an SMTP server, several messages over one connection.
//!
//! lettre speaks the protocol and TLS. Two things are done here instead of there: the body goes
//! out in one write with its final dot (lettre's two writes cost 44 ms each time, Nagle's
//! algorithm against delayed acknowledgements), and what can take long runs on a thread that
//! is left behind at the deadline, because a time limit of a socket starts anew with each byte.

mod connection;
mod settings;
#[cfg(test)]
mod tests;

use std::net::ToSocketAddrs;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use connection::{Connection, End, Mail, connect, one_line};
use settings::Server;

use super::{BadSettings, DeliveryError, Message, Transport};
use crate::clock::Deadline;

/// How long a thread may overrun its deadline before it is left behind: enough for the time
/// limit of a socket to speak first, since it knows what it was waiting for.
const GRACE: Duration = Duration::from_millis(250);
/// How long the last connection may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(1);

/// Makes the transport of the settings, reading `password_file` and `ca_file`. Contacts nothing
/// yet.
///
/// # Errors
/// [`BadSettings`] when `host` is missing, a file cannot be read, or a setting is unknown, out
/// of range, or does not go with another.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let server = Arc::new(Server::described_by(settings)?);
    Ok(Box::new(Smtp { server, kept: None }))
}

/// A server, and the connection to it that was left open by the last message.
struct Smtp {
    server: Arc<Server>,
    kept: Option<Box<Connection>>,
}

impl Transport for Smtp {
    fn deliver(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError> {
        let mail = Arc::new(Mail::new(message)?);
        if deadline.has_passed() {
            return Err(DeliveryError::Temporary("the time for sending was used up".into()));
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
    fn connect(&self, deadline: Deadline) -> Result<Box<Connection>, DeliveryError> {
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
                End::Broken(DeliveryError::Temporary(format!(
                    "{} was too slow with the message: {why}",
                    self.server.host
                )))
            })
    }

    /// Keeps the connection if it is still of use.
    fn settle(&mut self, end: End) -> Result<(), DeliveryError> {
        match end {
            End::Answered(connection, result) => {
                self.kept = Some(connection);
                result
            }
            End::Early(failure) | End::Broken(failure) => Err(failure),
        }
    }
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
