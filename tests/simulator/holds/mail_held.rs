//! Commands that wait for a confirmation, and the questions about them: docs/receiving.md, Confirmation.

use mail_parser::MessageParser;

use super::commands::{Given, Member, allowed};
use super::mail_answers::{OTHERS, READING, answers};
use super::mail_texts::plain;
use super::quotas::mailbox;
use super::replies::player_at;
use super::rows::{Game, Mail, of_new_mails};
use super::{Change, violated};
use crate::simulator::mailer::{self, Author, Incoming};
use crate::simulator::pages;
use crate::simulator::replay::{self, Replayed};
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// The most commands that a question has.
const MAX_ASKED: usize = 20;

/// Says that words were not kept.
pub(super) const NOT_KEPT: &str = "A comment or note was not kept, because the mail with it could not be verified. \
                                   To send it again, write it in a reply to a mail about the game.";

/// Commands about a game that are held as they were written.
pub(super) const ABOUT_GAMES: [&str; 12] = [
    "mute", "unmute", "resign", "draw", "takeback", "pause", "unpause", "claim", "abort",
    "rematch", "watch", "unwatch",
];

/// What a mail that nobody has verified asks for waits for a confirmation, all of it and nothing else, and the
/// question has it.
pub fn unverified_commands_are_asked_about(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change).into_iter().filter(|(_, row)| row.kind == "confirm") {
        asks_about_what_is_held(change, mail, &row).or_else(|what| {
            violated("questions_have_what_is_held", format!("{}: {what}", mail.id))
        })?;
    }
    let Some(mail) = change.incoming.filter(|_| !change.words.is_empty()) else { return Ok(()) };
    holds_what_is_asked(change, mail).or_else(|what| {
        let record = change.after.columns("received", ["understood", "disposition", "why"]).last();
        violated("unverified_commands_are_held", format!("{:?}: {what}, {record:?}", mail.written))
    })
}

/// Returns the held commands as a question shows them.
fn lines_of(tables: &Tables, held: i64) -> Vec<String> {
    let rows = tables.columns("held_command", ["held", "words", "sentence"]);
    let own = rows.filter(|[it, ..]| number(*it) == Some(held));
    own.map(|[_, words, sentence]| {
        let words = words.unwrap_or_default();
        sentence.map_or_else(|| words.to_owned(), |it| format!("{words}: {it}"))
    })
    .collect()
}

fn had_words(tables: &Tables, held: i64) -> bool {
    let row = tables.columns_of("held", held, ["had_words"]).next();
    row == Some([Some("1")])
}

/// A question lists the commands that are held, and says if other words were not kept; its subject has the first.
fn asks_about_what_is_held(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let held = change.after.columns_of("outbox", row.id, ["held"]).next();
    let Some(held) = held.and_then(|[held]| number(held)) else { return Ok(()) };
    // Who leaves loses all that waits.
    if change.after.columns_of("held", held, ["id"]).next().is_none() {
        return Ok(());
    }
    let lines = lines_of(change.after, held);
    let [text, html] = mailer::parts(mail);
    let plain = |text: &str| plain(&text.replace('`', ""));
    let (text, html) = (plain(&text), plain(&pages::texts(&html).join(" ")));
    for line in lines.iter().map(|line| plain(line)) {
        if !text.contains(&format!("- {line} (not done yet)")) || !html.contains(&line) {
            return Err(format!("lacks {line:?}: {text}"));
        }
    }
    let count = text.matches(" (not done yet)").count();
    if count != lines.len() {
        return Err(format!("has {count} commands, not {lines:?}: {text}"));
    }
    for part in [&text, &html] {
        if part.contains(NOT_KEPT) != had_words(change.after, held) {
            return Err(format!("says that words were not kept, or not: {part}"));
        }
    }
    let parsed = MessageParser::default().parse(mail.text.as_bytes());
    let subject = parsed.as_ref().and_then(|it| it.subject()).unwrap_or_default();
    let more = match lines.len().saturating_sub(1) {
        0 => String::new(),
        1 => ", and 1 more command".to_owned(),
        more => format!(", and {more} more commands"),
    };
    let first = lines.first().map(|it| it.split(": ").next().unwrap_or_default());
    let first = first.unwrap_or_default();
    let first = first
        .strip_prefix("signup ")
        .map_or_else(|| first.to_owned(), |it| format!("sign up as {it}"));
    match subject == format!("Confirm: {first}{more}") {
        true => Ok(()),
        false => Err(format!("has the subject {subject:?}")),
    }
}

