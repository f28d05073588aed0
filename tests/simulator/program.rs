//! The forms in which people's mail programs write a text with a quotation of the mail that it answers.

use super::mailer::{encoded, parts};
use super::server::Accepted;

/// A mail program.
#[derive(Debug, Clone)]
pub struct Program {
    place: Place,
    /// What stands before each quoted line.
    mark: &'static str,
    introduction: &'static str,
    /// At how many characters it breaks quoted lines.
    width: Option<usize>,
    /// Whether the rest of a broken line has no mark.
    loses_marks: bool,
    /// Whether it quotes what it shows of the HTML part.
    shows_html: bool,
    /// Whether the quotation lacks the line "Answer above this line".
    loses_marker: bool,
    /// Whether only some lines are quoted.
    is_partial: bool,
    format: Format,
    signature: &'static str,
    attachment: Option<&'static str>,
}

/// Where the text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Above,
    Below,
    Between,
    /// Nothing is quoted.
    Alone,
}

/// The parts of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Plain,
    Flowed,
    Html(Style),
    Both(Style),
}

/// How HTML quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Gmail,
    Outlook,
    Apple,
    /// A rule alone.
    Rule,
}

const STYLES: [Style; 4] = [Style::Gmail, Style::Outlook, Style::Apple, Style::Rule];

/// Marks of quoted lines. Those that are documented come first.
const MARKS: [&str; 6] = ["> ", ">", "    > > ", "| ", "    ", ""];

/// Introductions of a quotation. Those of known mail programs come first.
const INTRODUCTIONS: [&str; 11] = [
    "On Sat, Nov 21, 2026 at 6:00 PM Outflank <outflank@club.example> wrote:",
    "On Sat, 21 Nov 2026 at 18:00, Outflank <\noutflank@club.example> wrote:",
    "Am 21.11.26 um 18:00 schrieb Outflank:",
    "Le 21/11/2026 \u{e0} 18:00, Outflank a\n\u{e9}crit :",
    "-----Original Message-----\nFrom: Outflank\nSent: Saturday\nTo: you\nSubject: the game",
    "________________________________\nFrom: Outflank <outflank@club.example>\nSent: Saturday\nTo: you",
    "*Von:* Outflank\n*Gesendet:* Samstag\n*An:* dich\n*Betreff:* das Spiel",
    "---------- Forwarded message ---------\nFrom: Outflank",
    "Dim Sad, 21 Tach 2026, Outflank:",
    "Outflank:",
    "",
];

/// How many of them are those of known mail programs.
const KNOWN_INTRODUCTIONS: usize = 8;

const SIGNATURES: [&str; 9] = [
    "",
    "",
    "",
    "-- \nAnn Example\nresign\nd3",
    "--\nyes\naccept",
    "-- \nChess players have no patience,\nask me why",
    "Sent from my iPhone",
    "Kind regards\nAnn Example",
    "Best regards,\n\nAnn Example\nExample Corporation\nTel. +49 89 1234567",
];

/// Attachments with commands in them.
const ATTACHMENTS: [&str; 3] = [
    "Content-Type: text/plain; name=\"a.txt\"\nContent-Disposition: attachment; filename=\"a.txt\"\n\nresign\n",
    "Content-Type: message/rfc822\nContent-Disposition: attachment\n\n\
     From: ben@people.example\nTo: ann@people.example\nSubject: accept\n\nresign\naccept\n",
    "Content-Type: image/png; name=\"logo.png\"\nContent-Transfer-Encoding: base64\n\
     Content-Disposition: inline\n\niVBORw0KGgo=\n",
];

