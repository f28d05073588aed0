//! Failure notices of mail systems that do not write reports of RFC 3464: qmail, older Exim,
//! DragonFly, and many others.

use super::automatic::{has_null_path, is_answer, is_by_mail_system};
use super::parts::Part;
use super::report::{Failure, MAX_DIAGNOSTIC_CHARS, is_about_delivery};
use super::{subject, transfer};
use crate::mail::status;
use crate::mail::text::{any, one_line};

/// The most text of a mail that is searched, in bytes. A notice is short and comes before the mail
/// that it returns.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;

/// What mail systems write about a failure, in lower case, with `|` between two phrases. A person who
/// is away does not.
const FAILED: &str = "\
    undeliver|could not be delivered|couldn't be delivered|cannot be delivered|can't be delivered|\
    was not delivered|wasn't delivered|not been delivered|could not deliver|couldn't deliver|\
    unable to deliver message|unable to deliver your|able to deliver your message|delivery fail|\
    delivery has failed|delivery status notification|delivery error|error delivering|\
    trouble delivering|attempting to deliver|trying to deliver|failed to deliver|failed permanently|\
    failure notice|mail failure|mail failed|returned mail|returned to sender|returning to sender|\
    returning message to sender|mail system error|permanent error|permanent failure|\
    permanent fatal|fatal error|transcript of session|smtp error|remote host said|did not like our|\
    recipient address rejected|rejected by a remote|user unknown|unknown user|no such user|\
    unknown recipient|recipient unknown|unknown host|host unknown|mailbox unavailable|mailbox full|\
    over quota|invalid user address|\
    unzustellbar|nicht zugestellt|nicht zustellbar|pas pu être remis|pas pu être délivré|\
    pas pu être distribué|non remis|échec de la remise|no se ha podido entregar|\
    no se pudo entregar|no entregado|mancato recapito|impossibile recapitare|\
    não foi possível entregar|não foi entregue|onbestelbaar|niet worden bezorgd|\
    kunde inte levereras|ikke leveres|niedostarczon|nie dostarczon|nie mogła zostać dostarczona|\
    не доставлено|может быть доставлено|не вдалося доставити|teslim edilemedi|\
    エラー通知|配信できません|送信できません|送信に失敗|退信|无法投递|無法投遞|無法傳送|반송|전송 실패";

/// Like [`FAILED`], in a notice that a mail was delayed, delivered or read.
const NOT_FAILED: &str = "\
    (relay)|(success)|delivery is delayed|has been delayed|been delayed for|still being retried|\
    will be retried|attempts will continue|will continue to be|will continue trying|\
    will keep trying|continue to try|warning message only|warning: could not send|\
    no action is required|not need to resend|successful mail delivery|successfully delivered|\
    return receipt";

/// The text of a mail that could be a failure notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureNotice {
    is_by_mail_system: bool,
    is_answer: bool,
    has_null_path: bool,
    subject: String,
    /// Its text parts and attached messages.
    text: String,
}

impl FailureNotice {
    /// Returns the text of a message, unless it is a report of another kind, such as one that a
    /// mail was read (RFC 8098) or is unwanted (RFC 5965).
    pub(super) fn of(parts: &[Part]) -> Option<Self> {
        let top = parts.first()?;
        let is_other = !is_about_delivery(&top.media)
            || parts.iter().any(|part| part.media.is("message", "disposition-notification"));
        if is_other {
            return None;
        }
        let mut text = String::new();
        for (index, part) in parts.iter().enumerate() {
            let room = MAX_SEARCHED_BYTES.saturating_sub(text.len());
            if room == 0 {
                break;
            }
            // Some mail systems return the mail as a part of its own, without a type.
            if index > 0 {
                part.header.write(&mut text);
            }
            // A multipart without a boundary has a text, too.
            if ["text", "message", "multipart"].contains(&&*part.media.kind) {
                let mut decoded = transfer::decoded(part);
                // Line ends are CRLF or LF.
                decoded.retain(|byte| *byte != b'\r');
                let start = decoded.get(..room).unwrap_or(&decoded);
                text.push_str(&format!("\n{}\n\n", String::from_utf8_lossy(start)));
            }
        }
        Some(Self {
            is_by_mail_system: is_by_mail_system(&top.header),
            is_answer: is_answer(&top.header),
            has_null_path: has_null_path(&top.header),
            subject: subject::subject(&top.header),
            text,
        })
    }

