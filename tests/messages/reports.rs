//! Delivery status notifications (RFC 3464).

use outflank::mail::read::{Automatic, Body, DeliveryReport};

use super::{file, mail, opened};

/// Returns a notification with these groups of fields.
fn notification(groups: &str) -> Vec<u8> {
    let text =
        format!("--r\n\nText\n--r\nContent-Type: message/delivery-status\n\n{groups}\n--r--\n");
    let fields = "Content-Type: multipart/report; report-type=delivery-status; boundary=r\n";
    mail(fields, text.as_bytes())
}

fn report(groups: &str) -> Option<DeliveryReport> {
    opened(&notification(groups)).report
}

fn has_failed(fields: &str) -> bool {
    let groups =
        format!("Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; bob@example.net\n{fields}");
    report(&groups).unwrap_or_else(|| panic!("no report: {fields}")).failed
}

#[test]
fn a_bounce_names_the_reason() {
    let bounce = opened(&file("bounce"));
    assert_eq!(bounce.automatic, Some(Automatic::AutoSubmitted));
    let diagnostic = "550 5.1.1 <bob@example.net>: Recipient address rejected: User unknown";
    let expected = DeliveryReport {
        failed: true,
        status: Some("5.1.1".into()),
        diagnostic: diagnostic.into(),
    };
    assert_eq!(bounce.report, Some(expected));
}

#[test]
fn the_action_failed_is_a_failure_whatever_the_status() {
    for fields in [
        "Action: failed\nStatus: 5.1.1\n",
        "ACTION: FAILED (sorry)\nSTATUS: 5.0.0 (unknown)\n",
        "Action: failed\nDiagnostic-Code: smtp; 554 no\n",
        "Action: delayed\nStatus: 4.0.0\n\nFinal-Recipient: rfc822; c@x\nAction: failed\nStatus: 5.0.0\n",
        // The server has given up.
        "Action: failed\nStatus: 4.4.7\nDiagnostic-Code: smtp; 554 no\n",
        "Action: failed\n",
        "Action: failed\nDiagnostic-Code: smtp; 421 no\n",
    ] {
        assert!(has_failed(fields), "{fields}");
    }
    for fields in [
        "Action: delayed\nStatus: 5.1.1\n",
        "Action: relayed\nStatus: 5.1.1\n",
        "Action: delivered\nStatus: 2.0.0\n",
        "Action: expanded\nStatus: 2.0.0\n",
    ] {
        assert!(!has_failed(fields), "{fields}");
    }
    assert_eq!(report("Final-Recipient: rfc822; b@x\nStatus: 5.1.1\n"), None);
}

#[test]
fn a_refusal_by_policy_is_marked() {
    for (fields, is_policy) in [
        ("Status: 5.7.1\n", true),
        ("Status: 5.7.26\nDiagnostic-Code: smtp; 550-5.7.26 not authenticated\n", true),
        ("Status: 5.0.0\nDiagnostic-Code: smtp; 554 5.7.1 relay access denied\n", true),
        ("Diagnostic-Code: smtp; 550 5.7.1 blocked\n", true),
        ("Status: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 unknown\n", false),
        ("Status: 5.7.13\n", false),
        ("Status: 5.7.1\nDiagnostic-Code: smtp; 525 no\n", false),
        ("Status: 5.7.1\nDiagnostic-Code: smtp; 550 5.7.1 disabled recipient\n", false),
        ("Diagnostic-Code: smtp; 550 5.7.1 Account Inactive\n", false),
        ("Status: 4.7.1\nDiagnostic-Code: smtp; 451 4.7.1 greylisted\n", false),
        ("", false),
    ] {
        let groups = format!("Action: failed\n{fields}");
        let text = notification(&groups);
        let failure = opened(&text).failure(true, "id", "sender").unwrap();
        assert_eq!(failure.is_policy, is_policy, "{fields}");
    }
}

#[test]
fn the_diagnostic_fits_one_line() {
    let long = "x".repeat(500);
    let groups = format!(
        "Final-Recipient: rfc822; b@x\nAction: failed\nDiagnostic-Code: smtp; 550 a\x07b\n\tc {long}\n"
    );
    let diagnostic = report(&groups).unwrap().diagnostic;
    assert!(diagnostic.starts_with("550 a b c xxx"), "{diagnostic}");
    assert_eq!(diagnostic.chars().count(), 200);
}

#[test]
fn other_mails_are_not_reports() {
    assert_eq!(report(""), None);
    assert_eq!(report("Reporting-MTA: dns; x\n"), None);
    assert_eq!(opened(&file("plain")).report, None);
    let status =
        "Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; b@x\nAction: failed\n";
    let text = format!("--r\n\nText\n--r\n{status}\n--r--\n");
    for kind in ["disposition-notification", "feedback-report"] {
        let fields = format!("Content-Type: multipart/report; report-type={kind}; boundary=r\n");
        assert_eq!(opened(&mail(&fields, text.as_bytes())).report, None, "{kind}");
    }
    // A report in the form of OpenSMTPD.
    let mixed = opened(&mail("Content-Type: multipart/mixed; boundary=r\n", text.as_bytes()));
    assert!(mixed.report.unwrap().failed);
    assert_eq!(mixed.automatic, Some(Automatic::Report));
}

#[test]
fn a_broken_report_is_read_as_far_as_it_goes() {
    let whole = String::from_utf8(file("bounce")).unwrap();
    let (start, end) = whole.trim_end().rsplit_once('\n').unwrap();
    assert!(end.ends_with("--"));
    let broken = format!("--r\nContent-Type: multipart/alternative\n\nText\n{end}");
    for text in [start.to_owned(), whole.replace(end, &broken)] {
        let bounce = opened(text.as_bytes());
        assert!(matches!(bounce.body, Body::Broken(_)), "{text}");
        assert!(bounce.report.unwrap().failed, "{text}");
    }
}

#[test]
fn a_report_in_an_attached_message_is_ignored() {
    let inner = String::from_utf8(file("bounce")).unwrap();
    let text = format!("--o\nContent-Type: message/rfc822\n\n{inner}\n--o--\n");
    let fields = "Content-Type: multipart/report; report-type=delivery-status; boundary=o\n";
    assert_eq!(opened(&mail(fields, text.as_bytes())).report, None);
}