/// What is to be held of a mail.
#[derive(Default)]
struct Asked {
    lines: Vec<String>,
    has_words: bool,
}

/// Returns what is to be held of a mail that nobody has verified; `None` if this model does not know.
fn asked(change: &Change, mail: &Incoming, player: i64) -> Option<Asked> {
    let mut asked = Asked::default();
    for line in mail.written.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let words: Vec<_> = line.split(' ').collect();
        // What stands above the first command is skipped.
        if OTHERS.contains(&line) && asked.lines.is_empty() {
            continue;
        }
        if words[0] == "say" && words.len() > 1 {
            asked.has_words = true;
            break;
        }
        let line = match &words[..] {
            [word, ..] if READING.contains(word) && line.len() < 40 => continue,
            [word, game] if ABOUT_GAMES.contains(word) && number(Some(game)) > Some(0) => {
                line.to_owned()
            }
            ["receipt", "on" | "off"] => line.to_owned(),
            ["set", setting, value, ..] if *setting != "address" && !value.is_empty() => {
                let rest: Vec<_> = words[1..].iter().map(|it| (*it).to_owned()).collect();
                let id = player.to_string();
                let actor = Member::with_id(change.before, &id);
                let (tables, now) = (change.before, change.now.timestamp());
                let given = Given { word: "set", rest: &rest, actor, tables, now };
                allowed(&given).filter(|is_allowed| *is_allowed).map(|_| line.to_owned())?
            }
            // Nobody but the player makes the server send files.
            ["export", game, "--format", "json"] => {
                let known = number(Some(game)).and_then(|id| Game::of(change.before, id));
                known.filter(|it| !it.is_local).map(|_| line.to_owned())?
            }
            ["move", game, mv] => the_move(change, number(Some(game))?, mv, player)?,
            _ => return None,
        };
        if !asked.lines.contains(&line) {
            asked.lines.push(line);
        }
    }
    Some(asked)
}

/// Returns a move as it is held: with the number of the next one, for a player of the game.
fn the_move(change: &Change, id: i64, mv: &str, player: i64) -> Option<String> {
    let game = Game::of(change.before, id)?;
    let replayed = Replayed::of(change.before, id, usize::MAX).ok()?;
    let label = replay::label(replay::place(mv)?, &replayed.board)?;
    game.color_of(player)?;
    (label == mv).then(|| format!("move {id} {mv}#{}", replayed.plies.len() + 1))
}

/// Returns the player in whose name a mail came that nobody has verified and that is read as it was written.
fn claimed(change: &Change, mail: &Incoming) -> Option<i64> {
    let Author::Anybody(address) = &mail.author else { return None };
    let parsed = MessageParser::default().parse(&mail.bytes)?;
    let body = parsed.body_text(0)?.replace('\r', "");
    let is_plain = parsed.parts.len() == 1 && mail.header().contains("text/plain");
    let is_clear = mail.id.ends_with(".letter@programs.example")
        && is_plain
        && !mail.header().contains("+aicq")
        && body.starts_with(mail.written.trim_end())
        && !mail.is_copy;
    number(player_at(change.before, address).filter(|_| is_clear))
}

/// How long nobody asks a mailbox whose owner has said no to a question.
const REFUSED_FOR: i64 = 30 * DAY;

/// Returns whether the owner of the address has said no to such a question lately.
fn has_refused(change: &Change, mail: &Incoming) -> bool {
    let Author::Anybody(address) = &mail.author else { return false };
    let (mailbox, since) = (mailbox(address), change.now.timestamp() - REFUSED_FOR);
    let mut rows = change.before.columns("refusal", ["mailbox", "refused_at"]);
    rows.any(|[it, at]| {
        it.is_some_and(|it| it.eq_ignore_ascii_case(&mailbox)) && number(at) > Some(since)
    })
}

