//! Delivery to an SMTP server, several messages over one connection.
//!
//! lettre provides the protocol and TLS. This module writes each body and its final dot at once,
//! since the two writes of lettre cost 44 ms (Nagle's algorithm and delayed acknowledgements), and
//! sends the commands of a message together where the server can read them so.

mod connection;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use lettre::transport::smtp::commands::Quit;

use connection::{Connection, End, Prepared, connect};
use settings::Server;
pub(super) use settings::Settings;

use super::kind::{BadSettings, Delivered, Readiness, Transport};
use super::message::{DeliveryError, Message};
use crate::clock::Deadline;

/// The time limit for closing the last connection.
const QUIT_TIMEOUT: Duration = Duration::from_millis(250);

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
    fn send(&mut self, message: &Message, is_alone: bool, deadline: Deadline) -> Delivered {
        let message = Prepared::new(message)?;
        if let Some(connection) = self.kept.take() {
            match self.transact(connection, &message, deadline) {
                // Servers close connections that were idle or carried many messages. The server has
                // no part of this message yet, so a second try cannot duplicate it.
                End::Early(_) if !deadline.has_passed() => {}
                End::Answered(result) => return result,
                End::Early(error) | End::Broken(error) => return Err(error),
            }
        }
        // To ask whether the server pipelines costs as much as one message gains by it.
        let connection = connect(&self.server, !is_alone, deadline)?;
        match self.transact(connection, &message, deadline) {
            End::Answered(result) => result,
            End::Early(error) | End::Broken(error) => Err(error),
        }
    }

    fn check(&mut self, deadline: Deadline) -> Result<Readiness, DeliveryError> {
        let mut connection = connect(&self.server, false, deadline)?;
        connection.ask_whether_alive(deadline)?;
        self.kept = Some(connection);
        Ok(self.server.readiness())
    }
}

impl Smtp {
    /// Sends one message over a connection, and keeps the connection if it is still usable.
    fn transact(
        &mut self,
        mut connection: Box<Connection>,
        message: &Prepared,
        deadline: Deadline,
    ) -> End {
        let end = connection.transact(message, deadline);
        self.kept = matches!(end, End::Answered(_)).then_some(connection);
        end
    }
}

impl Drop for Smtp {
    fn drop(&mut self) {
        if let Some(mut connection) = self.kept.take() {
            let _ = connection.smtp.set_timeout(Some(QUIT_TIMEOUT));
            let _ = connection.smtp.command(Quit);
        }
    }
}
