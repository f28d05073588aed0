//! HTML as text, and replies of each mail program, reduced to their characteristic marks.

use outflank::mail::read::html::text;

use super::{fresh, mail};

const OURS: &str = r#"<div class="outflank"><p>---- Answer above this line ----</p>
    <table><tr><td>W</td><td>B</td></tr></table>
    <p>Legal: <a href="mailto:x@example.org?subject=d3">e6</a></p></div>"#;

/// Checks that only `d3` is read from this HTML. `OURS` is replaced by our mail.
fn only_d3(html: &str) {
    for original in [OURS, "<div>Your turn</div><div>e6</div>", "e6"] {
        let body = html.replace("OURS", original);
        let bytes = mail("Content-Type: text/html\n", body.as_bytes());
        assert_eq!(fresh(&bytes), ["d3"], "{html}");
    }
}

#[test]
fn a_mail_is_read_as_a_browser_shows_it() {
    assert_eq!(text("d3"), "d3\n");
    assert_eq!(text("<p>Hi&nbsp;Bob,<p>d3<br>\n  see\n you"), "Hi Bob,\nd3\nsee you\n");
    assert_eq!(text("<div>a</div><div><br></div><div>b</div>"), "a\n\nb\n");
    assert_eq!(text("<ul><li>a<li> <b>b</b>c</ul>d"), "a\nbc\nd\n");
    assert_eq!(text("<table><tr><td>a</td><td>b</td></tr><tr><td>c</table>"), "a b\nc\n");
    assert_eq!(text("<pre>\n a\r\n  b</pre> c"), "\n a\n  b\nc\n");
    assert_eq!(text("<div style='white-space: pre-wrap'>a\nb</div>c\nd"), "a\nb\nc d\n");
    assert_eq!(text("&lt;b&gt; &amp;&#100;&#x33;&eacute;"), "<b> &d3é\n");
    assert_eq!(text("<b>d</b><i>3</i>\u{200b}&#8203;"), "d3\n");
    assert_eq!(text(""), "");
}

#[test]
fn hidden_elements_are_omitted() {
    let html = "<html><head><title>e6</title><style>p { e6 }</style><meta name=x></head>\
        <body><script>if (a < b) e6</script><!-- e6 --><![if x]>d3<![endif]>\
        <!--[if mso]>e6<![endif]--><div style='display : none;color:red'>e6</div>\
        <span hidden>e6</span><img alt=e6></body></html>";
    assert_eq!(text(html), "d3\n");
    assert_eq!(text("<head><style>x</style><body>d3"), "d3\n");
}

