//! The HTML part of mails, and the links in it that open replies.

use mail_parser::MessageParser;
use outflank::command::MoveAt;
use outflank::mail::{LINE, markup};
use outflank_rules::Color;

use super::written::{ADDRESS, MIDDLE, Sample, TOKEN, Written};
use crate::harness::with_marks;

/// Returns the unescaped links of a page, each with its text.
fn links(html: &str) -> Vec<(String, String)> {
    let link = |rest: &str| {
        let (href, rest) = rest.split_once('"').unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        let (text, _) = rest.split_once("</a>").unwrap();
        (href.replace("&amp;", "&"), text.replace("&#8239;", ""))
    };
    html.split("href=\"").skip(1).map(link).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(&after[..2]).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            rest = &after[2..];
        } else {
            assert!(first.is_ascii_alphanumeric() || b"-._~@".contains(first), "{text}");
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Returns the address, subject and body of the mail that a link opens.
fn opened(href: &str) -> (String, String, String) {
    let uri = href.strip_prefix("mailto:").unwrap();
    let (address, fields) = uri.split_once("?subject=").unwrap();
    let (subject, body) = fields.split_once("&body=").unwrap_or((fields, ""));
    (decoded(address), decoded(subject), decoded(body))
}

fn on_the_hex_lattice() -> Sample<'static> {
    Sample { variant: "oddthello", moves: "c4", to: Color::White, ..Sample::default() }
}

fn must_pass() -> Sample<'static> {
    Sample { variant: "twente", position: Some("(b wb-- ---- ---- ----)"), ..Sample::default() }
}

fn over() -> Sample<'static> {
    Sample { event: "over", resigned: Some(Color::Black), ..MIDDLE }
}

/// Returns every kind of mail in all its forms.
fn everything() -> Vec<Sample<'static>> {
    let about = ["turn", "started", "receipt", "over", "answer", "paused"];
    let mut all = Vec::new();
    for event in about {
        let text = Some("<script src=http:x.example>&\"' \u{fc}\n| x |\r\nlast");
        for (answerable, token) in [(true, None), (true, Some(TOKEN)), (false, None)] {
            for sample in [MIDDLE, on_the_hex_lattice(), must_pass(), over()] {
                if event == "over" && sample.resigned.is_none() {
                    continue;
                }
                for to in Color::BOTH {
                    all.push(Sample { event, text, answerable, token, to, ..sample });
                }
            }
        }
        if ["over", "turn", "started", "receipt"].contains(&event) {
            continue;
        }
        all.push(Sample { event, text, size: Some("99x26"), anywhere: true, ..Sample::default() });
    }
    for event in ["answer", "confirm", "mismatch"] {
        for token in [None, Some(TOKEN)] {
            let text = Some("<script src=http:x.example>&\"' \u{fc}\n| x |\r\nlast");
            all.push(Sample { event, text, token, of_a_game: false, ..Sample::default() });
        }
    }
    all
}

/// Returns the words between the marks of commands, except moves.
fn marked(part: &str) -> Vec<&str> {
    let marks = part.split(['\u{2039}', '\u{203a}']).skip(1).step_by(2);
    marks.filter(|words| words.parse::<MoveAt>().is_err()).collect()
}

#[test]
fn only_commands_have_marks() {
    let text = Some("bob is here.");
    let about = ["turn", "started", "receipt", "flagged", "notice", "reminder", "watched"];
    let about = about.map(|event| Sample { event, text, timed: true, has_pages: true, ..MIDDLE });
    let without = ["digest", "own-page", "farewell", "moved", "address", "notice", "host"];
    let without = without.map(|event| Sample { event, text, has_pages: true, ..MIDDLE });
    let without = without.map(|sample| Sample { of_a_game: false, ..sample });
    for sample in everything().into_iter().chain(about).chain(without) {
        let (mail, unmarked) = (sample.written(), sample.unmarked());
        let known = |words: &&str| unmarked.text.contains(&format!("`{words}`"));
        let in_text = marked(&mail.text).into_iter().find(|words| !known(words));
        assert_eq!(in_text, None, "{}", mail.text);
        let (html, unmarked) = (with_marks(&mail.html), with_marks(&unmarked.html));
        assert_eq!(marked(&html), marked(&unmarked), "{html}");
    }
}

