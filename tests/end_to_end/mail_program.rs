//! Messages as a player's mail program sends them.

use std::iter;

use lettre::message::{Mailbox, Message, MessageBuilder};

use crate::harness::{Mail, decoded};

/// A message to be sent by [`super::mail_host::MailHost::send`].
#[derive(Clone)]
pub struct Draft {
    /// The envelope sender.
    pub from: String,
    pub to: String,
    pub message: Vec<u8>,
}

impl Draft {
    fn new(builder: MessageBuilder, from: &Mailbox, to: &Mailbox, text: &str) -> Self {
        let builder = builder.from(from.clone()).to(to.clone()).date_now().message_id(None);
        let message = builder.body(text.to_owned()).unwrap().formatted();
        Self { from: from.email.to_string(), to: to.email.to_string(), message }
    }
}

/// Returns a reply to a mail: `text` above the quoted mail.
pub fn reply(mail: &Mail, from: &str, text: &str) -> Draft {
    let message = &mail.message;
    let author = message.from().and_then(|from| from.first()).expect("a sender");
    let to = message.reply_to().and_then(|to| to.first()).unwrap_or(author);
    let mailbox = |address: &mail_parser::Addr| {
        let email = address.address().expect("an address").parse().unwrap();
        Mailbox::new(address.name().map(str::to_owned), email)
    };

    let subject = message.subject().unwrap_or_default();
    let subject = subject.strip_prefix("Re: ").unwrap_or(subject);
    let known = message.header_raw("References").unwrap_or_default().split_whitespace();
    let id = mail.id();
    let thread = known.chain(iter::once(&*id)).collect::<Vec<_>>().join(" ");
    let builder =
        Message::builder().subject(format!("Re: {subject}")).in_reply_to(id).references(thread);

    let date = message.date().expect("a Date").to_rfc822();
    let attribution = format!("On {date}, {} wrote:", mailbox(author));
    let quoted = mail.text.lines().map(|line| format!("> {line}").trim_end().to_owned());
    let lines: Vec<_> = [text.to_owned(), String::new(), attribution]
        .into_iter()
        .chain(quoted)
        .chain([String::new()])
        .collect();
    Draft::new(builder, &from.parse().unwrap(), &mailbox(to), &lines.join("\n"))
}

/// Returns the mail that a `mailto:` URI (RFC 6068) opens, unchanged.
pub fn open(uri: &str, from: &str) -> Draft {
    let (scheme, rest) = uri.split_once(':').expect("a URI");
    assert!(scheme.eq_ignore_ascii_case("mailto"), "{uri}");
    let (to, fields) = rest.split_once('?').unwrap_or((rest, ""));
    let mut builder = Message::builder();
    let mut text = String::new();
    for field in fields.split('&').filter(|field| !field.is_empty()) {
        let (name, value) = field.split_once('=').expect("NAME=VALUE");
        let value = decoded(value);
        match &*decoded(name).to_ascii_lowercase() {
            "subject" => builder = builder.subject(value),
            "body" => text = value.replace("\r\n", "\n"),
            other => panic!("a mail program may take no {other} from {uri}"),
        }
    }
    Draft::new(builder, &from.parse().unwrap(), &decoded(to).parse().unwrap(), &text)
}

fn read(draft: &Draft) -> Mail {
    Mail::parse(draft.message.clone())
}

#[test]
fn a_reply_is_written_as_mail_programs_do() {
    let mail = "From: Outflank <outflank@local.test>\r\n\
        Reply-To: Outflank <outflank+k7Q@local.test>\r\n\
        To: alice@local.test\r\nSubject: Othello #1\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\
        Message-ID: <2@local.test>\r\nReferences: <0@local.test>\r\n <1@local.test>\r\n\r\n\
        Your turn.\r\n\r\nd3\r\n";
    let mail = Mail::parse(mail.as_bytes().to_vec());
    let draft = reply(&mail, "Alice <alice@local.test>", "d3\n");
    assert_eq!((&*draft.from, &*draft.to), ("alice@local.test", "outflank+k7Q@local.test"));
    let answer = read(&draft);
    for (name, value) in [
        ("From", "Alice <alice@local.test>"),
        ("To", "Outflank <outflank+k7Q@local.test>"),
        ("Subject", "Re: Othello #1"),
        ("In-Reply-To", "<2@local.test>"),
        ("References", "<0@local.test> <1@local.test> <2@local.test>"),
    ] {
        assert_eq!(answer.header(name), value);
    }
    let other = read(&reply(&mail, "alice@local.test", "d3"));
    assert_ne!(answer.id(), other.id());
    assert_eq!(
        answer.text,
        "d3\n\n\nOn Sat, 21 Nov 2026 10:00:00 +0000, Outflank <outflank@local.test> wrote:\n\
         > Your turn.\n>\n> d3\n"
    );
    let again = read(&reply(&answer, "outflank@local.test", ""));
    assert_eq!(again.header("Subject"), "Re: Othello #1");
    assert_eq!(again.header("To"), "Alice <alice@local.test>");
}

#[test]
fn a_mailto_uri_opens_a_mail_with_its_fields() {
    let uri = "mailto:outflank%2Bk7Q@local.test?subject=a%20+%20b%3F&body=d3%0D%0A%C3%A4%26%3D";
    let draft = open(uri, "bob@local.test");
    assert_eq!((&*draft.from, &*draft.to), ("bob@local.test", "outflank+k7Q@local.test"));
    let mail = read(&draft);
    assert_eq!(mail.message.subject(), Some("a + b?"));
    assert_eq!(mail.text, "d3\nä&=");
    assert_eq!(mail.message.header_raw("In-Reply-To"), None);

    let bare = read(&open("MAILTO:outflank+k7Q@local.test", "bob@local.test"));
    assert_eq!((bare.message.subject(), &*bare.text), (None, ""));
}