    /// Returns the failure of the mail with this Message-ID and sender, if the notice reports it: it
    /// quotes the mail, and has a sign of a failure above the quotation. A mail with an empty envelope
    /// sender may come from a mail system, unless it is an automatic answer.
    pub(super) fn failure(
        &self,
        has_null_sender: bool,
        message_id: &str,
        sender: &str,
    ) -> Option<Failure> {
        let is_by_machine = (has_null_sender || self.has_null_path) && !self.is_answer;
        if !self.is_by_mail_system && !is_by_machine {
            return None;
        }
        let said = self.text.get(..self.start_of_quotation(message_id, sender)?)?;
        let subject = self.subject.to_lowercase();
        let own: Vec<_> = said.lines().filter(|line| !line.starts_with('>')).collect();
        let words = format!("{subject}\n{}", own.join("\n").to_lowercase());
        if subject.contains("delay") || any(NOT_FAILED, |phrase| words.contains(phrase)) {
            return None;
        }
        // An automatic answer has our subject.
        let from = if self.is_by_mail_system { 0 } else { subject.len() };
        let signs = words.get(from..).unwrap_or_default();
        if !any(FAILED, |phrase| signs.contains(phrase)) && !own.iter().any(|line| has_status(line))
        {
            return None;
        }
        let reason = said
            .lines()
            .find(|line| has_code(line) && !line.contains("</"))
            .unwrap_or(&self.subject);
        Some(Failure {
            reason: one_line(reason, MAX_DIAGNOSTIC_CHARS),
            is_policy: status::is_policy(said),
        })
    }

    /// Returns where the quoted header of the mail with this Message-ID or sender begins, or where the
    /// Message-ID is when only that is there.
    fn start_of_quotation(&self, message_id: &str, sender: &str) -> Option<usize> {
        let mut block = Block::default();
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            if !block.extend(line, at) {
                if block.is_from_sender && block.fields >= MIN_HEADER_FIELDS {
                    return Some(block.start);
                }
                block = Block::default();
            } else if line.contains(message_id) {
                return Some(block.start);
            } else if block.is_in_from && contains(line, sender) {
                block.is_from_sender = true;
            }
            at += line.len();
        }
        let is_header = block.is_from_sender && block.fields >= MIN_HEADER_FIELDS;
        if is_header { Some(block.start) } else { self.text.find(message_id) }
    }
}

/// The fewest fields of a quoted header. A person who answers quotes less of it.
const MIN_HEADER_FIELDS: usize = 3;

/// Consecutive lines that look like the fields of a header.
#[derive(Default)]
struct Block {
    start: usize,
    fields: usize,
    /// Whether the last field is From.
    is_in_from: bool,
    is_from_sender: bool,
}

impl Block {
    /// Adds the line that starts at this place; returns false if it is not part of a header.
    fn extend(&mut self, line: &str, at: usize) -> bool {
        if line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            return self.fields > 0;
        }
        let name = line.split_once(':').map(|(name, _)| name);
        let Some(name) = name.filter(|name| is_name(name)) else { return false };
        if self.fields == 0 {
            self.start = at;
        }
        self.fields += 1;
        self.is_in_from = name.eq_ignore_ascii_case("From");
        true
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn contains(line: &str, address: &str) -> bool {
    line.to_ascii_lowercase().contains(&address.to_ascii_lowercase())
}

/// Returns whether a line has the code of a refusal, such as `550` or `5.1.1`.
fn has_code(line: &str) -> bool {
    numbers(line).any(|word| is_reply(word) || is_status(word))
}

/// Returns whether a line has a status right behind the code of a reply or a `#`, such as `550 5.1.1`.
/// A telephone number or the version of a program is neither.
fn has_status(line: &str) -> bool {
    let begins = |text: &str, is_code: fn(&str) -> bool| numbers(text).next().is_some_and(is_code);
    let words: Vec<_> = line.split([' ', '-', ':', ';', '(', '<']).collect();
    let is_pair = |pair: &[&str]| matches!(pair, [reply, status] if is_reply(reply) && begins(status, is_status));
    words.windows(2).any(is_pair) || line.split('#').skip(1).any(|rest| begins(rest, is_status))
}

/// Returns the numbers in a line, with the points in them. The first is empty if it begins with
/// something else.
fn numbers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_digit() && c != '.')
}

fn is_reply(word: &str) -> bool {
    word.len() == 3 && word.starts_with(['4', '5']) && word.bytes().all(|it| it.is_ascii_digit())
}

fn is_status(word: &str) -> bool {
    word.starts_with("5.") && word.matches('.').count() == 2
}