#[test]
fn gmail() {
    let attribution = r#"<div dir="ltr" class="gmail_attr">On Sat, Nov 21, 2026 at 6:00 PM Outflank
        &lt;<a href="mailto:o@example.org">o@example.org</a>&gt; wrote:<br></div>"#;
    let quote =
        r#"<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;">OURS</blockquote>"#;
    only_d3(&format!(
        r#"<div dir="ltr">d3</div><br><div class="gmail_quote gmail_quote_container">
        {attribution}{quote}</div>"#
    ));
    only_d3(&format!(r#"<div class="gmail_quote">{attribution}{quote}<div>d3</div></div>"#));
    only_d3(&format!(r#"<div class="gmail_quote">{attribution}{quote}<div>d3</div>{quote}</div>"#));
    only_d3(&format!(
        r#"d3<div class="gmail_extra"><br><div class="gmail_quote">On Sat, Nov 21, 2026 at
        6:00 PM, Outflank wrote:<br>{quote}</div><br></div>"#
    ));
    only_d3(&format!(
        r#"d3<div>-- <br><div class="gmail_signature" data-smartmail="gmail_signature">e6</div>
        </div><div class="gmail_quote">{quote}</div>"#
    ));
    let forwarded = format!(
        r#"<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message
        ---------<br>From: <b>x</b></div>{quote}e6</div>"#
    );
    only_d3(&format!("d3{forwarded}"));
}

#[test]
fn outlook() {
    only_d3(r#"<div>d3</div><div id="appendonsend"></div><hr><div id="x">e6</div>OURS"#);
    only_d3(
        r#"d3<hr><div id="divRplyFwdMsg" dir="ltr"><font><b>From:</b> Outflank<br>
        <b>Sent:</b> today</font><div>&nbsp;</div></div><div>OURS</div>"#,
    );
    only_d3(
        r#"<p class="MsoNormal">d3<o:p></o:p></p><div><div style='border:none;border-top:solid
        #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in'><p class=MsoNormal><b>From:</b> x</p></div></div>
        <p>OURS</p>"#,
    );
    only_d3(
        r#"d3<div style="border:none; border-left:solid blue 1.5pt; padding:0 0 0 4pt"><div>e6
        </div>OURS</div>"#,
    );
    only_d3(
        "<p>d3</p><p><b>Von:</b> Outflank<br><b>Gesendet:</b> Samstag<br><b>An:</b> bob</p>OURS",
    );
    only_d3(r#"d3<DIV CLASS="OutlookMessageHeader">From</DIV>OURS"#);
    only_d3(
        r#"<div dir="ltr">d3<div id="SkyDrivePlaceholder"></div><hr id="stopSpelling">e6</div>"#,
    );
    only_d3(
        r#"<div>d3</div><div id="ms-outlook-mobile-signature">Get <a>Outlook for iOS</a></div>
        <div id="mail-editor-reference-message-container">OURS</div>"#,
    );
}

#[test]
fn apple_and_thunderbird() {
    only_d3(
        r#"d3<br><div><br><blockquote type="cite"><div>On 21 Nov 2026, at 18:00, Outflank
        wrote:</div><br>OURS</blockquote></div>"#,
    );
    only_d3(
        r#"d3<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">Sent from my iPhone</div>
        <div dir="ltr"><br><blockquote type="cite">On 21 Nov 2026 x wrote:<br><br></blockquote>
        </div><blockquote type="cite">OURS</blockquote>"#,
    );
    only_d3(
        r#"<div class="moz-cite-prefix">On 21/11/2026 18:00, Outflank wrote:<br></div>
        <blockquote type="cite" cite="mid:x">OURS</blockquote><p>d3</p>
        <div class="moz-signature">-- <br>e6</div>"#,
    );
    only_d3(
        r#"<p>On 21/11/2026 18:00, Outflank wrote:</p><blockquote type="cite">e6</blockquote>
        d3<blockquote type="cite">OURS</blockquote>"#,
    );
    only_d3(r#"d3<div class="moz-forward-container"><table><tr><td>e6</table>OURS</div>"#);
}

#[test]
fn others() {
    for quote in [
        r#"<div id="yahoo_quoted_123" class="yahoo_quoted"><div>On x wrote:</div>OURS</div>"#,
        r#"<div class="protonmail_quote">On x wrote:<br>
            <blockquote class="protonmail_quote" type="cite">OURS</blockquote></div>"#,
        r#"<div class="protonmail_signature_block">e6</div><blockquote>OURS</blockquote>"#,
        r#"<hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__">x</div>OURS"#,
        r#"<div class="zmail_extra" style="x"><div>---- On x wrote ----</div>OURS</div>"#,
        r#"<div name="quote" style="margin:10px 5px 5px 10px">OURS</div>"#,
        r#"<div class="x_qmQuote">OURS</div>"#,
        r#"<div name="messageReplySection" class="messageReplySection">OURS</div>"#,
        r#"<p id="reply-intro">On x wrote:</p><blockquote>OURS</blockquote>"#,
        r#"<div class="x_outflank">OURS</div>"#,
        r#"<div class="m_123outflank other">OURS</div>"#,
        r#"<table class="outflank"><tr><td><table><tr><td>OURS</table>e6</table>"#,
    ] {
        only_d3(&format!("<p>d3</p>{quote}"));
    }
}

#[test]
fn text_after_broken_html_counts_as_quoted() {
    only_d3("d3<blockquote>OURS");
    only_d3("d3<blockquote><blockquote>OURS</blockquote>e6");
    only_d3("<div>d3<blockquote></div>OURS");
    only_d3("d3</blockquote></div><blockquote/>OURS");
    only_d3("d3<blockquote class=\"a\" class='b' =>OURS</blockquote >");
    only_d3("d3<title>e6");
    only_d3("d3<blockquote");
}
