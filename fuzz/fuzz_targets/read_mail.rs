//! Reads arbitrary bytes: no panic, and the result keeps its documented promises.

#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank::mail::read::{Body, InboundMessage, MAX_LISTED, read};

fuzz_target!(|bytes: &[u8]| {
    let Ok(mail) = read(bytes) else { return };
    check(&mail);
    assert_eq!(read(bytes), Ok(mail), "two readings differ");
});

fn check(mail: &InboundMessage) {
    assert!(mail.recipients.len() <= MAX_LISTED && mail.references.len() <= MAX_LISTED);
    for address in mail.recipients.iter().chain(&mail.from) {
        assert!(address.bytes().all(|byte| byte.is_ascii_graphic()), "{address:?}");
        assert_eq!(address.matches('@').count(), 1, "{address:?}");
    }
    for id in mail.references.iter().chain(&mail.message_id) {
        assert!(!id.is_empty() && !id.contains(char::is_whitespace), "{id:?}");
    }
    for line in [&mail.subject].into_iter().chain(&mail.date) {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    if let Some(report) = &mail.report {
        assert!(report.diagnostic.chars().count() <= 200 && !report.diagnostic.contains(char::is_control));
        assert!(mail.automatic.is_some(), "a report must be automatic mail");
    }
    if let Some(failure) = mail.failure(true, "id@example.org", "club@example.org") {
        assert!(failure.reason.chars().count() <= 200 && !failure.reason.contains(char::is_control));
    }
    if let Body::Lines { fresh, whole, .. } = &mail.body {
        assert!(!whole.contains('\r') && !whole.contains('\0'));
        for line in fresh {
            assert!(!line.contains(['\n', '\r', '\0']), "{line:?}");
        }
    }
    if let Some(from) = &mail.from {
        assert!(!mail.authentication.confirms("", from), "an unnamed server confirms nothing");
    }
}