impl Program {
    /// Chooses a mail program.
    pub fn of(rng: &mut fastrand::Rng) -> Self {
        let one =
            |rng: &mut fastrand::Rng, choices: &[&'static str]| choices[rng.usize(..choices.len())];
        let style = STYLES[rng.usize(..STYLES.len())];
        Self {
            place: match rng.u8(..10) {
                0..6 => Place::Above,
                6 => Place::Below,
                7 => Place::Between,
                _ => Place::Alone,
            },
            mark: match rng.u8(..3) {
                0 => one(rng, &MARKS),
                _ => one(rng, &MARKS[..2]),
            },
            introduction: match rng.u8(..4) {
                0 => one(rng, &INTRODUCTIONS),
                _ => one(rng, &INTRODUCTIONS[..KNOWN_INTRODUCTIONS]),
            },
            width: (rng.u8(..4) == 0).then(|| rng.usize(20..100)),
            loses_marks: rng.u8(..3) == 0,
            shows_html: rng.u8(..3) == 0,
            loses_marker: rng.u8(..3) == 0,
            is_partial: rng.u8(..6) == 0,
            format: match rng.u8(..8) {
                0 => Format::Html(style),
                1 | 2 => Format::Both(style),
                3 => Format::Flowed,
                _ => Format::Plain,
            },
            signature: one(rng, &SIGNATURES),
            attachment: (rng.u8(..8) == 0).then(|| one(rng, &ATTACHMENTS)),
        }
    }

    /// Returns whether the docs say how the own text is told from the rest: it stands alone or above a quotation
    /// that has known marks or a known introduction.
    pub fn is_clear(&self) -> bool {
        let has_all_marks = self.width.is_none() || !self.loses_marks;
        let is_introduced = INTRODUCTIONS[..KNOWN_INTRODUCTIONS].contains(&self.introduction)
            || self.introduction.is_empty() && has_all_marks;
        let is_known = MARKS[..2].contains(&self.mark) && is_introduced;
        match self.format {
            Format::Plain | Format::Flowed | Format::Both(_) => {
                self.place == Place::Alone || self.place == Place::Above && is_known
            }
            Format::Html(Style::Rule) => self.place == Place::Alone,
            Format::Html(_) => matches!(self.place, Place::Alone | Place::Above),
        }
    }

    /// Returns the body of a mail with this text, with the fields that describe it.
    pub fn body(
        &self,
        written: &str,
        answers: Option<&Accepted>,
        rng: &mut fastrand::Rng,
    ) -> String {
        let [text, html] = answers.map(parts).unwrap_or_default();
        let quoted = match answers {
            Some(_) if self.shows_html => shown(&html, rng),
            Some(_) => text,
            None => String::new(),
        };
        let text = self.text(written, &quoted, rng);
        let body = match self.format {
            Format::Plain => encoded(&text, "plain", rng),
            Format::Flowed => {
                let text = flowed(&text, rng);
                format!("Content-Type: text/plain; charset=utf-8; format=flowed\n\n{text}\n")
            }
            Format::Html(style) => encoded(&self.html(written, &html, style), "html", rng),
            Format::Both(style) => {
                let html = encoded(&self.html(written, &html, style), "html", rng);
                let text = encoded(&text, "plain", rng);
                format!(
                    "Content-Type: multipart/alternative; boundary=\"alt\"\n\n--alt\n{text}--alt\n{html}\
                     --alt--\n"
                )
            }
        };
        match self.attachment {
            Some(attachment) => format!(
                "Content-Type: multipart/mixed; boundary=\"mix\"\n\n--mix\n{body}\n--mix\n{attachment}\n--mix--\n"
            ),
            None => body,
        }
    }

    /// Returns the plain text.
    fn text(&self, written: &str, quoted: &str, rng: &mut fastrand::Rng) -> String {
        let signature = match self.signature {
            "" => String::new(),
            signature => format!("\n\n{signature}"),
        };
        let written = wrapped(written, 78).join("\n");
        if self.place == Place::Alone || quoted.is_empty() {
            return format!("{written}{signature}\n");
        }
        let mut lines: Vec<_> = quoted.trim_end().lines().collect();
        if self.loses_marker {
            lines.retain(|line| !line.contains("Answer above this line"));
        }
        if self.is_partial {
            let from = rng.usize(..lines.len().max(1));
            let until = rng.usize(from..=lines.len());
            lines = lines[from..until].to_vec();
        }
        if lines.is_empty() {
            return format!("{written}{signature}\n");
        }
        let split = match self.place {
            Place::Between => rng.usize(..=lines.len()),
            Place::Above => 0,
            Place::Below | Place::Alone => lines.len(),
        };
        let mark = |lines: &[&str]| -> String {
            lines.iter().flat_map(|line| self.marked(line)).map(|line| line + "\n").collect()
        };
        let (above, below) = (mark(&lines[..split]), mark(&lines[split..]));
        let gap = if rng.bool() { "\n" } else { "" };
        match self.place {
            Place::Above if self.introduction.is_empty() => {
                format!("{written}{signature}\n{gap}{below}")
            }
            Place::Above => {
                format!("{written}{signature}\n\n{}\n{gap}{below}", self.introduction)
            }
            _ => {
                format!("{}\n{gap}{above}\n{written}\n{gap}{below}{signature}\n", self.introduction)
            }
        }
    }

    /// Returns the lines of a quoted line.
    fn marked(&self, line: &str) -> Vec<String> {
        let line = format!("{}{line}", self.mark);
        let Some(width) = self.width else { return vec![line.trim_end().to_owned()] };
        let pieces = wrapped(&line, width).into_iter().enumerate();
        let mark = if self.loses_marks { "" } else { self.mark };
        pieces.map(|(at, piece)| if at == 0 { piece } else { format!("{mark}{piece}") }).collect()
    }

    /// Returns the HTML, with that of the quoted mail.
    fn html(&self, written: &str, quoted: &str, style: Style) -> String {
        let line = |line: &str| match line {
            "" => "<div><br></div>".to_owned(),
            line => format!("<div>{}</div>", escaped(line)),
        };
        let written: String = written.lines().map(line).collect();
        let signature = match self.signature {
            "" => String::new(),
            signature => {
                format!("<div><br></div>{}", signature.lines().map(line).collect::<String>())
            }
        };
        if quoted.is_empty() || self.place == Place::Alone {
            return format!("<html><body>{written}{signature}</body></html>");
        }
        let quoted = inner(quoted);
        let quote = match style {
            Style::Gmail => format!(
                "<br><div class=\"gmail_quote\"><div dir=\"ltr\" class=\"gmail_attr\">On Sat, Nov 21, 2026 at \
                 6:00 PM Outflank &lt;<a href=\"mailto:outflank@club.example\">outflank@club.example</a>&gt; \
                 wrote:<br></div><blockquote class=\"gmail_quote\" style=\"margin:0px 0px 0px 0.8ex;\
                 border-left:1px solid rgb(204,204,204);padding-left:1ex\">{quoted}</blockquote></div>"
            ),
            Style::Outlook => format!(
                "<div style=\"border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm\">\
                 <p class=\"MsoNormal\"><b>From:</b> Outflank &lt;outflank@club.example&gt;<br><b>Sent:</b> \
                 Saturday, November 21, 2026 6:00 PM<br><b>To:</b> you<br><b>Subject:</b> the game</p></div>\
                 {quoted}"
            ),
            Style::Apple => format!(
                "<div><br><blockquote type=\"cite\"><div>On 21. Nov 2026, at 18:00, Outflank \
                 &lt;outflank@club.example&gt; wrote:</div><br class=\"Apple-interchange-newline\">\
                 <div>{quoted}</div></blockquote></div>"
            ),
            Style::Rule => format!("<hr>{quoted}"),
        };
        match self.place {
            Place::Below => format!("<html><body>{quote}{written}{signature}</body></html>"),
            _ => format!("<html><body>{written}{signature}{quote}</body></html>"),
        }
    }
}

/// Breaks a text at spaces, at this width.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim_end();
        while rest.chars().count() > width {
            let end = rest.char_indices().nth(width).map_or(rest.len(), |(at, _)| at);
            let indent = rest.len() - rest.trim_start().len();
            let Some(at) = rest[..end].rfind(' ').filter(|at| *at > indent) else { break };
            lines.push(rest[..at].trim_end().to_owned());
            rest = rest[at..].trim_start();
        }
        lines.push(rest.to_owned());
    }
    lines
}