/// An answer that is held names the offer that is open in its game, or says that none is.
fn answers_are_for_what_is_open(change: &Change, player: i64) -> Result<(), String> {
    let columns = ["words", "events", "sentence", "held"];
    // Those of an earlier question can be in the new one.
    let known: Vec<_> = change.before.columns("held_command", columns).collect();
    for [words, events, sentence, held] in change.after.columns("held_command", columns) {
        let is_new = known.iter().all(|it| [it[0], it[2]] != [words, sentence])
            && number(held)
                .is_some_and(|it| change.before.columns_of("held", it, ["id"]).next().is_none());
        let words: Vec<_> = words.unwrap_or_default().split(' ').filter(|_| is_new).collect();
        let ["accept" | "decline", id] = words[..] else { continue };
        let Some(game) = number(Some(id)).and_then(|id| Game::of(change.before, id)) else {
            continue;
        };
        let Some(own) = game.color_of(player) else { continue };
        let is_right = |tables| {
            let Ok(replayed) = Replayed::of(tables, game.id, usize::MAX) else { return true };
            let says = |words| sentence.is_some_and(|it| it.starts_with(words));
            let [none, own_one] = [says("no offer is open"), says("your own ")];
            match replayed.offer() {
                None => none,
                Some(offer) if offer.by.to_string() == own => own_one,
                Some(_) => sentence.is_some() && !none && !own_one,
            }
        };
        let is_bound = number(events).is_some();
        if !is_bound || ![change.before, change.after].into_iter().any(is_right) {
            return Err(format!("{words:?} is held for {sentence:?} at event {events:?}"));
        }
    }
    Ok(())
}

fn holds_what_is_asked(change: &Change, mail: &Incoming) -> Result<(), String> {
    let Some(player) = claimed(change, mail) else { return Ok(()) };
    if has_refused(change, mail) {
        let text = answers(change, player);
        let is_quiet = text.is_empty() && change.after.new_rows("held", change.before).is_empty();
        return match is_quiet {
            true => Ok(()),
            false => Err(format!("is answered after a no: {text:?}")),
        };
    }
    answers_are_for_what_is_open(change, player)?;
    let Some(Asked { lines, has_words }) = asked(change, mail, player) else { return Ok(()) };
    let disposition = change.after.columns("received", ["disposition"]).last();
    let is_held = match disposition {
        Some([Some("held")]) => true,
        Some([Some("done")]) => false,
        _ => return Ok(()),
    };
    if is_held == lines.is_empty() {
        return Err(format!("is held: {is_held}, and {lines:?} must be confirmed"));
    }
    let new = change.after.added("held", change.before);
    let [new] = new[..] else {
        // The last question may have had all of it.
        return match new.len() {
            0 => Ok(()),
            _ => Err(format!("{new:?} are held")),
        };
    };
    let mut held = lines_of(change.after, new);
    held.dedup();
    // Those of a question that was not tried yet come first.
    let rows = change.before.columns("outbox", ["kind", "player", "state", "first_try_at", "held"]);
    let untried = rows.filter(|[kind, of, state, tried, _]| {
        *kind == Some("confirm")
            && number(*of) == Some(player)
            && *state == Some("queued")
            && tried.is_none()
    });
    let earlier = untried.filter_map(|row| number(row[4])).last();
    let old = earlier.map(|id| lines_of(change.before, id)).unwrap_or_default();
    let added = lines.iter().filter(|line| !old.contains(line)).cloned();
    let joined: Vec<_> = old.iter().cloned().chain(added).collect();
    let is_joined = !old.is_empty() && held == joined && joined.len() <= MAX_ASKED;
    if held != lines && !is_joined {
        return Err(format!("{held:?} is held, not {lines:?} behind {old:?}"));
    }
    let had = has_words || is_joined && earlier.is_some_and(|id| had_words(change.before, id));
    match had_words(change.after, new) == had {
        true => Ok(()),
        false => Err(format!("other words were there: {had}")),
    }
}
