//! What is recorded of a mail that came in: docs/receiving.md, What happened to it; docs/json.md, `inbox`.

use mail_parser::MessageParser;

use super::mail_answers::{answers, clear, words_of};
use super::replies::{self, floods, is_ignored, new_events};
use super::rows::{of_player, with_message_id};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer::{Author, Incoming};
use crate::simulator::tables::{Tables, number};

/// A row of the table `received`.
#[derive(Debug)]
struct Record<'a> {
    player: Option<i64>,
    sender: Option<&'a str>,
    understood: Vec<&'a str>,
    disposition: &'a str,
    why: &'a str,
}

/// A mail that came in has one record, with whose it is, the address if it is of somebody else, the commands that it
/// has and what was done with it; and it is counted once, by that.
pub fn mails_are_recorded(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming.filter(|_| !change.words.is_empty()) else { return Ok(()) };
    let new = change.after.new_rows("received", change.before);
    let columns = ["player", "sender", "understood", "disposition", "why"];
    let rows = new.into_iter().filter_map(|id| {
        let [player, sender, understood, disposition, why] =
            change.after.columns_of("received", id, columns).next()?;
        Some(Record {
            player: number(player),
            sender,
            understood: understood?.split_whitespace().collect(),
            disposition: disposition?,
            why: why?,
        })
    });
    let rows: Vec<_> = rows.collect();
    let found = |what: String| {
        let found = format!("{what}: {rows:?} of {:?} {:?}", mail.author, mail.written);
        violated("mails_are_recorded", found)
    };
    let [row] = &rows[..] else {
        return if rows.is_empty() { Ok(()) } else { found("more than one".to_owned()) };
    };
    let checks =
        [is_counted_once, has_its_player, is_what_it_should_be, has_its_commands, has_an_effect];
    checks.iter().try_for_each(|check| check(change, mail, row).or_else(found))
}

/// Returns how many mails had each disposition, without those that got no answer.
fn counts(tables: &Tables) -> Vec<(&str, i64)> {
    let rows = tables.columns("intake", ["disposition", "mails"]);
    let rows = rows.filter_map(|[word, mails]| Some((word?, number(mails)?)));
    let mut rows: Vec<_> = rows.filter(|(word, _)| *word != "unanswered").collect();
    rows.sort_unstable();
    rows
}

fn is_counted_once(change: &Change, _: &Incoming, row: &Record) -> Result<(), String> {
    let word = match row.disposition {
        "ignored" => format!("ignored: {}", row.why.rsplit("; ").next().unwrap_or_default()),
        word => word.to_owned(),
    };
    let mut expected = counts(change.before);
    match expected.iter_mut().find(|(it, _)| *it == word) {
        Some((_, mails)) => *mails += 1,
        None => expected.push((&word, 1)),
    }
    expected.sort_unstable();
    let counted = counts(change.after);
    // A mail to the server itself that comes back in the same step is counted, too.
    match counted == expected || change.words[0] != "receive" {
        true => Ok(()),
        false => Err(format!("counts {counted:?}, not {expected:?}")),
    }
}

/// Returns the address of the author of a mail.
fn from(mail: &Incoming) -> String {
    let parsed = MessageParser::default().parse(&mail.bytes);
    let from = parsed.as_ref().and_then(|it| it.from()?.first()?.address());
    from.unwrap_or_default().to_lowercase()
}

fn player_at(tables: &Tables, address: &str) -> Option<i64> {
    number(replies::player_at(tables, address))
}

/// Returns the player whose token a mail has, unless it was revoked or the mail that it answers may have none.
fn owner(tables: &Tables, change: &Change, mail: &Incoming) -> Option<i64> {
    let shown = change.accepted.get(mail.answers?)?.shown.as_ref()?;
    let secret = shown.secret.as_deref()?;
    let mut rows = tables.columns("player", ["id", "secret"]);
    rows.find(|[_, it]| *it == Some(secret)).and_then(|[id, _]| number(id))
}

