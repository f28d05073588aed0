//! Mail that comes in, from a seed: replies as people's mail programs write them, mail of machines and forgers,
//! and reports of mail servers.

use chrono::{DateTime, Utc};
use data_encoding::BASE64_MIME;
use mail_parser::MessageParser;
use outflank::app::PlayerCommand;

use super::program::Program;
use super::server::Accepted;
use super::shown;
use super::step::MailKind;
use super::tables::Tables;
use super::world::SERVER;

/// Who wrote a mail, and what the server can know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// The owner of this address: the mail has a token that was sent to it, or its mail server has verified it.
    Owner(String),
    /// Somebody in the name of this address.
    Anybody(String),
    /// A machine.
    Machine,
}

/// A mail that comes in.
#[derive(Debug, Clone)]
pub struct Incoming {
    pub recipient: String,
    pub sender: String,
    pub bytes: Vec<u8>,
    /// Its Message-ID. It ends with the word of its kind.
    pub id: String,
    pub author: Author,
    /// What its author wrote below a greeting, in the order in which it is read.
    pub written: String,
    /// Whether a greeting stands above that.
    pub is_greeted: bool,
    /// The mail that it answers: its place among those that were accepted.
    pub answers: Option<usize>,
    /// Whether its own text is told from the rest in a way that the documentation names.
    pub is_clear: bool,
    /// The seed of the step in which it came first.
    pub seed: u64,
    /// Whether it came before, and was surely processed then.
    pub is_copy: bool,
    /// When it came.
    pub came_at: i64,
}

impl Incoming {
    /// Returns the command that receives it.
    pub fn words(&self) -> Vec<String> {
        let local = self.recipient.split('@').next().unwrap_or_default();
        let extension = local.split_once('+').map_or("", |(_, extension)| extension);
        ["receive", "--", &self.recipient, &self.sender, extension].map(str::to_owned).to_vec()
    }

    /// Returns its header, with the address of its author.
    pub fn header(&self) -> &str {
        let text = str::from_utf8(&self.bytes).unwrap_or_default();
        text.split("\n\n").next().unwrap_or_default()
    }
}

/// Makes the mail of a step; `None` if what it is about is not there.
pub fn incoming(
    kind: MailKind,
    about: &str,
    text: &str,
    seed: u64,
    accepted: &[Accepted],
    tables: &Tables,
    now: DateTime<Utc>,
) -> Option<Incoming> {
    let mut rng = fastrand::Rng::with_seed(seed ^ 0x6d61_696c);
    let answers = accepted.iter().rposition(|mail| is_about(mail, about));
    let about_mail = answers.and_then(|at| accepted.get(at));
    let mut draft = Draft { kind, seed, now, rng: &mut rng };
    match kind {
        MailKind::Reply | MailKind::Robot => {
            let mail = about_mail?;
            draft.reply(mail, text, &mail.to, Author::Owner(mail.to.clone()), answers)
        }
        MailKind::Forged => {
            let mail = about_mail?;
            let from = draft.forger(mail, accepted);
            // The host may have given the owner of the token this address.
            let owner =
                tables.columns("player", ["address", "secret"]).find(|[address, secret]| {
                    let shown = mail.shown.as_ref().and_then(|shown| shown.secret.as_deref());
                    *address == Some(&from) && secret.is_some() && *secret == shown
                });
            let author = match owner {
                Some(_) => {
                    draft.kind = MailKind::Reply;
                    Author::Owner(from.clone())
                }
                None => Author::Anybody(from.clone()),
            };
            draft.reply(mail, text, &from, author, answers)
        }
        MailKind::Vacation => draft.vacation(about_mail?, answers),
        MailKind::Bounce => draft.bounce(about_mail?, text, answers),
        MailKind::Letter | MailKind::Verified => Some(draft.letter(about, text)),
        MailKind::Again => None,
    }
}

/// Returns whether a mail of ours has this Message-ID, or this kind and address, as in `newest:notice:ann@example.org`.
fn is_about(mail: &Accepted, about: &str) -> bool {
    let Some((kind, address)) = about.strip_prefix("newest:").and_then(|it| it.split_once(':'))
    else {
        return mail.id == about;
    };
    let mut parts = mail.id.split('.');
    parts.find(|part| part.parse::<u64>().is_err()) == Some(kind) && mail.to == address
}

