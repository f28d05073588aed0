//! Properties of the quote reader and of the HTML reader for every text.

use outflank::mail::read::{html, quote};
use proptest::prelude::*;

/// A line that matters to the quote reader, or one that does not.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("d3".to_owned()),
        Just(quote::MARKER.to_owned()),
        Just("On 21 Nov 2026 at 18:00 Bob <bob@example.org> wrote:".to_owned()),
        Just("<bob@example.org".to_owned()),
        Just(">:".to_owned()),
        Just("wrote:".to_owned()),
        Just("From: Bob".to_owned()),
        Just("Sent: today".to_owned()),
        Just("-----Original Message-----".to_owned()),
        Just("-----BEGIN PGP SIGNED MESSAGE-----".to_owned()),
        Just("-----BEGIN PGP SIGNATURE-----".to_owned()),
        Just("-----END PGP SIGNATURE-----".to_owned()),
        Just("- -- ".to_owned()),
        Just("-- ".to_owned()),
        Just("| W | B | 1".to_owned()),
        "[>| ]{0,3}[a-z0-9 ]{0,80}",
        "\\PC{0,40}",
    ]
}

fn lines() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 0..30).prop_map(|lines| lines.join("\n"))
}

/// A line of words that are in no rule.
fn chatter() -> impl Strategy<Value = String> {
    prop::collection::vec("([A-Z][a-z]{2,7}( [a-z]{2,7}){2,9}[.!?])?", 0..6)
        .prop_map(|lines| lines.join("\n"))
}

/// Tags that matter to the HTML reader, and text.
fn tags() -> impl Strategy<Value = String> {
    let tag = prop_oneof![
        Just("<div>"),
        Just("</div>"),
        Just("<blockquote>"),
        Just("</blockquote>"),
        Just("<div class=gmail_quote>"),
        Just("<div class=gmail_attr>"),
        Just("<p>"),
        Just("<pre>"),
        Just("</pre>"),
        Just("<br>"),
        Just("<td>"),
        Just("<title>"),
        Just("<a href='"),
        Just("<!--"),
        Just("text"),
        Just("\u{e9} \n"),
    ];
    prop::collection::vec(tag, 0..40).prop_map(|tags| tags.concat())
}

proptest! {
    #[test]
    fn every_fresh_line_is_a_line_of_the_text(text in prop_oneof![lines(), any::<String>()]) {
        let lines: Vec<_> = text.split('\n').collect();
        for fresh in quote::fresh(&text) {
            prop_assert!(lines.iter().any(|line| line.contains(fresh)), "{fresh:?}");
            prop_assert_eq!(fresh.trim(), fresh);
        }
    }

    #[test]
    fn nothing_that_is_marked_comes_out(text in lines()) {
        let marked: String = text.split('\n').map(|line| format!("> {line}\n")).collect();
        prop_assert!(quote::fresh(&marked).is_empty());
    }

    #[test]
    fn an_answer_above_the_marker_is_all_that_comes_out(text in lines()) {
        let text = format!("d3\n{}\n{text}", quote::MARKER);
        prop_assert_eq!(quote::fresh(&text), ["d3"]);
    }

    #[test]
    fn an_answer_among_chatter_comes_out(above in chatter(), below in chatter()) {
        let text = format!("{above}\n\nd3\n\n{below}\n");
        prop_assert_eq!(quote::fresh(&text).iter().filter(|line| **line == "d3").count(), 1);
    }

    #[test]
    fn any_html_can_be_read(html in prop_oneof![tags(), any::<String>()]) {
        html::text(&html);
    }

    #[test]
    fn a_blockquote_is_left_out(html in tags()) {
        // Only its own end tag ends a quote. After an unfinished tag or comment, the rest is ignored.
        let html = html.replace("blockquote", "div");
        prop_assert_eq!(html::text(&format!("d3<blockquote>{html}e6")), "d3\n>\n");
    }
}