/// Returns a text as `format=flowed` of RFC 3676 has it. Some programs leave a space at the end of the last line
/// above or below a quotation.
fn flowed(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut all = String::new();
    let depth_of = |line: &str| line.len() - line.trim_start_matches('>').len();
    let next = text.lines().skip(1).map(depth_of).chain([0]);
    for (line, next) in text.lines().zip(next) {
        let depth = depth_of(line);
        let end = if depth != next && rng.u8(..3) == 0 { " " } else { "" };
        let (marks, rest) = line.split_at(depth);
        let rest = match rest {
            "-- " => rest,
            _ => rest.trim_end(),
        };
        let is_stuffed = rest.starts_with(' ') && depth == 0 || rest.starts_with("From ");
        let stuffing = if is_stuffed { " " } else { "" };
        let pieces = wrapped(rest, 70);
        let last = pieces.len().saturating_sub(1);
        for (at, piece) in pieces.iter().enumerate() {
            let space = match at < last {
                true if rest.starts_with("--") => "",
                true => " ",
                false if rest.is_empty() => "",
                false => end,
            };
            let between = if at > 0 && depth > 0 { " " } else { "" };
            all += &format!("{marks}{between}{stuffing}{piece}{space}\n");
        }
        if pieces.is_empty() {
            all += &format!("{marks}\n");
        }
    }
    all
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the contents of the body of a page.
fn inner(html: &str) -> &str {
    let from = html.find("<body").and_then(|at| Some(at + html[at..].find('>')? + 1)).unwrap_or(0);
    let until = html.rfind("</body>").unwrap_or(html.len());
    html.get(from..until).unwrap_or_default()
}

/// Returns what a mail program shows of a page as text.
fn shown(html: &str, rng: &mut fastrand::Rng) -> String {
    let cell = ["\t", " ", "\n", " | "][rng.usize(..4)];
    let (has_links, narrow) = (rng.u8(..3) == 0, ["\u{202f}", " ", "?", ""][rng.usize(..4)]);
    let mut text = String::new();
    let mut rest = inner(html);
    let mut link: Option<&str> = None;
    while let Some(at) = rest.find('<') {
        text += &rest[..at].replace('\n', " ");
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        let tag = &rest[at..end];
        let name = tag.trim_start_matches(['<', '/']);
        let name = name.split(|it: char| !it.is_ascii_alphanumeric()).next().unwrap_or_default();
        match (name, tag.starts_with("</")) {
            ("br" | "hr", _) | ("p" | "div" | "tr" | "h1" | "h2" | "li" | "table", true) => {
                text.push('\n')
            }
            ("td" | "th", true) => text += cell,
            ("a", false) => link = tag.split("href=\"").nth(1).and_then(|it| it.split('"').next()),
            ("a", true) if has_links => {
                text += &link.map(|link| format!(" <{link}>")).unwrap_or_default();
            }
            _ => {}
        }
        rest = &rest[end..];
    }
    text += rest;
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&nbsp;", " ")];
    let text = entities.iter().fold(text, |text, (entity, sign)| text.replace(entity, sign));
    let text = text.replace("&#8239;", narrow).replace("&#8288;", "").replace("&amp;", "&");
    // Invisible signs are lost.
    let text = text.replace(['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{ad}'], "");
    let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.dedup_by(|one, other| one.is_empty() && other.is_empty());
    lines.join("\n").trim().to_owned()
}
