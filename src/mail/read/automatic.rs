//! Mail by machines, and mail that machines must not answer (RFC 3834).

use super::address::{author, is_null_path, without_comments};
use super::header::{Header, unfolded};
use super::parts::Media;
use outflank_model::words;

words! {
    /// A sign that a mail is automatic, with its word for statistics. Such a mail is neither acted upon
    /// nor answered.
    Automatic {
        /// Its Auto-Submitted field says so (RFC 3834, 5).
        AutoSubmitted = "auto-submitted",
        /// It is a report about a mail: multipart/report (RFC 6522).
        Report = "report",
        /// It came from a mailing list: List-Id (RFC 2919).
        List = "list",
        /// Precedence is bulk, junk, list or auto_reply.
        Bulk = "bulk",
        /// It refuses automatic answers: X-Auto-Response-Suppress.
        Suppressed = "suppressed",
        /// It has an older mark of an automatic answer, such as X-Autoreply.
        Autoreply = "autoreply",
        /// Its Return-Path is `<>` (RFC 5321, 4.5.5).
        NullPath = "null-path",
        /// Its author is a mail system, or an address that accepts no replies.
        Daemon = "daemon",
    }
}

/// Returns the first sign, in the order of [`Automatic`].
pub(super) fn sign(header: &Header, media: &Media) -> Option<Automatic> {
    let says_other = |name: &str, no: &str| tokens(header, name).any(|token| token != no);
    let signs = [
        (says_other("Auto-Submitted", "no"), Automatic::AutoSubmitted),
        (media.is("multipart", "report"), Automatic::Report),
        (header.first("List-Id").is_some(), Automatic::List),
        (has_any(header, "Precedence", &["bulk", "junk", "list", "auto_reply"]), Automatic::Bulk),
        (says_other("X-Auto-Response-Suppress", "none"), Automatic::Suppressed),
        (has_old_mark(header), Automatic::Autoreply),
        (has_null_path(header), Automatic::NullPath),
        (is_by_mail_system(header) || is_by(header, &UNREAD), Automatic::Daemon),
    ];
    signs.into_iter().find_map(|(is_there, sign)| is_there.then_some(sign))
}

/// Returns the [first tokens](first_token) of all fields of this name.
fn tokens(header: &Header, name: &str) -> impl Iterator<Item = String> {
    header.all(name).map(|field| first_token(&unfolded(field)))
}

fn has_any(header: &Header, name: &str, words: &[&str]) -> bool {
    tokens(header, name).any(|token| words.contains(&&*token))
}

/// Returns the text before a semicolon, in lower case and without comments.
fn first_token(value: &str) -> String {
    let plain = without_comments(value).unwrap_or_else(|| value.to_owned());
    plain.split(';').next().unwrap_or_default().trim().to_lowercase()
}

/// Returns whether the Return-Path is `<>`.
pub(super) fn has_null_path(header: &Header) -> bool {
    let path = header.text("Return-Path").map(|path| first_token(&path));
    path.is_some_and(|path| !path.is_empty() && is_null_path(&path))
}

/// The local parts of mail systems.
const DAEMONS: [&str; 3] = ["mailer-daemon", "mailerdaemon", "postmaster"];
/// The local parts of addresses that accept no replies.
const UNREAD: [&str; 4] = ["no-reply", "noreply", "do-not-reply", "donotreply"];

/// Returns whether the From field names a mail system. Some write only `MAILER-DAEMON` or `<>`.
pub(super) fn is_by_mail_system(header: &Header) -> bool {
    header.text("From").is_some_and(|from| from.ends_with("<>")) || is_by(header, &DAEMONS)
}

/// Returns whether the local part of the author's address, up to its first plus sign, is one of
/// these.
fn is_by(header: &Header, names: &[&str]) -> bool {
    let is_one = |local: &str| {
        let local = local.split('+').next().unwrap_or_default();
        names.iter().any(|name| local.eq_ignore_ascii_case(name))
    };
    if let Some(address) = author(header) {
        return is_one(address.split('@').next().unwrap_or_default());
    }
    let from = header.text("From").unwrap_or_default();
    from.split(['<', '>', '@', ' ', '"', ',']).any(is_one)
}

/// Returns whether a header has the mark of an automatic answer, such as a vacation reply.
pub(super) fn is_answer(header: &Header) -> bool {
    has_any(header, "Auto-Submitted", &["auto-replied"])
        || has_any(header, "Precedence", &["bulk", "junk", "auto_reply"])
        || has_old_mark(header)
}

/// Returns whether a header has an older mark of an automatic answer.
fn has_old_mark(header: &Header) -> bool {
    ["X-Autoreply", "X-Auto-Reply", "X-Autorespond"]
        .into_iter()
        .any(|name| header.first(name).is_some())
        || header.text("X-Apple-Action").is_some_and(|it| first_token(&it) == "vacation")
}