#[test]
fn html_of_mails() {
    let html = |sample: Sample| sample.written().html;
    insta::with_settings!({ snapshot_path => "pages" }, {
        insta::assert_snapshot!("turn", html(MIDDLE));
        insta::assert_snapshot!("hex", html(on_the_hex_lattice()));
        insta::assert_snapshot!("must-pass", html(must_pass()));
        insta::assert_snapshot!("over", html(over()));
        insta::assert_snapshot!("headers", MIDDLE.written().headers);
    });
}

#[test]
fn text_of_mails_with_a_reply_address() {
    let text_of = |sample: Sample| sample.written().text;
    insta::assert_snapshot!("answerable-turn", text_of(MIDDLE));
    insta::assert_snapshot!(
        "answerable-token",
        text_of(Sample { token: Some(TOKEN), ..must_pass() })
    );
    insta::assert_snapshot!(
        "answerable-receipt",
        text_of(Sample { event: "receipt", to: Color::Black, token: Some(TOKEN), ..MIDDLE })
    );
    insta::assert_snapshot!("answerable-over", text_of(over()));
    let gameless = Sample { of_a_game: false, ..MIDDLE };
    let text = Some("new othello alice bob\nresign 3");
    insta::assert_snapshot!("confirm", text_of(Sample { event: "confirm", text, ..gameless }));
    let text = Some("mallory@example.org");
    insta::assert_snapshot!("mismatch", text_of(Sample { event: "mismatch", text, ..gameless }));
    insta::assert_snapshot!(
        "paused",
        text_of(Sample { event: "paused", text: Some("alice"), ..MIDDLE })
    );
    let text = "Not done: d9\nd9 is outside the board (a1 to h8).";
    let answer = text_of(Sample { event: "answer", text: Some(text), ..MIDDLE });
    let begins = format!("{text}\n\n---- Answer above this line ----\n\nLast move: 13.");
    assert!(answer.starts_with(&begins), "{answer}");
}

#[test]
fn every_link_opens_a_reply() {
    for sample in everything() {
        let address = if sample.token.is_some() { "outflank@club.example" } else { ADDRESS };
        let (html, event) = (sample.written().html, sample.event);
        let links = links(&html);
        assert_eq!(
            links.is_empty(),
            !sample.answerable || event == "mismatch" || !sample.of_a_game && event == "answer",
            "{event}: {html}"
        );
        for (href, _) in links {
            let (to, subject, body) = opened(&href);
            assert_eq!(to, address);
            assert!(
                !sample.of_a_game
                    || subject == "Re: Othello #12"
                    || sample.variant != "othello"
                    || sample.size.is_some(),
                "{subject}"
            );
            let token = sample.token.map(|token| format!("\r\n\r\nReply token: {token}\r\n"));
            assert!(body.ends_with(token.as_deref().unwrap_or("")), "{body}");
            assert!(body.is_empty() || body.ends_with("\r\n"), "{body}");
        }
    }
}

#[test]
fn every_legal_square_is_a_link_with_its_move() {
    for token in [None, Some(TOKEN)] {
        for sample in [
            MIDDLE,
            on_the_hex_lattice(),
            Sample { size: Some("3x26"), anywhere: true, ..Sample::default() },
        ] {
            let sample = Sample { token, ..sample };
            let game = sample.game();
            let lattice = game.position().rules().lattice;
            let legal: Vec<_> =
                game.legal().iter().map(|&played| lattice.move_label(played)).collect();
            let html = sample.written().html;
            let (board, rest) = html.split_once("</table>\n</div>").expect("the board");
            let of_a_move = |(href, label): (String, String)| {
                let body = opened(&href).2;
                assert_eq!(body.lines().next(), Some(&*label));
                label
            };
            let mut played: Vec<_> = links(board).into_iter().map(of_a_move).collect();
            let mut legal = legal.clone();
            played.sort();
            legal.sort();
            assert_eq!(played, legal);
            let table = rest.split_once("class=\"moves\"").unwrap().1;
            assert_eq!(links(table), [], "the board has them");
        }
    }
}