/// A mail that is being written.
struct Draft<'a> {
    kind: MailKind,
    seed: u64,
    now: DateTime<Utc>,
    rng: &'a mut fastrand::Rng,
}

/// What can stand above a text.
pub const GREETINGS: [&str; 6] = ["", "", "", "Hello!", "Hi there,", "Good evening everybody"];

/// Fields of automatic mail, each enough alone.
const AUTOMATIC: [&str; 6] = [
    "Auto-Submitted: auto-replied\n",
    "Auto-Submitted: auto-generated (vacation)\n",
    "X-Autoreply: yes\n",
    "Precedence: bulk\n",
    "Precedence: auto_reply\n",
    "List-Id: Players <players.people.example>\nPrecedence: list\n",
];

impl Draft<'_> {
    fn id(&self) -> String {
        format!("{:x}.{}@programs.example", self.seed, self.kind.word())
    }

    fn one<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.rng.usize(..choices.len())]
    }

    /// Returns a header for a mail to the server.
    fn header(&mut self, from: &str, to: &str, subject: &str) -> String {
        let local = from.split('@').next().unwrap_or_default();
        let from = match self.rng.u8(..6) {
            0 => format!("{local} <{from}>"),
            1 => format!("\"{local}, player\" <{from}>"),
            2 => format!("=?utf-8?q?{local}_=C3=9Cber?=\n <{from}>"),
            3 => from.to_uppercase(),
            _ => from.to_owned(),
        };
        let to = if self.rng.bool() { format!("Outflank <{to}>") } else { to.to_owned() };
        format!(
            "From: {from}\nTo: {to}\nSubject: {subject}\nMessage-ID: <{}>\nDate: {}\n\
             MIME-Version: 1.0\n",
            self.id(),
            self.now.to_rfc2822(),
        )
    }

    /// Writes a reply to a mail.
    fn reply(
        mut self,
        mail: &Accepted,
        text: &str,
        from: &str,
        author: Author,
        answers: Option<usize>,
    ) -> Option<Incoming> {
        let to = reply_address(mail)?;
        let prefix = self.one(&["Re: ", "RE: ", "AW: ", "Antw: ", ""]);
        let subject = mail.field("Subject").unwrap_or_default();
        let mut header = self.header(from, &to, &format!("{prefix}{subject}"));
        if self.rng.u8(..8) > 0 {
            header += &format!("In-Reply-To: <{}>\nReferences: <{}>\n", mail.id, mail.id);
        }
        let program = Program::of(self.rng);
        let [greeted, written] = self.with_greeting(text);
        let body = program.body(&greeted, Some(mail), self.rng);
        let is_clear = program.is_clear() && written == text;
        let incoming = self.incoming(from, &to, header, &body, author, written);
        Some(Incoming { answers, is_clear, is_greeted: greeted != text, ..incoming })
    }

    /// Writes a mail to the server's own address. A mail server has verified it, or claims of others are in it.
    fn letter(mut self, from: &str, text: &str) -> Incoming {
        let domain = from.split('@').nth(1).unwrap_or_default();
        // A text can say what its subject is.
        let own = text.strip_prefix("Subject: ").and_then(|it| it.split_once('\n'));
        let (subject, text) = match own {
            Some(own) => own,
            None => (self.one(&["", "Outflank", "hello", "a question"]), text),
        };
        let to = match (self.kind, self.rng.u8(..4)) {
            (MailKind::Letter, 0) => SERVER.replace('@', "+aicqcaiaad5vrgm4npgd3req64@"),
            _ => SERVER.to_owned(),
        };
        let mut header = self.header(from, &to, subject);
        header += &match self.kind {
            MailKind::Verified if self.rng.bool() => {
                format!("Authentication-Results: mx.club.example; dmarc=pass header.from={domain}\n")
            }
            MailKind::Verified => format!(
                "Authentication-Results: mx.club.example; spf=none;\n dkim=pass header.d={domain}\n\
                 Authentication-Results: mx.evil.example; dmarc=fail\n"
            ),
            _ => match self.rng.u8(..6) {
                0 => format!("Authentication-Results: mx.evil.example; dmarc=pass header.from={domain}\n"),
                1 => "Authentication-Results: mx.club.example; dmarc=fail; dkim=pass header.d=evil.example\n"
                    .to_owned(),
                2 => format!(
                    "Authentication-Results: mx.club.example; spf=pass smtp.mailfrom={domain}\n\
                     Authentication-Results: mx.club.example; dmarc=pass header.from={domain}\n"
                ),
                3 => "Authentication-Results: mx.club.example; dkim=pass header.d=evil.example\n".to_owned(),
                _ => String::new(),
            },
        };
        let author = match self.kind {
            MailKind::Verified => Author::Owner(from.to_owned()),
            _ => Author::Anybody(from.to_owned()),
        };
        let program = Program::of(self.rng);
        let [greeted, written] = self.with_greeting(text);
        let body = program.body(&greeted, None, self.rng);
        // The subject is read if the text has no command.
        let is_by_subject = own.is_some() && ["", "Hi Bob"].contains(&text);
        let written = if is_by_subject { subject.to_owned() } else { written };
        self.incoming(from, &to, header, &body, author, written)
    }

    /// Writes an automatic reply to a mail, with commands and the mail in it.
    fn vacation(mut self, mail: &Accepted, answers: Option<usize>) -> Option<Incoming> {
        let to = reply_address(mail)?;
        let subject = self.one(&["Out of office", "Auto: resign", "Abwesend: accept"]);
        let mut header = self.header(&mail.to, &to, subject);
        let is_by_path = self.rng.u8(..4) == 0;
        if !is_by_path {
            header += self.one(&AUTOMATIC);
        }
        let text = self.one(&["resign", "I am away until Monday.", "accept\nI am away.", "yes"]);
        let program = Program::of(self.rng);
        let body = program.body(text, Some(mail), self.rng);
        let sender = if is_by_path { "" } else { &mail.to };
        let incoming = self.incoming(sender, &to, header, &body, Author::Machine, String::new());
        Some(Incoming { answers, ..incoming })
    }

    /// Writes the report of a mail server about a mail of ours, with an action and a status.
    fn bounce(mut self, mail: &Accepted, text: &str, answers: Option<usize>) -> Option<Incoming> {
        let (action, status) = text.split_once(' ')?;
        let (to, about) = (&mail.from, &mail.to);
        // Some name no sender.
        let from =
            self.one(&["MAILER-DAEMON@mx.people.example", "postmaster@mx.people.example", ""]);
        let header = self.header(from, to, "Undelivered Mail Returned to Sender");
        let body = match self.rng.u8(..3) {
            0 if action == "failed" => format!(
                "Content-Type: text/plain\n\nHi. This is the qmail-send program at people.example.\n\
                 I'm afraid I wasn't able to deliver your message to the following addresses.\n\
                 This is a permanent error; I've given up. Sorry it didn't work out.\n\n\
                 <{about}>:\n550 {status} sorry, no mailbox here by that name\n\n\
                 --- Below this line is a copy of the message.\n\n{}",
                mail.text
            ),
            _ => format!(
                "Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\n\
                 Auto-Submitted: auto-replied\n\n\
                 --b1\nContent-Type: text/plain\n\nThis is the mail system at host mx.people.example.\n\n\
                 --b1\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.people.example\n\n\
                 Final-Recipient: rfc822; {about}\nAction: {action}\nStatus: {status}\n\
                 Diagnostic-Code: smtp; 550 {status} <{about}>: Recipient address rejected\n\n\
                 --b1\nContent-Type: message/rfc822\n\n{}\n--b1--\n",
                mail.text
            ),
        };
        let incoming = self.incoming("", to, header, &body, Author::Machine, String::new());
        Some(Incoming { answers, ..incoming })
    }

    /// Returns somebody who has got a mail that was forwarded to them.
    fn forger(&self, mail: &Accepted, accepted: &[Accepted]) -> String {
        let mut rng = fastrand::Rng::with_seed(!self.seed);
        let other = accepted.get(rng.usize(..accepted.len().max(1)));
        match rng.u8(..3) {
            0 => "mallory@evil.example".to_owned(),
            1 => mail.to.replace('@', ".private@"),
            _ => other
                .map(|other| other.to.clone())
                .filter(|other| !other.eq_ignore_ascii_case(&mail.to))
                .unwrap_or_else(|| "eve@evil.example".to_owned()),
        }
    }

    /// Returns a text with a greeting, and what is read of it: a command below a greeting is read as one without, but a
    /// plain answer is not, nor a move without a game.
    fn with_greeting(&mut self, text: &str) -> [String; 2] {
        let first = text.split([' ', '\n']).next().unwrap_or_default();
        // Most who answer a question answer it in the first line.
        let is_answer = ["yes", "no", "ok"].contains(&first) && self.rng.u8(..4) > 0;
        let greeted = match self.one(&GREETINGS) {
            greeting if is_answer || greeting.is_empty() => text.to_owned(),
            greeting => format!("{greeting}\n{text}"),
        };
        let is_command = PlayerCommand::named(first).is_some();
        let read = if is_command { text.to_owned() } else { greeted.clone() };
        [greeted, read]
    }

    fn incoming(
        &self,
        sender: &str,
        recipient: &str,
        header: String,
        body: &str,
        author: Author,
        written: String,
    ) -> Incoming {
        Incoming {
            recipient: recipient.to_owned(),
            sender: sender.to_owned(),
            bytes: (header + body).into_bytes(),
            id: self.id(),
            author,
            written,
            answers: None,
            is_greeted: false,
            is_clear: false,
            seed: self.seed,
            is_copy: false,
            came_at: self.now.timestamp(),
        }
    }
}

