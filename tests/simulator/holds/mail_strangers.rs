//! What people who are not signed up are answered: docs/receiving.md.

use super::commands::Member;
use super::mail_answers::unanswered;
use super::mail_questions::confirms;
use super::quotas::mailbox;
use super::replies::{is_flood, player_at};
use super::rows::{Mail, with_message_id};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer::{Author, GREETINGS, Incoming};
use crate::simulator::tables::{Tables, number};

/// What explains how to sign up.
const HOW: &str = "This address is not signed up here.";

/// Names that are commands or moves.
const RESERVED: [&str; 7] = ["games", "resign", "move", "help", "pass", "d3", "a1"];

/// So few replies in a day are surely below the limits.
const FEW: usize = 10;

/// Sentences below a line with a word, in which nothing is asked for.
pub const SENTENCES: [&str; 2] = ["I would like to know more first.", "Who are you?"];

/// What stands in signatures.
const SIGNATURES: [&str; 3] = ["\n--", "Sent from ", "regards"];

/// Sentences that ask to be signed up, in front of a name.
const WISHES: [&str; 3] = ["Sign up: ", "join ", "I would like to sign up as "];

/// What somebody is answered who is not signed up: whether this is really the name, how to sign up below these words,
/// or nothing.
#[derive(Debug, PartialEq, Eq)]
enum Due {
    Question(String),
    How(String),
    Nothing,
}

/// Who is not signed up and gives a name is asked to confirm it, unless it is taken, a command, a move or could be read
/// as a web address; who asks for help or gives no name is told how; and nobody else is answered. A yes signs up.
pub fn strangers_are_answered(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming.filter(|it| !it.is_copy && !change.words.is_empty()) else {
        return Ok(());
    };
    let (Author::Owner(from) | Author::Anybody(from)) = &mail.author else { return Ok(()) };
    // After a cut, a mail that was answered can come again.
    let is_fresh = |id: &i64| {
        let record = change.after.columns_of("received", *id, ["disposition"]).next();
        record != Some([Some("copy")])
    };
    let is_new = change.after.new_rows("received", change.before).iter().any(is_fresh);
    if player_at(change.before, from).is_some() || !is_new || is_flood(change) {
        return Ok(());
    }
    let found = |what: String| {
        let record = change.after.columns("received", ["understood", "disposition", "why"]).last();
        let bytes = String::from_utf8_lossy(&mail.bytes);
        let found = format!("{from} wrote {:?}: {what}, {record:?}\n{bytes}", mail.written);
        violated("strangers_are_answered", found)
    };
    is_signed_up(change, mail, from).or_else(found)?;
    // A reply to a mail of ours is no unverified mail.
    let must_be = answered(change, mail, from, "answer").is_some() && has_few_replies(change, from);
    match due(change, mail, from) {
        Some(due) => is_answered(change, from, &due, must_be).or_else(found),
        None => Ok(()),
    }
}

/// Returns the number of the mail that a reply answers, if it went to this address, which is not signed up.
fn answered(change: &Change, mail: &Incoming, from: &str, kind: &str) -> Option<i64> {
    let answered =
        change.accepted.get(mail.answers.filter(|_| mail.is_clear && !mail.is_greeted)?)?;
    let [id, address, it] =
        with_message_id(change.before, &answered.id, ["id", "address", "kind"])?;
    let is_to = address.is_some_and(|it| it.eq_ignore_ascii_case(from)) && it == Some(kind);
    number(id).filter(|_| is_to)
}

/// Returns what a mail is to be answered; `None` if this model does not know.
fn due(change: &Change, mail: &Incoming, from: &str) -> Option<Due> {
    let is_reply = answered(change, mail, from, "answer").is_some();
    let bytes = String::from_utf8_lossy(&mail.bytes).replace('\r', "");
    let is_plain = bytes.contains("Content-Type: text/plain") && bytes.contains(&mail.written);
    if !is_reply && (mail.answers.is_some() || !is_plain) {
        return None;
    }
    let lines = mail.written.lines().map(str::trim).filter(|it| !it.is_empty());
    let lines: Vec<_> = lines.collect();
    let line = *lines.last()?;
    // The words of a signature or a greeting are other lines.
    let is_there = |it: &&str| !it.is_empty() && bytes.contains(*it);
    let has_more = SIGNATURES.iter().chain(&GREETINGS).any(is_there) || bytes.contains("base64");
    let is_alone = lines.len() == 1 && !has_more;
    let wish = WISHES.iter().find_map(|it| line.strip_prefix(it)).filter(|_| is_alone);
    let is_word = !line.contains(' ');
    match (line.strip_prefix("signup "), wish) {
        (Some(name), _) if lines.len() <= 2 && !name.contains(' ') => due_for(change.before, name),
        // Other lines that begin so can be sentences.
        (None, Some(name)) if !RESERVED.contains(&name) && name.len() > 2 => {
            due_for(change.before, name)
        }
        _ if lines.len() == 2 && SENTENCES.contains(&line) && !has_wish(lines[0]) => {
            Some(Due::Nothing)
        }
        _ if line == "signup" && is_alone => Some(Due::How("Which name do you want?".to_owned())),
        _ if line == "help" => Some(Due::How("This is Othello by mail".to_owned())),
        _ if is_word && is_alone && is_reply => due_for(change.before, line),
        // A line before can ask for help.
        _ if matches!(line, "hello" | "games") || is_word && is_alone && line.len() > 4 => {
            let is_other = mail.answers.is_some() || lines.contains(&"help");
            (!is_other).then_some(Due::Nothing)
        }
        _ => None,
    }
}

