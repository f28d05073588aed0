//! Delivery to an SMTP server, several messages over one connection.
//!
//! lettre provides the protocol and TLS. This module writes each body and its final dot at once,
//! since the two writes of lettre cost 44 ms (Nagle's algorithm and delayed acknowledgements). It
//! runs slow steps on a thread that is abandoned at the deadline, because the time limit of a socket
//! starts again with each byte.

mod connection;
mod settings;

use std::net::ToSocketAddrs;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use lettre::transport::smtp::commands::Quit;

use connection::{Connection, End, Prepared, connect};
use settings::Server;

use super::{BadSettings, DeliveryError, Message, Transport, one_line, time_left};
use crate::clock::Deadline;

/// The time between the deadline and abandoning a thread. The time limit of a socket ends first,
/// and its error says more.
const GRACE: Duration = Duration::from_millis(250);
/// The time limit for closing the last connection.
const FAREWELL: Duration = Duration::from_secs(1);

/// Opens the transport with these settings and reads `password_file` and `ca_file`. Does not
/// connect yet.
pub(super) fn open(settings: toml::Table) -> Result<Box<dyn Transport>, BadSettings> {
    let server = Arc::new(Server::new(settings)?);
    Ok(Box::new(Smtp { server, kept: None }))
}

/// A server, and the connection that the last message left open.
struct Smtp {
    server: Arc<Server>,
    kept: Option<Box<Connection>>,
}

impl Transport for Smtp {
    fn deliver(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError> {
        let message = Arc::new(Prepared::new(message)?);
        time_left(deadline)?;
        if let Some(connection) = self.kept.take() {
            match self.transact(connection, &message, deadline) {
                // Servers close connections that were idle or carried many messages. The server has
                // no part of this message yet, so a second try cannot duplicate it.
                End::Early(_) if !deadline.has_passed() => {}
                end => return self.settle(end),
            }
        }
        let connection = self.connect(deadline)?;
        let end = self.transact(connection, &message, deadline);
        self.settle(end)
    }
}

impl Drop for Smtp {
    fn drop(&mut self) {
        if let Some(mut connection) = self.kept.take() {
            let _ = within(FAREWELL, move || {
                let _ = connection.smtp.set_timeout(Some(FAREWELL));
                let _ = connection.smtp.command(Quit);
            });
        }
    }
}

impl Smtp {
    /// Opens a connection, encrypts it and logs in as configured.
    fn connect(&self, deadline: Deadline) -> Result<Box<Connection>, DeliveryError> {
        let server = Arc::clone(&self.server);
        let limit = server.reply_limit(deadline).unwrap_or_default();
        // The system's resolver accepts no time limit.
        let addresses = within(limit, move || {
            let place = (server.host.as_str(), server.port);
            place.to_socket_addrs().map(Iterator::collect::<Vec<_>>)
        });
        let addresses = addresses
            .map_err(|why| format!("looking up its address: {why}"))
            .and_then(|found| found.map_err(|error| one_line(&error.to_string())))
            .map_err(|why| self.server.unreachable(&why))?;
        let server = Arc::clone(&self.server);
        within(deadline.remaining() + GRACE, move || connect(&server, &addresses, deadline))
            .unwrap_or_else(|why| Err(self.server.unreachable(why)))
    }

    /// Sends one message over `connection`, giving up soon after `deadline`.
    fn transact(
        &self,
        connection: Box<Connection>,
        message: &Arc<Prepared>,
        deadline: Deadline,
    ) -> End {
        let message = Arc::clone(message);
        // An abandoned thread starts no new command, since the deadline has passed.
        within(deadline.remaining() + GRACE, move || connection.transact(&message, deadline))
            .unwrap_or_else(|why| {
                End::Broken(DeliveryError::Temporary(format!(
                    "{} was too slow with the message: {why}",
                    self.server.host
                )))
            })
    }

    /// Keeps the connection if it is still usable, and returns the result of the message.
    fn settle(&mut self, end: End) -> Result<(), DeliveryError> {
        match end {
            End::Answered(connection, result) => {
                self.kept = Some(connection);
                result
            }
            End::Early(error) | End::Broken(error) => Err(error),
        }
    }
}

/// Runs `job` on a thread and waits at most `limit` for its result, then abandons the thread.
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
        mpsc::RecvTimeoutError::Timeout => "no reply in time",
        // lettre panics when a line of the EHLO reply is blank.
        mpsc::RecvTimeoutError::Disconnected => "its reply was malformed",
    })
}
