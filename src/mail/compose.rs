use std::path::PathBuf;
use std::time::SystemTime;

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, MultiPart, SinglePart};
use minijinja::{Value, context};
use ring::digest;

use super::error::Error;
use super::link::mailto;
use super::pieces::Detail;
use super::templates::Templates;
use super::transport::Message;
use super::values::{html_values, template_values};
use super::{MessageContext, ReplyAddress, Section};
use outflank_model::mail::Attachment;
use outflank_model::words::joined;

/// How the parts of a mail are changed so that nothing in them can be read as a command.
#[derive(Debug, Clone, Copy)]
pub struct Disarm {
    /// Changes the text.
    pub text: fn(&str) -> String,
    /// Changes the HTML.
    pub html: fn(&str) -> String,
}

/// Composes messages from templates.
#[derive(Debug)]
pub struct Composer {
    from: Mailbox,
    templates: Templates,
    disarm: Disarm,
}

/// The most bytes of both parts of a mail, since some mail programs hide the rest of a mail of 100 KB.
const MAX_MAIL_BYTES: usize = 90_000;

/// The longest line that needs no encoding (RFC 5322).
const MAX_LINE_BYTES: usize = 998;

impl Composer {
    /// Creates a composer with this sender. Templates in the folder replace the built-in ones;
    /// `disarm` is applied to every mail.
    pub fn new(from: Mailbox, templates: Option<PathBuf>, disarm: Disarm) -> Self {
        Self { from, templates: Templates::new(templates), disarm }
    }

    /// Composes a message. The same context gives the same message.
    pub fn compose(&self, context: &MessageContext) -> Result<Message, Error> {
        let values = self.values(context)?;
        let text = self.templates.render(&format!("{}.txt", context.event), &values)?;
        let text = (self.disarm.text)(&without_gaps(&text));
        let html = (self.disarm.html)(&self.html(context, &values, &text)?);
        let unfit =
            |error: &dyn std::fmt::Display| Error(format!("cannot compose the mail: {error}"));
        let address = context.address.parse().map_err(|error| unfit(&error))?;
        let to = Mailbox::new(context.name.map(str::to_owned), address);
        let bracketed = |id: &str| format!("<{id}>");
        let mut message = lettre::Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(context.subject())
            .message_id(Some(bracketed(context.message_id)));
        if let Some(answer) = context.reply_to {
            let address = answer.address.parse().map_err(|error| unfit(&error))?;
            message = message.reply_to(Mailbox::new(self.from.name.clone(), address));
        }
        let earlier = context.in_reply_to.flatten();
        let thread = context.game.map(|game| game.thread);
        let thread = thread.or(context.challenge.map(|challenge| challenge.thread));
        if let Some(earlier) = earlier.or(thread) {
            message = message.in_reply_to(bracketed(earlier));
        }
        let references: Vec<_> = thread.into_iter().chain(earlier).map(bracketed).collect();
        if !references.is_empty() {
            message = message.references(references.join(" "));
        }
        let submitted =
            if context.in_reply_to.is_some() { "auto-replied" } else { "auto-generated" };
        if let Some(ReplyAddress { address, token }) = context.unsubscribe {
            let token = token.map_or(String::new(), |token| format!(" {token}"));
            let link = mailto(address, &format!("unsubscribe{token}"), "");
            let links = context.one_click.into_iter().chain([link.as_str()]);
            let links = links.map(bracketed).collect::<Vec<_>>().join(", ");
            message = message.raw_header(header("List-Unsubscribe", links));
            if context.one_click.is_some() {
                let post = "List-Unsubscribe=One-Click".to_owned();
                message = message.raw_header(header("List-Unsubscribe-Post", post));
            }
        }
        let message = message
            .date(SystemTime::from(context.date))
            .raw_header(header("Auto-Submitted", submitted.to_owned()))
            .raw_header(header(
                "List-Id",
                format!("Outflank <outflank.{}>", self.from.email.domain()),
            ))
            .multipart(parts(context, text, html))
            .map_err(|error| unfit(&error))?;
        Ok(Message {
            from: context.return_path.to_owned(),
            to: context.address.to_owned(),
            message_id: context.message_id.to_owned(),
            bytes: message.formatted(),
        })
    }

    /// Returns the values for templates, with the drawn sections of a digest as text.
    fn values(&self, context: &MessageContext) -> Result<Value, Error> {
        let drawn = context.sections.iter().filter(|section| section.is_drawn);
        let render = |section: &Section| {
            let values = template_values(&context.of_section(section));
            self.templates.render(&format!("{}.txt", section_name(section)), &values)
        };
        let sections = drawn.map(render).collect::<Result<Vec<_>, _>>()?;
        let left_out = left_out(context, sections.len());
        Ok(context! { left_out, sections, ..template_values(context) })
    }

    /// Renders the HTML part, with as much detail and with as many sections of a digest as there is
    /// room for beside the text.
    fn html(&self, context: &MessageContext, values: &Value, text: &str) -> Result<String, Error> {
        let name = format!("{}.html", context.event);
        let mut html = String::new();
        for detail in Detail::ALL {
            let page = html_values(context, values, detail);
            let render = |sections: Vec<Value>, board_widths: Vec<Value>| {
                let left_out = left_out(context, sections.len());
                let values = context! { left_out, sections, board_widths, ..page.clone() };
                self.templates.render(&name, &values).map(ascii)
            };
            let mut widths = board_widths(&page);
            html = render(Vec::new(), widths.clone())?;
            let mut room = MAX_MAIL_BYTES.saturating_sub(size(text) + size(&html));
            let mut sections = Vec::new();
            let drawn = context.sections.iter().filter(|section| section.is_drawn);
            for section in drawn.clone() {
                let Some((html, of_boards)) = self.section(context, section, detail, room)? else {
                    break;
                };
                room -= size(&html);
                widths.extend(of_boards);
                sections.push(Value::from_safe_string(html));
            }
            let is_full = room == 0 || sections.len() < drawn.count();
            if !sections.is_empty() {
                html = render(sections, widths)?;
            }
            if !is_full {
                break;
            }
        }
        Ok(html)
    }

