//! The transports, tested with fake servers and programs.

mod maildir;
mod sendmail;
pub mod server;
mod smtp;
mod smtp_settings;

use std::time::Duration;

use outflank::clock::Deadline;
use outflank::mail::transport::{DeliveryError, Message, Worker, open};

use server::FakeServer;

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

/// Opens the transport with these settings in TOML.
#[track_caller]
fn transport(settings: &str) -> Worker {
    open(settings.parse().unwrap()).unwrap()
}

/// Delivers messages one at a time.
trait DeliverOne {
    fn deliver_one(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError>;
}

impl DeliverOne for Worker {
    fn deliver_one(&mut self, message: &Message, deadline: Deadline) -> Result<(), DeliveryError> {
        let mut results = self.deliver(vec![message.clone()], deadline, &|| true);
        results.pop().unwrap_or_else(|| Err(DeliveryError::Temporary("not tried".into())))
    }
}

/// Returns the error of these settings.
#[track_caller]
fn refused(settings: &str) -> String {
    open(settings.parse().unwrap()).err().unwrap().0
}

/// Returns the kind of an error and its text.
#[track_caller]
fn error(end: Result<(), DeliveryError>) -> (&'static str, String) {
    match end {
        Ok(()) => panic!("delivered"),
        Err(DeliveryError::Unavailable(why)) => ("unavailable", why),
        Err(DeliveryError::Sender(why)) => ("sender", why),
        Err(DeliveryError::Temporary(why)) => ("temporary", why),
        Err(DeliveryError::Recipient(why)) => ("recipient", why),
        Err(DeliveryError::Permanent(why)) => ("permanent", why),
    }
}

#[test]
fn bad_addresses_are_refused() {
    let fake = FakeServer::accepting();
    for mut transport in [fake.transport(), sendmail::shell("exit 0")] {
        for bad in [
            "",
            "alice",
            "a@b>\r\nQUIT",
            "a@b> X",
            "a b@c",
            "a @b",
            "\u{e9}@b",
            "<a@b>",
            "a@b,c@d",
            "a@b\n",
            "\"|x\"@b",
        ] {
            let to = Message { to: bad.into(), ..message("") };
            assert_eq!(error(transport.deliver_one(&to, soon())).0, "recipient", "{bad}");
            let from = Message { from: bad.into(), ..message("") };
            assert_eq!(error(transport.deliver_one(&from, soon())).0, "unavailable", "{bad}");
        }
        assert!(fake.received().is_empty());
    }
    for mut transport in [fake.transport(), sendmail::shell("exit 0")] {
        assert_eq!(transport.deliver_one(&message(""), soon()), Ok(()));
    }
}

#[test]
fn unknown_kinds_are_refused() {
    assert_eq!(refused(""), "[transport] kind is missing; use one of maildir, sendmail, smtp");
    assert_eq!(
        refused("kind = 'pigeon'"),
        "[transport] unknown kind \"pigeon\"; use one of maildir, sendmail, smtp"
    );
}
