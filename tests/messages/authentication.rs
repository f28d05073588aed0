//! Authentication results of the receiving mail server.

use super::{mail, opened};

fn confirms(field: &str) -> bool {
    let message = opened(&mail(&format!("Authentication-Results: {field}\n"), b"d3\n"));
    message.authentication.confirms("mx.us.example", "alice@play.example.org")
}

#[test]
fn our_server_is_trusted() {
    for field in [
        "mx.us.example; dmarc=pass",
        "MX.US.Example 1; DMARC=Pass header.from=Play.Example.ORG",
        "mx.us.example; spf=fail smtp.mailfrom=x.example;\r\n\tdmarc=pass (p=none (a ; b=c)) header.from=play.example.org",
        "(hi) \"mx.us.example\" (v) 1 (ok) ; (x) dmarc (y) = (z) pass",
        "mx.us.example; dkim=pass header.d=play.example.org",
        "mx.us.example; dkim=pass header.d=example.org header.s=k header.b=ab/c=",
        "mx.us.example; dkim/1=pass header.b=\"a;b\" header.i=@play.example.org",
        "mx.us.example; dkim=pass header.i=news@example.org",
        "mx.us.example; dkim=fail header.d=example.org; dkim=pass header.d=example.org",
        "mx.us.example; dkim=pass header.d=other.example; dkim=pass header.d=example.org; dmarc=none",
    ] {
        assert!(confirms(field), "{field}");
    }
}

#[test]
fn other_fields_do_not_verify_the_author() {
    for field in [
        "",
        "mx.us.example",
        "mx.us.example; none",
        "mx.us.example 2; dmarc=pass",
        "mx.them.example; dmarc=pass",
        "mx.them.example; dmarc=pass\nAuthentication-Results: mx.us.example; dmarc=pass",
        "mx.us.example; spf=pass smtp.mailfrom=play.example.org",
        "mx.us.example; spf=fail (dmarc=pass)",
        "mx.us.example; spf=fail (\\) ; dmarc=pass)",
        "mx.us.example; spf=fail (a (b) ; dmarc=pass)",
        "mx.us.example; spf=fail (a ; dmarc=pass",
        "mx.us.example; spf=fail reason=\"; dmarc=pass\"",
        "mx.us.example; spf=fail reason=\"a\\\"; dmarc=pass\"",
        "mx.us.example; spf=fail reason=\"; dmarc=pass",
        "mx.us.example; spf=fail reason=dmarc=pass",
        "mx.us.example; spf=fail dmarc=pass",
        "mx.us.example; spf=fail smtp.helo=dmarc=pass",
        "mx.us.example; dmarc=\"pass\"",
        "mx.us.example; dmarc=passed",
        "mx.us.example; dmarc=fail header.from=play.example.org; dkim=pass header.d=example.org",
        "mx.us.example; dmarc=pass header.from=example.org",
        "mx.us.example; dmarc=pass header.from=play.example.org header.from=evil.example",
        "mx.us.example; dmarc=pass header.from=evil.example",
        "mx.us.example; dkim=pass",
        "mx.us.example; dkim=pass header.d=org",
        "mx.us.example; dkim=pass header.d=.org",
        "mx.us.example; dkim=pass header.d=y.example.org",
        "mx.us.example; dkim=pass header.d=xplay.example.org",
        "mx.us.example; dkim=pass header.d=evil.play.example.org",
        "mx.us.example; dkim=pass header.d=evil.example header.i=@play.example.org",
        "mx.us.example; dkim=neutral header.d=example.org",
        "dmarc=pass; mx.us.example",
        "spf=pass; dmarc=pass",
    ] {
        assert!(!confirms(field), "{field}");
    }
}

#[test]
fn without_a_field_or_a_domain_the_author_is_unverified() {
    assert!(!opened(&mail("", b"d3\n")).authentication.confirms("", "a@example.org"));
    let message = opened(&mail("Authentication-Results: mx; dmarc=pass\n", b"d3\n"));
    assert!(!message.authentication.confirms("mx", "a@"));
}