#[test]
fn moves_are_offered_only_on_turn_and_with_incoming_mail() {
    let waiting = Sample { event: "receipt", to: Color::Black, ..MIDDLE }.written();
    assert!(
        !waiting.html.contains("class=\"choice\"") && !waiting.html.contains("class=\"moves\"")
    );
    let silent = Sample { answerable: false, ..MIDDLE }.written();
    assert!(!silent.html.contains("href") && !silent.html.contains("Answer"), "{}", silent.html);
    assert!(silent.html.contains("class=\"moves\""));
    assert!(!silent.text.contains("nswer this mail") && !silent.text.contains("----"));
    assert!(!silent.headers.contains("List-Unsubscribe") && !silent.headers.contains("\nReply-To"));
}

/// The moves of a whole game.
const GAME: &str = "d3c5d6e3f3f4e6f6c4c3f5d2b5b6b4a6a5g4g5e7d7c6c7d8f8e8c8f7a7a3b7e2\
                    a4a8b8g3g6g8h3b3f2e1g7h4h5h8c1h7h6h2c2d1f1g2b1b2a1a2h1g1";

#[test]
fn a_turn_mail_of_an_8x8_game_takes_less_than_20_kb() {
    for moves in (0..GAME.len()).step_by(8).map(|end| &GAME[..end]) {
        for to in Color::BOTH {
            let sample = Sample { moves, to, has_pages: true, timed: true, ..MIDDLE };
            let size = sample.written().raw.len();
            assert!(size < 20_000, "{size} bytes after {} moves", moves.len() / 2);
        }
    }
}

#[test]
fn a_board_of_2500_moves_has_one_link() {
    let sample = Sample { size: Some("99x26"), anywhere: true, ..Sample::default() };
    let written = sample.written();
    assert!(written.raw.len() < 100_000, "{}", written.raw.len());
    let links = links(&written.html);
    let texts: Vec<_> = links.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        ["Reply with a move", "write a reply", "&#8249;help&#8250; for all commands"]
    );
    assert_eq!(opened(&links[0].0).2, "");
    assert!(written.html.contains("<td>B</td>") && written.html.contains("Write your move"));
    assert!(!written.text.contains("What each move"), "{}", written.text);
}

#[test]
fn a_full_board_fits_and_a_huge_hex_board_is_left_out() {
    let row = "bw".repeat(13);
    let full = format!("(b {} -{})", [row.as_str(); 98].join(" "), &row[1..]);
    let written = Sample { position: Some(&full), ..Sample::default() }.written();
    assert!(written.raw.len() < 100_000, "{}", written.raw.len());
    assert!(written.html.contains("<a href"));
    let gap = "-".repeat(996);
    for rows in [2, 20] {
        let between = format!("{gap}--- ").repeat(rows);
        let far = format!("(b {gap}bbw {between}w{gap}--)");
        let sample = Sample { variant: "oddthello", position: Some(&far), ..Sample::default() };
        let written = sample.written();
        assert!(written.raw.len() < 100_000, "{}", written.raw.len());
        assert!(written.html.contains("too large for this page"), "{}", written.html);
        assert!(!links(&written.html).is_empty());
    }
}

#[test]
fn labels_do_not_break_at_their_hyphen() {
    let moves = "a4 a3 a2 b1 c0 b0 a0 b-1";
    let sample = Sample { variant: "oddthello", moves, ..Sample::default() };
    let html = sample.written().html;
    let label = |label: &str| format!("<span style=\"white-space:nowrap\">{label}</span>");
    assert!(html.contains(&format!("{} by", label("(B-1"))), "{html}");
    assert!(html.contains(&label("8.B-1")), "{html}");
}