/// Returns the address to which replies to a mail of ours go.
fn reply_address(mail: &Accepted) -> Option<String> {
    let to = mail.field("Reply-To").or_else(|| mail.field("From"))?;
    to.rsplit(['<', '>']).find(|part| part.contains('@')).map(str::to_owned)
}

/// Returns the text and the HTML of a mail of ours, as a mail program reads them.
pub fn parts(mail: &Accepted) -> [String; 2] {
    let message = MessageParser::default().parse(mail.text.as_bytes()).unwrap_or_default();
    let text = message.body_text(0).unwrap_or_default().replace('\r', "");
    let html = message.body_html(0).unwrap_or_default().replace('\r', "");
    [text, html]
}

/// Returns the moves that a mail of ours says are legal.
pub fn legal(text: &str) -> Vec<String> {
    let from = text.lines().skip_while(|line| !line.starts_with("Legal moves: "));
    let lines: Vec<_> = from.take_while(|line| !line.trim().is_empty()).collect();
    let Some(moves) = lines.join(" ").strip_prefix("Legal moves: ").map(str::to_owned) else {
        return Vec::new();
    };
    let moves = moves.split('(').next().unwrap_or_default();
    moves.split(['/', ' ']).filter(|it| shown::is_move(it)).map(str::to_owned).collect()
}

