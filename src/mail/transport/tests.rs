//! What the tests of all transports share, and tests of what all transports share.

use super::*;

pub(super) fn message(body: &str) -> Message {
    Message {
        from: "outflank@example.org".into(),
        to: "alice@example.com".into(),
        message_id: "1@example.org".into(),
        bytes: body.as_bytes().to_vec(),
    }
}

pub(super) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

/// The kind of an error and its text.
pub(super) fn error(end: Result<(), DeliveryError>) -> (&'static str, String) {
    match end {
        Ok(()) => panic!("delivered"),
        Err(DeliveryError::Unavailable(why)) => ("unavailable", why),
        Err(DeliveryError::Temporary(why)) => ("temporary", why),
        Err(DeliveryError::Permanent(why)) => ("permanent", why),
    }
}

/// The error of these settings.
pub(super) fn refused(open: Open, settings: &str) -> String {
    open(settings.parse().unwrap()).err().unwrap().0
}

#[test]
fn bad_addresses_are_refused() {
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
        assert_eq!(error(to.envelope().map(drop)).0, "permanent", "{bad}");
        let from = Message { from: bad.into(), ..message("") };
        assert_eq!(error(from.envelope().map(drop)).0, "unavailable", "{bad}");
    }
    assert!(message("").envelope().is_ok());
}

#[test]
fn unknown_kinds_are_refused() {
    assert_eq!(
        refused(open, ""),
        "[transport] kind is missing; use one of maildir, sendmail, smtp"
    );
    assert_eq!(
        refused(open, "kind = 'pigeon'"),
        "[transport] unknown kind \"pigeon\"; use one of maildir, sendmail, smtp"
    );
}