/// Returns whether a line can ask to be signed up or to be helped.
fn has_wish(line: &str) -> bool {
    ["signup", "help"].iter().any(|it| line.contains(it)) || line.contains(' ')
}

/// Returns what somebody is answered who wants this name.
fn due_for(tables: &Tables, name: &str) -> Option<Due> {
    let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic())
        && name.chars().all(|it| it.is_ascii_alphanumeric() || "._-".contains(it))
        && (5..=32).contains(&name.len());
    let looks_like_an_address = name.split('.').skip(1).any(|it| it.len() > 1);
    if RESERVED.contains(&name) {
        return Some(Due::How(format!("Not done: {name:?} is a ")));
    }
    let is_taken = Member::named(tables, name).is_some();
    // Other words can be commands.
    let is_new = name.contains(|it: char| it.is_ascii_digit());
    match (is_name, looks_like_an_address) {
        (true, true) => Some(Due::How("That name could be read as a web address.".to_owned())),
        _ if is_taken => Some(Due::How("That name is taken.".to_owned())),
        (true, false) if is_new => Some(Due::Question(name.to_owned())),
        _ => None,
    }
}

/// Returns the new mails to an address that is not signed up: the kind, the text and what it asks about of each.
fn new_mails<'a>(change: &Change<'a>, to: &str) -> Vec<[Option<&'a str>; 4]> {
    let new = change.after.new_rows("outbox", change.before).into_iter();
    let new = new.filter(|id| Mail::of(change.before, *id).is_none());
    let rows = new.filter_map(|id| {
        change.after.columns_of("outbox", id, ["kind", "text", "held", "address"]).next()
    });
    rows.filter(|row| row[3].is_some_and(|it| it.eq_ignore_ascii_case(to))).collect()
}

/// Returns whether so few mails went to an address that no limit but that for unverified mail is near.
fn has_few_replies(change: &Change, from: &str) -> bool {
    let own = mailbox(from);
    let mut mailboxes = change.before.columns("reply", ["mailbox"]).flatten().flatten();
    let all = change.before.columns("reply", ["mailbox"]).count();
    all < FEW * 3 && mailboxes.by_ref().filter(|it| it.eq_ignore_ascii_case(&own)).count() < FEW
}

fn is_answered(change: &Change, from: &str, due: &Due, must_be: bool) -> Result<(), String> {
    let mails = new_mails(change, from);
    let [disposition] =
        change.after.columns("received", ["disposition"]).last().unwrap_or_default();
    // A mailbox gets few mails that nobody has verified, and none for some time after a no.
    let is_first = unanswered(change.before) == unanswered(change.after)
        || must_be && matches!(due, Due::Question(_));
    let kinds: Vec<_> = mails.iter().map(|mail| mail[0].unwrap_or_default()).collect();
    let is_right = match due {
        Due::Nothing => kinds.is_empty() && disposition == Some("stranger"),
        Due::Question(_) => {
            kinds == ["confirm"] && disposition == Some("held") || kinds.is_empty() && !is_first
        }
        Due::How(_) => {
            disposition == Some("stranger")
                && (kinds == ["answer"] || kinds.is_empty() && !is_first)
        }
    };
    if !is_right {
        return Err(format!("gets {mails:?}, not {due:?}"));
    }
    let Some([_, text, held, _]) = mails.first() else { return Ok(()) };
    let is_right = match due {
        Due::Nothing => true,
        Due::How(words) => text.is_some_and(|it| it.starts_with(&**words) && it.contains(HOW)),
        Due::Question(name) => {
            let id = number(*held).unwrap_or_default();
            let asked = change.after.columns("held_command", ["held", "words"]);
            let asked = asked.filter(|[it, _]| number(*it) == Some(id));
            let asked: Vec<_> = asked.filter_map(|[_, words]| words).collect();
            asked == [format!("signup {name}")]
        }
    };
    if is_right { Ok(()) } else { Err(format!("is answered {text:?}, not {due:?}")) }
}

/// A yes to the question about a name signs its writer up, if nobody else has it by now.
fn is_signed_up(change: &Change, mail: &Incoming, from: &str) -> Result<(), String> {
    let Some(id) = answered(change, mail, from, "confirm") else { return Ok(()) };
    let held = change.before.columns_of("outbox", id, ["held"]).next();
    let held = held.and_then(|[it]| number(it)).unwrap_or_default();
    let row = change.before.columns_of("held", held, ["done_at", "created_at"]).next();
    let Some([None, at]) = row else { return Ok(()) };
    let is_late = number(at) < Some(change.now.timestamp() - 7 * crate::simulator::DAY);
    let mut rows = change.before.columns("held_command", ["held", "words"]);
    let words = rows.find(|[it, _]| number(*it) == Some(held)).and_then(|[_, words]| words);
    let Some(name) = words.and_then(|it| it.strip_prefix("signup ")) else { return Ok(()) };
    let is_free = Member::named(change.before, name).is_none();
    let is_in = player_at(change.after, from).is_some_and(|it| {
        let row =
            number(Some(it)).and_then(|id| change.after.columns_of("player", id, ["name"]).next());
        row == Some([Some(name)])
    });
    match confirms(&mail.written) {
        Some(is_yes) if is_in != (is_yes && is_free && !is_late) => {
            Err(format!("is signed up as {name}: {is_in}, late: {is_late}, free: {is_free}"))
        }
        _ => Ok(()),
    }
}