/// The player is the one whose mail or token it is, or to whom a mail goes that bounced. The address stands there if
/// it is not that of this player.
fn has_its_player(change: &Change, mail: &Incoming, row: &Record) -> Result<(), String> {
    let (states, from) = ([change.before, change.after], from(mail));
    if row.disposition == "ignored" && row.why == "banned" {
        return match (row.player, row.sender) {
            (None, None) => Ok(()),
            _ => Err("names one who is banned".to_owned()),
        };
    }
    let at = states.map(|it| player_at(it, &from));
    let owners = states.map(|it| owner(it, change, mail));
    let bounced = || {
        let about = change.accepted.get(mail.answers?)?;
        let row = with_message_id(change.before, &about.id, ["player"]);
        row.map(|[player]| number(player))
    };
    let is_right = match row.disposition {
        "bounce" => bounced().is_none_or(|player| row.player == player),
        // A question about a new address is asked at one that is nobody's yet.
        "mismatch" => owners.contains(&row.player) || at.contains(&row.player),
        "copy" | "ignored" => {
            let is_theirs = at.contains(&row.player) || owners.contains(&row.player);
            is_theirs || bounced() == Some(row.player)
        }
        "stranger" => row.player.is_none() && at.contains(&None),
        _ => at.contains(&row.player) || owners.contains(&row.player),
    };
    if !is_right {
        return Err(format!("is of player {:?}, not of {at:?}, {owners:?}", row.player));
    }
    let is_own = states.iter().any(|tables| {
        let player = row.player.or_else(|| player_at(tables, &from));
        let address = player.and_then(|it| of_player(tables, it, "address"));
        address.is_some_and(|it| it.eq_ignore_ascii_case(&from))
    });
    let shown = row.sender.map(str::to_lowercase);
    let is_right = match (is_own, &shown) {
        (true, None) => true,
        (_, Some(sender)) => row.player.is_none_or(|it| at != [Some(it); 2]) && *sender == from,
        // A test of `doctor` names nobody.
        (false, None) => row.disposition == "probe" || from.is_empty(),
    };
    match is_right {
        true => Ok(()),
        false => Err(format!("is from {shown:?}, and not {from:?}, which is own: {is_own}")),
    }
}

/// What a machine writes is ignored or a bounce, and a copy is a copy; a token from another address is a mismatch, and
/// what is not verified waits for a confirmation or only reads.
fn is_what_it_should_be(change: &Change, mail: &Incoming, row: &Record) -> Result<(), String> {
    let is_full = floods(change.before) != floods(change.after) || is_ignored(change.after);
    if is_full {
        return match row.disposition {
            "flood" | "ignored" => Ok(()),
            _ => Err("is counted as another one".to_owned()),
        };
    }
    let is_report = mail.id.ends_with(".bounce@programs.example");
    let may_be: &[&str] = match &mail.author {
        Author::Machine if is_report => &["bounce", "copy", "ignored"],
        Author::Machine => &["ignored"],
        // A reply to a notice for the host is ignored each time.
        _ if mail.is_copy => &["copy", "ignored"],
        Author::Owner(_) => &["done", "held", "stranger", "mismatch", "ignored", "copy"],
        Author::Anybody(_) => {
            let writer = player_at(change.before, &from(mail));
            let is_stolen = owner(change.before, change, mail).is_some_and(|it| writer != Some(it));
            match writer {
                _ if is_stolen => &["mismatch", "ignored", "copy"],
                // A question has a token of nobody who is signed up.
                Some(_) if mail.answers.is_some() => {
                    &["held", "done", "mismatch", "ignored", "copy"]
                }
                Some(_) => &["held", "done", "copy"],
                None => &["stranger", "held", "mismatch", "ignored", "copy"],
            }
        }
    };
    let is_alone = may_be.contains(&row.disposition);
    let has_commands = matches!(row.disposition, "done" | "held" | "stranger" | "flood");
    match is_alone && (has_commands || row.understood.is_empty()) {
        true => Ok(()),
        false => Err(format!("is none of {may_be:?}")),
    }
}

/// A clear mail has the words of all its commands in their order, and a reason if one of them was refused.
fn has_its_commands(change: &Change, mail: &Incoming, row: &Record) -> Result<(), String> {
    let Some((_, player)) = clear(change).filter(|_| row.disposition == "done") else {
        return Ok(());
    };
    let Some(words) = words_of(mail) else { return Ok(()) };
    if row.understood != words {
        return Err(format!("understood {:?}, not {words:?}", row.understood));
    }
    let is_refused = answers(change, player).contains("was not done");
    match is_refused == row.why.is_empty() {
        false => Ok(()),
        true => Err(format!("a command was refused: {is_refused}, and why is {:?}", row.why)),
    }
}

/// A mail whose commands were carried out or refused has done something, or is answered.
fn has_an_effect(change: &Change, mail: &Incoming, row: &Record) -> Result<(), String> {
    let Some((_, player)) = clear(change).filter(|_| row.disposition == "done") else {
        return Ok(());
    };
    let has_left = of_player(change.after, player, "left_at").is_some();
    let own = player.to_string();
    let has_acted = new_events(change).iter().any(|it| it.player == Some(&*own));
    let is_answered = !answers(change, player).is_empty();
    // The record of a mail that was tried can be another one.
    let new = change.after.new_rows("outbox", change.before).into_iter();
    let mut new = new.filter_map(|id| change.after.columns_of("outbox", id, ["player"]).next());
    let is_mailed = new.any(|[of]| number(of) == Some(player));
    match has_left || has_acted || is_answered || is_mailed {
        true => Ok(()),
        false => Err(format!("has no answer, {:?}", mail.id)),
    }
}