/// Encodes the text of a part, and returns it with the fields that say how.
pub fn encoded(text: &str, kind: &str, rng: &mut fastrand::Rng) -> String {
    let bytes = text.replace('\n', "\r\n");
    match rng.u8(..6) {
        0 => {
            let text = quoted_printable::encode_to_str(bytes.as_bytes());
            format!(
                "Content-Type: text/{kind}; charset=UTF-8\nContent-Transfer-Encoding: quoted-printable\n\n{}\n",
                text.replace('\r', "")
            )
        }
        1 => format!(
            "Content-Type: text/{kind}; charset=\"utf-8\"\nContent-Transfer-Encoding: base64\n\n{}\n",
            BASE64_MIME.encode(bytes.as_bytes()).replace('\r', "")
        ),
        // A yes in another script would not be one any more.
        2 if kind != "html" && !bytes.starts_with("да") => {
            // Other charsets lack some characters.
            let latin: Vec<u8> =
                bytes.chars().map(|it| u8::try_from(u32::from(it)).unwrap_or(b'?')).collect();
            format!(
                "Content-Type: text/{kind}; charset=iso-8859-1\n\
                 Content-Transfer-Encoding: quoted-printable\n\n{}\n",
                quoted_printable::encode_to_str(latin).replace('\r', "")
            )
        }
        _ => format!(
            "Content-Type: text/{kind}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{text}\n"
        ),
    }
}