#[test]
fn html_is_escaped_and_loads_nothing() {
    for sample in everything() {
        let html = sample.written().html;
        assert!(html.is_ascii());
        for bad in ["<script", "src=http", "http:", "https:", "url(", "<img"] {
            let escaped = html.replace("src=http:x.example&gt;", "");
            assert!(!escaped.contains(bad), "{bad} in {}: {html}", sample.event);
        }
        if ["answer", "confirm", "mismatch"].contains(&sample.event) {
            let text = "&lt;script src=http:x.example&gt;&amp;&quot;&#x27; &#252; | x | last ";
            let visible: String = html
                .split('<')
                .filter_map(|tag| tag.split_once('>'))
                .map(|(_, text)| text.to_owned() + " ")
                .collect();
            // Below a question, each requested command has marks around it.
            let visible = visible.split_whitespace().collect::<Vec<_>>().join(" ");
            let visible = visible.replace("(not done yet) - ", "").replace("(not done yet) ", "");
            assert!(visible.contains(text), "{visible}");
        }
        let body = html.split_once("<body style=\"margin:0\">\n").unwrap().1;
        let marker = "<div class=\"outflank\" style=\"";
        assert!(body.starts_with(marker), "{body}");
        let markers = html.matches(">---- Answer above this line ----</div>").count();
        assert_eq!(markers, usize::from(sample.answerable), "{html}");
    }
}

#[test]
fn every_mail_is_well_formed() {
    for sample in everything() {
        let written = sample.written();
        assert!(written.raw.len() < 100_000);
        for line in written.raw.split_terminator("\r\n") {
            assert!(line.len() <= 998 && !line.contains(['\r', '\n']), "{line:?}");
        }
        let message = MessageParser::new().parse(written.raw.as_bytes()).unwrap();
        assert_eq!(
            (message.parts.len(), message.text_body_count(), message.html_body_count()),
            (3, 1, 1)
        );
        assert_eq!(message.attachment_count(), 0);
        let text = &written.text;
        let markers =
            format!("{text}\n").matches("\n\n---- Answer above this line ----\n\n").count();
        assert_eq!(markers, usize::from(sample.answerable), "{text}");
        assert_eq!(text.contains("\nReply token: "), sample.token.is_some(), "{text}");
        assert!(!text.contains("\n\n\n") && !text.ends_with("\n\n"), "{text}");
        let short = |line: &str| line.len() <= 78 || sample.size.is_some();
        assert!(text.lines().all(|line| short(line) && line.trim_end() == line), "{text}");
    }
}

#[test]
fn figures_and_tables_are_not_wrapped_and_sentences_are() {
    let row = ["1", "alice & co"].map(str::to_owned).to_vec();
    let drawn = "Game  Black\n   1  alice & co";
    let table = markup::table(drawn, &[("Game", true), ("Black", false)], &[row]);
    let figure = markup::board("+---+\n| B |\n+---+", None);
    let sentence = "Write `show 1`. ".repeat(9);
    let whole = format!("It is your turn.\n\n{table}\n\n{figure}\n\n{sentence}");
    let answer = Sample { event: "answer", of_a_game: false, ..MIDDLE };
    let Written { html, text, .. } = Sample { text: Some(&whole), ..answer }.written();
    assert!(html.contains("<b>It is your turn.</b>"), "{html}");
    assert!(html.contains("<td align=\"right\">1</td>\n<td>alice &amp; co</td>"), "{html}");
    assert!(html.contains("monospace\">\n+---+\n| B |\n+---+</pre>"), "{html}");
    assert!(html.contains("Write <b>&#8249;show 1&#8250;</b>. Write <b>"), "{html}");
    assert!(text.contains(drawn) && text.contains("| B |\n+---+\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= LINE), "{text}");
    // A table that was cut is plain text.
    let mut cut = whole.clone();
    markup::cut(&mut cut, whole.find("alice & co").unwrap() + 2);
    let html = Sample { text: Some(&format!("{cut}\n\nCut.")), ..answer }.written().html;
    assert!(html.contains("   1  al</pre>") && html.contains(">\nCut.</pre>"), "{html}");
}