    /// Renders the HTML of a section of a digest with the most detail, up to this one, for which there is room.
    /// Also returns the least widths of its boards; `None` if there is no room for any.
    fn section(
        &self,
        context: &MessageContext,
        section: &Section,
        most: Detail,
        room: usize,
    ) -> Result<Option<(String, Vec<Value>)>, Error> {
        let in_section = context.of_section(section);
        let (name, values) = (section_name(section), template_values(&in_section));
        for detail in Detail::ALL.into_iter().skip_while(|it| *it != most) {
            let values = html_values(&in_section, &values, detail);
            let html = ascii(self.templates.render(&format!("{name}.html"), &values)?);
            if size(&html) <= room {
                return Ok(Some((html, board_widths(&values))));
            }
        }
        Ok(None)
    }
}

/// Returns the size of a part of a mail in bytes, in which line ends become CRLF.
fn size(part: &str) -> usize {
    part.len() + part.lines().count()
}

/// Returns the least widths of the boards in these values for a template.
fn board_widths(values: &Value) -> Vec<Value> {
    let widths = values.get_attr("board_widths").and_then(|widths| widths.try_iter());
    widths.into_iter().flatten().collect()
}

/// Returns the name of the templates of a section.
const fn section_name(section: &Section) -> &'static str {
    if section.game.to.is_some() { "section" } else { "watched-section" }
}

/// Returns the games behind the first `shown` of a digest, as a list of their numbers; `None` if there are
/// none.
fn left_out(context: &MessageContext, shown: usize) -> Option<String> {
    let others: Vec<_> =
        context.sections.iter().skip(shown).map(|section| section.game.id.to_string()).collect();
    (!others.is_empty()).then(|| joined(&others, "and"))
}

/// Returns a text with at most one blank line between two others, and none around them.
fn without_gaps(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_blank = true;
    for line in text.lines() {
        if !(line.is_empty() && is_blank) {
            kept.push_str(line);
            kept.push('\n');
        }
        is_blank = line.is_empty();
    }
    kept.truncate(kept.trim_end_matches('\n').len());
    kept.push('\n');
    kept
}

/// Returns a header with text that needs no encoding.
fn header(name: &'static str, text: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), text)
}

/// Combines both forms of the content, the better one last, with the attachments (RFC 2046). The boundaries
/// are derived from the Message-ID.
fn parts(context: &MessageContext, text: String, html: String) -> MultiPart {
    let inner = boundary(context.message_id, [&text, &html]);
    let outer = boundary(&inner, [&text, &html]);
    let part = |kind, content| SinglePart::builder().content_type(kind).body(body(content));
    let alternative = MultiPart::alternative()
        .boundary(inner)
        .singlepart(part(ContentType::TEXT_PLAIN, text))
        .singlepart(part(ContentType::TEXT_HTML, html));
    if context.attachments.is_empty() {
        return alternative;
    }
    let mixed = MultiPart::mixed().boundary(outer).multipart(alternative);
    context.attachments.iter().fold(mixed, |mixed, it| mixed.singlepart(attached(it)))
}

/// Returns a file as a part of a mail. Base64 has no boundaries, and no mail program wraps it.
fn attached(attachment: &Attachment) -> SinglePart {
    let Attachment { name, media_type, content } = attachment;
    let kind = ContentType::parse(media_type);
    let encoded = Body::new_with_encoding(content.clone(), ContentTransferEncoding::Base64);
    lettre::message::Attachment::new(name.clone())
        .body(encoded.unwrap_or_else(Body::new), kind.unwrap_or(ContentType::TEXT_PLAIN))
}

/// Derives a boundary that occurs in none of these parts.
fn boundary(from: &str, parts: [&str; 2]) -> String {
    let mut boundary = from.to_owned();
    loop {
        let digest = digest::digest(&digest::SHA256, boundary.as_bytes());
        boundary = data_encoding::HEXLOWER.encode(&digest.as_ref()[..15]);
        if parts.iter().all(|part| !part.contains(&boundary)) {
            return boundary;
        }
    }
}

/// Escapes characters beyond ASCII, so that the HTML needs no encoding.
fn ascii(html: String) -> String {
    if html.is_ascii() {
        return html;
    }
    let mut written = String::with_capacity(html.len());
    for c in html.chars() {
        if c.is_ascii() {
            written.push(c);
        } else {
            written.push_str(&format!("&#{};", u32::from(c)));
        }
    }
    written
}

/// Encodes content unless every mail server accepts it as it is.
fn body(content: String) -> Body {
    // Without an early end, this handles many bytes at a time.
    let is_plain = |byte: u8| byte == b'\n' || (b' '..=b'~').contains(&byte);
    let is_plain = content.bytes().fold(true, |plain, byte| plain & is_plain(byte));
    if is_plain && content.split('\n').all(|line| line.len() <= MAX_LINE_BYTES) {
        let lines = content.replace('\n', "\r\n").into_bytes();
        Body::dangerous_pre_encoded(lines, ContentTransferEncoding::SevenBit)
    } else {
        Body::new(content)
    }
}
